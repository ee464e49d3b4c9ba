/*
 * Ratings, intervals, the sequential test and the schedule against simulated entrants
 * whose true strengths are known. PIGPEN_SOAK=1 runs the full counts.
 */
#include "arbiter/ladder/rating/rating.h"
#include "arbiter/ladder/rating/schedule.h"
#include "arbiter/ladder/rating/sequential.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRANTS 8

static int campaign(int reduced, int full)
{
	return getenv("PIGPEN_SOAK") ? full : reduced;
}

static uint64_t random_state;

static double uniform(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* A world: how many sides a table has, of how many members, and how often sides tie. */
struct world {
	const char *name;
	int sides, members;
	double draws; /* share of the possible draws that happen */
};

static const struct world worlds[] = {
	{"2 seats", 2, 1, 0},
	{"2 seats, draws", 2, 1, 0.6},
	{"3 seats", 3, 1, 0},
	{"4 seats", 4, 1, 0},
	{"6 seats", 6, 1, 0},
	{"mixed teams", 2, 2, 0},
};

static const double truth[ENTRANTS] = {0, 40, -60, 120, 200, -150, 80, -20};

static double side_strength(const int16_t *members, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += truth[members[i]];
	return sum / n;
}

/* Plackett-Luce: the next place goes to a side with chance by its weight, which makes
 * every pairwise chance the one of the model. */
static void play_match(const struct world *w, const double *strength, int *rank)
{
	double weight[SCHEDULE_SIDES_MAX];

	for (int s = 0; s < w->sides; s++)
		weight[s] = pow(10, strength[s] / 400);
	for (int place = 0; place < w->sides; place++) {
		double total = 0, at;
		int s = 0;

		for (int k = 0; k < w->sides; k++)
			total += weight[k];
		at = uniform() * total;
		for (s = 0; s < w->sides - 1 && (weight[s] == 0 || at >= weight[s]); s++)
			at -= weight[s];
		while (weight[s] == 0)
			s--;
		rank[s] = place;
		weight[s] = 0;
	}
	if (w->sides == 2 && w->draws > 0) {
		double p = rating_expected(strength[0] - strength[1]);
		double draw = 2 * w->draws * fmin(p, 1 - p), u = uniform();

		rank[0] = rank[1] = 0;
		if (u >= draw)
			rank[u < draw + p - draw / 2 ? 1 : 0] = 1;
	}
}

/* Plays a set of as many rotations as sides and appends its comparisons. */
static size_t play_set(
	const struct world *w, int set, int16_t member[][2], struct comparison *out)
{
	double strength[SCHEDULE_SIDES_MAX],
		score[SCHEDULE_SIDES_MAX][SCHEDULE_SIDES_MAX];
	size_t n = 0;

	memset(score, 0, sizeof(score));
	for (int s = 0; s < w->sides; s++)
		strength[s] = side_strength(member[s], w->members);
	for (int r = 0; r < w->sides; r++) {
		int rank[SCHEDULE_SIDES_MAX];

		play_match(w, strength, rank);
		for (int i = 0; i < w->sides; i++)
			for (int j = 0; j < w->sides; j++)
				score[i][j] += rank[i] < rank[j]    ? 1
					       : rank[i] == rank[j] ? 0.5
								    : 0;
	}
	for (int i = 0; i < w->sides; i++)
		for (int j = i + 1; j < w->sides; j++) {
			struct comparison *c = &out[n++];

			*c = (struct comparison){.set = set,
				.a = {member[i][0], RATING_NO_MEMBER},
				.b = {member[j][0], RATING_NO_MEMBER},
				.score = (float)(score[i][j] / w->sides)};
			if (w->members == 2) {
				c->a[1] = member[i][1];
				c->b[1] = member[j][1];
			}
		}
	return n;
}

/* A fixed schedule: entrants in random order, cut into tables, again and again. */
static size_t play_fixed(const struct world *w, int sets, struct comparison *out)
{
	size_t n = 0;

	for (int set = 0; set < sets; set++) {
		int16_t order[ENTRANTS], member[SCHEDULE_SIDES_MAX][2];

		for (int i = 0; i < ENTRANTS; i++)
			order[i] = (int16_t)i;
		for (int i = ENTRANTS - 1; i > 0; i--) {
			int j = (int)(uniform() * (i + 1));
			int16_t swap = order[i];

			order[i] = order[j];
			order[j] = swap;
		}
		for (int s = 0; s < w->sides; s++)
			for (int m = 0; m < w->members; m++)
				member[s][m] = order[s * w->members + m];
		n += play_set(w, set, member, out + n);
	}
	return n;
}

/* Share of intervals that contain the truth over many ladders. */
static double coverage_fixed(
	const struct world *w, int ladders, int sets, int *misordered)
{
	static struct comparison list[20000];
	int covered = 0, intervals = 0;

	for (int l = 0; l < ladders; l++) {
		struct ratings r;
		size_t n = play_fixed(w, sets, list);

		ratings_compute(list, n, ENTRANTS, 0, 0, (uint64_t)l, &r);
		for (int i = 1; i < ENTRANTS; i++, intervals++)
			covered +=
				truth[i] >= r.list[i].low && truth[i] <= r.list[i].high;
		/* Strongest and weakest are 350 points apart: never the wrong way round.
		 */
		*misordered += r.list[4].elo <= r.list[5].elo;
		ratings_release(&r);
	}
	return (double)covered / intervals;
}

Test(rating, intervals_cover_the_truth_with_a_fixed_schedule, .timeout = 1200)
{
	int ladders = campaign(200, 1000);

	for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
		const struct world *w = &worlds[i];
		int misordered = 0;
		double share;

		random_state = 1000 + i;
		share = coverage_fixed(w, ladders, 960 / w->sides, &misordered);
		fprintf(stderr, "note: coverage, %s: %.1f %% of %d ladders\n", w->name,
			100 * share, ladders);
		cr_expect(share >= 0.93 && share <= 0.97, "%s: %.3f", w->name, share);
		cr_expect_eq(
			misordered, 0, "%s: %d ladders misordered", w->name, misordered);
	}
}

