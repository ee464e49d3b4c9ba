/* The backend that plays matches with worker processes on this machine. */
#include "arbiter/base/exit.h"
#include "arbiter/ladder/workers/local_internal.h"
#include "arbiter/ladder/workers/worker.h"
#include "protocol/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_MS 100
/* So many deaths without a finished match stop the run: workers that cannot even start
 * would die for ever. A bot that kills workers does so several times before it is
 * barred, and several such bots may sit at the first tables. */
#define BARREN_MAX 40
/* How long a match that killed a worker waits for its remote bots, which the death has
 * cut off. A bot that stays away longer has not been caught. */
#define RETURN_NS_MAX (60 * NS_PER_S)

static void *open_workers(struct pool *pool)
{
	struct local *local = xcalloc(1, sizeof(*local));
	size_t workers = (size_t)pool->options.workers;

	local->pool = pool;
	local->worker = xcalloc(workers, sizeof(*local->worker));
	local->watched = xcalloc(workers + 1, sizeof(*local->watched));
	return local;
}

static void free_list(struct assignment **list)
{
	while (*list) {
		struct assignment *a = *list;

		*list = a->next;
		free(a);
	}
}

static void close_workers(void *state)
{
	struct local *local = state;
	int workers = local->pool->options.workers;

	/* All are told at once, then waited for one by one. */
	for (int i = 0; i < workers; i++)
		local_worker_tell_end(&local->worker[i]);
	for (int i = 0; i < workers; i++) {
		local_worker_end(&local->worker[i], false);
		free_list(&local->worker[i].assignments);
	}
	free_list(&local->queue);
	free(local->worker);
	free(local->watched);
	free(local);
}

static void bot_added(void *state)
{
	struct local *local = state;

	local_worker_send_remotes(local, local->worker);
}

void local_enqueue(struct local *local, struct assignment *a)
{
	struct assignment **at = &local->queue;

	while (*at)
		at = &(*at)->next;
	a->next = NULL;
	*at = a;
}

void local_requeue(struct local *local, struct assignment *a)
{
	/* The attempt that failed may have left a replay there. */
	if (*a->job.replay)
		unlink(a->job.replay);
	/* A remote bot never sees a deal twice. */
	if (a->job.remote)
		chance_fresh(a->job.seed, sizeof(a->job.seed));
	a->wait_until = time_now(&time_system) + RETURN_NS_MAX;
	local_enqueue(local, a);
}

/* A match that killed a worker says who did it only if the same bots play it again. */
static bool waits(struct local *local, const struct assignment *a)
{
	if (!a->alone || !a->job.remote)
		return false;
	for (int seat = 0; seat < local->pool->options.rules.seats; seat++)
		if (!game_seat_in(a->barred, seat) &&
			!pool_online(local->pool, a->job.bot[seat]))
			return true;
	return false;
}

static int alone_waiting(struct local *local)
{
	int n = 0;

	for (const struct assignment *a = local->queue; a; a = a->next)
		n += a->alone && !waits(local, a);
	return n;
}

/* Whoever has not come back is given up. */
static void end_waits(struct local *local)
{
	mono_ns now = time_now(&time_system);

	for (struct assignment **at = &local->queue; *at;) {
		struct assignment *a = *at;

		if (!waits(local, a) || now < a->wait_until) {
			at = &a->next;
			continue;
		}
		*at = a->next;
		pool_absent(local->pool, &a->job);
		free(a);
	}
}

/* Takes the first queued assignment of that kind that this worker can play: remote bots
 * connect to the first worker. */
static struct assignment *dequeue(struct local *local, int index, bool alone)
{
	for (struct assignment **at = &local->queue; *at; at = &(*at)->next)
		if ((*at)->alone == alone && (!(*at)->job.remote || index == 0) &&
			!waits(local, *at)) {
			struct assignment *a = *at;

			*at = a->next;
			return a;
		}
	return NULL;
}

static struct assignment *ask_client(struct local *local)
{
	struct assignment *a = xcalloc(1, sizeof(*a));

	if (pool_ask(local->pool, &a->job)) {
		a->number = ++local->next_number;
		return a;
	}
	free(a);
	return NULL;
}

