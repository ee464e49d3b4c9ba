/* Shared by backend.c (jobs), cluster_tasks.c (tasks and their files) and cluster_adopt.c
 * (tasks of earlier runs); nobody else includes this. */
#ifndef ARBITER_LADDER_SLURM_CLUSTER_INTERNAL_H
#define ARBITER_LADDER_SLURM_CLUSTER_INTERNAL_H

#include "arbiter/ladder/slurm/slurm.h"
#include "arbiter/ladder/workers/pool_backend.h"

#include <limits.h>

/*
 * A match that a task was given.
 *
 *     queued ─► with a task ─► done
 *        ▲           │
 *        └───────────┘ task lost
 *
 * One that an earlier run has handed out is with a task from the start, but nobody's
 * until this run's client asks for it; its record waits in `early`.
 */
struct task_match {
	struct pool_job job;
	bool claimed, done;
	int losses;
	struct match_record *early; /* or NULL */
};

struct cluster_task {
	struct cluster_task *next;
	uint64_t array;
	int index;
	char folder[PATH_MAX];
	struct task_match *match;
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

struct queued_match {
	struct queued_match *next;
	struct pool_job job;
	int losses;
};

struct cluster {
	struct pool *pool;
	const struct slurm_options *options;
	struct cluster_task *tasks;
	struct queued_match *queue, **queue_end; /* lost ones first */
	int queued, open;
	struct adopted_match *adopted; /* by set and rotation */
	int adopted_count;
	int64_t adopted_last; /* the last set among them */
	bool accepted;        /* the cluster has accepted an array */
	bool winding_up;      /* all tasks are cancelled */
	mono_ns submit_at, look_at;
	int submit_failures, look_failures;
};

struct adopted_match {
	struct cluster_task *task;
	struct task_match *match;
};

/* Puts a job at the end of the queue, or before all others. */
void cluster_enqueue(
	struct cluster *cluster, const struct pool_job *job, int losses, bool first);

/* cluster_tasks.c */
/* Takes in what the tasks have written; finishes those that are over or lost. */
void cluster_collect(struct cluster *cluster);
/* Asks the cluster for the states of the tasks. */
void cluster_look(struct cluster *cluster);
/* Gives a match's record to the client, if it is valid. */
void cluster_deliver(struct cluster *cluster, struct cluster_task *task,
	struct task_match *match, struct match_record *record);
/* Removes the folders of tasks that are over and stored, or all of them. */
void cluster_remove_tasks(struct cluster *cluster, bool all);

/* cluster_adopt.c */
/* Finds the tasks of earlier runs in the folder. */
void cluster_adopt(struct cluster *cluster);
/* True: a task of an earlier run has this job; it is that task's now. */
bool cluster_claim(struct cluster *cluster, const struct pool_job *job);
void cluster_forget_adopted(struct cluster *cluster, const struct cluster_task *task);

#endif
