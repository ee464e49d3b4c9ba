/*
 * A task of a cluster: one pool of local workers on one node that plays the matches of
 * one file.
 *
 * Host and task share a folder, FOLDER, live/slurm-ARRAY.INDEX of the ladder, in which
 * every file is written atomically (under another name, fsync, rename):
 *
 *   jobs       by the host, readable by its owner only, as it names seeds: the messages
 *              `rules` (with `workers` and `worker_mb`), `bot` and `play` that go to a
 *              worker (arbiter/ladder/workers/messages.h)
 *   started    by the task, created exclusively: jobs are played once
 *   results.N  by the task: messages `done`, as a worker writes them
 *   end        by the task, last: {"files": how many results there are, "why": null or
 *              why not all was played}
 *
 * and replays, as they grow. A task whose folder is gone has nothing to do any more.
 */
#ifndef ARBITER_LADDER_SLURM_TASK_H
#define ARBITER_LADDER_SLURM_TASK_H

#include "protocol/why.h"

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

/* Plays; returns the exit status. */
int task_run(const char *folder);

/* The objects of a file, one on each line; NULL: it is not there or not whole. */
json_t *task_read(const char *folder, const char *name);
/* Writes an array of objects to a file of mode 0600, and releases the array. */
bool task_write(const char *folder, const char *name, json_t *lines);

struct task_end {
	int files;
	struct why why; /* "": all was played */
};
/* False: it is not there, or not whole. */
bool task_read_end(const char *folder, struct task_end *end);
bool task_write_end(const char *folder, const struct task_end *end);

#endif
