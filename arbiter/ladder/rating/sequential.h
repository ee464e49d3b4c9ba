/*
 * Is A better than B? A sequential test that stops as early as it may.
 *
 * Evidence is the score of A in each duplicate set, 0..1. H0 says that A's advantage is
 * elo0, H1 that it is elo1 > elo0. After each set the log-likelihood ratio of the two is
 * computed under the normal approximation with the variance seen so far (a generalised
 * SPRT). The variance starts with two made-up sets, one lost and one won, so that the
 * first few equal scores do not look like certainty. alpha bounds the chance of
 * accepting H1 when H0 is true, beta that of the other mistake.
 */
#ifndef ARBITER_LADDER_RATING_SEQUENTIAL_H
#define ARBITER_LADDER_RATING_SEQUENTIAL_H

#define SEQUENTIAL_SETS_MIN 8 /* no verdict with fewer */

struct sequential {
	double elo0, elo1, alpha, beta;
	int sets;
	double sum, sum_squares;
};

enum sequential_verdict { SEQUENTIAL_OPEN, SEQUENTIAL_H0, SEQUENTIAL_H1 };

struct sequential_state {
	enum sequential_verdict verdict;
	double llr, lower, upper;
	double elo, elo_low, elo_high; /* estimate and 95 % interval */
};

/* elo0 < elo1; alpha and beta in (0, 0.5). */
void sequential_init(
	struct sequential *test, double elo0, double elo1, double alpha, double beta);
void sequential_add(struct sequential *test, double score);
struct sequential_state sequential_look(const struct sequential *test);

#endif
