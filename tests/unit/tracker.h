/*
 * Which cards of the chance orders have been shown to whom.
 *
 * The two-world test needs to know this without asking the code under test. A
 * tracker follows the cards of one game by their place (order number, position in
 * that order, top first) from the table "who sees what" of specs/games/<id>.md. It
 * calls nothing of games/ and knows nothing of views; it is told what happened and
 * moves card places between hands, piles and stocks by itself.
 *
 * Where a seat plays one of several equal cards, the tracker takes the one that
 * came into the hand first: which of two equal cards it was makes no difference to
 * anybody.
 */
#ifndef TESTS_UNIT_TRACKER_H
#define TESTS_UNIT_TRACKER_H

#include "games/game.h"

#define TRACKER_SIZE_MAX (1 << 20)

struct tracker {
	const char *game;
	size_t size; /* of the tracker's own memory, zeroed before start() */
	void (*start)(void *t, int seats, const int16_t *option);
	/* An order was drawn (it becomes order number 0, 1, 2 … of the match). */
	void (*chance)(void *t, enum chance_kind kind, const uint8_t *order, int n);
	/* A seat's action was applied (asked for or forced). */
	void (*action)(void *t, int seat, const struct action *action);
	/* Who has been shown this card so far: a bit for each seat, AUDIENCE_SPECTATOR
	 * for the spectator. */
	uint16_t (*shown)(const void *t, int order, int position);
};

extern const struct tracker pig_pile_tracker, pig_it_hog_it_tracker,
	galloping_pigs_tracker, dirty_pig_tracker, tennessee_pig_tracker;

#endif
