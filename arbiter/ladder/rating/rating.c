/*
 * Ratings: Newton's method on the penalised log-likelihood. For sides with strengths
 * s_A, s_B (means of member ratings, in natural units) and observed score y, one
 * comparison adds y·log σ(s_A - s_B) + (1-y)·log σ(s_B - s_A). Its gradient and Hessian
 * touch only the members of the two sides. The pull adds the same term with y = 1/2
 * between every entrant and the anchor. The sum is strictly concave once the anchor is
 * held, so Newton's method with step halving always converges.
 *
 * Comparisons with the same sides are summed first: a million results of fifty bots
 * are some thousand cells.
 */
#include "arbiter/ladder/rating/rating.h"
#include "protocol/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ELO_PER_NAT (400.0 / M_LN10)
#define LANES       16 /* resamples that are summed together */
/* A Newton step smaller than this, in natural units, never overshoots. */
#define STEP_SAFE 0.5

/* All comparisons of the same two sides within one resample. */
struct cell {
	int16_t member[2 * RATING_SIDE_MAX];
	double share[2 * RATING_SIDE_MAX]; /* +1/size for side A, -1/size for side B */
	int members;
	double weight, score;
};

/* Sums of one cell in several resamples. */
struct lane_sums {
	double weight[LANES], score[LANES];
};

struct model {
	int entrants, anchor;
	struct cell *cells;
	size_t cell_count;
	size_t *cell_start; /* where the comparisons of each begin in the sorted list */
	double *strength;   /* of each entrant, anchor 0 */
	double *gradient, *hessian, *step;
};

double rating_expected(double elo_difference)
{
	return 1 / (1 + exp(-elo_difference / ELO_PER_NAT));
}

double rating_difference(double p)
{
	p = fmin(fmax(p, 1e-6), 1 - 1e-6);
	return ELO_PER_NAT * log(p / (1 - p));
}

double rating_t95(int degrees)
{
	/* Hill's expansion about the normal quantile; exact values where it is poor. */
	static const double small[] = {12.706, 4.303, 3.182, 2.776};
	double z = 1.959964, d = degrees;

	if (degrees < 1)
		return INFINITY;
	if (degrees <= 4)
		return small[degrees - 1];
	return z + (pow(z, 3) + z) / (4 * d) +
	       (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * d * d);
}

static int compare_comparisons(const void *left, const void *right)
{
	const struct comparison *x = left, *y = right;
	int sides = memcmp(x->a, y->a, sizeof(x->a));

	if (!sides)
		sides = memcmp(x->b, y->b, sizeof(x->b));
	if (sides)
		return sides;
	if (x->set != y->set)
		return x->set < y->set ? -1 : 1;
	return (x->score > y->score) - (x->score < y->score);
}

static void add_side(struct cell *cell, const int16_t *side, double sign)
{
	int size = side[1] == RATING_NO_MEMBER ? 1 : 2;

	for (int i = 0; i < size; i++) {
		cell->member[cell->members] = side[i];
		cell->share[cell->members++] = sign / size;
	}
}

static bool same_sides(const struct comparison *x, const struct comparison *y)
{
	return !memcmp(x->a, y->a, sizeof(x->a)) && !memcmp(x->b, y->b, sizeof(x->b));
}

static size_t count_cells(const struct comparison *list, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += !i || !same_sides(&list[i], &list[i - 1]);
	return count;
}

static void build_cells(struct model *m, const struct comparison *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!i || !same_sides(&list[i], &list[i - 1])) {
			struct cell *cell = &m->cells[m->cell_count++];

			add_side(cell, list[i].a, 1);
			add_side(cell, list[i].b, -1);
			m->cell_start[m->cell_count - 1] = i;
		}
	}
	m->cell_start[m->cell_count] = n;
	for (int e = 0; e < m->entrants; e++) {
		const int16_t side[2] = {(int16_t)e, RATING_NO_MEMBER};
		const int16_t anchor[2] = {(int16_t)m->anchor, RATING_NO_MEMBER};
		struct cell *cell = &m->cells[m->cell_count++];

		add_side(cell, side, 1);
		add_side(cell, anchor, -1);
	}
}

static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Every set counts once, and the prior is a drawn set. */
static void fill_cells(struct model *m, const struct comparison *list)
{
	size_t prior = m->cell_count - (size_t)m->entrants;

	for (size_t c = 0; c < m->cell_count; c++) {
		m->cells[c].weight = RATING_PRIOR_SETS;
		m->cells[c].score = RATING_PRIOR_SETS / 2;
	}
	for (size_t c = 0; c < prior; c++) {
		m->cells[c].weight = (double)(m->cell_start[c + 1] - m->cell_start[c]);
		m->cells[c].score = 0;
		for (size_t i = m->cell_start[c]; i < m->cell_start[c + 1]; i++)
			m->cells[c].score += (double)list[i].score;
	}
}

