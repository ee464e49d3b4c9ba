/* The processes of local workers: starting, talking to, ending them. */
#include "arbiter/ladder/workers/local_internal.h"
#include "arbiter/ladder/workers/worker.h"
#include "arbiter/loop/loop.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define END_MS_MAX  15000
#define END_LOOK_MS 5

/* The soft limit alone: bots get theirs by other means and must not inherit this one. */
static void cap_memory(int mb_max)
{
	struct rlimit limit;

#ifdef __SANITIZE_ADDRESS__
	/* The sanitizer's shadow memory alone is far beyond any cap. */
	mb_max = 0;
#endif
	if (!mb_max || getrlimit(RLIMIT_AS, &limit))
		return;
	limit.rlim_cur = (rlim_t)mb_max << 20;
	if (limit.rlim_max == RLIM_INFINITY || limit.rlim_cur < limit.rlim_max)
		setrlimit(RLIMIT_AS, &limit);
}

static void prepare(void *context)
{
	const struct pool_options *options = context;

	setenv("XDG_RUNTIME_DIR", options->runtime, 1);
	cap_memory(options->worker_mb_max);
}

static char *log_path(const struct local *local)
{
	return xasprintf("%s/workers.log", local->pool->options.log_folder);
}

/* -1: there is none. */
static int open_log(const struct local *local)
{
	char *path;
	int log;

	if (!local->pool->options.log_folder)
		return -1;
	path = log_path(local);
	log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	free(path);
	return log;
}

static void send_rules(const struct local *local, struct local_worker *worker)
{
	const struct pool_options *options = &local->pool->options;
	struct worker_message message = {.type = WORKER_RULES};

	pool_rules_message(local->pool, &message.rules);
	if (options->listen && worker == local->worker) {
		utf8_format(message.rules.listen, sizeof(message.rules.listen), "%s",
			options->listen);
		utf8_format(message.rules.key_path, sizeof(message.rules.key_path), "%s",
			options->key_path);
	}
	worker_message_send(worker->child.input_fd, &message);
}

bool local_worker_start(struct local *local, struct local_worker *worker)
{
	static char *const argv[] = {"pigpen", "ladder", "worker", NULL};
	int log = open_log(local), err;

	*worker = (struct local_worker){
		.child = {.argv = argv,
			.self = true,
			.input = CHILD_PIPE,
			.output = CHILD_PIPE,
			.error = log >= 0 ? CHILD_FD : CHILD_INHERIT,
			.error_fd = log,
			/* A ^C on the terminal is for the coordinator alone. */
			.own_group = true,
			/* A stopped worker must notice that its coordinator is gone. */
			.death_signal = SIGCONT,
			.prepare = prepare,
			.context = &local->pool->options}};
	err = child_start(&worker->child);
	if (log >= 0)
		close(log);
	if (err) {
		*worker = (struct local_worker){0};
		errno = err;
		return false;
	}
	lines_init(&worker->from, worker->child.output_fd, WORKER_LINE_MAX);
	send_rules(local, worker);
	local_worker_send_remotes(local, worker);
	return true;
}

static void send_bot(struct local *local, struct local_worker *worker, int index)
{
	struct worker_message message = {
		.type = WORKER_BOT, .bot = local->pool->bot[index].facts};
	int bots = local->pool->bots;

	if (index >= worker->knows_size) {
		worker->knows = xrealloc(worker->knows, (size_t)bots);
		memset(worker->knows + worker->knows_size, 0,
			(size_t)(bots - worker->knows_size));
		worker->knows_size = bots;
	}
	if (worker->knows[index])
		return;
	worker->knows[index] = true;
	worker_message_send(worker->child.input_fd, &message);
}

void local_worker_send_remotes(struct local *local, struct local_worker *worker)
{
	struct pool *pool = local->pool;

	if (!pool->options.listen || worker != local->worker || !worker->child.pid)
		return;
	for (int i = 0; i < pool->bots; i++)
		if (*pool->bot[i].facts.remote)
			send_bot(local, worker, i);
}

/* How often it may still be late on a starved host, over all workers. */
static int excuses_left(const struct pool_bot *bot)
{
	int64_t left = LOOP_EXCUSES + bot->matches / LOOP_EXCUSE_MATCHES - bot->excused;

	return left > 0 ? (int)left : 0;
}

void local_worker_send(
	struct local *local, struct local_worker *worker, const struct assignment *a)
{
	struct pool *pool = local->pool;
	struct worker_message message = {.type = WORKER_PLAY};

	pool_play_message(pool, &a->job, a->number, &message.play);
	message.play.barred = a->barred;
	message.play.has_excuses = true;
	for (int seat = 0; seat < message.play.seats; seat++) {
		const struct pool_bot *bot = pool_find_bot(pool, a->job.bot[seat]);

		if (!bot)
			abort();
		send_bot(local, worker, (int)(bot - pool->bot));
		message.play.excuses[seat] = excuses_left(bot);
	}
	/* If the worker is gone, the end of its output says so next. */
	worker_message_send(worker->child.input_fd, &message);
}

void local_worker_note(
	const struct local *local, const struct local_worker *worker, const char *what)
{
	int log = open_log(local);

	if (log < 0)
		return;
	dprintf(log, "pigpen: worker %d %s; %d matches were under way\n",
		(int)worker->child.pid, what, worker->count);
	close(log);
}

void local_worker_tell_end(struct local_worker *worker)
{
	if (worker->child.pid && worker->child.input_fd >= 0)
		close(worker->child.input_fd);
	worker->child.input_fd = -1;
}

int local_worker_end(struct local_worker *worker, bool kill_now)
{
	const struct timespec pause = {0, END_LOOK_MS * NS_PER_MS};
	int status = 0;

	if (!worker->child.pid)
		return 0;
	local_worker_tell_end(worker);
	if (kill_now)
		kill(worker->child.pid, SIGKILL);
	for (int ms = 0; !child_ended(&worker->child, &status); ms += END_LOOK_MS) {
		if (ms == END_MS_MAX)
			kill(worker->child.pid, SIGKILL);
		nanosleep(&pause, NULL);
	}
	child_close(&worker->child);
	lines_release(&worker->from);
	free(worker->knows);
	worker->knows = NULL;
	worker->knows_size = 0;
	return status;
}
