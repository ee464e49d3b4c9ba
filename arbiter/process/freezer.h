/*
 * Stops a bot's whole process tree while it is not its turn (`--ponder off`), and lets it
 * run again.
 *
 * If cgroup v2 is writable, each bot has its own group, which the kernel freezes as a
 * whole. Otherwise every process of the tree is sent SIGSTOP, repeatedly until all have
 * stopped. If the controllers for memory and processes are enabled, the group limits
 * those as well, for the whole tree.
 */
#ifndef ARBITER_PROCESS_FREEZER_H
#define ARBITER_PROCESS_FREEZER_H

#include "arbiter/process/sandbox.h"

struct freezer {
	char group[256]; /* folder of the group; "": none */
	bool frozen;
};

/* Makes the group in which a bot is about to be started (launch_spec.group). */
void freezer_init(struct freezer *freezer, const struct sandbox_limits *limits);
/* Removes the group; its processes must be gone. */
void freezer_release(struct freezer *freezer);
/* Stops or continues all processes below the warden. */
void freezer_set(struct freezer *freezer, pid_t warden, bool frozen);
/* Did the kernel kill one of them because the group's memory was used up? */
bool freezer_out_of_memory(const struct freezer *freezer);

/* Finds where groups can be made, and whether they can limit memory; false: nowhere. */
bool freezer_place(char *path, size_t size, bool *limits_memory);

#endif
