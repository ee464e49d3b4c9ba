#include "arbiter/ladder/workers/pool_internal.h"
#include "arbiter/base/exit.h"
#include "arbiter/ladder/workers/worker.h"
#include "arbiter/process/launch.h"
#include "arbiter/loop/loop.h"
#include "protocol/memory.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_MS          100
#define VOIDS_MAX        5
#define TRIAL_ROUNDS_MAX 3
/* A trial that the worker does not survive is held once more: workers can be killed by
 * others than bots. */
#define TRIAL_DEATHS_MAX 2
/* A bot that kills workers does so several times before it is convicted, and several may
 * sit at the first tables; a worker that cannot even start dies without end. */
#define BARREN_MAX 40
/* How long a match that killed a worker waits for its remote bots, which the death has
 * cut off. A bot that stays away longer has not been caught. */
#define RETURN_NS_MAX (60 * NS_PER_S)
/* Rotations of trials, so that they have processes of their own. */
#define TRIAL_ROTATION 1000

void pool_fail(struct pool *pool, const char *format, ...)
{
	va_list args;

	if (pool->failed)
		return;
	pool->failed = true;
	va_start(args, format);
	why_set_list(&pool->why, format, args);
	va_end(args);
}

struct pool *pool_new(const struct pool_options *options)
{
	struct pool *pool = xcalloc(1, sizeof(*pool));

	pool->options = *options;
	pool->signals = -1;
	pool->worker = xcalloc((size_t)options->workers, sizeof(*pool->worker));
	pool->farm = options->slurm ? farm_new(pool) : NULL;
	return pool;
}

static void free_list(struct assignment **list)
{
	while (*list) {
		struct assignment *a = *list;

		*list = a->next;
		free(a);
	}
}

void pool_free(struct pool **pool_)
{
	struct pool *pool = *pool_;

	*pool_ = NULL;
	if (pool->farm)
		farm_free(&pool->farm);
	/* All are told at once, then waited for one by one. */
	for (int i = 0; i < pool->options.workers; i++)
		worker_tell_end(&pool->worker[i]);
	for (int i = 0; i < pool->options.workers; i++) {
		worker_end(&pool->worker[i], false);
		free_list(&pool->worker[i].assignments);
	}
	free_list(&pool->queue);
	free(pool->worker);
	free(pool->bot);
	free(pool);
}

struct pool_bot *pool_find_bot(struct pool *pool, int64_t id)
{
	for (int i = 0; i < pool->bots; i++)
		if (pool->bot[i].id == id)
			return &pool->bot[i];
	return NULL;
}

void pool_bot(struct pool *pool, int64_t id, const char *folder, const char *name,
	const char *hash)
{
	struct pool_bot *bot;

	if (pool_find_bot(pool, id))
		return;
	pool->bot = xrealloc(pool->bot, (size_t)(pool->bots + 1) * sizeof(*pool->bot));
	bot = &pool->bot[pool->bots++];
	*bot = (struct pool_bot){.id = id};
	snprintf(bot->folder, sizeof(bot->folder), "%s", folder);
	snprintf(bot->name, sizeof(bot->name), "%s", name);
	snprintf(bot->hash, sizeof(bot->hash), "%s", hash);
}

void pool_remote_bot(struct pool *pool, int64_t id, const char *name, const char *hash,
	const char *key)
{
	if (pool_find_bot(pool, id))
		return;
	pool_bot(pool, id, "", name, hash);
	snprintf(pool->bot[pool->bots - 1].remote, sizeof(pool->bot->remote), "%s", key);
	worker_send_remotes(pool, pool->worker);
}

bool pool_is_remote(struct pool *pool, int64_t id)
{
	const struct pool_bot *bot = pool_find_bot(pool, id);

	return bot && *bot->remote;
}

bool pool_online(struct pool *pool, int64_t id)
{
	const struct pool_bot *bot = pool_find_bot(pool, id);

	return bot && (!*bot->remote || bot->online);
}

