/*
 * Ratings from results, with honest intervals. specs/rating.md is the theory.
 *
 * The evidence is a list of comparisons: in one duplicate set, side A met side B
 * and got this share of the points (1 all wins, 0 all losses, ties half). A side is
 * one entrant, or a partnership whose strength is the mean of its members. The
 * model is Bradley-Terry on the Elo scale, P(A over B) = 1 / (1 + 10^((b - a)/400)),
 * with a weak pull of every entrant towards the anchor, so that an undefeated
 * entrant has a finite rating. The answer does not depend on the order of the
 * evidence: it is sorted before anything is summed.
 *
 * Intervals come from resampling whole sets: the matches of a set share their deals and
 * their bots, so only whole sets are independent of each other.
 */
#ifndef ARBITER_LADDER_RATING_RATING_H
#define ARBITER_LADDER_RATING_RATING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RATING_SIDE_MAX       2
#define RATING_RESAMPLES      400
#define RATING_NO_MEMBER      -1
#define RATING_PRIOR_SETS     1.0 /* weight of the pull: drawn sets against the anchor */
#define RATING_INTERVAL_SHARE 0.95

struct comparison {
	int32_t set;                /* number of the duplicate set */
	int16_t a[RATING_SIDE_MAX]; /* entrants; padded with RATING_NO_MEMBER */
	int16_t b[RATING_SIDE_MAX];
	float score; /* of side A, 0..1 */
};

struct rating {
	double elo;       /* relative to the anchor's */
	double low, high; /* 95 % interval */
	int sets;
};

struct ratings {
	int count;
	struct rating *list;
	/* superior[i * count + j]: likelihood that i is stronger than j. */
	double *superior;
};

/*
 * Rates `entrants` entrants. `anchor` stands at `anchor_elo` exactly. `seed` fixes
 * the resampling. The comparisons are sorted in place.
 */
void ratings_compute(struct comparison *list, size_t n, int entrants, int anchor,
	double anchor_elo, uint64_t seed, struct ratings *out);
void ratings_release(struct ratings *ratings);

double rating_expected(double elo_difference);
/* The inverse; p is clamped to (0, 1). */
double rating_difference(double p);
/* Two-sided 95 % quantile of Student's t. */
double rating_t95(int degrees);

#endif
