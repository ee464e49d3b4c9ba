/*
 * How good the end of a round is for each seat.
 */
#ifndef SAMPLE_BOTS_SEARCH_OUTCOME_H
#define SAMPLE_BOTS_SEARCH_OUTCOME_H

#include "sample_bots/c/common/question.h"

/* `before` is a view from the same round, `after` the state at its end. 0 is worst, 1
 * best; partners have the same. */
void outcome_judge(const struct game *game, const union table *before,
	const union table *after, double reward[GAME_SEATS_MAX]);

#endif
