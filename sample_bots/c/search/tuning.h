/*
 * The settings of the search for each game, found by matches against `greedy`.
 */
#ifndef SAMPLE_BOTS_SEARCH_TUNING_H
#define SAMPLE_BOTS_SEARCH_TUNING_H

#include "games/game.h"

struct tuning {
	const struct game *game;
	double explore;     /* weight of UCB1's bonus, in deviations of the reward */
	double widen_root;  /* moves tried are 1 + this times the square root of visits */
	double widen_below; /* small: the others are taken to play by the simple rules */
	int random_move_in; /* one playout move in so many is a random one */
	int moves_max;      /* of a playout; what is unfinished then is judged as it is */
};

const struct tuning *tuning_of(const struct game *game);

#endif