const char *pool_why(const struct pool *pool)
{
	return pool->why.text;
}

struct pool_numbers pool_numbers(const struct pool *pool)
{
	return pool->numbers;
}

static void enqueue(struct pool *pool, struct assignment *a)
{
	struct assignment **at = &pool->queue;

	while (*at)
		at = &(*at)->next;
	a->next = NULL;
	*at = a;
}

static void requeue(struct pool *pool, struct assignment *a)
{
	/* A replay of the attempt that came to nothing may lie there. */
	if (*a->job.replay)
		unlink(a->job.replay);
	/* A remote bot never sees a deal twice. */
	if (a->job.remote)
		chance_fresh(a->job.seed, sizeof(a->job.seed));
	a->wait_until = time_now(&time_system) + RETURN_NS_MAX;
	enqueue(pool, a);
}

/* A match that killed a worker says who did it only if the same bots play it again. */
static bool waits(struct pool *pool, const struct assignment *a)
{
	if (!a->alone || !a->job.remote)
		return false;
	for (int seat = 0; seat < pool->options.rules.seats; seat++)
		if (!game_seat_in(a->barred, seat) &&
			!pool_online(pool, a->job.bot[seat]))
			return true;
	return false;
}

static int alone_waiting(struct pool *pool)
{
	int n = 0;

	for (const struct assignment *a = pool->queue; a; a = a->next)
		n += a->alone && !waits(pool, a);
	return n;
}

/* Whoever has not come back is given up. */
static void end_waits(struct pool *pool)
{
	mono_ns now = time_now(&time_system);

	for (struct assignment **at = &pool->queue; *at;) {
		struct assignment *a = *at;

		if (!waits(pool, a) || now < a->wait_until) {
			at = &a->next;
			continue;
		}
		*at = a->next;
		pool->client->absent(pool->client->context, &a->job);
		free(a);
		pool->later = false;
	}
}

/* Takes the first queued assignment of that kind that this worker can play: remote bots
 * come to the first one. */
static struct assignment *dequeue(struct pool *pool, int index, bool alone)
{
	for (struct assignment **at = &pool->queue; *at; at = &(*at)->next)
		if ((*at)->alone == alone && (!(*at)->job.remote || index == 0) &&
			!waits(pool, *at)) {
			struct assignment *a = *at;

			*at = a->next;
			return a;
		}
	return NULL;
}

static struct assignment *ask_client(struct pool *pool)
{
	struct assignment *a;

	if (pool->no_more || pool->later)
		return NULL;
	a = xcalloc(1, sizeof(*a));
	switch (pool->client->next(pool->client->context, &a->job)) {
	case POOL_JOB:
		a->number = ++pool->next_number;
		return a;
	case POOL_LATER:
		pool->later = true;
		break;
	case POOL_NONE:
		pool->no_more = true;
		break;
	}
	free(a);
	return NULL;
}

static void give(struct pool *pool, struct pool_worker *worker, struct assignment *a)
{
	a->next = worker->assignments;
	worker->assignments = a;
	worker->count++;
	worker->alone = a->alone;
	pool->numbers.under_way++;
	worker_send(pool, worker, a);
}

/* One match more than it plays, so that it need not wait for us. */
static void feed(struct pool *pool, int index)
{
	struct pool_worker *worker = &pool->worker[index];
	struct assignment *a;

	if (worker->alone)
		return;
	if (index < alone_waiting(pool)) {
		/* This one must run empty first. */
		if (!worker->count && (a = dequeue(pool, index, true)))
			give(pool, worker, a);
		return;
	}
	while (worker->count <= pool->options.at_once) {
		a = dequeue(pool, index, false);
		if (!a)
			a = ask_client(pool);
		if (!a)
			return;
		if (a->job.remote && index > 0)
			enqueue(pool, a);
		else
			give(pool, worker, a);
	}
}