static void give(struct local *local, struct local_worker *worker, struct assignment *a)
{
	a->next = worker->assignments;
	worker->assignments = a;
	worker->count++;
	worker->alone = a->alone;
	local->pool->numbers.under_way++;
	local_worker_send(local, worker, a);
}

/* One match more than it plays, so that it need not wait for us. */
static void feed_worker(struct local *local, int index)
{
	struct local_worker *worker = &local->worker[index];
	struct assignment *a;

	if (worker->alone)
		return;
	if (index < alone_waiting(local)) {
		/* An assignment that must be played alone waits until the worker is
		 * idle. */
		if (!worker->count && (a = dequeue(local, index, true)))
			give(local, worker, a);
		return;
	}
	while (worker->count <= local->pool->options.at_once) {
		a = dequeue(local, index, false);
		if (!a)
			a = ask_client(local);
		if (!a)
			return;
		if (a->job.remote && index > 0)
			local_enqueue(local, a);
		else
			give(local, worker, a);
	}
}

static void feed(void *state)
{
	struct local *local = state;
	struct pool *pool = local->pool;

	for (int i = 0; i < pool->options.workers && !pool->failed; i++) {
		struct local_worker *worker = &local->worker[i];

		if (!worker->child.pid && !local_worker_start(local, worker))
			pool_fail(
				pool, "a worker cannot be started: %s", strerror(errno));
		else
			feed_worker(local, i);
	}
}

static bool idle(const void *state)
{
	const struct local *local = state;

	return !local->pool->numbers.under_way && !local->queue && !local->waiting_trials;
}

static void on_death(struct local *local, struct local_worker *worker, bool hung)
{
	struct pool *pool = local->pool;
	struct assignment *a = worker->assignments;
	int status;

	local_worker_note(
		local, worker, hung ? "does not respond any more; it is killed" : "died");
	status = local_worker_end(worker, true);
	pool->numbers.deaths += !hung;
	pool->numbers.hung += hung;
	pool->numbers.under_way -= worker->count;
	local->barren++;
	for (int i = 0; worker == local->worker && i < pool->bots; i++)
		pool->bot[i].online = false;
	if ((WIFEXITED(status) && WEXITSTATUS(status) == EXIT_USER) ||
		local->barren > BARREN_MAX)
		local_fail_barren(local);
	*worker = (struct local_worker){0};
	while (a) {
		struct assignment *next = a->next;

		if (hung)
			local_after_hang(local, a);
		else
			local_after_death(local, a);
		a = next;
	}
}

static struct assignment *take_assignment(struct local_worker *worker, int64_t number)
{
	for (struct assignment **at = &worker->assignments; *at; at = &(*at)->next)
		if ((*at)->number == number) {
			struct assignment *a = *at;

			*at = a->next;
			worker->count--;
			if (!worker->count)
				worker->alone = false;
			return a;
		}
	return NULL;
}

static void on_absent(struct local *local, struct assignment *a)
{
	if (a->alone && time_now(&time_system) < a->wait_until) {
		local_enqueue(local, a);
		return;
	}
	pool_absent(local->pool, &a->job);
	free(a);
}

static void on_void(
	struct local *local, struct assignment *a, const struct match_record *record)
{
	if (record->void_cause == VOID_ABSENT && a->job.remote) {
		on_absent(local, a);
		return;
	}
	local->pool->numbers.voids++;
	for (int seat = 0; seat < record->seats; seat++)
		if (record->seat[seat].fault == FAULT_ARBITER)
			pool_find_bot(local->pool, a->job.bot[seat])->excused++;
	if (record->void_cause == VOID_REPLAY || ++a->voids > LOCAL_VOIDS_MAX) {
		pool_fail(local->pool, "a match could not be played: %s",
			record->void_reason);
		free(a);
		return;
	}
	local_requeue(local, a);
}

/* False: it was never asked to play this. */
static bool on_done(
	struct local *local, struct local_worker *worker, struct done_message *done)
{
	struct assignment *a = take_assignment(worker, done->job);

	if (!a)
		return false;
	local->pool->numbers.under_way--;
	local->pool->later = false;
	local->barren = 0;
	if (a->trial_of) {
		local_trial_over(local, a, false);
	} else if (done->record.void_cause) {
		on_void(local, a, &done->record);
	} else {
		pool_deliver(local->pool, &a->job, &done->record);
		free(a);
	}
	return true;
}