static double difference(const struct cell *cell, const double *strength)
{
	double d = 0;

	for (int i = 0; i < cell->members; i++)
		d += cell->share[i] * strength[cell->member[i]];
	return d;
}

static double log_likelihood(const struct model *m, const double *strength)
{
	double sum = 0;

	for (size_t c = 0; c < m->cell_count; c++) {
		const struct cell *cell = &m->cells[c];
		double d = difference(cell, strength);

		/* log σ(d) without overflow for large |d| */
		sum -= cell->score * log1p(exp(-fabs(d))) +
		       (d < 0 ? -d * cell->score : 0);
		sum -= (cell->weight - cell->score) * log1p(exp(-fabs(d))) +
		       (d > 0 ? d * (cell->weight - cell->score) : 0);
	}
	return sum;
}

/* Adds up the gradient and, unless that of another fit is used, the Hessian. */
static void add_derivatives(
	const struct model *m, const struct cell *cell, bool with_hessian)
{
	double p = 1 / (1 + exp(-difference(cell, m->strength)));
	double slope = cell->score - cell->weight * p;
	double curve = cell->weight * p * (1 - p);

	for (int i = 0; i < cell->members; i++) {
		m->gradient[cell->member[i]] += slope * cell->share[i];
		for (int j = 0; with_hessian && j < cell->members; j++)
			m->hessian[cell->member[i] * m->entrants + cell->member[j]] +=
				curve * cell->share[i] * cell->share[j];
	}
}

/* Factors the Hessian in place by Cholesky; the anchor does not move. */
static void factor(struct model *m)
{
	int n = m->entrants;
	double *h = m->hessian;

	for (int i = 0; i < n; i++)
		h[i * n + m->anchor] = h[m->anchor * n + i] = 0;
	h[m->anchor * n + m->anchor] = 1;
	for (int i = 0; i < n; i++)
		for (int j = 0; j <= i; j++) {
			double sum = h[i * n + j];

			for (int k = 0; k < j; k++)
				sum -= h[i * n + k] * h[j * n + k];
			h[i * n + j] =
				i == j ? sqrt(fmax(sum, 1e-12)) : sum / h[j * n + j];
		}
}

/* Solves factored Hessian · step = gradient. */
static void solve(struct model *m)
{
	int n = m->entrants;
	const double *h = m->hessian;
	double *x = m->step;

	m->gradient[m->anchor] = 0;
	for (int i = 0; i < n; i++) {
		x[i] = m->gradient[i];
		for (int k = 0; k < i; k++)
			x[i] -= h[i * n + k] * x[k];
		x[i] /= h[i * n + i];
	}
	/* By rows, as the factor lies in memory. */
	for (int i = n - 1; i >= 0; i--) {
		x[i] /= h[i * n + i];
		for (int k = 0; k < i; k++)
			x[k] -= h[i * n + k] * x[i];
	}
}

static void move(struct model *m, double scale)
{
	for (int i = 0; i < m->entrants; i++)
		m->strength[i] += scale * m->step[i];
}

/* Makes one Newton step; a long one is halved until the likelihood does not fall.
 * Returns its largest component. */
static double newton_step(struct model *m, bool with_hessian)
{
	double largest = 0, scale = 1, before = 0;
	size_t n = (size_t)m->entrants;

	memset(m->gradient, 0, n * sizeof(double));
	if (with_hessian)
		memset(m->hessian, 0, n * n * sizeof(double));
	for (size_t c = 0; c < m->cell_count; c++)
		if (m->cells[c].weight > 0)
			add_derivatives(m, &m->cells[c], with_hessian);
	if (with_hessian)
		factor(m);
	solve(m);
	for (size_t i = 0; i < n; i++)
		largest = fmax(largest, fabs(m->step[i]));
	if (largest > STEP_SAFE)
		before = log_likelihood(m, m->strength);
	move(m, 1);
	while (largest > STEP_SAFE && scale > 1e-6 &&
		log_likelihood(m, m->strength) < before - 1e-9) {
		scale /= 2;
		move(m, -scale);
	}
	return scale * largest;
}

/* Newton's error after a step is about the square of the step. */
static void fit(struct model *m)
{
	for (int i = 0; i < 60 && newton_step(m, true) > 1e-5; i++)
		;
}

/*
 * Like fit(), but starts from strengths that are nearly right, with a Hessian that is
 * nearly right and already factored: that of all sets is used for every resample.
 * Returns false if the steps do not shrink, which happens when there are few sets.
 */