static void feed_all(struct pool *pool)
{
	for (int i = 0; i < pool->options.workers && !pool->failed; i++) {
		struct pool_worker *worker = &pool->worker[i];

		if (!worker->pid && !worker_start(pool, worker))
			pool_fail(
				pool, "a worker cannot be started: %s", strerror(errno));
		else
			feed(pool, i);
	}
}

/* All trials of an assignment are over: it is played again. */
static void trial_over(struct pool *pool, struct assignment *trial, bool guilty)
{
	struct assignment *a = trial->trial_of;

	for (int seat = 0; guilty && seat < pool->options.rules.seats; seat++)
		if (a->job.bot[seat] == trial->accused)
			a->barred |= (uint16_t)(1u << seat);
	free(trial);
	if (--a->trials)
		return;
	pool->waiting_trials--;
	a->deaths = 0;
	requeue(pool, a);
}

/* No match was ever finished: it is not the bots, the workers cannot live. */
static void fail_barren(struct pool *pool)
{
	pool_fail(pool,
		"workers end before they have played a match; is their memory cap of %d "
		"MB "
		"large enough?%s%s",
		pool->options.worker_mb_max,
		pool->options.log_folder ? " See workers.log in " : "",
		pool->options.log_folder ? pool->options.log_folder : "");
}

/* Who cannot be tried alone is left when all others were acquitted. */
static void bar_remotes(struct pool *pool, struct assignment *a)
{
	for (int seat = 0; seat < pool->options.rules.seats; seat++)
		if (pool_is_remote(pool, a->job.bot[seat]))
			a->barred |= (uint16_t)(1u << seat);
}

static void put_on_trial(struct pool *pool, struct assignment *a)
{
	if (++a->trial_rounds > TRIAL_ROUNDS_MAX) {
		if (pool->barren == (int)pool->numbers.deaths)
			fail_barren(pool);
		pool_fail(pool,
			"workers die again and again over one match, and none of its "
			"bots does it alone; look at the logs of workers and bots");
		free(a);
		return;
	}
	pool->waiting_trials++;
	if (a->trial_rounds > 1)
		bar_remotes(pool, a);
	for (int seat = 0; seat < pool->options.rules.seats; seat++) {
		struct assignment *trial;
		bool seen = game_seat_in(a->barred, seat);

		for (int other = 0; other < seat; other++)
			seen |= a->job.bot[other] == a->job.bot[seat];
		/* A remote bot cannot play against itself. */
		if (seen || *pool_find_bot(pool, a->job.bot[seat])->remote)
			continue;
		trial = xcalloc(1, sizeof(*trial));
		trial->number = ++pool->next_number;
		trial->alone = true;
		trial->trial_of = a;
		trial->accused = a->job.bot[seat];
		trial->job.rotation = TRIAL_ROTATION;
		chance_fresh(trial->job.seed, sizeof(trial->job.seed));
		for (int i = 0; i < pool->options.rules.seats; i++)
			trial->job.bot[i] = trial->accused;
		a->trials++;
		enqueue(pool, trial);
	}
	/* All are barred already: it was none of them. */
	if (!a->trials) {
		pool->waiting_trials--;
		requeue(pool, a);
	}
}

/* A worker that hung is no evidence against a bot: bots can only make it die. */
static void after_hang(struct pool *pool, struct assignment *a)
{
	if (++a->voids <= VOIDS_MAX) {
		requeue(pool, a);
		return;
	}
	pool_fail(pool,
		"workers hang again and again over one match; look at the logs of "
		"workers and bots");
	free(a);
}

static void after_death(struct pool *pool, struct assignment *a)
{
	a->deaths++;
	if (a->trial_of) {
		if (a->deaths < TRIAL_DEATHS_MAX)
			requeue(pool, a);
		else
			trial_over(pool, a, true);
		return;
	}
	a->alone = true;
	if (a->deaths < 2)
		requeue(pool, a);
	else
		put_on_trial(pool, a);
}

