/*
 * Imagined matches: a true state drawn from a seat's view, played on to the end of the
 * round by the simple rules of common/player.h, and judged for every seat.
 *
 * A round is long enough to see what a move leads to; whole matches would take too
 * long and add mostly noise. A game without rounds is played to its end.
 */
#ifndef SAMPLE_BOTS_SEARCH_WORLD_H
#define SAMPLE_BOTS_SEARCH_WORLD_H

#include "sample_bots/c/common/player.h"
#include "sample_bots/c/common/question.h"
#include "sample_bots/c/common/random.h"
#include "sample_bots/c/search/tuning.h"

struct world {
	const struct game *game;
	const struct player *player;
	const struct tuning *tuning;
	struct random_stream *stream;
	struct game_random random; /* the same stream */
	const union table *view;   /* what the seat that thinks knows */
	union table now;
};

void world_init(struct world *world, const struct game *game, const union table *view,
	struct random_stream *stream);

/* Draws a state from the view. The same number gives the same state, and the same card
 * orders and random moves from there on, so that moves can be compared in equal
 * worlds. */
void world_imagine(struct world *world, int number);

/* Draws the card orders that are due. False: the round or the match is over. */
bool world_goes_on(struct world *world);

/* The seat to decide next: the thinking one if it is asked, else the lowest. */
int world_actor(const struct world *world);

/* Plays by simple rules, with a random move now and then, to the end of the round. */
void world_play_out(struct world *world);

/* How good the outcome is for each seat: 0 worst, 1 best; partners have the same. */
void world_judge(const struct world *world, double reward[GAME_SEATS_MAX]);

#endif
