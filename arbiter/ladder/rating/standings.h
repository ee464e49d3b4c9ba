/*
 * Everything that follows from a ladder's results: ratings, payoff matrix, rings, faults.
 * Computed anew from the store each time; the same results give the same bytes, in
 * whatever order they came in.
 */
#ifndef ARBITER_LADDER_RATING_STANDINGS_H
#define ARBITER_LADDER_RATING_STANDINGS_H

#include "arbiter/ladder/directory/ladder.h"
#include "arbiter/ladder/rating/rating.h"
#include "protocol/why.h"

struct standing {
	struct store_entrant entrant;
	struct rating rating;
	int place; /* 1 is best among those who are not removed; 0: removed */
	int matches, faults;
	int judged_matches, judged_faults; /* since it last became active, for benching */
	bool anchor;
};

/* How one entrant did against another, over the sets in which they met. */
struct payoff {
	int sets;
	double score; /* mean share of the points, 0..1 */
	double reach; /* half width of its 95 % interval; 1 if there is none */
};

/* a beats b beats c beats a, each with an interval above one half; a is the smallest
 * index. */
struct ring {
	int a, b, c;
};

/*
 * What duplicate sets are worth: the variance of a set's score, over that of as many
 * matches with the same seats but independent deals, both estimated from the results.
 */
struct duplicate_variance {
	double duplicate, independent; /* sums over pairs, weighted by sets */
	int sets;                      /* scores that went in; 0: nothing is known */
};

struct standings {
	int count;
	struct standing *list; /* by entrant id: the entrant of id i is at i - 1 */
	int *order;            /* indices by rating, the removed last */
	struct payoff *payoff; /* [i * count + j]: i against j */
	double *superior;      /* [i * count + j]: likelihood that i is stronger */
	int *met, *left;       /* [i * count + j], for struct schedule_input */
	struct ring *ring;
	int rings;
	struct duplicate_variance variance;
	int sets, matches;
};

/* False: `why` says what was wrong. */
bool standings_load(struct standings *standings, struct ladder *ladder, struct why *why);
void standings_release(struct standings *standings);

/* Half width of an entrant's interval in Elo points, at most 1000. */
double standing_uncertainty(const struct standing *standing);

json_t *standings_json(const struct standings *standings);
json_t *standings_matrix_json(const struct standings *standings);

/* Tables for people, at most 80 columns wide for names of common length. */
void standings_print(const struct standings *standings, bool all, FILE *out);
void standings_print_matrix(const struct standings *standings, FILE *out);
/* Entrants as store_entrants() and ratings as store_history() give them. */
void standings_print_history(const struct store_entrant *entrants, int entrant_count,
	const struct store_rating *ratings, int count, FILE *out);

/*
 * The comparisons of one set, from the seats of its matches in the order of rotation and
 * seat; `index_of` maps seat->entrant to entrant numbers by subtracting it. Returns their
 * number; `out` has room for SET_COMPARISONS_MAX.
 */
#define SET_COMPARISONS_MAX 512
int set_comparisons(const struct store_seat *seats, int count, int64_t index_of,
	int32_t set, struct comparison *out);

/* Sums for struct duplicate_variance. */
struct variance_sums;
struct variance_sums *variance_sums_new(int entrants);
void variance_sums_free(struct variance_sums **sums);
/* The seats of one set, as for set_comparisons() with index_of 1. */
void variance_sums_add(
	struct variance_sums *sums, const struct store_seat *seats, int count);
struct duplicate_variance variance_sums_look(const struct variance_sums *sums);

#endif