Test(rating, does_not_depend_on_the_order_of_the_evidence)
{
	static struct comparison list[20000], shuffled[20000];
	struct ratings a, b;
	size_t n;

	random_state = 7;
	n = play_fixed(&worlds[3], 60, list);
	for (size_t i = 0; i < n; i++)
		shuffled[n - 1 - i] = list[i];
	ratings_compute(list, n, ENTRANTS, 0, 1500, 1, &a);
	ratings_compute(shuffled, n, ENTRANTS, 0, 1500, 1, &b);
	cr_assert_eq(memcmp(a.list, b.list, ENTRANTS * sizeof(*a.list)), 0);
	cr_assert_eq(
		memcmp(a.superior, b.superior, ENTRANTS * ENTRANTS * sizeof(double)), 0);
	cr_assert_eq(a.list[0].elo, 1500);
	ratings_release(&a);
	ratings_release(&b);
}

Test(rating, an_undefeated_entrant_has_a_finite_rating)
{
	struct comparison list[10];
	struct ratings r;

	for (int i = 0; i < 10; i++)
		list[i] = (struct comparison){.set = i,
			.a = {1, RATING_NO_MEMBER},
			.b = {0, RATING_NO_MEMBER},
			.score = 1};
	ratings_compute(list, 10, 2, 0, 0, 1, &r);
	cr_assert(isfinite(r.list[1].elo));
	cr_assert(r.list[1].elo > 300 && r.list[1].elo < 800, "%f", r.list[1].elo);
	cr_assert_eq(r.list[1].sets, 10);
	cr_assert(r.superior[1 * 2 + 0] > 0.99);
	ratings_release(&r);
}

static enum sequential_verdict run_sequential(double elo, int *sets)
{
	struct sequential test;
	struct sequential_state state;
	double p = rating_expected(elo);

	sequential_init(&test, 0, 20, 0.05, 0.05);
	do {
		double score = ((uniform() < p) + (uniform() < p)) / 2.0;

		sequential_add(&test, score);
		state = sequential_look(&test);
	} while (state.verdict == SEQUENTIAL_OPEN && test.sets < 100000);
	*sets += test.sets;
	return state.verdict;
}

Test(sequential, keeps_its_error_rates, .timeout = 600)
{
	int runs = campaign(5000, 20000), wrong0 = 0, wrong1 = 0, sets = 0;

	random_state = 99;
	for (int i = 0; i < runs; i++) {
		wrong0 += run_sequential(0, &sets) != SEQUENTIAL_H0;
		wrong1 += run_sequential(20, &sets) != SEQUENTIAL_H1;
	}
	fprintf(stderr,
		"note: sequential test: wrong %.1f %% at elo0, %.1f %% at elo1, "
		"%d sets on average\n",
		100.0 * wrong0 / runs, 100.0 * wrong1 / runs, sets / runs / 2);
	cr_expect(wrong0 <= runs * 0.05, "%d of %d", wrong0, runs);
	cr_expect(wrong1 <= runs * 0.05, "%d of %d", wrong1, runs);
}

