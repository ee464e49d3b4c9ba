/*
 * All processes below one, at any depth, as /proc shows them. For bots without a control
 * group: a walk takes time, in which processes may fork and end.
 */
#ifndef ARBITER_PROCESS_TREE_H
#define ARBITER_PROCESS_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* CPU time of one process with all its threads; 0 if it is gone. */
int64_t tree_cpu_of_one(pid_t pid);
/* CPU time of all processes below `top`, and of all that were waited for, by `top` too.
 * What ended while its parent ignored SIGCHLD is lost: nobody has waited for it. */
int64_t tree_cpu_ns(pid_t top);
/* Stops all processes below `top`, or continues them. */
void tree_stop(pid_t top, bool stopped);

#endif
