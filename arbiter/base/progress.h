/*
 * Progress of a long run, on stderr: on a terminal a bar with rate and time left that
 * stays on one line, elsewhere a plain line now and then.
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
/* Shows the progress if an update is due. `extra` is a short text, or "". */
void progress_update(struct progress *progress, uint64_t done, const char *extra);
/* Erases the bar, so that something else can be written. */
void progress_clear(struct progress *progress);

#endif
