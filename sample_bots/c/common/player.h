/*
 * A player by simple rules for each game: it gives every legal move a value and plays
 * the best. The bot `greedy` consists of nothing else; the bot `search` uses it to play
 * its imagined matches to the end.
 *
 * A player looks only at what its seat can see, so that it decides the same on a
 * seat's view and on a whole state.
 */
#ifndef SAMPLE_BOTS_COMMON_PLAYER_H
#define SAMPLE_BOTS_COMMON_PLAYER_H

#include "games/game.h"

struct player {
	const struct game *game;
	/* What the move is worth; the scale is the player's own. *why, if why is not
	 * NULL, becomes the reason in a few words, a string constant. */
	int (*value)(
		const void *view, int seat, const struct action *move, const char **why);
};

extern const struct player pig_pile_player;
extern const struct player pig_it_hog_it_player;
extern const struct player galloping_pigs_player;
extern const struct player dirty_pig_player;
extern const struct player tennessee_pig_player;

const struct player *player_of(const struct game *game);

/* Index of the best move, the first of several equal ones; why may be NULL. */
int player_choose(const struct player *player, const void *view, int seat,
	const struct action *legal, int count, const char **why);

/* Names a reason where one is wanted; returns the value, so that
 * `return because(why, 10, "it wins")` reads. */
static inline int because(const char **why, int value, const char *reason)
{
	if (why)
		*why = reason;
	return value;
}

#endif
