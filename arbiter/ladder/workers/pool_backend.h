/*
 * A backend of the pool: where its matches are played. Backends include this, and those
 * who use a pool do not.
 *
 * pool_run() drives the backend:
 *
 *     ┌─► feed ─► idle? ─► wait ─► the client settles ─► tick ─┐
 *     └────────────────────────────────────────────────────────┘
 *
 * until it is idle and the client has no more jobs, it has failed, a signal has come, or
 * the client refused to settle. Then it winds up, and the client settles once more.
 *
 * A backend asks for jobs by pool_ask(), and hands in their records by pool_deliver(),
 * each once and never a void one; a job whose remote bot is not there goes back by
 * pool_absent(). It counts jobs under way in pool->numbers.
 */
#ifndef ARBITER_LADDER_WORKERS_POOL_BACKEND_H
#define ARBITER_LADDER_WORKERS_POOL_BACKEND_H

#include "arbiter/ladder/workers/pool.h"

struct pool_bot {
	struct bot_message facts;
	bool online; /* of a remote bot */
	int64_t matches;
	int excused; /* matches that are void because it was late on a starved host */
};

struct pool {
	struct pool_options options;
	void *state; /* the backend's */
	struct pool_bot *bot;
	int bots;
	const struct pool_client *client; /* during pool_run() */
	bool no_more;                     /* the client has no more jobs */
	bool later; /* it has none until a record, or a remote bot, has come */
	bool failed;
	struct why why;
	struct pool_numbers numbers;
	int signals; /* readable when SIGINT or SIGTERM has come */
};

struct pool_backend {
	/* Returns the backend's state. pool->options are set, and the pool outlives
	 * it. */
	void *(*open)(struct pool *pool);
	/* Ends what it has started, waits for it, and frees the state. */
	void (*close)(void *state);
	/* Asks for jobs as long as it has room for more, and gets them going. */
	void (*feed)(void *state);
	/* Is no job queued or under way? */
	bool (*idle)(const void *state);
	/* Waits up to a fraction of a second, also for pool->signals, and takes in what
	 * has come. */
	void (*wait)(void *state);
	/* The run is over: takes in what can still be had. NULL: nothing can. */
	void (*wind_up)(void *state);
	/* A record is stored; `task` is the job's. NULL: jobs have no tasks. */
	void (*stored)(void *state, void *task);
	/* There is one more bot, the last in pool->bot. NULL: it is named with its first
	 * match. */
	void (*bot_added)(void *state);
};

/* The next job of the client; false: it has none now. */
bool pool_ask(struct pool *pool, struct pool_job *job);
/* The record of a match that is not void; rotation and entrants are filled in. */
void pool_deliver(
	struct pool *pool, const struct pool_job *job, struct match_record *record);
void pool_absent(struct pool *pool, const struct pool_job *job);

/* Ends the run with this reason, unless there is one already. */
__attribute__((format(printf, 2, 3))) void pool_fail(
	struct pool *pool, const char *format, ...);
/* NULL: there is none of that id. */
struct pool_bot *pool_find_bot(struct pool *pool, int64_t id);

/* The rules of the pool as a message, without `listen` and `workers`. */
void pool_rules_message(const struct pool *pool, struct rules_message *rules);
/* The job as a message; pool_job_of() is the way back. */
void pool_play_message(const struct pool *pool, const struct pool_job *job,
	int64_t number, struct play_message *play);

#endif
