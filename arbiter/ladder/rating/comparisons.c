/* From the ranks of a set's matches to comparisons of sides. */
#include "arbiter/ladder/rating/standings.h"

#include <assert.h>
#include <string.h>

/* One side of one match: an entrant, or a partnership. */
struct side {
	int16_t member[RATING_SIDE_MAX]; /* sorted; padded with RATING_NO_MEMBER */
	int team;                        /* -1: a seat of its own */
	int rank;
};

static void side_add(struct side *side, int16_t entrant)
{
	int16_t *m = side->member;

	if (m[0] == entrant || m[1] == entrant)
		return;
	if (m[0] == RATING_NO_MEMBER) {
		m[0] = entrant;
	} else if (m[0] < entrant) {
		m[1] = entrant;
	} else {
		m[1] = m[0];
		m[0] = entrant;
	}
}

/* The sides of one match; returns how many. */
static int sides_of(
	const struct store_seat *seats, int count, int64_t index_of, struct side *sides)
{
	int n = 0;

	for (int i = 0; i < count; i++) {
		int at = 0;

		while (at < n && (seats[i].team < 0 || sides[at].team != seats[i].team))
			at++;
		if (at == n)
			sides[n++] = (struct side){
				.member = {RATING_NO_MEMBER, RATING_NO_MEMBER},
				.team = seats[i].team,
				.rank = seats[i].rank,
			};
		side_add(&sides[at], (int16_t)(seats[i].entrant - index_of));
	}
	return n;
}

/* Sums of one set: `score` is a sum until the end, `games` the number of its terms. */
struct sums {
	struct comparison *list;
	int games[SET_COMPARISONS_MAX];
	int count;
};

static void add_pair(
	struct sums *sums, const struct side *x, const struct side *y, int32_t set)
{
	float score = x->rank < y->rank ? 1 : x->rank == y->rank ? 0.5F : 0;
	int order = memcmp(x->member, y->member, sizeof(x->member));
	int at = 0;

	if (order == 0)
		return;
	if (order > 0) {
		const struct side *swap = x;

		x = y;
		y = swap;
		score = 1 - score;
	}
	while (at < sums->count &&
		(memcmp(sums->list[at].a, x->member, sizeof(x->member)) ||
			memcmp(sums->list[at].b, y->member, sizeof(y->member))))
		at++;
	if (at == SET_COMPARISONS_MAX)
		return;
	if (at == sums->count) {
		struct comparison *fresh = &sums->list[sums->count++];

		*fresh = (struct comparison){.set = set};
		memcpy(fresh->a, x->member, sizeof(fresh->a));
		memcpy(fresh->b, y->member, sizeof(fresh->b));
		sums->games[at] = 0;
	}
	sums->list[at].score += score;
	sums->games[at]++;
}

int set_comparisons(const struct store_seat *seats, int count, int64_t index_of,
	int32_t set, struct comparison *out)
{
	struct sums sums = {.list = out};

	for (int first = 0, last; first < count; first = last) {
		struct side side[GAME_SEATS_MAX];
		int n;

		for (last = first;
			last < count && seats[last].rotation == seats[first].rotation;
			last++)
			;
		assert(last - first <= GAME_SEATS_MAX);
		n = sides_of(seats + first, last - first, index_of, side);
		for (int i = 0; i < n; i++)
			for (int j = i + 1; j < n; j++)
				add_pair(&sums, &side[i], &side[j], set);
	}
	for (int i = 0; i < sums.count; i++)
		out[i].score /= (float)sums.games[i];
	return sums.count;
}
