/* The pool: bots, jobs and numbers, and the loop that drives its backend. */
#include "arbiter/ladder/workers/pool_backend.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

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
	pool->state = options->backend->open(pool);
	return pool;
}

void pool_free(struct pool **pool_)
{
	struct pool *pool = *pool_;

	*pool_ = NULL;
	pool->options.backend->close(pool->state);
	free(pool->bot);
	free(pool);
}

struct pool_bot *pool_find_bot(struct pool *pool, int64_t id)
{
	for (int i = 0; i < pool->bots; i++)
		if (pool->bot[i].facts.id == id)
			return &pool->bot[i];
	return NULL;
}

static void add_bot(struct pool *pool, const struct pool_bot *bot)
{
	if (pool_find_bot(pool, bot->facts.id))
		return;
	pool->bot = xreallocarray(pool->bot, (size_t)pool->bots + 1, sizeof(*pool->bot));
	pool->bot[pool->bots++] = *bot;
	if (pool->options.backend->bot_added)
		pool->options.backend->bot_added(pool->state);
}

void pool_add_bot(struct pool *pool, int64_t id, const char *folder, const char *name,
	const char *hash)
{
	struct pool_bot bot = {.facts = {.id = id}};

	utf8_format(bot.facts.folder, sizeof(bot.facts.folder), "%s", folder);
	utf8_format(bot.facts.name, sizeof(bot.facts.name), "%s", name);
	utf8_format(bot.facts.hash, sizeof(bot.facts.hash), "%s", hash);
	add_bot(pool, &bot);
}

void pool_add_remote_bot(struct pool *pool, int64_t id, const char *name,
	const char *hash, const char *key)
{
	struct pool_bot bot = {.facts = {.id = id}};

	utf8_format(bot.facts.name, sizeof(bot.facts.name), "%s", name);
	utf8_format(bot.facts.hash, sizeof(bot.facts.hash), "%s", hash);
	utf8_format(bot.facts.remote, sizeof(bot.facts.remote), "%s", key);
	add_bot(pool, &bot);
}

bool pool_is_remote(struct pool *pool, int64_t id)
{
	const struct pool_bot *bot = pool_find_bot(pool, id);

	return bot && *bot->facts.remote;
}

bool pool_online(struct pool *pool, int64_t id)
{
	const struct pool_bot *bot = pool_find_bot(pool, id);

	return bot && (!*bot->facts.remote || bot->online);
}

const char *pool_why(const struct pool *pool)
{
	return pool->why.text;
}

struct pool_numbers pool_numbers(const struct pool *pool)
{
	return pool->numbers;
}

void pool_stored(struct pool *pool, void *task)
{
	if (task)
		pool->options.backend->stored(pool->state, task);
}

bool pool_ask(struct pool *pool, struct pool_job *job)
{
	if (pool->no_more || pool->later)
		return false;
	memset(job, 0, sizeof(*job));
	switch (pool->client->next(pool->client->context, job)) {
	case POOL_JOB:
		return true;
	case POOL_LATER:
		pool->later = true;
		break;
	case POOL_NONE:
		pool->no_more = true;
		break;
	}
	return false;
}

void pool_deliver(
	struct pool *pool, const struct pool_job *job, struct match_record *record)
{
	record->rotation = job->rotation;
	for (int seat = 0; seat < record->seats; seat++) {
		record->seat[seat].entrant = job->bot[seat];
		pool_find_bot(pool, job->bot[seat])->matches++;
	}
	pool->numbers.matches++;
	pool->later = false;
	pool->client->done(pool->client->context, job, record);
}

void pool_absent(struct pool *pool, const struct pool_job *job)
{
	pool->later = false;
	pool->client->absent(pool->client->context, job);
}

void pool_rules_message(const struct pool *pool, struct rules_message *rules)
{
	const struct pool_options *options = &pool->options;

	*rules = (struct rules_message){.rules = options->rules,
		.at_once = options->at_once,
		.processes = WORKER_PROCESSES_DEFAULT};
	if (options->log_folder)
		utf8_format(rules->logs, sizeof(rules->logs), "%s", options->log_folder);
}

void pool_play_message(const struct pool *pool, const struct pool_job *job,
	int64_t number, struct play_message *play)
{
	*play = (struct play_message){.job = number,
		.set = job->set,
		.rotation = job->rotation,
		.seats = pool->options.rules.seats,
		.compress = job->compress};
	memcpy(play->bot, job->bot, sizeof(play->bot));
	memcpy(play->seed, job->seed, sizeof(play->seed));
	memcpy(play->replay, job->replay, sizeof(play->replay));
}

void pool_job_of(const struct play_message *play, struct pool_job *job)
{
	*job = (struct pool_job){
		.set = play->set, .rotation = play->rotation, .compress = play->compress};
	memcpy(job->bot, play->bot, sizeof(job->bot));
	memcpy(job->seed, play->seed, sizeof(job->seed));
	memcpy(job->replay, play->replay, sizeof(job->replay));
}

/* SIGINT and SIGTERM come as a descriptor from here on. */
static void open_signals(struct pool *pool, sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, before);
	pool->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	signal(SIGPIPE, SIG_IGN);
}

static void close_signals(struct pool *pool, const sigset_t *before)
{
	close(pool->signals);
	pool->signals = -1;
	sigprocmask(SIG_SETMASK, before, NULL);
}

static bool signalled(const struct pool *pool)
{
	struct signalfd_siginfo info;

	return read(pool->signals, &info, sizeof(info)) == (ssize_t)sizeof(info);
}

static bool settle(const struct pool *pool)
{
	return pool->client->settle(pool->client->context);
}

/* Sets *refused if settle() refused; then it is not called again. */
static enum pool_end drive(struct pool *pool, bool *refused)
{
	const struct pool_backend *backend = pool->options.backend;

	for (;;) {
		backend->feed(pool->state);
		if (pool->failed)
			return POOL_FAILED;
		if (pool->no_more && backend->idle(pool->state))
			return POOL_DONE;
		backend->wait(pool->state);
		if (signalled(pool))
			return POOL_STOPPED;
		if (!settle(pool)) {
			*refused = true;
			return POOL_STOPPED;
		}
		if (pool->client->tick)
			pool->client->tick(pool->client->context);
	}
}

enum pool_end pool_run(struct pool *pool, const struct pool_client *client)
{
	enum pool_end end;
	sigset_t before;
	bool refused = false;

	pool->client = client;
	pool->no_more = pool->later = false;
	open_signals(pool, &before);
	end = drive(pool, &refused);
	if (pool->options.backend->wind_up)
		pool->options.backend->wind_up(pool->state);
	/* Commits what came in last. */
	if (!refused)
		settle(pool);
	close_signals(pool, &before);
	return end;
}
