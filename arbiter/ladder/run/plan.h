/*
 * Planning: what happens between two epochs. Bots that fault too often are benched, and
 * the next epoch is drawn up from the standings. All of it is a function of the store and
 * the settings, not of time or machines.
 */
#ifndef ARBITER_LADDER_RUN_PLAN_H
#define ARBITER_LADDER_RUN_PLAN_H

#include "arbiter/ladder/rating/standings.h"

/* Benches the entrants that fault more often than the settings allow, in the store and
 * in the standings; reports each on `out` unless it is NULL. */
bool plan_bench(struct ladder *ladder, struct standings *standings, FILE *out);
/* Plans the next epoch. *planned is 0 if fewer than two entrants are active. */
bool plan_epoch(struct ladder *ladder, const struct standings *standings, int *planned);

/* How many rotations of a table give different seatings. */
int table_rotations(const int64_t *entrant, int seats);

#endif
