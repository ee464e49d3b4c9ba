/*
 * The backend of the pool (arbiter/ladder/workers/pool_backend.h) whose matches are
 * played by tasks of a Slurm cluster, each of which runs a pool of local workers on its
 * node.
 */
#ifndef ARBITER_LADDER_SLURM_BACKEND_H
#define ARBITER_LADDER_SLURM_BACKEND_H

#include "arbiter/ladder/slurm/slurm.h"
#include "arbiter/ladder/workers/pool.h"

/* backend_options is a struct slurm_options. `workers` and `at_once` of the pool apply
 * to each task; a log_folder is required, and remote bots cannot take part. Tasks of an
 * earlier run that are found in the folder are taken over. */
extern const struct pool_backend slurm_backend;

#endif
