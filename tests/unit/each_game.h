/*
 * One Criterion test for each game. PIGPEN_GAME=id runs that game only, and
 * PIGPEN_SCALE=n does n times the random work (soak runs).
 */
#ifndef TESTS_UNIT_EACH_GAME_H
#define TESTS_UNIT_EACH_GAME_H

#include "games/game.h"

#include <criterion/criterion.h>

/* The game, or NULL if PIGPEN_GAME names another one. Fails if there is none. */
const struct game *each_game(const char *id);
int each_game_scale(void);

#define EACH_GAME_ONE(suite, run, id)                                                    \
	Test(suite, id, .timeout = 1500)                                                 \
	{                                                                                \
		const struct game *each = each_game(#id);                                \
                                                                                         \
		if (each)                                                                \
			run(each);                                                       \
	}
#define EACH_GAME(suite, run)                                                            \
	EACH_GAME_ONE(suite, run, pig_pile)                                              \
	EACH_GAME_ONE(suite, run, pig_it_hog_it)                                         \
	EACH_GAME_ONE(suite, run, galloping_pigs)                                        \
	EACH_GAME_ONE(suite, run, dirty_pig)                                             \
	EACH_GAME_ONE(suite, run, tennessee_pig)

#endif
