/* Counting action sequences. */
#include "arbiter/tools/perft.h"

#include <string.h>

typedef void order_fn(const struct chance *request, const uint8_t *cards, void *context);

static void settle_chance(const struct game *game, void *state,
	const uint8_t seed[CHANCE_SEED_SIZE], order_fn *order, void *context)
{
	struct chance request;
	uint8_t cards[GAME_ORDER_MAX];

	while (game_head(state)->need == NEED_CHANCE) {
		game->chance(state, &request);
		chance_order(seed, &request, cards);
		if (order)
			order(&request, cards, context);
		game->apply_chance(state, cards, request.n, NULL);
	}
}

void perft_start(const struct game *game, int seats, const int16_t *option,
	const uint8_t seed[CHANCE_SEED_SIZE], void *state)
{
	game_start(game, seats, option, state);
	settle_chance(game, state, seed, NULL, NULL);
}

void perft_orders(const struct game *game, int seats, const int16_t *option,
	const uint8_t seed[CHANCE_SEED_SIZE], int depth, order_fn *order, void *context)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct action legal[GAME_LEGAL_MAX];

	game_start(game, seats, option, state);
	settle_chance(game, state, seed, order, context);
	while (depth-- > 0 && game_head(state)->need == NEED_ANSWERS) {
		int seat = __builtin_ctz(game_head(state)->pending);

		game->legal(state, seat, legal);
		game->apply(state, seat, &legal[0], NULL);
		settle_chance(game, state, seed, order, context);
	}
}

uint64_t perft_count(const struct game *game, const void *state,
	const uint8_t seed[CHANCE_SEED_SIZE], int depth)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	struct action legal[GAME_LEGAL_MAX];
	uint64_t sum = 0;
	int seat, n;

	if (depth == 0)
		return 1;
	if (game_head(state)->need == NEED_NOTHING)
		return 0;
	seat = __builtin_ctz(game_head(state)->pending);
	n = game->legal(state, seat, legal);
	if (depth == 1)
		return (uint64_t)n;
	for (int i = 0; i < n; i++) {
		memcpy(child, state, game->state_size);
		game->apply(child, seat, &legal[i], NULL);
		settle_chance(game, child, seed, NULL, NULL);
		sum += perft_count(game, child, seed, depth - 1);
	}
	return sum;
}
