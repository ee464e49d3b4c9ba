/* What a match needs of every game: the first state, whom to ask, forced moves. */
#include "games/game.h"

#include <assert.h>

int game_sides(const struct game *game, int seats)
{
	return game->teams ? game->teams : seats;
}

void game_start(const struct game *game, int seats,
	const int16_t option[GAME_OPTIONS_MAX], void *state)
{
	struct game_head *head = state;

	assert(seats >= game->seats_min && seats <= game->seats_max);
	game_blank(game, seats, option, state);
	head->viewer = OMNISCIENT;
	game->start(state);
}

uint16_t game_to_ask(const struct game *game, const void *state)
{
	const struct game_head *head = game_head(state);
	struct action legal[GAME_LEGAL_MAX];
	uint16_t ask = 0;

	assert(head->need == NEED_ANSWERS);
	if (head->option[OPTION_ASK_FORCED])
		return head->pending;
	for (int seat = 0; seat < head->seats; seat++)
		if (game_seat_in(head->pending, seat) &&
			game->legal(state, seat, legal) > 1)
			ask |= (uint16_t)(1u << seat);
	return ask;
}

void game_forced(const struct game *game, const void *state, int seat, struct action *out)
{
	struct action legal[GAME_LEGAL_MAX];
	int n = game->legal(state, seat, legal);

	assert(n == 1);
	*out = legal[0];
}
