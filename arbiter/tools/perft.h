/*
 * Counting positions: how many sequences of d actions there are from the start of a match
 * whose chance orders all come from one seed. Other implementations of the rules can be
 * checked against this number.
 *
 * Every action counts as one, forced ones too. Where several seats choose at once the
 * lowest seat that still owes an answer chooses first. A match that is over has no
 * continuation.
 */
#ifndef ARBITER_TOOLS_PERFT_H
#define ARBITER_TOOLS_PERFT_H

#include "arbiter/table/chance.h"

#define PERFT_DEPTH_MAX 20

/* The first position in which somebody acts. */
void perft_start(const struct game *game, int seats, const int16_t *option,
	const uint8_t seed[CHANCE_SEED_SIZE], void *state);

/* Reports the orders drawn before and between the first `depth` actions when the first
 * legal action is always taken. */
void perft_orders(const struct game *game, int seats, const int16_t *option,
	const uint8_t seed[CHANCE_SEED_SIZE], int depth,
	void (*order)(const struct chance *request, const uint8_t *cards, void *context),
	void *context);

uint64_t perft_count(const struct game *game, const void *state,
	const uint8_t seed[CHANCE_SEED_SIZE], int depth);

#endif