Test(sequential, gives_no_verdict_on_a_few_equal_scores)
{
	struct sequential test;

	/* The farther the two are apart, the sooner the bounds are reached. */
	for (int elo = 20; elo <= 400; elo += 20) {
		sequential_init(&test, 0, elo, 0.05, 0.05);
		for (int i = 0; i < SEQUENTIAL_SETS_MIN - 1; i++) {
			sequential_add(&test, 1);
			cr_assert_eq(sequential_look(&test).verdict, SEQUENTIAL_OPEN);
		}
	}
	cr_assert_gt(sequential_look(&test).llr, sequential_look(&test).upper);
	sequential_add(&test, 1);
	cr_assert_eq(sequential_look(&test).verdict, SEQUENTIAL_H1, "one more is enough");
}

/* What a ladder keeps between epochs. */
struct adaptive {
	const struct world *w;
	struct comparison list[20000];
	size_t n;
	int sets, met[ENTRANTS * ENTRANTS], left[ENTRANTS * ENTRANTS];
	int sets_per_entrant;
	struct schedule_entrant entrant[ENTRANTS];
	struct ratings ratings;
};

static void adaptive_init(struct adaptive *a, const struct world *w)
{
	memset(a, 0, sizeof(*a));
	a->w = w;
	a->sets_per_entrant = 8;
	for (int i = 0; i < ENTRANTS; i++)
		a->entrant[i] = (struct schedule_entrant){
			.uncertainty = 1000, .author = i, .active = true};
}

static void adaptive_epoch(struct adaptive *a, uint64_t seed, uint32_t epoch, bool last)
{
	struct schedule_input in = {.mode = SCHEDULE_ADAPTIVE,
		.seed = seed,
		.epoch = epoch,
		.entrants = ENTRANTS,
		.entrant = a->entrant,
		.met = a->met,
		.left = a->left,
		.sides = a->w->sides,
		.sets_per_entrant = a->sets_per_entrant};
	struct schedule_table tables[64];
	int n = schedule_epoch(&in, tables);

	for (int t = 0; t < n; t++) {
		int16_t member[SCHEDULE_SIDES_MAX][2];

		for (int s = 0; s < a->w->sides; s++) {
			int e = tables[t].entrant[s];

			member[s][0] = (int16_t)e;
			a->entrant[e].sets++;
			for (int o = 0; o < a->w->sides; o++)
				a->met[e * ENTRANTS + tables[t].entrant[o]] += o != s;
			a->left[e * ENTRANTS +
				tables[t].entrant[(s + 1) % a->w->sides]]++;
		}
		a->n += play_set(a->w, a->sets++, member, a->list + a->n);
	}
	ratings_compute(a->list, a->n, ENTRANTS, 0, 0, seed + epoch, &a->ratings);
	for (int i = 0; i < ENTRANTS; i++) {
		a->entrant[i].elo = a->ratings.list[i].elo;
		a->entrant[i].uncertainty =
			(a->ratings.list[i].high - a->ratings.list[i].low) / 2;
	}
	if (!last)
		ratings_release(&a->ratings);
}

Test(schedule, adaptive_intervals_cover_the_truth, .timeout = 1200)
{
	static struct adaptive a;
	int ladders = campaign(60, 1000), epochs = 12;

	for (size_t k = 0; k < 4; k += 3) {
		int covered = 0, intervals = 0;

		random_state = 5 + k;
		for (int l = 0; l < ladders; l++) {
			adaptive_init(&a, &worlds[k]);
			for (int e = 0; e < epochs; e++)
				adaptive_epoch(
					&a, (uint64_t)l, (uint32_t)e, e == epochs - 1);
			for (int i = 1; i < ENTRANTS; i++, intervals++)
				covered += truth[i] >= a.ratings.list[i].low &&
					   truth[i] <= a.ratings.list[i].high;
			ratings_release(&a.ratings);
		}
		fprintf(stderr, "note: coverage, adaptive, %s: %.1f %% of %d ladders\n",
			worlds[k].name, 100.0 * covered / intervals, ladders);
		cr_expect(covered >= 0.90 * intervals, "%d of %d", covered, intervals);
	}
}

