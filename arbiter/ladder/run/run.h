/*
 * `pigpen ladder run`: the coordinator. It hands the matches of planned sets to the pool,
 * stores every set that is complete, and plans the next epoch when all are.
 */
#ifndef ARBITER_LADDER_RUN_RUN_H
#define ARBITER_LADDER_RUN_RUN_H

#include "arbiter/table/clock.h"
#include "arbiter/ladder/directory/ladder.h"
#include "arbiter/ladder/slurm/slurm.h"

struct run_options {
	int64_t sets;          /* play so many more; 0: no limit */
	int64_t for_ns;        /* hand out no more work after this time; 0: no limit */
	double until_interval; /* Elo points, half width; 0: no limit */
	int jobs, at_once;     /* with `slurm`: of each task */
	const struct slurm_options *slurm; /* NULL: on this machine */
	const char *listen;                /* address for remote bots, or NULL */
	bool quiet;
};

/* The ladder is open for writing. Returns the exit status. */
int ladder_run(struct ladder *ladder, const struct run_options *options);

#endif
