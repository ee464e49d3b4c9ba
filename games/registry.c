#include "games/game.h"

#include <string.h>

#if __has_include("games/pig_pile.h")
#include "games/pig_pile.h"
#endif
#if __has_include("games/pig_it_hog_it.h")
#include "games/pig_it_hog_it.h"
#endif
#if __has_include("games/galloping_pigs.h")
#include "games/galloping_pigs.h"
#endif
#if __has_include("games/dirty_pig.h")
#include "games/dirty_pig.h"
#endif
#if __has_include("games/tennessee_pig.h")
#include "games/tennessee_pig.h"
#endif

const struct game *const game_list[] = {
#if __has_include("games/pig_pile.h")
	&pig_pile_game,
#endif
#if __has_include("games/pig_it_hog_it.h")
	&pig_it_hog_it_game,
#endif
#if __has_include("games/galloping_pigs.h")
	&galloping_pigs_game,
#endif
#if __has_include("games/dirty_pig.h")
	&dirty_pig_game,
#endif
#if __has_include("games/tennessee_pig.h")
	&tennessee_pig_game,
#endif
	NULL,
};

const struct game *game_find(const char *id)
{
	for (int i = 0; game_list[i]; i++)
		if (!strcmp(game_list[i]->id, id))
			return game_list[i];
	return NULL;
}
