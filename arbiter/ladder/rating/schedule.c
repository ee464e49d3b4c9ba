/* Drawing up an epoch: who sits at which table, and in which order. */
#include "arbiter/ladder/rating/schedule.h"
#include "protocol/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ORDERS_TRIED 24

/* Counts that grow while the epoch is being filled. */
struct epoch_draft {
	const struct schedule_input *in;
	uint64_t random;
	int *met, *left, *planned;
};

static uint64_t next_random(struct epoch_draft *p)
{
	uint64_t z = p->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Breaks ties, and nothing but ties. */
static double jitter(struct epoch_draft *p)
{
	return (double)(next_random(p) >> 40) * 0x1p-24 * 1e-6;
}

static int count_active(const struct schedule_input *in)
{
	int n = 0;

	for (int i = 0; i < in->entrants; i++)
		n += in->entrant[i].active;
	return n;
}

int schedule_epoch_size(const struct schedule_input *in)
{
	int active = count_active(in),
	    each = in->sets_per_entrant ? in->sets_per_entrant : 2;

	if (active < 2)
		return 0;
	if (in->mode == SCHEDULE_GAUNTLET)
		return (each * (active - 1) + in->sides - 2) / (in->sides - 1);
	return active < in->sides ? each : (each * active + in->sides - 1) / in->sides;
}

static double need(struct epoch_draft *p, int i)
{
	const struct schedule_entrant *e = &p->in->entrant[i];

	if (p->in->mode == SCHEDULE_ADAPTIVE)
		return e->uncertainty / (1 + p->planned[i]) + jitter(p);
	return -(e->sets + p->planned[i]) + jitter(p);
}

/* Does this pair have to meet soon for the bound to hold? */
static bool overdue(const struct epoch_draft *p, int i, int j)
{
	const struct schedule_input *in = p->in;
	int bound = in->met_bound ? in->met_bound : 2 * in->entrants;
	int played = in->entrant[i].sets + p->planned[i];
	int met = p->met[i * in->entrants + j];

	return (met + 1) * bound <= 2 * (played + 1);
}

/* How badly i fits beside j: smaller is better. */
static double misfit(const struct epoch_draft *p, int i, int j)
{
	const struct schedule_input *in = p->in;
	int met = p->met[i * in->entrants + j];
	double gap;

	if (in->mode != SCHEDULE_ADAPTIVE)
		return met;
	if (overdue(p, i, j) || overdue(p, j, i))
		return -1000;
	/* A game between p and 1-p tells p(1-p) about the difference. */
	gap = fabs(in->entrant[i].elo - in->entrant[j].elo) / 400 * M_LN10;
	return log1p(gap * gap) + 0.5 * met / (1.0 + in->entrant[i].sets);
}

static bool sits(const int16_t *table, int n, int i)
{
	for (int k = 0; k < n; k++)
		if (table[k] == i)
			return true;
	return false;
}

static bool author_sits(const struct epoch_draft *p, const int16_t *table, int n, int i)
{
	for (int k = 0; k < n; k++)
		if (p->in->entrant[table[k]].author == p->in->entrant[i].author)
			return true;
	return false;
}

/* Whom to seat next, or -1 if nobody is left. */
static int choose(struct epoch_draft *p, const int16_t *table, int n, bool by_author)
{
	double best_value = -INFINITY;
	int best = -1;

	for (int i = 0; i < p->in->entrants; i++) {
		double value;

		if (!p->in->entrant[i].active || sits(table, n, i))
			continue;
		if (by_author && author_sits(p, table, n, i))
			continue;
		if (n == 0) {
			value = need(p, i);
		} else {
			value = jitter(p) - 0.01 * p->planned[i];
			for (int k = 0; k < n; k++)
				value -= misfit(p, table[k], i);
		}
		if (value > best_value) {
			best_value = value;
			best = i;
		}
	}
	return best;
}

static int neighbour_cost(const struct epoch_draft *p, const int16_t *table, int n)
{
	int cost = 0;

	for (int k = 0; k < n; k++) {
		int met = p->left[table[k] * p->in->entrants + table[(k + 1) % n]];

		cost += met * met;
	}
	return cost;
}

/* Tries some orders around the table and keeps the one with the freshest neighbours. */
static void arrange(struct epoch_draft *p, int16_t *table, int n)
{
	int16_t trial[SCHEDULE_SIDES_MAX];
	int best = neighbour_cost(p, table, n);

	memcpy(trial, table, sizeof(trial));
	for (int t = 0; t < ORDERS_TRIED && best > 0; t++) {
		int cost;

		for (int k = n - 1; k > 0; k--) {
			int other = (int)(next_random(p) % (uint64_t)(k + 1));
			int16_t swap = trial[k];

			trial[k] = trial[other];
			trial[other] = swap;
		}
		cost = neighbour_cost(p, trial, n);
		if (cost < best) {
			best = cost;
			memcpy(table, trial, sizeof(trial));
		}
	}
}

static void note_table(struct epoch_draft *p, const int16_t *table, int n)
{
	int e = p->in->entrants;

	for (int k = 0; k < n; k++) {
		if (!sits(table, k, table[k]))
			p->planned[table[k]]++;
		p->left[table[k] * e + table[(k + 1) % n]]++;
		for (int m = 0; m < n; m++)
			if (table[m] != table[k] && !sits(table, k, table[k]) &&
				!sits(table, m, table[m]))
				p->met[table[k] * e + table[m]]++;
	}
}

/* The entrants at the table take the remaining places too, in turn. */
static bool fill_up(const struct schedule_input *in, int16_t *table, int n)
{
	int distinct = n, tried = 0;

	for (int next = 0; n < in->sides && tried < distinct;
		next = (next + 1) % distinct) {
		tried++;
		if (in->entrant[table[next]].once)
			continue;
		table[n++] = table[next];
		tried = 0;
	}
	return n == in->sides;
}

/* False: there are not enough entrants for a table. */
static bool fill_table(struct epoch_draft *p, struct schedule_table *table)
{
	const struct schedule_input *in = p->in;
	int n = 0;

	if (in->mode == SCHEDULE_GAUNTLET)
		table->entrant[n++] = (int16_t)in->challenger;
	while (n < in->sides) {
		int who = choose(p, table->entrant, n, in->one_per_author);

		if (who < 0)
			who = choose(p, table->entrant, n, false);
		if (who < 0)
			break;
		table->entrant[n++] = (int16_t)who;
	}
	arrange(p, table->entrant, n);
	if (!fill_up(in, table->entrant, n))
		return false;
	note_table(p, table->entrant, in->sides);
	return true;
}

static int *copy_counts(const int *counts, size_t n)
{
	int *copy = xcalloc(n, sizeof(*copy));

	if (counts)
		memcpy(copy, counts, n * sizeof(*copy));
	return copy;
}

int schedule_epoch(const struct schedule_input *in, struct schedule_table *tables)
{
	size_t pairs = (size_t)in->entrants * (size_t)in->entrants;
	int n = schedule_epoch_size(in), filled = 0;
	struct epoch_draft p = {.in = in, .random = in->seed ^ (uint64_t)in->epoch << 32};

	assert(in->sides >= 2 && in->sides <= SCHEDULE_SIDES_MAX);
	p.met = copy_counts(in->met, pairs);
	p.left = copy_counts(in->left, pairs);
	p.planned = xcalloc((size_t)in->entrants, sizeof(*p.planned));
	for (int t = 0; t < n; t++) {
		memset(&tables[filled], 0, sizeof(tables[filled]));
		filled += fill_table(&p, &tables[filled]);
	}
	free(p.met);
	free(p.left);
	free(p.planned);
	return filled;
}
