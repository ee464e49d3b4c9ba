/* The list of games. */
#include "games/dirty_pig/dirty_pig.h"
#include "games/galloping_pigs/galloping_pigs.h"
#include "games/pig_it_hog_it/pig_it_hog_it.h"
#include "games/pig_pile/pig_pile.h"
#include "games/tennessee_pig/tennessee_pig.h"

#include <string.h>

const struct game *const game_list[] = {
	&pig_pile_game,
	&pig_it_hog_it_game,
	&galloping_pigs_game,
	&dirty_pig_game,
	&tennessee_pig_game,
	NULL,
};

const struct game *game_find(const char *id)
{
	for (int i = 0; game_list[i]; i++)
		if (!strcmp(game_list[i]->id, id))
			return game_list[i];
	return NULL;
}
