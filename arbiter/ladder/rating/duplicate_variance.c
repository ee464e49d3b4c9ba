/*
 * The variance that duplicate deals leave: how much luck of the cards the duplicate sets
 * take away. For a pair of entrants, let
 * x[s][k] be the score of the first over the second in that match of set s in which the
 * first sits in seat k. The score of the set is the mean over k, and its variance over s
 * is what duplicate sets have. With independent deals the matches would be independent
 * too, and the variance of their mean is the sum of the variances of each k, over the
 * square of their number. Seats are balanced in both, so only the deals differ.
 */
#include "arbiter/ladder/rating/standings.h"
#include "protocol/memory.h"

#include <stdlib.h>

struct moments {
	int count;
	double sum, squares;
};

struct pair_variance {
	struct moments set, seat[GAME_SEATS_MAX];
	int matches; /* of a set; sets of other sizes are left out */
};

struct variance_sums {
	int entrants;
	struct pair_variance *pair;
};

struct variance_sums *variance_sums_new(int entrants)
{
	struct variance_sums *sums = xcalloc(1, sizeof(*sums));

	sums->entrants = entrants;
	sums->pair =
		xcalloc((size_t)entrants * (size_t)entrants + 1, sizeof(*sums->pair));
	return sums;
}

void variance_sums_free(struct variance_sums **sums)
{
	free((*sums)->pair);
	free(*sums);
	*sums = NULL;
}

static void moments_add(struct moments *moments, double x)
{
	moments->count++;
	moments->sum += x;
	moments->squares += x * x;
}

static double variance_of(const struct moments *moments)
{
	double mean = moments->sum / moments->count;

	return (moments->squares - moments->count * mean * mean) / (moments->count - 1);
}

static struct pair_variance *pair_of(
	struct variance_sums *sums, const struct comparison *c)
{
	if (c->a[1] != RATING_NO_MEMBER || c->b[1] != RATING_NO_MEMBER)
		return NULL;
	return &sums->pair[c->a[0] * sums->entrants + c->b[0]];
}

static void add_match(
	struct variance_sums *sums, const struct store_seat *seats, int count)
{
	struct comparison list[SET_COMPARISONS_MAX];
	int n = set_comparisons(seats, count, 1, 0, list);

	for (int i = 0; i < n; i++) {
		struct pair_variance *pair = pair_of(sums, &list[i]);
		int seat = 0;

		while (seat < count - 1 && seats[seat].entrant - 1 != list[i].a[0])
			seat++;
		if (pair)
			moments_add(&pair->seat[seat], (double)list[i].score);
	}
}

void variance_sums_add(
	struct variance_sums *sums, const struct store_seat *seats, int count)
{
	struct comparison list[SET_COMPARISONS_MAX];
	int n = set_comparisons(seats, count, 1, 0, list), matches = 0;

	for (int first = 0, last; first < count; first = last, matches++) {
		for (last = first;
			last < count && seats[last].rotation == seats[first].rotation;
			last++)
			;
		add_match(sums, seats + first, last - first);
	}
	for (int i = 0; i < n; i++) {
		struct pair_variance *pair = pair_of(sums, &list[i]);

		if (pair) {
			moments_add(&pair->set, (double)list[i].score);
			pair->matches = matches;
		}
	}
}

struct duplicate_variance variance_sums_look(const struct variance_sums *sums)
{
	struct duplicate_variance variance = {0};

	for (int i = 0; i < sums->entrants * sums->entrants; i++) {
		const struct pair_variance *pair = &sums->pair[i];
		double weight = pair->set.count - 1, independent = 0;

		if (pair->set.count < 2)
			continue;
		for (int seat = 0; seat < GAME_SEATS_MAX; seat++)
			if (pair->seat[seat].count > 1)
				independent += variance_of(&pair->seat[seat]);
		independent /= (double)pair->matches * pair->matches;
		variance.duplicate += weight * variance_of(&pair->set);
		variance.independent += weight * independent;
		variance.sets += pair->set.count;
	}
	return variance;
}
