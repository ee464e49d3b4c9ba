/*
 * A separate thread puts finished replays on disk, because an fsync takes longer than
 * hundreds of decisions. A match is reported only when its replay is on disk.
 *
 * The thread touches nothing but the replay writers of the matches on its list.
 */
#include "arbiter/loop/loop_internal.h"
#include "protocol/memory.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct closer {
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	struct running_match *todo, *done; /* linked by `next`, the last first */
	bool stop;
	int event; /* readable when something is done */
};

static struct running_match *reversed(struct running_match *list)
{
	struct running_match *result = NULL;

	while (list) {
		struct running_match *next = list->next;

		list->next = result;
		result = list;
		list = next;
	}
	return result;
}

/* Waits for work and takes all of it, the oldest first; NULL: the thread should end. */
static struct running_match *take_todo(struct closer *closer)
{
	struct running_match *todo;

	pthread_mutex_lock(&closer->mutex);
	while (!closer->todo && !closer->stop)
		pthread_cond_wait(&closer->wake, &closer->mutex);
	todo = closer->todo;
	closer->todo = NULL;
	pthread_mutex_unlock(&closer->mutex);
	return reversed(todo);
}

static void add_done(struct closer *closer, struct running_match *running)
{
	bool first;

	pthread_mutex_lock(&closer->mutex);
	first = !closer->done;
	running->next = closer->done;
	closer->done = running;
	pthread_mutex_unlock(&closer->mutex);
	/* One event is enough: closer_take() takes all there are. */
	if (first)
		eventfd_write(closer->event, 1);
}

/* Puts the replays on disk, bytes and names, with as few syncs as possible. */
static void close_replays(struct running_match *list)
{
	struct replay_writer **writers;
	size_t count = 0, i = 0;

	for (struct running_match *running = list; running; running = running->next)
		count++;
	writers = xmalloc(count * sizeof(*writers));
	for (struct running_match *running = list; running; running = running->next)
		writers[i++] = &running->replay;
	replay_sync(writers, count);
	for (i = 0; i < count; i++)
		replay_close(writers[i]);
	replay_sync_names(writers, count);
	free(writers);
}

static void *close_all(void *context)
{
	struct closer *closer = context;
	struct running_match *list, *next;

	while ((list = take_todo(closer))) {
		close_replays(list);
		for (; list; list = next) {
			next = list->next;
			list->replay_error = replay_writer_error(&list->replay);
			add_done(closer, list);
		}
	}
	return NULL;
}

struct closer *closer_new(void)
{
	struct closer *closer = xcalloc(1, sizeof(*closer));
	sigset_t all, before;

	pthread_mutex_init(&closer->mutex, NULL);
	pthread_cond_init(&closer->wake, NULL);
	closer->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (closer->event < 0 || pthread_create(&closer->thread, NULL, close_all, closer))
		abort();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return closer;
}

int closer_fd(const struct closer *closer)
{
	return closer->event;
}

void closer_add(struct closer *closer, struct running_match *running)
{
	pthread_mutex_lock(&closer->mutex);
	running->next = closer->todo;
	closer->todo = running;
	pthread_cond_signal(&closer->wake);
	pthread_mutex_unlock(&closer->mutex);
}

struct running_match *closer_take(struct closer *closer)
{
	eventfd_t count;
	struct running_match *done;

	eventfd_read(closer->event, &count);
	pthread_mutex_lock(&closer->mutex);
	done = closer->done;
	closer->done = NULL;
	pthread_mutex_unlock(&closer->mutex);
	return reversed(done);
}

void closer_free(struct closer **closer_)
{
	struct closer *closer = *closer_;

	*closer_ = NULL;
	if (!closer)
		return;
	pthread_mutex_lock(&closer->mutex);
	closer->stop = true;
	pthread_cond_signal(&closer->wake);
	pthread_mutex_unlock(&closer->mutex);
	pthread_join(closer->thread, NULL);
	close(closer->event);
	pthread_cond_destroy(&closer->wake);
	pthread_mutex_destroy(&closer->mutex);
	free(closer);
}
