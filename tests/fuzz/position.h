/* Positions for the targets that need a table: a few bytes of the input name one. */
#ifndef TESTS_FUZZ_POSITION_H
#define TESTS_FUZZ_POSITION_H

#include "games/game.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/variants.h"

struct position {
	const struct game *game;
	int seats;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
};

/* Takes three bytes: the variant, how far it was played, and a seed. */
void position_take(struct position *position, struct fuzz_input *input);

#endif
