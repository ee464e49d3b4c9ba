/*
 * Measures how starved of CPU the host is. A small process of the arbiter's own answers
 * every ping at once, as a bot with nothing to think about would. If its answer is late,
 * no bot could have answered earlier.
 *
 * The loop pings it repeatedly while answers are awaited; the total lateness of its
 * answers between two moments is how late any bot may have been in that time through no
 * fault of its own.
 */
#ifndef ARBITER_LOOP_SENTINEL_H
#define ARBITER_LOOP_SENTINEL_H

#include "arbiter/table/clock.h"

#include <sys/types.h>

#define SENTINEL_PAUSE_NS (50 * NS_PER_MS) /* between one answer and the next ping */
#define SENTINEL_USUAL_NS NS_PER_MS        /* an answer within this is not late */

struct sentinel {
	pid_t pid;
	int fd;          /* readable when it has answered; -1: there is none */
	mono_ns pinged;  /* 0: no ping is open */
	int64_t late_ns; /* sum over all answers so far */
};

/* False: no process could be started; the sentinel then counts as never late. */
bool sentinel_init(struct sentinel *sentinel);
void sentinel_release(struct sentinel *sentinel);
/* Sends a ping, unless the last one is still unanswered. */
void sentinel_ping(struct sentinel *sentinel, mono_ns now);
/* Reads its answer; true if there was one. */
bool sentinel_take(struct sentinel *sentinel, mono_ns now);
/* Its total lateness, including that of a ping that is still unanswered. */
int64_t sentinel_late_ns(const struct sentinel *sentinel, mono_ns now);

#endif