/* How many sets until the interval of a newcomer among seven known ones is within ±50. */
static int sets_until_placed(struct adaptive *a, const struct world *w, uint64_t seed)
{
	const int new = ENTRANTS - 1;
	uint32_t epoch = 0;

	adaptive_init(a, w);
	a->entrant[new].active = false;
	for (; epoch < 12; epoch++)
		adaptive_epoch(a, seed, epoch, false);
	a->entrant[new].active = true;
	a->entrant[new].uncertainty = 1000;
	a->sets_per_entrant = 2;
	do {
		adaptive_epoch(a, seed, epoch++, false);
		if (a->entrant[new].sets < 2)
			a->entrant[new].uncertainty = 1000;
	} while (!(a->entrant[new].uncertainty < 50) && epoch < 1000);
	return a->entrant[new].sets;
}

Test(schedule, places_a_new_entrant_fast, .timeout = 600)
{
	static struct adaptive a;
	int ladders = campaign(5, 50);

	for (size_t k = 0; k < 4; k += 3) {
		int sum = 0, worst = 0, share = 0, before;

		random_state = 77 + k;
		for (int l = 0; l < ladders; l++) {
			int sets = sets_until_placed(&a, &worlds[k], (uint64_t)l);

			sum += sets;
			worst = sets > worst ? sets : worst;
			before = 12 * 8 * (ENTRANTS - 1) / worlds[k].sides;
			share += a.sets - before;
		}
		fprintf(stderr,
			"note: a newcomer is within ±50 after %d sets (at most %d), "
			"%.0f %% of all sets meanwhile, %s\n",
			sum / ladders, worst, 100.0 * sum / share, worlds[k].name);
		cr_expect(worst < 250, "%d sets", worst);
		/* It sits at more tables than its share. */
		cr_expect(
			sum * ENTRANTS > share * worlds[k].sides, "%d of %d", sum, share);
	}
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* Each has met each other as often as the bound asks. */
static void expect_met(const struct schedule_input *in, const int *met)
{
	for (int i = 0; i < ENTRANTS; i++)
		for (int j = 0; j < ENTRANTS; j++) {
			int sets = least(in->entrant[i].sets, in->entrant[j].sets);

			if (i != j)
				cr_expect_geq(met[i * ENTRANTS + j],
					sets / (2 * ENTRANTS),
					"%d met %d %d times in %d sets", i, j,
					met[i * ENTRANTS + j], sets);
		}
}

/* Two groups so far apart that no other reason brings them to one table. */
Test(schedule, every_pair_meets_within_the_bound_across_a_gap)
{
	struct schedule_entrant entrant[ENTRANTS];
	struct schedule_table tables[64];
	int met[ENTRANTS * ENTRANTS] = {0};
	struct schedule_input in = {.mode = SCHEDULE_ADAPTIVE,
		.seed = 5,
		.entrants = ENTRANTS,
		.entrant = entrant,
		.sides = 2,
		.sets_per_entrant = 4,
		.met = met};

	for (int i = 0; i < ENTRANTS; i++)
		entrant[i] = (struct schedule_entrant){.elo = i % 2 ? 3000 : 0,
			.uncertainty = 50,
			.author = i,
			.active = true};
	for (in.epoch = 0; in.epoch < 24; in.epoch++) {
		int n = schedule_epoch(&in, tables);

		for (int k = 0; k < 2 * n; k++) {
			const int16_t *at = tables[k / 2].entrant;

			entrant[at[k % 2]].sets++;
			met[at[k % 2] * ENTRANTS + at[1 - k % 2]]++;
		}
		expect_met(&in, met);
	}
	cr_expect_geq(entrant[0].sets, 4 * 2 * ENTRANTS);
}

Test(schedule, every_pair_meets_within_the_bound)
{
	static struct adaptive a;

	random_state = 3;
	adaptive_init(&a, &worlds[0]);
	for (int e = 0; e < 8; e++)
		adaptive_epoch(&a, 42, (uint32_t)e, false);
	for (int i = 0; i < ENTRANTS; i++)
		for (int j = 0; j < ENTRANTS; j++)
			if (i != j)
				cr_expect(a.met[i * ENTRANTS + j] > 0, "%d never met %d",
					i, j);
}

/* Eight entrants at tables of four: every ordered pair of neighbours comes up about as
 * often as every other, and so does every pair at a table. */
Test(schedule, balances_opponents_and_neighbours)
{
	struct schedule_entrant entrant[ENTRANTS];
	struct schedule_table tables[64];
	int met[ENTRANTS * ENTRANTS] = {0}, left[ENTRANTS * ENTRANTS] = {0}, n;
	struct schedule_input in = {.mode = SCHEDULE_ROUND_ROBIN,
		.seed = 11,
		.entrants = ENTRANTS,
		.entrant = entrant,
		.sides = 4,
		.sets_per_entrant = 28,
		.met = met,
		.left = left};

	for (int i = 0; i < ENTRANTS; i++)
		entrant[i] = (struct schedule_entrant){.author = i, .active = true};
	cr_assert_leq(schedule_epoch_size(&in), 64);
	n = schedule_epoch(&in, tables);
	for (int t = 0; t < n; t++)
		for (int k = 0; k < 4; k++) {
			const int16_t *at = tables[t].entrant;

			left[at[k] * ENTRANTS + at[(k + 1) % 4]]++;
			for (int m = 0; m < 4; m++)
				met[at[k] * ENTRANTS + at[m]] += m != k;
		}
	/* Fair shares: 28 sets with three of seven opponents, one of them to the left. */
	for (int i = 0; i < ENTRANTS * ENTRANTS; i++)
		if (i % (ENTRANTS + 1)) {
			cr_expect(met[i] >= 11 && met[i] <= 13, "met %d times", met[i]);
			cr_expect(left[i] >= 2 && left[i] <= 6, "neighbours %d times",
				left[i]);
		}
}

Test(schedule, is_a_pure_function)
{
	struct schedule_entrant entrant[5];
	struct schedule_table first[16], again[16], other[16];
	struct schedule_input in = {.mode = SCHEDULE_ROUND_ROBIN,
		.seed = 9,
		.epoch = 4,
		.entrants = 5,
		.entrant = entrant,
		.sides = 3};
	int n;

	for (int i = 0; i < 5; i++)
		entrant[i] = (struct schedule_entrant){.author = i, .active = i != 2};
	n = schedule_epoch(&in, first);
	cr_assert_eq(schedule_epoch(&in, again), n);
	cr_assert_eq(memcmp(first, again, sizeof(first[0]) * (size_t)n), 0);
	in.epoch = 5;
	schedule_epoch(&in, other);
	cr_assert_neq(memcmp(first, other, sizeof(first[0]) * (size_t)n), 0);
	for (int t = 0; t < n; t++)
		for (int s = 0; s < 3; s++)
			cr_expect_neq(
				first[t].entrant[s], 2, "an inactive entrant was seated");
}

Test(schedule, fills_up_with_copies_when_entrants_are_few)
{
	struct schedule_entrant entrant[2] = {
		{.active = true}, {.author = 1, .active = true}};
	struct schedule_table tables[8];
	struct schedule_input in = {
		.mode = SCHEDULE_ADAPTIVE, .entrants = 2, .entrant = entrant, .sides = 4};
	int n = schedule_epoch(&in, tables);

	cr_assert(n > 0);
	for (int t = 0; t < n; t++) {
		int ones = 0;

		for (int s = 0; s < 4; s++)
			ones += tables[t].entrant[s] == 1;
		cr_expect_eq(ones, 2);
	}
}

Test(schedule, seats_one_bot_per_author_if_asked)
{
	struct schedule_entrant entrant[6];
	struct schedule_table tables[16];
	struct schedule_input in = {.mode = SCHEDULE_ROUND_ROBIN,
		.entrants = 6,
		.entrant = entrant,
		.sides = 3,
		.one_per_author = true};
	int n;

	for (int i = 0; i < 6; i++)
		entrant[i] = (struct schedule_entrant){.author = i / 2, .active = true};
	n = schedule_epoch(&in, tables);
	cr_assert_gt(n, 0);
	for (int t = 0; t < n; t++)
		for (int s = 0; s < 3; s++)
			for (int o = 0; o < s; o++)
				cr_expect_neq(entrant[tables[t].entrant[s]].author,
					entrant[tables[t].entrant[o]].author);
}

Test(schedule, a_gauntlet_has_its_challenger_at_every_table)
{
	struct schedule_entrant entrant[6];
	struct schedule_table tables[16];
	struct schedule_input in = {.mode = SCHEDULE_GAUNTLET,
		.entrants = 6,
		.entrant = entrant,
		.sides = 2,
		.challenger = 4};
	int n, seen[6] = {0};

	for (int i = 0; i < 6; i++)
		entrant[i] = (struct schedule_entrant){.author = i, .active = true};
	n = schedule_epoch(&in, tables);
	for (int t = 0; t < n; t++) {
		cr_expect(tables[t].entrant[0] == 4 || tables[t].entrant[1] == 4);
		seen[tables[t].entrant[0]]++;
		seen[tables[t].entrant[1]]++;
	}
	for (int i = 0; i < 6; i++)
		cr_expect(seen[i] > 0, "%d was never met", i);
}
