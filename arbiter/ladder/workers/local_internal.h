/* Shared by local.c (jobs), local_trials.c (who is to blame) and local_process.c
 * (processes); nobody else includes this. */
#ifndef ARBITER_LADDER_WORKERS_LOCAL_INTERNAL_H
#define ARBITER_LADDER_WORKERS_LOCAL_INTERNAL_H

#include "arbiter/base/child.h"
#include "arbiter/base/lines.h"
#include "arbiter/ladder/workers/pool_backend.h"

#include <poll.h>

/* How often a match is played again after it was void, or after its worker hung. */
#define LOCAL_VOIDS_MAX 5

/*
 * A match to be played.
 *
 *     queued ─► with a worker ─► done
 *        ▲            │ void: again, by new processes
 *        │            │ worker hung: again
 *        │            │ worker died: again, alone, when its remote bots are back
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
	mono_ns wait_until; /* for its remote bots to come back after a death */
	int voids, trial_rounds;
	/* A trial: bot `accused` against itself. */
	struct assignment *trial_of;
	int64_t accused;
	int trials; /* still open, of this assignment's bots */
};

struct local_worker {
	struct child child; /* pid 0: not running */
	struct lines from;
	int64_t silent_ns; /* since its last line, while we listened */
	bool alone;
	int count; /* assignments under way */
	struct assignment *assignments;
	bool *knows; /* by index of pool.bot */
	int knows_size;
};

struct local {
	struct pool *pool;
	struct local_worker *worker; /* the first one listens for remote bots */
	struct pollfd *watched;      /* the workers, and the signals */
	struct assignment *queue;
	int64_t next_number;
	int waiting_trials; /* assignments that wait for trials */
	int barren;         /* deaths of workers since a match was finished */
};

/* local.c */
void local_enqueue(struct local *local, struct assignment *a);
/* The same after an attempt that failed. */
void local_requeue(struct local *local, struct assignment *a);

/* local_trials.c */
/* A trial of an assignment's bot is over; it is played again when all of them are. */
void local_trial_over(struct local *local, struct assignment *trial, bool guilty);
/* The worker that had the assignment died, or hung and was ended. */
void local_after_death(struct local *local, struct assignment *a);
void local_after_hang(struct local *local, struct assignment *a);
/* Fails the run: no match was ever finished, so the workers, not the bots, are to
 * blame. */
void local_fail_barren(struct local *local);

/* local_process.c */
bool local_worker_start(struct local *local, struct local_worker *worker);
/* Writes down in workers.log what became of it. */
void local_worker_note(
	const struct local *local, const struct local_worker *worker, const char *what);
/* Tells the listening worker of all remote bots. */
void local_worker_send_remotes(struct local *local, struct local_worker *worker);
/* Sends the job, and its bots if the worker does not know them. */
void local_worker_send(
	struct local *local, struct local_worker *worker, const struct assignment *a);
/* Closes its input, which makes it end. */
void local_worker_tell_end(struct local_worker *worker);
/* Tells it, waits, kills if it must. Returns the status of waitpid(). */
int local_worker_end(struct local_worker *worker, bool kill_now);

#endif