static bool fit_near(struct model *m)
{
	double step = newton_step(m, false), before;

	do {
		if (step < 1e-5)
			return true;
		before = step;
		step = newton_step(m, false);
	} while (step < before / 4);
	return false;
}

/*
 * Poisson(1) weights of one set in LANES resamples: every set is drawn about once,
 * independently of the others. A draw is the number of steps of the distribution function
 * below 15 random bits, so the weights are right to one part in thirty thousand.
 */
static void draw_weights(uint64_t *seed, uint8_t weight[LANES])
{
	static const int16_t step[] = {12054, 24109, 30136, 32145, 32648, 32748, 32765};
	uint64_t word[LANES / 4];
	int16_t bits[LANES], count[LANES] = {0};

	for (int i = 0; i < LANES / 4; i++)
		word[i] = splitmix(seed) & 0x7fff7fff7fff7fff;
	memcpy(bits, word, sizeof(bits));
	/* All lanes at once: a compiler makes a few vector instructions of this. */
	for (size_t i = 0; i < sizeof(step) / sizeof(*step); i++)
		for (int lane = 0; lane < LANES; lane++)
			count[lane] += bits[lane] >= step[i] ? 1 : 0;
	for (int lane = 0; lane < LANES; lane++)
		weight[lane] = (uint8_t)count[lane];
}

static void count_sets(const struct comparison *list, size_t n, struct ratings *out)
{
	/* A set has several comparisons of one entrant; it counts once. */
	uint32_t *by_set;
	int32_t sets = 0;

	for (size_t i = 0; i < n; i++)
		sets = list[i].set >= sets ? list[i].set + 1 : sets;
	by_set = xcalloc(
		((size_t)sets * (size_t)out->count + 31) / 32 + 1, sizeof(*by_set));
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < 2 * RATING_SIDE_MAX; k++) {
			int e = k < 2 ? list[i].a[k] : list[i].b[k - 2];
			size_t bit;

			if (e == RATING_NO_MEMBER)
				continue;
			bit = (size_t)list[i].set * (size_t)out->count + (size_t)e;
			out->list[e].sets += !(by_set[bit / 32] >> bit % 32 & 1);
			by_set[bit / 32] |= 1u << bit % 32;
		}
	free(by_set);
}

/* Sums of the comparisons from..to, all of one cell, in LANES resamples. */
static void sum_cell(const struct comparison *list, size_t from, size_t to,
	const uint8_t *weight, struct lane_sums *sums)
{
	memset(sums, 0, sizeof(*sums));
	while (from < to) {
		/* Short sums are exact enough as floats. */
		size_t stop = from + 256 < to ? from + 256 : to;
		float w[LANES] = {0}, s[LANES] = {0};

		for (; from < stop; from++) {
			const uint8_t *set = weight + (size_t)list[from].set * LANES;
			float score = list[from].score;

			for (int lane = 0; lane < LANES; lane++) {
				w[lane] += set[lane];
				s[lane] += set[lane] * score;
			}
		}
		for (int lane = 0; lane < LANES; lane++) {
			sums->weight[lane] += (double)w[lane];
			sums->score[lane] += (double)s[lane];
		}
	}
}

static void sum_cells(const struct model *m, const struct comparison *list,
	const uint8_t *weight, struct lane_sums *sums)
{
	size_t cells = m->cell_count - (size_t)m->entrants;

	for (size_t c = 0; c < cells; c++)
		sum_cell(list, m->cell_start[c], m->cell_start[c + 1], weight, &sums[c]);
}

/* In a resample the prior swings too, by a quarter of a set up or down: sets that are all
 * alike would otherwise look like certainty. It is never all won, so ratings stay finite.
 */
static void fill_lane(
	struct model *m, const struct lane_sums *sums, int lane, uint64_t *seed)
{
	size_t prior = m->cell_count - (size_t)m->entrants;

	for (size_t c = 0; c < prior; c++) {
		m->cells[c].weight = sums[c].weight[lane];
		m->cells[c].score = sums[c].score[lane];
	}
	for (size_t c = prior; c < m->cell_count; c++) {
		m->cells[c].weight = RATING_PRIOR_SETS;
		m->cells[c].score = RATING_PRIOR_SETS / 2 +
				    RATING_PRIOR_SETS / (splitmix(seed) >> 63 ? 4 : -4);
	}
}

