/* Which games the generic tests run on, and how much random work they do. */
#include "tests/unit/each_game.h"

#include <stdlib.h>
#include <string.h>

const struct game *each_game(const char *id)
{
	const char *only = getenv("PIGPEN_GAME");
	const struct game *game = game_find(id);

	if (only && strcmp(only, id))
		return NULL;
	cr_assert(game, "the game %s is not built in", id);
	return game;
}

int each_game_scale(void)
{
	const char *scale = getenv("PIGPEN_SCALE");

	return scale && atoi(scale) > 0 ? atoi(scale) : 1;
}
