/*
 * The control group of one bot (cgroup v2): everything that the bot starts is in it and
 * cannot leave it, whatever it forks.
 *
 * The kernel counts the group's CPU time, freezes it as a whole and, where it has these
 * controllers, limits its memory and its number of processes. Groups are made below our
 * own. A group with processes of its own cannot hand out controllers, so we first move
 * into a leaf below it, "pigpen-arbiter"; that works if the group is ours alone (systemd-run
 * --scope -p Delegate=yes). If it does not, groups still count and freeze, and where there
 * is no cgroup v2 that we may write to there are none.
 */
#ifndef ARBITER_PROCESS_GROUP_H
#define ARBITER_PROCESS_GROUP_H

#include "arbiter/process/sandbox.h"

#define GROUP_PATH_SIZE 256

struct group {
	char path[GROUP_PATH_SIZE]; /* "": there is none */
	int cpu;                    /* its cpu.stat; -1: it cannot be read */
};

/* Where groups are made; found out once. */
struct group_place {
	char path[GROUP_PATH_SIZE - 64]; /* "": nowhere */
	bool limits_memory, limits_processes;
};
const struct group_place *group_place(void);

/* Makes a group. The limits are for the whole of it; NULL: none. */
void group_init(struct group *group, const struct sandbox_limits *limits);
/* Removes the group; its processes must be gone. */
void group_release(struct group *group);
/* False: it cannot. */
bool group_freeze(const struct group *group, bool frozen);
/* CPU time of all processes that ever were in it; -1: not known. */
int64_t group_cpu_ns(const struct group *group);
/* Did the kernel kill one of its processes because its memory was used up? */
bool group_out_of_memory(const struct group *group);
/* Moves the calling process into the group; safe after fork(). False: see errno. */
bool group_enter(const char *path);

#endif