static void fit_lane(struct model *m, const double *best, double *factored)
{
	size_t n = (size_t)m->entrants;
	double *own = m->hessian;

	memcpy(m->strength, best, n * sizeof(*best));
	m->hessian = factored;
	if (!fit_near(m)) {
		m->hessian = own;
		memcpy(m->strength, best, n * sizeof(*best));
		fit(m);
	}
	m->hessian = own;
}

static void resample(struct model *m, const struct comparison *list, size_t n,
	uint64_t seed, double *samples)
{
	size_t e = (size_t)m->entrants, sets = 0;
	struct lane_sums *sums = xmalloc((m->cell_count + 1) * sizeof(*sums));
	double *best = xmalloc(e * sizeof(*best));
	double *factored = xmalloc(e * e * sizeof(*factored));
	uint8_t *weight;

	for (size_t i = 0; i < n; i++)
		if ((size_t)list[i].set >= sets)
			sets = (size_t)list[i].set + 1;
	weight = xmalloc((sets + 1) * LANES);
	if (!sums || !best || !factored || !weight)
		abort();
	memcpy(best, m->strength, e * sizeof(*best));
	memcpy(factored, m->hessian, e * e * sizeof(*factored));
	for (int r = 0; r < RATING_RESAMPLES; r++) {
		if (r % LANES == 0) {
			for (size_t set = 0; set < sets; set++)
				draw_weights(&seed, weight + set * LANES);
			sum_cells(m, list, weight, sums);
		}
		fill_lane(m, sums, r % LANES, &seed);
		fit_lane(m, best, factored);
		memcpy(samples + (size_t)r * e, m->strength, e * sizeof(*samples));
	}
	memcpy(m->strength, best, e * sizeof(*best));
	free(weight);
	free(sums);
	free(best);
	free(factored);
}

/* Standard deviation of strength i minus strength j over the resamples. */
static double deviation(const double *samples, int entrants, int i, int j)
{
	double mean = 0, square = 0;

	for (int r = 0; r < RATING_RESAMPLES; r++) {
		const double *s = samples + (size_t)r * (size_t)entrants;
		double d = s[i] - (j < 0 ? 0 : s[j]);

		mean += d;
		square += d * d;
	}
	mean /= RATING_RESAMPLES;
	return sqrt(fmax(square / RATING_RESAMPLES - mean * mean, 0));
}

static void fill_results(const struct model *m, const double *samples, double anchor_elo,
	struct ratings *out)
{
	int n = out->count;

	for (int i = 0; i < n; i++) {
		struct rating *r = &out->list[i];
		double error = deviation(samples, n, i, -1);
		double reach = i == m->anchor ? 0 : rating_t95(r->sets - 1) * error;

		r->elo = anchor_elo + ELO_PER_NAT * m->strength[i];
		r->low = r->elo - ELO_PER_NAT * reach;
		r->high = r->elo + ELO_PER_NAT * reach;
		for (int j = 0; j < n; j++) {
			double d = m->strength[i] - m->strength[j];
			double sd = i == j ? 0 : deviation(samples, n, i, j);

			out->superior[i * n + j] =
				sd > 0 ? 0.5 * erfc(-d / (sd * M_SQRT2)) : 0.5;
		}
	}
}

void ratings_compute(struct comparison *list, size_t n, int entrants, int anchor,
	double anchor_elo, uint64_t seed, struct ratings *out)
{
	size_t e = (size_t)entrants, cells;
	struct model m = {.entrants = entrants, .anchor = anchor};
	double *samples = xmalloc(RATING_RESAMPLES * e * sizeof(*samples));

	out->count = entrants;
	out->list = xcalloc(e, sizeof(*out->list));
	out->superior = xcalloc(e * e, sizeof(*out->superior));
	if (n)
		qsort(list, n, sizeof(*list), compare_comparisons);
	cells = count_cells(list, n) + e;
	m.cells = xcalloc(cells, sizeof(*m.cells));
	m.cell_start = xmalloc((cells + 1) * sizeof(*m.cell_start));
	m.strength = xcalloc(e, sizeof(double));
	m.gradient = xmalloc(e * sizeof(double));
	m.hessian = xmalloc(e * e * sizeof(double));
	m.step = xmalloc(e * sizeof(double));
	build_cells(&m, list, n);
	fill_cells(&m, list);
	fit(&m);
	count_sets(list, n, out);
	resample(&m, list, n, seed, samples);
	fill_results(&m, samples, anchor_elo, out);
	free(m.cells);
	free(m.cell_start);
	free(m.strength);
	free(m.gradient);
	free(m.hessian);
	free(m.step);
	free(samples);
}

void ratings_release(struct ratings *ratings)
{
	free(ratings->list);
	free(ratings->superior);
	ratings->list = NULL;
	ratings->superior = NULL;
	ratings->count = 0;
}
