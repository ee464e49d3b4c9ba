/*
 * Second worlds: matches that differ from a recorded one only in cards that one viewer
 * has not been shown. A tracker (tests/unit/tracker.h) says what has been shown to
 * whom; nothing of the code under test is asked.
 *
 *     memory = course_begin(&course, game, seats, option);
 *     course_note(&course, memory, steps, i);      for every recorded step
 *     world_draw(&course, &world, &dice);          as often as wanted
 *
 * Whoever plays the second world follows it with the tracker and memory of its own.
 */
#ifndef TESTS_UNIT_WORLDS_H
#define TESTS_UNIT_WORLDS_H

#include "tests/unit/playout.h"
#include "tests/unit/tracker.h"

enum {
	WORLD_ORDERS_MAX = 64, /* of a match */
	WORLD_VIEWERS_MAX = GAME_SEATS_MAX + 1,
	WORLD_NEVER = 0xffff
};

struct order_place {
	int step;                                             /* at which it was drawn */
	uint16_t shown_at[GAME_ORDER_MAX][WORLD_VIEWERS_MAX]; /* step, or WORLD_NEVER */
};

/* The recorded match. */
struct course {
	const struct game *game;
	const struct tracker *tracker;
	int seats;
	const struct step *step; /* the recorder's, as of the last course_note() */
	int count;
	int orders;
	struct order_place order[WORLD_ORDERS_MAX];
};

/* A second world, told from the first by one order or one choice. */
struct world {
	int viewer; /* seat or SPECTATOR */
	int until;  /* step T: nothing that differs was shown to the viewer before it */
	int order;  /* the order that differs, or -1 */
	uint8_t cards[GAME_ORDER_MAX];
	int choice; /* the step whose action differs, or -1 */
};

/* The tracker of a game; fails if there is none. */
const struct tracker *tracker_of(const struct game *game);
/* An index below WORLD_VIEWERS_MAX. */
int viewer_slot(int viewer);

/* A course without steps. Returns zeroed memory for the tracker, which has been
 * started; the caller frees it. */
void *course_begin(
	struct course *course, const struct game *game, int seats, const int16_t *option);
/* Step number `count` of `steps` has happened. */
void course_note(
	struct course *course, void *memory, const struct step *steps, int count);
/* Tells the tracker of a step. */
void course_track(const struct course *course, void *memory, const struct step *step);

/* Draws a step T and lets some cards of one order change places that `viewer` has not
 * been shown before T. False if there are none. */
bool world_draw(const struct course *course, struct world *world, struct dice *dice);
/* Has the viewer been shown the same cards in both worlds after step i? `memory` is
 * that of the second world. */
bool world_shown_the_same(const struct course *course, const struct world *world,
	const void *memory, int i);

#endif
