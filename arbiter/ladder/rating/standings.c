/* Standings: everything that follows from the results, computed from the store. */
#include "arbiter/ladder/rating/standings.h"
#include "protocol/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sodium.h>

#define UNCERTAINTY_MAX 1000.0

/* Sums over sets of one ordered pair's score. */
struct pair_sum {
	int sets;
	double sum, squares;
};

struct loading {
	struct standings *standings;
	struct pair_sum *pair;
	struct variance_sums *variance;
	struct comparison *list;
	size_t count, capacity;
	/* The seats of the set at hand. */
	struct store_seat seat[GAME_SEATS_MAX * GAME_SEATS_MAX];
	int seats;
};

static void add_payoff(struct loading *load, const struct comparison *c)
{
	int n = load->standings->count;

	for (int i = 0; i < RATING_SIDE_MAX && c->a[i] != RATING_NO_MEMBER; i++)
		for (int j = 0; j < RATING_SIDE_MAX && c->b[j] != RATING_NO_MEMBER; j++) {
			struct pair_sum *there = &load->pair[c->a[i] * n + c->b[j]];
			struct pair_sum *back = &load->pair[c->b[j] * n + c->a[i]];
			double score = (double)c->score;

			if (c->a[i] == c->b[j])
				continue;
			there->sets++;
			there->sum += score;
			there->squares += score * score;
			back->sets++;
			back->sum += 1 - score;
			back->squares += (1 - score) * (1 - score);
		}
}

/* Who met whom and who sat at whose left, once for each set. */
static void count_meetings(struct loading *load)
{
	struct standings *s = load->standings;
	int n = 0, entrant[GAME_SEATS_MAX];

	while (n < load->seats && load->seat[n].rotation == load->seat[0].rotation) {
		entrant[n] = (int)load->seat[n].entrant - 1;
		n++;
	}
	for (int i = 0; i < n; i++) {
		bool first = true;

		s->left[entrant[i] * s->count + entrant[(i + 1) % n]]++;
		for (int k = 0; k < i; k++)
			first &= entrant[k] != entrant[i];
		for (int j = 0; first && j < n; j++) {
			bool new = entrant[j] != entrant[i];

			for (int k = 0; k < j; k++)
				new &= entrant[k] != entrant[j];
			s->met[entrant[i] * s->count + entrant[j]] += new;
		}
	}
}

static void finish_set(struct loading *load)
{
	struct comparison fresh[SET_COMPARISONS_MAX];
	int n;

	if (!load->seats)
		return;
	n = set_comparisons(load->seat, load->seats, 1, load->standings->sets, fresh);
	if (load->count + (size_t)n > load->capacity) {
		load->capacity = 2 * (load->count + (size_t)n);
		load->list = xrealloc(load->list, load->capacity * sizeof(*load->list));
	}
	memcpy(load->list + load->count, fresh, (size_t)n * sizeof(*fresh));
	load->count += (size_t)n;
	for (int i = 0; i < n; i++)
		add_payoff(load, &fresh[i]);
	count_meetings(load);
	variance_sums_add(load->variance, load->seat, load->seats);
	load->standings->sets++;
	load->seats = 0;
}

/* A match counts once for an entrant that holds several of its seats. */
static void count_match(struct loading *load, const struct store_seat *seat)
{
	struct standing *standing = &load->standings->list[seat->entrant - 1];
	bool counted = false, faulted = false;

	for (int i = load->seats - 1; i >= 0; i--) {
		if (load->seat[i].rotation != seat->rotation)
			break;
		if (load->seat[i].entrant != seat->entrant)
			continue;
		counted = true;
		faulted |= load->seat[i].faulted;
	}
	standing->matches += !counted;
	standing->faults += seat->faulted && !faulted;
	if (seat->set >= standing->entrant.judged_from) {
		standing->judged_matches += !counted;
		standing->judged_faults += seat->faulted && !faulted;
	}
	load->standings->matches += seat->seat == 0;
}

static void take_seat(void *context, const struct store_seat *seat)
{
	struct loading *load = context;

	if (load->seats && load->seat[0].set != seat->set)
		finish_set(load);
	if (seat->entrant < 1 || seat->entrant > load->standings->count ||
		load->seats == GAME_SEATS_MAX * GAME_SEATS_MAX)
		return;
	count_match(load, seat);
	load->seat[load->seats++] = *seat;
}

static void fill_payoffs(struct standings *s, const struct pair_sum *pair)
{
	for (int i = 0; i < s->count * s->count; i++) {
		double n = pair[i].sets, mean = n ? pair[i].sum / n : 0.5, spread;

		s->payoff[i] = (struct payoff){pair[i].sets, mean, 1};
		if (pair[i].sets < 2)
			continue;
		/* As in the sequential test: two made-up sets, one won and one lost, so
		 * that a few equal scores do not look like certainty. */
		spread = (fmax(pair[i].squares - n * mean * mean, 0) + 0.5) / (n + 1);
		s->payoff[i].reach =
			fmin(rating_t95(pair[i].sets - 1) * sqrt(spread / n), 1);
	}
}

