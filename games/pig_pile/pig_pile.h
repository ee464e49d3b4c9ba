/*
 * Pig Pile: be rid of all cards first (specs/games/pig_pile.md).
 *
 * The state struct is also the typed view that game_observe() and game_read_view()
 * fill, so a bot in C reads its table from here. Faces are indices: PIG_PILE_WILD
 * for W, otherwise the card's number minus one.
 */
#ifndef GAMES_PIG_PILE_PIG_PILE_H
#define GAMES_PIG_PILE_PIG_PILE_H

#include "games/game.h"

#define PIG_PILE_FACES     13
#define PIG_PILE_DECK_MAX  158 /* cards with twelve seats */
#define PIG_PILE_SLOP      3   /* slop cards dealt to a seat, and cards turned up */
#define PIG_PILE_OUT_MAX   2   /* the round ends when so many seats are out */
#define PIG_PILE_PLAYS_MAX 14  /* equal cards that one play can hold */

enum { PIG_PILE_FOUR = 3, PIG_PILE_EIGHT = 7, PIG_PILE_ELEVEN = 10, PIG_PILE_WILD = 12 };

enum pig_pile_phase {
	PIG_PILE_FIRST, /* chance: who deals first */
	PIG_PILE_DEAL,  /* chance: the deck of the next round */
	PIG_PILE_FACE,  /* all seats choose their face-up cards */
	PIG_PILE_TURN,  /* one seat plays, takes or turns a slop card */
	PIG_PILE_OVER
};

enum pig_pile_verb {
	PIG_PILE_VERB_FACE,
	PIG_PILE_VERB_PLAY,
	PIG_PILE_VERB_TAKE,
	PIG_PILE_VERB_SLOP,
	PIG_PILE_VERBS
};

enum pig_pile_option {
	PIG_PILE_OPTION_DEAL = OPTIONS_COMMON, /* enum pig_pile_deal */
	PIG_PILE_OPTION_ROUNDS,                /* PIG_PILE_ROUNDS_PLAYERS: one a seat */
	PIG_PILE_OPTION_THIRD_PIG,
	PIG_PILE_OPTION_WASH_ANY,
	PIG_PILE_OPTION_FIRST_DEALER, /* modulo seats; -1: random */
	PIG_PILE_OPTION_MAX_TURNS,
	PIG_PILE_OPTIONS
};

enum pig_pile_deal { PIG_PILE_CHOOSE, PIG_PILE_DEALT, PIG_PILE_GREASED };
#define PIG_PILE_ROUNDS_PLAYERS 0

enum pig_pile_direction { PIG_PILE_CLOCKWISE, PIG_PILE_COUNTERCLOCKWISE };

enum pig_pile_zone { PIG_PILE_ZONE_HAND, PIG_PILE_ZONE_UP, PIG_PILE_ZONE_SLOP };

enum pig_pile_event {
	PIG_PILE_EVENT_ROUND, /* round, dealer */
	PIG_PILE_EVENT_DEAL,  /* seat, zone; the cards in the order received */
	PIG_PILE_EVENT_FACE,  /* seat; the cards turned up */
	PIG_PILE_EVENT_TURN,  /* seat: its turn begins */
	PIG_PILE_EVENT_PLAY,  /* seat, zone; the cards */
	PIG_PILE_EVENT_SLOP,  /* seat, i; the card */
	PIG_PILE_EVENT_TAKE,  /* seat, up: how many of the cards (the last) lay face up */
	PIG_PILE_EVENT_WASH,  /* seat, n: cards washed away */
	PIG_PILE_EVENT_DRAW,  /* seat; the card, for that seat only */
	PIG_PILE_EVENT_OUT,   /* seat, place */
	PIG_PILE_EVENT_REVERSE, /* direction from now on */
	PIG_PILE_EVENT_SKIP,    /* seat that loses its turn */
	PIG_PILE_EVENT_GUARD,   /* turns: the round is stopped */
	PIG_PILE_EVENT_SCORE,   /* seat, left: cards left, pigs, total */
	PIG_PILE_EVENT_MATCH,   /* reason */
	PIG_PILE_EVENTS
};

enum pig_pile_reason { PIG_PILE_REASON_ROUNDS, PIG_PILE_REASON_PIGS };

/*
 * The table of a round stays as it was until the next deal, so that everybody can
 * look at it after the round and after the match.
 *
 * What the table knows of a hand is its size, the cards in it that were picked up
 * before everybody's eyes (known), and for each of the other cards a limit: a seat
 * that had to take the pile has shown that none of its cards would have fitted. W as
 * a limit says nothing about the card. specs/games/pig_pile.md, "Inferences".
 */
struct pig_pile_state {
	struct game_head head;
	uint8_t dealer;    /* NO_SEAT until drawn */
	uint8_t round;     /* rounds dealt so far */
	uint8_t direction; /* enum pig_pile_direction */
	uint8_t pen;       /* pigs not yet won */
	uint16_t turns;    /* turns ended in this round */
	uint8_t out_count;
	uint8_t pile_count;
	uint8_t stock_count;
	uint8_t out[PIG_PILE_OUT_MAX]; /* seats in the order in which they went out */
	uint8_t pigs[GAME_SEATS_MAX];
	uint8_t hand_count[GAME_SEATS_MAX];
	uint8_t slop_left[GAME_SEATS_MAX]; /* a bit for each position */
	uint8_t hand[GAME_SEATS_MAX][PIG_PILE_FACES];
	uint8_t known[GAME_SEATS_MAX][PIG_PILE_FACES]; /* part of hand */
	uint8_t limit[GAME_SEATS_MAX][PIG_PILE_FACES]; /* of the rest of hand */
	uint8_t up[GAME_SEATS_MAX][PIG_PILE_FACES];
	uint8_t washed[PIG_PILE_FACES];
	uint8_t pile[PIG_PILE_DECK_MAX];
	uint8_t stock[PIG_PILE_DECK_MAX];
	uint8_t slop[GAME_SEATS_MAX][PIG_PILE_SLOP];
	uint8_t chosen[GAME_SEATS_MAX][PIG_PILE_SLOP]; /* face cards before all are in */
};

extern const struct game pig_pile_game;

#endif
