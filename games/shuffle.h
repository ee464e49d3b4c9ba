/*
 * Where randomness comes in: games draw no random numbers themselves.
 *
 * A state with NEED_CHANCE asks for an order of cards or seats (struct chance), which
 * somebody else draws; `sample` is handed a source of random bits (struct game_random).
 */
#ifndef GAMES_SHUFFLE_H
#define GAMES_SHUFFLE_H

#include "games/state.h"

enum chance_kind {
	CHANCE_FIRST,
	CHANCE_PARTNERS,
	CHANCE_DRAW,
	CHANCE_DEAL,
	CHANCE_SHUFFLE
};
extern const char *const game_chance_names[]; /* "first" … "shuffle" */

/*
 * "Put these n tokens in order." The tokens are faces, or for CHANCE_FIRST seats;
 * they come sorted. `index` numbers the requests of one kind within the match
 * (the deal of round r has index r), so that a generator can give round r the same
 * deck whatever was played before.
 */
struct chance {
	uint8_t kind;
	uint8_t n;
	uint16_t index;
	uint8_t token[GAME_ORDER_MAX];
};

/* Randomness for `sample`: 64 uniform bits at each call. */
struct game_random {
	uint64_t (*next)(void *context);
	void *context;
};
/* Uniform in 0..n-1, without bias. */
uint32_t game_random_below(const struct game_random *random, uint32_t n);
/* Fisher-Yates. */
void game_random_shuffle(const struct game_random *random, uint8_t *list, int n);

#endif
