/*
 * How starved is the host? A small process of the arbiter's own answers every ping at
 * once, as a bot with nothing to think about would. What it takes longer than that, a bot
 * could not have helped either.
 *
 * The loop pings it again and again while answers are awaited; the time that its
 * answers took in all, from one moment to another, is how late any bot may have been in
 * between through no fault of its own.
 */
#ifndef ARBITER_LOOP_SENTINEL_H
#define ARBITER_LOOP_SENTINEL_H

#include "arbiter/table/clock.h"

#include <sys/types.h>

#define SENTINEL_PAUSE_NS (50 * NS_PER_MS) /* between one answer and the next ping */
#define SENTINEL_USUAL_NS NS_PER_MS        /* an answer so quick is not late */

struct sentinel {
	pid_t pid;
	int fd;          /* readable when it has answered; -1: there is none */
	mono_ns pinged;  /* 0: no ping is open */
	int64_t late_ns; /* of all answers so far */
};

/* False: no process could be started; it is then never late. */
bool sentinel_init(struct sentinel *sentinel);
void sentinel_release(struct sentinel *sentinel);
/* Unless the last ping is not answered yet. */
void sentinel_ping(struct sentinel *sentinel, mono_ns now);
/* Takes its answer; true if there was one. */
bool sentinel_take(struct sentinel *sentinel, mono_ns now);
/* How late it was in all, with the ping that is not answered yet. */
int64_t sentinel_late_ns(const struct sentinel *sentinel, mono_ns now);

#endif
