/* The player of each game, and its choice of a move. */
#include "sample_bots/c/common/player.h"

#include <assert.h>
#include <limits.h>

static const struct player *const players[] = {&pig_pile_player, &pig_it_hog_it_player,
	&galloping_pigs_player, &dirty_pig_player, &tennessee_pig_player};

const struct player *player_of(const struct game *game)
{
	for (size_t i = 0; i < sizeof(players) / sizeof(players[0]); i++)
		if (players[i]->game == game)
			return players[i];
	assert(!"every game has a player");
	return NULL;
}

int player_choose(const struct player *player, const void *view, int seat,
	const struct action *legal, int count, const char **why)
{
	int best = 0, best_value = INT_MIN;

	for (int i = 0; i < count; i++) {
		const char *reason = "";
		int value = player->value(view, seat, &legal[i], &reason);

		if (value <= best_value)
			continue;
		best = i;
		best_value = value;
		if (why)
			*why = reason;
	}
	return best;
}
