/*
 * Galloping Pigs: five pigs race round a loop of 22 spaces; whoever moves a pig to
 * the front takes food, and keeps it only if the last card of the round leads too.
 *
 * Rules: specs/games/galloping_pigs.md. The struct is the state, and with hidden
 * fields blank the view of a seat, as C bots read it.
 */
#ifndef GAMES_GALLOPING_PIGS_GALLOPING_PIGS_H
#define GAMES_GALLOPING_PIGS_GALLOPING_PIGS_H

#include "games/game.h"

#define GALLOPING_SEATS_MAX      4
#define GALLOPING_COLOURS        5
#define GALLOPING_CARDS_PER_PIG  7
#define GALLOPING_DECK           (GALLOPING_COLOURS * GALLOPING_CARDS_PER_PIG)
#define GALLOPING_HAND           7
#define GALLOPING_PILE_MAX       (GALLOPING_HAND * GALLOPING_SEATS_MAX)
#define GALLOPING_SPACES         22
#define GALLOPING_FOOD           55
#define GALLOPING_FOOD_SPACE_MIN 10 /* track food lies on this space or beyond */

enum galloping_phase {
	GALLOPING_FIRST, /* chance: which seat starts */
	GALLOPING_LINE,  /* the starter lines up the pigs */
	GALLOPING_DEAL,  /* chance: the race cards */
	GALLOPING_PLACE, /* "food": each seat in turn puts a food on the track */
	GALLOPING_PLAY,
	GALLOPING_OVER
};

enum galloping_verb { GALLOPING_VERB_LINE, GALLOPING_VERB_FOOD, GALLOPING_VERB_PLAY };

enum galloping_option {
	GALLOPING_OPTION_FOOD_ON_TRACK = OPTIONS_COMMON,
	GALLOPING_OPTION_FOOD_TIMING,
	GALLOPING_OPTION_ROUNDS,
	GALLOPING_OPTION_FIRST,
	GALLOPING_OPTIONS
};

/* Values of food_timing. */
enum { GALLOPING_AFTER_DEAL, GALLOPING_BEFORE_DEAL };

enum galloping_event {
	GALLOPING_EVENT_ROUND, /* n, starter: a round begins */
	GALLOPING_EVENT_LINE,  /* seat; pigs from rear to front */
	GALLOPING_EVENT_DEAL,  /* seat, or none for the cards put aside; cards */
	GALLOPING_EVENT_FOOD,  /* seat, at */
	GALLOPING_EVENT_PLAY,  /* seat; card */
	GALLOPING_EVENT_MOVE,  /* pig, from, to: distances */
	GALLOPING_EVENT_EAT,   /* seat, why: lead or track */
	GALLOPING_EVENT_KEEP,  /* seat, n */
	GALLOPING_EVENT_LOSE,  /* seat, or none for what lay on the track; n */
	GALLOPING_EVENT_SCORE, /* seat, kept */
	GALLOPING_EVENT_MATCH, /* the match is over */
	GALLOPING_EVENTS
};

/* Why a food was eaten. */
enum { GALLOPING_EAT_LEAD, GALLOPING_EAT_TRACK };

struct galloping_pigs {
	struct game_head head;
	uint8_t round; /* 1 is the first */
	uint8_t starter;
	uint8_t stock;     /* food in the middle */
	uint8_t pile_size; /* race cards played this round */
	/* How far each pig has run; the rearmost starts at 1. 0: off the track. */
	uint8_t distance[GALLOPING_COLOURS];
	uint8_t hand_size[GALLOPING_SEATS_MAX];
	uint8_t left[GALLOPING_SEATS_MAX]; /* food taken this round, at stake */
	uint8_t kept[GALLOPING_SEATS_MAX]; /* food won */
	/* The space on which this seat's food still lies; 0: none. */
	uint8_t track_food[GALLOPING_SEATS_MAX];
	/* In the order of play: card i came from seat (starter + i) % seats. */
	uint8_t pile[GALLOPING_PILE_MAX];
	uint8_t hand[GALLOPING_SEATS_MAX][GALLOPING_COLOURS]; /* own seat only */
	uint8_t aside[GALLOPING_COLOURS];                     /* nobody */
};

/* The space on which a pig stands that has run so far. */
static inline int galloping_space(int distance)
{
	return (distance - 1) % GALLOPING_SPACES + 1;
}

extern const struct game galloping_pigs_game;

#endif