static void on_death(struct pool *pool, struct pool_worker *worker, bool hung)
{
	struct assignment *a = worker->assignments;
	int status;

	worker_note(pool, worker, hung ? "says nothing any more; it is ended" : "died");
	status = worker_end(worker, true);
	pool->numbers.deaths += !hung;
	pool->numbers.hung += hung;
	pool->numbers.under_way -= worker->count;
	pool->barren++;
	for (int i = 0; worker == pool->worker && i < pool->bots; i++)
		pool->bot[i].online = false;
	if ((WIFEXITED(status) && WEXITSTATUS(status) == EXIT_USER) ||
		pool->barren > BARREN_MAX)
		fail_barren(pool);
	*worker = (struct pool_worker){0};
	while (a) {
		struct assignment *next = a->next;

		if (hung)
			after_hang(pool, a);
		else
			after_death(pool, a);
		a = next;
	}
}

static struct assignment *take_assignment(struct pool_worker *worker, int64_t number)
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

/* False: it was not that. */
static bool on_absent(
	struct pool *pool, struct assignment *a, const struct match_record *record)
{
	if (!a->job.remote ||
		strncmp(record->void_reason, LOOP_ABSENT, strlen(LOOP_ABSENT)))
		return false;
	if (a->alone && time_now(&time_system) < a->wait_until) {
		enqueue(pool, a);
		return true;
	}
	pool->client->absent(pool->client->context, &a->job);
	free(a);
	return true;
}

/* What the listening worker says of remote bots. */
static void on_remote(struct pool *pool, const json_t *line)
{
	const char *endpoint = json_string_value(json_object_get(line, "endpoint"));
	struct pool_bot *bot =
		pool_find_bot(pool, json_integer_value(json_object_get(line, "id")));

	if (endpoint)
		fprintf(stderr, "%s\n", endpoint);
	if (!bot)
		return;
	bot->online = json_is_true(json_object_get(line, "online"));
	fprintf(stderr, "%s is %s\n", bot->name, bot->online ? "online" : "gone");
	pool->later = false;
}

static uint64_t count_of(const json_t *line, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(line, name));
}

/* Who came since its last line; a worker that was replaced began anew. */
static void on_door(struct pool *pool, const json_t *line)
{
	struct pool_numbers *numbers = &pool->numbers;

	numbers->door.connections += count_of(line, "opened");
	numbers->door.admitted += count_of(line, "admitted");
	numbers->door.unknown += count_of(line, "unknown");
	numbers->door.refused += count_of(line, "refused");
	numbers->strangers += (int64_t)count_of(line, "strangers");
}

static void on_void(
	struct pool *pool, struct assignment *a, const struct match_record *record)
{
	pool->numbers.voids++;
	for (int seat = 0; seat < record->seats; seat++)
		if (record->seat[seat].fault == FAULT_ARBITER)
			pool_find_bot(pool, a->job.bot[seat])->excused++;
	if (!strncmp(record->void_reason, "the replay cannot be written", 28) ||
		++a->voids > VOIDS_MAX) {
		pool_fail(pool, "a match came to nothing: %s", record->void_reason);
		free(a);
		return;
	}
	requeue(pool, a);
}

static void on_record(struct pool *pool, struct pool_worker *worker, const json_t *line)
{
	struct assignment *a =
		take_assignment(worker, json_integer_value(json_object_get(line, "job")));
	struct match_record *record = xmalloc(sizeof(*record));

	if (a)
		pool->numbers.under_way--;
	if (!a || !match_record_read(record, line)) {
		/* It has lost its mind; what it owes is played elsewhere. */
		worker->from.ended = true;
		if (a)
			requeue(pool, a);
	} else {
		pool->barren = 0;
		record->rotation = a->job.rotation;
		for (int seat = 0; seat < record->seats; seat++)
			record->seat[seat].entrant = a->job.bot[seat];
		if (a->trial_of) {
			trial_over(pool, a, false);
		} else if (record->is_void) {
			if (!on_absent(pool, a, record))
				on_void(pool, a, record);
		} else {
			pool->numbers.matches++;
			for (int seat = 0; seat < record->seats; seat++)
				pool_find_bot(pool, a->job.bot[seat])->matches++;
			pool->client->done(pool->client->context, &a->job, record);
			free(a);
		}
	}
	pool->later = false;
	free(record);
}

