/* The search's settings for each game. */
#include "sample_bots/c/search/tuning.h"

#include "games/dirty_pig/dirty_pig.h"
#include "games/galloping_pigs/galloping_pigs.h"
#include "games/pig_it_hog_it/pig_it_hog_it.h"
#include "games/pig_pile/pig_pile.h"
#include "games/tennessee_pig/tennessee_pig.h"

static const struct tuning tunings[] = {
	{&dirty_pig_game, 2, 2, 0.1, 20, 12},
	{&galloping_pigs_game, 2, 2, 0.1, 20, 100},
	{&pig_pile_game, 3, 2, 0.5, 4, 600},
	{&pig_it_hog_it_game, 1, 2, 0.1, 20, 100},
	{&tennessee_pig_game, 1, 2, 0.1, 20, 100},
};

const struct tuning *tuning_of(const struct game *game)
{
	const struct tuning *tuning = tunings;

	while (tuning->game != game)
		tuning++;
	return tuning;
}
