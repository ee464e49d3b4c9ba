/* Between pool.c (jobs), pool_process.c (processes) and pool_slurm.c (tasks); but for
 * task_files.c nobody else includes this. */
#ifndef ARBITER_LADDER_WORKERS_POOL_INTERNAL_H
#define ARBITER_LADDER_WORKERS_POOL_INTERNAL_H

#include "arbiter/base/lines.h"
#include "arbiter/ladder/workers/pool.h"
#include "protocol/why.h"

#include <signal.h>
#include <sys/types.h>

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

struct pool_bot {
	int64_t id;
	char folder[4096], name[65], hash[65];
	char remote[41]; /* its public key; "": a local bot */
	bool online;
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
	struct why why;
	struct pool_numbers numbers;
	int signals;
	struct farm *farm; /* the tasks of a cluster, or NULL */
};

/* pool.c */
__attribute__((format(printf, 2, 3))) void pool_fail(
	struct pool *pool, const char *format, ...);
/* SIGINT and SIGTERM come as a descriptor from here on. */
void pool_open_signals(struct pool *pool, sigset_t *before);
void pool_close_signals(struct pool *pool, const sigset_t *before);
bool pool_signalled(struct pool *pool);

/* pool_lines.c: what goes to workers and tasks, as in specs/ladder.md. */
json_t *pool_rules_line(const struct pool_options *options);
json_t *pool_bot_line(const struct pool_bot *bot);
json_t *pool_play_line(
	const struct pool_job *job, int64_t number, int seats, uint16_t barred);
/* The job of a play line; false if it is none. */
bool pool_play_read(struct pool_job *job, int seats, const json_t *line);

/* pool_slurm.c */
struct farm *farm_new(struct pool *pool);
void farm_free(struct farm **farm);
enum pool_end farm_run(struct farm *farm, const struct pool_client *client);
void farm_stored(struct farm *farm, void *task);

/* pool_process.c */
bool worker_start(struct pool *pool, struct pool_worker *worker);
/* Writes down in workers.log what became of it. */
void worker_note(
	const struct pool *pool, const struct pool_worker *worker, const char *what);
/* Tells the listening worker, which is the first, of all remote bots. */
void worker_send_remotes(struct pool *pool, struct pool_worker *worker);
struct pool_bot *pool_find_bot(struct pool *pool, int64_t id);
/* Sends the job, and its bots if the worker does not know them. */
void worker_send(
	struct pool *pool, struct pool_worker *worker, const struct assignment *a);
/* Closes its input, on which it ends. */
void worker_tell_end(struct pool_worker *worker);
/* Tells it, waits, kills if it must. Returns the status of waitpid(). */
int worker_end(struct pool_worker *worker, bool kill_now);

#endif