static void listen_to(struct pool *pool, struct pool_worker *worker)
{
	json_t *line;

	worker->silent_ns = 0;
	lines_fill(&worker->from);
	while ((line = lines_next_json(&worker->from))) {
		const char *kind = json_string_value(json_object_get(line, "t"));

		if (kind && !strcmp(kind, "remote"))
			on_remote(pool, line);
		else if (kind && !strcmp(kind, "door"))
			on_door(pool, line);
		else if (!kind || strcmp(kind, "alive"))
			on_record(pool, worker, line);
		json_decref(line);
	}
	if (worker->from.ended)
		on_death(pool, worker, false);
}

/* We have listened for so long. What passed while we ourselves were held up says nothing
 * about a worker. */
static void note_silence(struct pool *pool, struct pool_worker *worker, int64_t ns)
{
	worker->silent_ns += ns < 2 * TICK_MS * NS_PER_MS ? ns : 0;
	if (worker->silent_ns > WORKER_SILENT_MS_MAX * NS_PER_MS)
		on_death(pool, worker, true);
}

bool pool_signalled(struct pool *pool)
{
	struct signalfd_siginfo info;

	return read(pool->signals, &info, sizeof(info)) == (ssize_t)sizeof(info);
}

void pool_open_signals(struct pool *pool, sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, before);
	pool->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	signal(SIGPIPE, SIG_IGN);
}

void pool_close_signals(struct pool *pool, const sigset_t *before)
{
	close(pool->signals);
	pool->signals = -1;
	sigprocmask(SIG_SETMASK, before, NULL);
}

void pool_stored(struct pool *pool, void *task)
{
	if (task)
		farm_stored(pool->farm, task);
}

/* Waits for lines and takes them; false: a signal says stop. */
static bool wait_and_listen(struct pool *pool, struct pollfd *watched)
{
	int n = pool->options.workers;
	mono_ns start = time_now(&time_system);

	for (int i = 0; i < n; i++)
		watched[i] = (struct pollfd){
			pool->worker[i].pid ? pool->worker[i].from.fd : -1, POLLIN, 0};
	watched[n] = (struct pollfd){pool->signals, POLLIN, 0};
	poll(watched, (nfds_t)n + 1, TICK_MS);
	for (int i = 0; i < n; i++)
		if (pool->worker[i].pid && watched[i].revents)
			listen_to(pool, &pool->worker[i]);
		else if (pool->worker[i].pid)
			note_silence(
				pool, &pool->worker[i], time_now(&time_system) - start);
	return !pool_signalled(pool);
}

enum pool_end pool_run(struct pool *pool, const struct pool_client *client)
{
	struct pollfd *watched =
		xcalloc((size_t)pool->options.workers + 1, sizeof(*watched));
	enum pool_end end = POOL_STOPPED;
	sigset_t before;

	if (pool->farm) {
		free(watched);
		return farm_run(pool->farm, client);
	}
	pool_open_signals(pool, &before);
	pool->client = client;
	pool->no_more = pool->later = false;
	for (;;) {
		feed_all(pool);
		if (pool->failed || (pool->no_more && !pool->numbers.under_way &&
					    !pool->queue && !pool->waiting_trials)) {
			end = pool->failed ? POOL_FAILED : POOL_DONE;
			break;
		}
		if (!wait_and_listen(pool, watched)) {
			/* What came in with the signal is kept. */
			if (client->settle)
				client->settle(client->context);
			break;
		}
		end_waits(pool);
		/* Who has nobody to play may have somebody by now. */
		if (pool->options.listen && !pool->numbers.under_way)
			pool->later = false;
		if (client->settle && !client->settle(client->context))
			break;
		if (client->tick)
			client->tick(client->context);
	}
	pool_close_signals(pool, &before);
	free(watched);
	return end;
}