static void on_online(struct local *local, const struct online_message *online)
{
	struct pool_bot *bot = pool_find_bot(local->pool, online->id);

	if (!bot)
		return;
	bot->online = online->online;
	fprintf(stderr, "%s is %s\n", bot->facts.name, bot->online ? "online" : "gone");
	local->pool->later = false;
}

/* Adds the connections since the worker's last message; a replaced worker counts from
 * 0. */
static void on_handshakes(
	struct local *local, const struct handshakes_message *handshakes)
{
	struct pool_numbers *numbers = &local->pool->numbers;

	numbers->handshakes.connections += handshakes->counts.connections;
	numbers->handshakes.admitted += handshakes->counts.admitted;
	numbers->handshakes.unknown += handshakes->counts.unknown;
	numbers->handshakes.refused += handshakes->counts.refused;
	numbers->strangers += handshakes->strangers;
}

/* False: no worker should send this. */
static bool on_message(
	struct local *local, struct local_worker *worker, struct worker_message *message)
{
	switch (message->type) {
	case WORKER_ALIVE:
		return true;
	case WORKER_LISTENING:
		fprintf(stderr,
			"remote bots come to PIGPEN_ENDPOINT=%s with "
			"PIGPEN_SERVER_KEY='%s'\n",
			message->listening.endpoint, message->listening.server_key);
		return true;
	case WORKER_ONLINE:
		on_online(local, &message->online);
		return true;
	case WORKER_HANDSHAKES:
		on_handshakes(local, &message->handshakes);
		return true;
	case WORKER_DONE:
		return message->done.record.seats == local->pool->options.rules.seats &&
		       on_done(local, worker, &message->done);
	default:
		return false;
	}
}

static void listen_to(struct local *local, struct local_worker *worker)
{
	struct worker_message *message = xmalloc(sizeof(*message));
	struct why why;
	json_t *line;

	worker->silent_ns = 0;
	lines_fill(&worker->from);
	while ((line = lines_next_json(&worker->from))) {
		bool ok = worker_message_read(message, line, &why);

		if (!ok) {
			why_before(&why, "sent an invalid line: ");
			local_worker_note(local, worker, why.text);
		}
		/* Its open matches are played by other workers. */
		if (!ok || !on_message(local, worker, message))
			worker->from.ended = true;
		json_decref(line);
	}
	free(message);
	if (worker->from.ended)
		on_death(local, worker, false);
}

/* Counts only the time in which we listened: a delay of our own says nothing about the
 * worker. */
static void note_silence(struct local *local, struct local_worker *worker, int64_t ns)
{
	worker->silent_ns += ns < 2 * TICK_MS * NS_PER_MS ? ns : 0;
	if (worker->silent_ns > WORKER_SILENT_MS_MAX * NS_PER_MS)
		on_death(local, worker, true);
}

static void wait_and_listen(void *state)
{
	struct local *local = state;
	struct pollfd *watched = local->watched;
	int n = local->pool->options.workers;
	mono_ns start = time_now(&time_system);

	for (int i = 0; i < n; i++) {
		const struct local_worker *worker = &local->worker[i];

		watched[i] = (struct pollfd){
			worker->child.pid ? worker->from.fd : -1, POLLIN, 0};
	}
	watched[n] = (struct pollfd){local->pool->signals, POLLIN, 0};
	poll(watched, (nfds_t)n + 1, TICK_MS);
	for (int i = 0; i < n; i++)
		if (local->worker[i].child.pid && watched[i].revents)
			listen_to(local, &local->worker[i]);
		else if (local->worker[i].child.pid)
			note_silence(
				local, &local->worker[i], time_now(&time_system) - start);
	end_waits(local);
	/* A client that had no jobs may have some now that other remote bots are
	 * online. */
	if (local->pool->options.listen && !local->pool->numbers.under_way)
		local->pool->later = false;
}

const struct pool_backend pool_local = {
	.open = open_workers,
	.close = close_workers,
	.feed = feed,
	.idle = idle,
	.wait = wait_and_listen,
	.bot_added = bot_added,
};
