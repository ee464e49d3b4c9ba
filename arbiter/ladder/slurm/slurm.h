/*
 * The commands of Slurm: submitting arrays of tasks, asking for their states, cancelling
 * them. No library of Slurm's is needed; specs/ladder.md says what a task does.
 */
#ifndef ARBITER_LADDER_SLURM_SLURM_H
#define ARBITER_LADDER_SLURM_SLURM_H

#include "protocol/why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLURM_EXTRA_MAX 32
/* Slurm's own default for the size of an array is 1001. */
#define SLURM_ARRAY_MAX 1000
/* The folder of a task is slurm-ARRAY.INDEX, ARRAY as 16 digits of hex. */
#define SLURM_PREFIX "slurm-"

struct slurm_options {
	const char *partition; /* NULL: the cluster's default */
	int tasks;             /* waiting or running at a time */
	int sets_per_task;
	const char *folder; /* shared by all nodes; tasks' folders are made in it */
	const char *extra[SLURM_EXTRA_MAX + 1]; /* options for sbatch, NULL-terminated */
};

/* One task as the cluster sees it. */
struct slurm_state {
	uint64_t array; /* our number for it, not Slurm's */
	int index;
	bool alive;        /* waiting, running or ending */
	bool pending;      /* of those: waiting */
	const char *state; /* Slurm's word for it */
	const char *reason;
};

/* Are the commands there and does the cluster answer? False: `why` says what to do. */
bool slurm_available(struct why *why);
/* Submits tasks 0 … count-1; each runs `pigpen ladder task FOLDER.INDEX`. Their output is
 * appended to `log`. */
bool slurm_submit(const struct slurm_options *options, uint64_t array, int count,
	int cores, const char *folder, const char *log, struct why *why);
/* Calls `each` for every task of this user that Slurm remembers. False: it did not
 * answer.
 */
bool slurm_states(void (*each)(void *context, const struct slurm_state *state),
	void *context, struct why *why);
/* Cancels all tasks of an array. */
void slurm_cancel(uint64_t array);

#endif
