/* Between pool.c (jobs) and pool_process.c (processes); nobody else includes this. */
#ifndef ARBITER_LADDER_POOL_INTERNAL_H
#define ARBITER_LADDER_POOL_INTERNAL_H

#include "arbiter/ladder/lines.h"
#include "arbiter/ladder/pool.h"

#include <sys/types.h>

/*
 * A match to be played.
 *
 *     queued ─► with a worker ─► done
 *        ▲            │ void: again, by new processes
 *        │            │ worker hung: again
 *        │            │ worker died: again, alone
 *        │            ▼ died again
 *        └──── waiting for the trials of its bots
 */
struct assignment {
	struct assignment *next;
	int64_t number;
	struct pool_job job;
	uint16_t barred; /* seats */
	bool alone;
	int deaths; /* of workers that had nothing else to do, one after another */
	int voids, trial_rounds;
	/* A trial: bot `accused` against itself. */
	struct assignment *trial_of;
	int64_t accused;
	int trials; /* still open, of this assignment's bots */
};

struct pool_bot {
	int64_t id;
	char folder[4096], name[65], hash[65];
	int64_t matches;
	int excused; /* matches that are void because it was late on a starved host */
};

struct pool_worker {
	pid_t pid; /* 0: not running */
	int to;
	struct lines from;
	int64_t silent_ns; /* since its last line, while we listened */
	bool alone;
	int count; /* assignments under way */
	struct assignment *assignments;
	bool *knows; /* by index of pool.bot */
	int knows_size;
};

struct pool {
	struct pool_options options;
	struct pool_worker *worker;
	struct pool_bot *bot;
	int bots;
	struct assignment *queue;
	int64_t next_number;
	const struct pool_client *client;
	bool no_more, later;
	int waiting_trials; /* assignments that wait for trials */
	int barren;         /* deaths of workers since a match was finished */
	bool failed;
	char why[512];
	struct pool_numbers numbers;
	int signals;
};

/* pool_process.c */
bool worker_start(struct pool *pool, struct pool_worker *worker);
/* Writes down in workers.log what became of it. */
void worker_note(
	const struct pool *pool, const struct pool_worker *worker, const char *what);
struct pool_bot *pool_find_bot(struct pool *pool, int64_t id);
/* Sends the job, and its bots if the worker does not know them. */
void worker_send(
	struct pool *pool, struct pool_worker *worker, const struct assignment *a);
/* Closes its input, on which it ends. */
void worker_tell_end(struct pool_worker *worker);
/* Tells it, waits, kills if it must. Returns the status of waitpid(). */
int worker_end(struct pool_worker *worker, bool kill_now);

#endif
