/* What `ladder run` shows while it runs: a line that stays in its place on a terminal
 * with the standings above it now and then, and plain lines everywhere else. */
#ifndef ARBITER_LADDER_RUN_RUN_PROGRESS_H
#define ARBITER_LADDER_RUN_RUN_PROGRESS_H

#include "arbiter/ladder/workers/pool.h"
#include "arbiter/ladder/run/run.h"
#include "arbiter/ladder/rating/standings.h"

struct run_progress {
	bool quiet, terminal, shown;
	mono_ns start, next, next_table;
	uint64_t matches; /* at the last look */
};

void run_progress_init(struct run_progress *progress, bool quiet);
void run_progress_standings(
	struct run_progress *progress, const struct standings *standings);
void run_progress_update(struct run_progress *progress, int64_t sets,
	struct pool_numbers numbers, const struct run_options *options, mono_ns deadline);
void run_progress_end(struct run_progress *progress, int64_t sets,
	struct pool_numbers numbers, const struct run_options *options);

#endif
