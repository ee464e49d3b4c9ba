/*
 * How far a long run has come: a bar with rate and time left that stays on its line on
 * a terminal, and one plain line now and then everywhere else. Writes to stderr.
 */
#ifndef ARBITER_BASE_PROGRESS_H
#define ARBITER_BASE_PROGRESS_H

#include <stdio.h>
#include "arbiter/base/time.h"

struct progress {
	FILE *out;
	bool quiet, terminal, shown;
	const char *unit; /* "matches" */
	uint64_t total, done;
	mono_ns start, next; /* next: when the next plain line is due */
};

void progress_init(
	struct progress *progress, const char *unit, uint64_t total, bool quiet);
/* Shows the state if it is time to. `extra` is a short text, or "". */
void progress_update(struct progress *progress, uint64_t done, const char *extra);
/* Takes the bar off the terminal, so that something else can be written. */
void progress_clear(struct progress *progress);

#endif
