/*
 * Stops a bot's whole process tree while it is not to act (`--ponder off`), and lets it
 * run again.
 *
 * Where cgroup v2 can be written, each bot has a group of its own and the kernel freezes
 * it as one. Elsewhere every process of the tree is sent SIGSTOP, again and again until
 * all of them stand. Where the controllers for memory and processes are switched on, the
 * group limits those as well, for the tree as a whole.
 */
#ifndef ARBITER_PROCESS_FREEZER_H
#define ARBITER_PROCESS_FREEZER_H

#include "arbiter/process/sandbox.h"

struct freezer {
	char group[256]; /* folder of the group, "": there is none */
	bool frozen;
};

/* Makes the group of a bot that is to be started in it (launch_spec.group). */
void freezer_init(struct freezer *freezer, const struct sandbox_limits *limits);
/* Removes the group; its processes must be gone. */
void freezer_release(struct freezer *freezer);
/* All processes below the warden. */
void freezer_set(struct freezer *freezer, pid_t warden, bool frozen);
/* Did the kernel kill one of them because the group's memory was used up? */
bool freezer_out_of_memory(const struct freezer *freezer);

/* Where groups can be made, and whether they can limit memory; false: nowhere. */
bool freezer_place(char *path, size_t size, bool *limits_memory);

#endif
