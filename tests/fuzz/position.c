/* Positions for the targets that need a table. */
#include "tests/fuzz/position.h"

static uint32_t dice(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void shuffle(struct position *p, uint32_t *seed)
{
	struct chance request;

	p->game->chance(p->state, &request);
	for (int i = request.n - 1; i > 0; i--) {
		int j = (int)(dice(seed) % (uint32_t)(i + 1));
		uint8_t swap = request.token[i];

		request.token[i] = request.token[j];
		request.token[j] = swap;
	}
	p->game->apply_chance(p->state, request.token, request.n, NULL);
}

static void move(struct position *p, uint32_t *seed)
{
	struct action legal[GAME_LEGAL_MAX];
	int seat = __builtin_ctz(game_head(p->state)->pending);
	int n = p->game->legal(p->state, seat, legal);

	p->game->apply(p->state, seat, &legal[dice(seed) % (uint32_t)n], NULL);
}

void position_take(struct position *position, struct fuzz_input *input)
{
	int16_t option[GAME_OPTIONS_MAX];
	int count = 0, steps;
	const struct variant *variant;
	uint32_t seed;

	while (variants[count].game)
		count++;
	variant = &variants[fuzz_below(input, count)];
	steps = fuzz_byte(input);
	seed = fuzz_byte(input);
	position->game = game_find(variant->game);
	position->seats = variant->seats;
	if (!variant_options(position->game, variant, option))
		abort();
	game_start(position->game, position->seats, option, position->state);
	for (int i = 0; i < steps; i++) {
		if (game_head(position->state)->need == NEED_CHANCE)
			shuffle(position, &seed);
		else if (game_head(position->state)->need == NEED_ANSWERS)
			move(position, &seed);
	}
}
