/*
 * A task of a cluster: one pool on one node that plays the matches of one file.
 *
 * Host and task share a folder, FOLDER, live/slurm-ARRAY.INDEX of the ladder, in which
 * every file is written whole (under another name, fsync, rename):
 *
 *   jobs       by the host, readable by its owner only, as it names seeds: the lines that
 *              go to a worker, `rules` with `workers` and `worker_mb` besides
 *   started    by the task, created exclusively: jobs are played once
 *   results.N  by the task: `done` lines, as a worker writes them
 *   end        by the task, last: {"files": how many results there are, "why": null or
 *              why not all was played}
 *
 * and replays, as they grow. A task whose folder is gone has nothing to do any more.
 */
#ifndef ARBITER_LADDER_SLURM_TASK_H
#define ARBITER_LADDER_SLURM_TASK_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

/* Plays; returns the exit status. */
int task_run(const char *folder);

/* The objects of a file, one on each line; NULL: it is not there or not whole. */
json_t *task_read(const char *folder, const char *name);
/* Writes an array of objects and gives it back. */
bool task_write(const char *folder, const char *name, json_t *lines, mode_t mode);

#endif
