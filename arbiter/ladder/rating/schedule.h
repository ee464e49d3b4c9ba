/*
 * Who meets whom: one epoch of duplicate sets as a pure function.
 *
 * An epoch depends on the ladder's seed, the entrants and the results of earlier
 * epochs, and on nothing else: not on how many workers there are, how fast they
 * are or in which order results came in. Tables are filled one after another: first
 * the entrant that needs a set most, then those who fit beside it best.
 *
 *   adaptive     needs most: the widest interval; fits best: a pair that has met
 *                less often than the bound asks, then a close rating
 *   round_robin  needs most: fewest sets; fits best: met least often
 *   gauntlet     the challenger sits at every table; the others as in round_robin
 *
 * Every entrant holds every seat within a set (the set's rotations), so seats are
 * balanced by construction; neighbours are balanced by choosing the order around
 * the table in which left-hand neighbours have met least.
 */
#ifndef ARBITER_LADDER_RATING_SCHEDULE_H
#define ARBITER_LADDER_RATING_SCHEDULE_H

#include "arbiter/ladder/directory/settings.h"

#include <stdbool.h>
#include <stdint.h>

#define SCHEDULE_SIDES_MAX 12

struct schedule_entrant {
	double elo;
	double uncertainty; /* half width of the interval; large for a new entrant */
	int sets;           /* played in earlier epochs */
	int author;         /* equal numbers: the same author */
	bool active;        /* false: removed or benched */
	bool once;          /* may not sit at a table more than once */
};

struct schedule_input {
	enum schedule_mode mode;
	uint64_t seed;
	uint32_t epoch;
	int entrants;
	const struct schedule_entrant *entrant;
	const int *met;  /* [i * entrants + j]: sets that i and j shared */
	const int *left; /* [i * entrants + j]: sets in which j sat at i's left */
	int sides;       /* places to fill at a table: seats, or teams of one entrant */
	int challenger;  /* gauntlet */
	bool one_per_author;
	int sets_per_entrant; /* in one epoch, approximately; 0 means 2 */
	int met_bound;        /* adaptive: every pair meets at least once within this many
			       * sets of each; 0: 2 * entrants */
};

/* The entrants of one set in the order of their places in rotation 0. */
struct schedule_table {
	int16_t entrant[SCHEDULE_SIDES_MAX];
};

/* How many tables an epoch has. */
int schedule_epoch_size(const struct schedule_input *input);
/* Fills up to schedule_epoch_size() tables and returns how many. If fewer entrants are
 * active than there are sides, some of them sit at a table more than once, as evenly as
 * possible; a table is left out if none of them may. With fewer than two active entrants
 * there are no tables. */
int schedule_epoch(const struct schedule_input *input, struct schedule_table *tables);

#endif
