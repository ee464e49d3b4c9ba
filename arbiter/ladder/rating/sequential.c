/* The sequential test of two bots. */
#include "arbiter/ladder/rating/sequential.h"
#include "arbiter/ladder/rating/rating.h"

#include <assert.h>
#include <math.h>

/* The variance is estimated, which costs a little of the promised error rates: the
 * bounds are set for nine tenths of them. */
#define CAUTION 0.9

void sequential_init(
	struct sequential *test, double elo0, double elo1, double alpha, double beta)
{
	assert(elo0 < elo1);
	*test = (struct sequential){
		.elo0 = elo0, .elo1 = elo1, .alpha = alpha, .beta = beta};
}

void sequential_add(struct sequential *test, double score)
{
	test->sets++;
	test->sum += score;
	test->sum_squares += score * score;
}

/* Variance of one set's score; the two made-up sets have deviations of one half. */
static double variance(const struct sequential *test, double mean)
{
	double squares = test->sum_squares - test->sets * mean * mean;

	return (fmax(squares, 0) + 0.5) / (test->sets + 2);
}

struct sequential_state sequential_look(const struct sequential *test)
{
	struct sequential_state s = {
		.lower = log(CAUTION * test->beta / (1 - CAUTION * test->alpha)),
		.upper = log((1 - CAUTION * test->beta) / (CAUTION * test->alpha)),
	};
	double mu0 = rating_expected(test->elo0), mu1 = rating_expected(test->elo1);
	double mean, v, reach;

	if (!test->sets) {
		s.elo_low = -INFINITY;
		s.elo_high = INFINITY;
		return s;
	}
	mean = test->sum / test->sets;
	v = variance(test, mean);
	s.llr = test->sets * (mu1 - mu0) * (mean - (mu0 + mu1) / 2) / v;
	reach = rating_t95(test->sets - 1) * sqrt(v / test->sets);
	s.elo = mean <= 0 ? -INFINITY : mean >= 1 ? INFINITY : rating_difference(mean);
	s.elo_low = mean - reach <= 0 ? -INFINITY : rating_difference(mean - reach);
	s.elo_high = mean + reach >= 1 ? INFINITY : rating_difference(mean + reach);
	if (test->sets >= SEQUENTIAL_SETS_MIN)
		s.verdict = s.llr >= s.upper   ? SEQUENTIAL_H1
			    : s.llr <= s.lower ? SEQUENTIAL_H0
					       : SEQUENTIAL_OPEN;
	return s;
}
