/*
 * Dirty Pig, 2 to 4 seats: be the first to have nothing but dirty pigs. The rules
 * are specs/games/dirty_pig.md; games/game.h says how a game is used.
 */
#ifndef GAMES_DIRTY_PIG_DIRTY_PIG_H
#define GAMES_DIRTY_PIG_DIRTY_PIG_H

#include "games/game.h"

#define DIRTY_PIG_SEATS_MAX 4
#define DIRTY_PIG_PIGS_MAX  5  /* in front of one seat */
#define DIRTY_PIG_CARDS     54 /* in the draw deck */

enum dirty_pig_phase {
	DIRTY_PIG_FIRST,   /* chance: who begins */
	DIRTY_PIG_DEAL,    /* chance: the deck */
	DIRTY_PIG_TURN,    /* one seat acts */
	DIRTY_PIG_SHUFFLE, /* chance: the discards become the new stack */
	DIRTY_PIG_OVER
};

enum dirty_pig_face {
	DIRTY_PIG_MUD,
	DIRTY_PIG_RAIN,
	DIRTY_PIG_BARN,
	DIRTY_PIG_BOLT,
	DIRTY_PIG_ROD,
	DIRTY_PIG_FARMER,
	DIRTY_PIG_LOCK,
	DIRTY_PIG_FACES
};

/* Arguments of `play`: card, to, pig (`to` and `pig` may be ABSENT); of `discard`:
 * card; of `swap`: none. */
enum dirty_pig_verb { DIRTY_PIG_PLAY, DIRTY_PIG_DISCARD, DIRTY_PIG_SWAP };

enum dirty_pig_option {
	DIRTY_PIG_OPTION_HAND = OPTIONS_COMMON,
	DIRTY_PIG_OPTION_FIRST,
	DIRTY_PIG_OPTION_MAX_TURNS,
	DIRTY_PIG_OPTIONS
};

/* What a pig can be and have; a pig without any is clean and in the field. */
enum dirty_pig_flag {
	DIRTY_PIG_IS_DIRTY = 1,
	DIRTY_PIG_HAS_BARN = 2,
	DIRTY_PIG_HAS_ROD = 4,
	DIRTY_PIG_HAS_LOCK = 8
};

enum dirty_pig_event {
	DIRTY_PIG_EVENT_TURN,    /* seat: it begins (only if that was drawn) */
	DIRTY_PIG_EVENT_DEAL,    /* seat; cards for that seat */
	DIRTY_PIG_EVENT_PLAY,    /* seat, to, pig (-1 for none); the card */
	DIRTY_PIG_EVENT_WASH,    /* seat, pig: a pig becomes clean */
	DIRTY_PIG_EVENT_LOSE,    /* seat, pig; the barn and its lock that burn down */
	DIRTY_PIG_EVENT_DISCARD, /* seat; the card */
	DIRTY_PIG_EVENT_SWAP,    /* seat; the whole hand */
	DIRTY_PIG_EVENT_DRAW,    /* seat; cards for that seat */
	DIRTY_PIG_EVENT_SHUFFLE, /* n: cards in the new stack */
	DIRTY_PIG_EVENT_GUARD,   /* n: turns after which the match was stopped */
	DIRTY_PIG_EVENT_SCORE,   /* seat, n: its dirty pigs */
	DIRTY_PIG_EVENT_MATCH,   /* seat: the winner, none at the guard */
	DIRTY_PIG_EVENTS
};

struct dirty_pig {
	struct game_head head;
	uint16_t turns;    /* finished */
	uint16_t shuffles; /* of the discards */
	uint8_t turn;      /* the seat whose turn it is, also while it refills */
	uint8_t winner;    /* NO_SEAT while there is none */
	uint8_t stack_size;
	uint8_t discard[DIRTY_PIG_FACES]; /* how many of each lie face up */
	uint8_t pig_count[DIRTY_PIG_SEATS_MAX];
	uint8_t pigs[DIRTY_PIG_SEATS_MAX][DIRTY_PIG_PIGS_MAX]; /* enum dirty_pig_flag */
	uint8_t hand_size[DIRTY_PIG_SEATS_MAX];
	uint8_t hand[DIRTY_PIG_SEATS_MAX][DIRTY_PIG_FACES]; /* seen by the owner */
	/* Seen by the owner: cards it knows to be in the other hands together. When the
	 * stack has run out, whoever counts knows what the others hold; it stays known
	 * until somebody else puts such a card down. */
	uint8_t held[DIRTY_PIG_SEATS_MAX][DIRTY_PIG_FACES];
	uint8_t stack[DIRTY_PIG_CARDS]; /* top last; seen by nobody */
};

extern const struct game dirty_pig_game;

#endif
