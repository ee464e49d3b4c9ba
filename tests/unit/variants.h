/*
 * The variants on which the generic tests run: every game with every seat count and
 * every value of every option at least once (test_playthrough demands it).
 */
#ifndef TESTS_UNIT_VARIANTS_H
#define TESTS_UNIT_VARIANTS_H

#include "games/game.h"

struct variant {
	const char *game;
	int seats;
	const char *options; /* "name=value name=value" */
};

extern const struct variant variants[]; /* ends with a NULL game */

/* Fills all options; false if one is unknown or has a value that is not allowed. */
bool variant_options(
	const struct game *game, const struct variant *variant, int16_t *option);

/* "3 seats, deal=dealt" */
void variant_name(const struct variant *variant, char *buffer, size_t size);

#endif
