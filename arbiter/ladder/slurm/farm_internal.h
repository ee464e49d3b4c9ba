/* Between pool_slurm.c (jobs), farm_tasks.c (tasks and their files) and farm_adopt.c;
 * nobody else includes this. */
#ifndef ARBITER_LADDER_SLURM_FARM_INTERNAL_H
#define ARBITER_LADDER_SLURM_FARM_INTERNAL_H

#include "arbiter/base/files.h"
#include "arbiter/ladder/slurm/slurm.h"
#include "arbiter/ladder/workers/pool_internal.h"

#include <limits.h>

/*
 * A match on its way.
 *
 *     queued ─► with a task ─► done
 *        ▲           │
 *        └───────────┘ task lost
 *
 * One that an earlier run has handed out is with a task from the start, but nobody's
 * until this run's client asks for it; its record waits in `early`.
 */
struct entry {
	struct pool_job job;
	bool claimed, done;
	int losses;
	json_t *early;
};

struct farm_task {
	struct farm_task *next;
	uint64_t array;
	int index;
	char folder[PATH_MAX];
	struct entry *entry;
	int count;
	int open;     /* claimed, not done */
	int unstored; /* done, and the client has not stored the record yet */
	int files;    /* results read */
	bool over;    /* ended or lost: nothing more is read */
	bool pending, running;
	bool seen; /* by the last look at the cluster */
	char state[32];
	mono_ns missing_since; /* 0: the cluster has it */
};

struct queued {
	struct queued *next;
	struct pool_job job;
	int losses;
};

struct farm {
	struct pool *pool;
	const struct slurm_options *options;
	const struct pool_client *client;
	struct farm_task *tasks;
	struct queued *queue, **queue_end; /* lost ones first */
	int queued, open;
	struct adopted *adopted; /* by set and rotation */
	int adopted_count;
	int64_t adopted_last; /* the last set among them */
	bool accepted;        /* the cluster has taken an array */
	bool winding_up;      /* all tasks are cancelled */
	mono_ns submit_at, look_at;
	int submit_failures, look_failures;
};

struct adopted {
	struct farm_task *task;
	struct entry *entry;
};

/* Takes in what the tasks have written; finishes those that are over or lost. */
void farm_collect(struct farm *farm);
/* Asks the cluster how the tasks are. */
void farm_look(struct farm *farm);
/* Gives an entry's record to the client. */
void farm_deliver(
	struct farm *farm, struct farm_task *task, struct entry *entry, json_t *line);
void farm_enqueue(struct farm *farm, const struct pool_job *job, int losses, bool first);
/* Removes the folders of tasks that are over and stored, or all of them. */
void farm_remove_tasks(struct farm *farm, bool all);

/* farm_adopt.c: finds the tasks of earlier runs in the folder. */
void farm_adopt(struct farm *farm);
/* True: a task of an earlier run has this job; it is that task's now. */
bool farm_claim(struct farm *farm, const struct pool_job *job);
void farm_forget_adopted(struct farm *farm, const struct farm_task *task);

#endif
