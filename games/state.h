/*
 * What every state of a game begins with, and the numbers that all games share.
 *
 * A state is a flat struct without pointers whose first member is `struct game_head`: a
 * copy is memcpy, equality is memcmp. game_head() reads the head of any state or view.
 */
#ifndef GAMES_STATE_H
#define GAMES_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct game; /* games/game.h */

#define GAME_SEATS_MAX   12
#define GAME_OPTIONS_MAX 12
#define GAME_ORDER_MAX   160 /* cards in one chance order */
#define GAME_STATE_MAX   4096

/* Texts that views are full of lie in slots filled up with zeros, so that a writer
 * copies whole slots. */
#define GAME_TOKEN_SIZE 8
#define GAME_NAME_SIZE  24
typedef char game_token[GAME_TOKEN_SIZE]; /* a card's face on the wire */

#define NO_CARD 0xff
#define NO_SEAT 0xff

/* Viewers that are not seats. */
enum { SPECTATOR = -1, OMNISCIENT = -2 };

/* What the match needs next. */
enum game_need { NEED_ANSWERS, NEED_CHANCE, NEED_NOTHING };

/*
 * The first member of every state. `acting` is the set of seats that were asked
 * at the start of the current phase and is public; `pending` is the set that still
 * owes an answer, and a view shows a seat no bit of it but its own, so that
 * nobody learns who has answered. In a phase of one seat the two are equal.
 */
struct game_head {
	int8_t viewer; /* OMNISCIENT in a true state */
	uint8_t seats;
	uint8_t phase; /* index into game.phases */
	uint8_t need;  /* enum game_need */
	uint16_t acting;
	uint16_t pending;
	int16_t option[GAME_OPTIONS_MAX];
};

static inline bool game_seat_in(unsigned set, int seat)
{
	return set >> seat & 1;
}

static inline const struct game_head *game_head(const void *state)
{
	return (const struct game_head *)state;
}

#endif