static bool beats(const struct standings *s, int i, int j)
{
	const struct payoff *p = &s->payoff[i * s->count + j];

	return p->sets >= 2 && p->score - p->reach > 0.5;
}

/* Finds each ring once, beginning with its smallest index. */
static void find_rings(struct standings *s)
{
	for (int a = 0; a < s->count; a++)
		for (int b = a + 1; b < s->count; b++)
			for (int c = a + 1; beats(s, a, b) && c < s->count; c++) {
				if (c == b || !beats(s, b, c) || !beats(s, c, a))
					continue;
				s->ring = xrealloc(s->ring,
					(size_t)(s->rings + 1) * sizeof(*s->ring));
				s->ring[s->rings++] = (struct ring){a, b, c};
			}
}

/* For qsort_r: the removed last, then by rating, then by age. */
static int compare_standings(const void *x, const void *y, void *context)
{
	const struct standings *s = context;
	const struct standing *a = &s->list[*(const int *)x],
			      *b = &s->list[*(const int *)y];
	bool gone_a = a->entrant.state == ENTRANT_REMOVED,
	     gone_b = b->entrant.state == ENTRANT_REMOVED;

	if (gone_a != gone_b)
		return gone_a - gone_b;
	if (a->rating.elo != b->rating.elo)
		return a->rating.elo < b->rating.elo ? 1 : -1;
	return a->entrant.id < b->entrant.id ? -1 : 1;
}

static void put_in_order(struct standings *s)
{
	for (int i = 0; i < s->count; i++)
		s->order[i] = i;
	qsort_r(s->order, (size_t)s->count, sizeof(int), compare_standings, s);
	for (int i = 0; i < s->count; i++) {
		struct standing *standing = &s->list[s->order[i]];

		standing->place = standing->entrant.state == ENTRANT_REMOVED ? 0 : i + 1;
	}
}

static int find_anchor(const struct standings *s, const char *name)
{
	for (int i = 0; i < s->count; i++)
		if (*name && !strcmp(s->list[i].entrant.name, name))
			return i;
	return 0;
}

static bool load_entrants(struct standings *s, struct ladder *ladder)
{
	struct store_entrant *list;
	size_t pairs;
	bool ok = store_entrants(ladder->store, &list, &s->count);

	pairs = (size_t)s->count * (size_t)s->count;
	s->list = xcalloc((size_t)s->count, sizeof(*s->list));
	s->order = xcalloc((size_t)s->count, sizeof(*s->order));
	s->payoff = xcalloc(pairs, sizeof(*s->payoff));
	s->met = xcalloc(pairs, sizeof(*s->met));
	s->left = xcalloc(pairs, sizeof(*s->left));
	for (int i = 0; ok && i < s->count; i++)
		s->list[i].entrant = list[i];
	free(list);
	return ok;
}

static void rate(struct standings *s, const struct ladder *ladder, struct loading *load)
{
	struct ratings ratings;
	uint64_t seed;
	int anchor = find_anchor(s, ladder->config.anchor);

	crypto_generichash((uint8_t *)&seed, sizeof(seed),
		(const uint8_t *)ladder->config.seed, strlen(ladder->config.seed), NULL,
		0);
	ratings_compute(load->list, load->count, s->count, anchor,
		ladder->config.anchor_elo, seed, &ratings);
	for (int i = 0; i < s->count; i++)
		s->list[i].rating = ratings.list[i];
	s->list[anchor].anchor = true;
	s->superior = ratings.superior;
	ratings.superior = NULL;
	ratings_release(&ratings);
}

bool standings_load(struct standings *standings, struct ladder *ladder, struct why *why)
{
	struct loading *load = xcalloc(1, sizeof(*load));
	bool ok;

	memset(standings, 0, sizeof(*standings));
	load->standings = standings;
	ok = store_snapshot(ladder->store) && load_entrants(standings, ladder);
	load->pair = xcalloc(
		(size_t)standings->count * (size_t)standings->count, sizeof(*load->pair));
	load->variance = variance_sums_new(standings->count);
	ok = ok && store_each_seat(ladder->store, take_seat, load);
	store_snapshot_end(ladder->store);
	if (ok && standings->count) {
		finish_set(load);
		rate(standings, ladder, load);
		fill_payoffs(standings, load->pair);
		find_rings(standings);
		standings->variance = variance_sums_look(load->variance);
		put_in_order(standings);
	}
	if (!ok) {
		why_set(why, "%s", store_why(ladder->store));
		standings_release(standings);
	}
	variance_sums_free(&load->variance);
	free(load->pair);
	free(load->list);
	free(load);
	return ok;
}

void standings_release(struct standings *standings)
{
	free(standings->list);
	free(standings->order);
	free(standings->payoff);
	free(standings->superior);
	free(standings->met);
	free(standings->left);
	free(standings->ring);
	memset(standings, 0, sizeof(*standings));
}

double standing_uncertainty(const struct standing *standing)
{
	double reach = (standing->rating.high - standing->rating.low) / 2;

	if (standing->anchor && standing->rating.sets)
		return 0;
	return standing->rating.sets < 2 || !(reach < UNCERTAINTY_MAX) ? UNCERTAINTY_MAX
								       : reach;
}
