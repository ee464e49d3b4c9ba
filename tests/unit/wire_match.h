/*
 * A match of arbiter/match/match.c whose bots, sockets, clock and cards are the test.
 *
 * It keeps every message to every seat, byte by byte, with the number of steps (orders
 * drawn and actions applied) that had happened when it was sent, and the steps
 * themselves. A second match may follow the first one: it is given the same orders
 * (but one, if a world says so) and its seats answer as the same seats did there.
 */
#ifndef TESTS_UNIT_WIRE_MATCH_H
#define TESTS_UNIT_WIRE_MATCH_H

#include "arbiter/match/match.h"
#include "tests/unit/worlds.h"

enum { WIRE_STEPS_MAX = 300, WIRE_STEPS_ROOM = WIRE_STEPS_MAX + 256 };

/* A message, sent after `step` steps. */
struct letter {
	int step;
	size_t size;
	uint8_t *bytes;
};

struct mailbox {
	struct letter *letter;
	int count, room;
};

/* An answer that was refused. */
struct wire_refusal {
	int seat, step;
	struct action action;
};

struct wire_match {
	const struct game *game;
	struct match match;
	struct compose_scratch *scratch;
	struct table state; /* follows the steps on its own */
	struct step step[WIRE_STEPS_ROOM];
	int count, orders;
	uint16_t acting; /* seats that act together and have not been followed yet */
	bool forced;     /* nobody had asked them */
	struct mailbox box[GAME_SEATS_MAX];
	struct action held[GAME_SEATS_MAX]; /* the last answer of each seat */
	int refused_at[GAME_SEATS_MAX];     /* step of its last refused answer */
	struct wire_refusal refusal[WIRE_STEPS_ROOM];
	int refusals;
	mono_ns now;
	bool stuck; /* what happened in the first match cannot happen here */
	/* Settings, see wire_match_new(). */
	const struct wire_match *first;
	const struct world *world;
	const struct action *space;
	int space_size;
	int neutral; /* the seat that plays as the game's fallback would, or -1 */
	int crash;   /* the seat that is put out at its first question, or -1 */
	struct dice dice;
};

struct wire_settings {
	const struct game *game;
	const struct variant *variant;
	unsigned number;                /* seeds the test's own choices */
	const struct wire_match *first; /* NULL, or the match to be followed */
	const struct world *world;      /* NULL, or how this one differs */
	const struct action *space; /* from which refused answers are taken; or NULL */
	int space_size;
	int neutral, crash;
};

/* Plays up to `steps_max` steps. The viewer of the world thinks as long as in the first
 * match, everybody else does not, and the others may want other kinds of messages. */
struct wire_match *wire_match_play(const struct wire_settings *settings, int steps_max);
void wire_match_free(struct wire_match **match);

/* Is step i the same in both, or different only as the world says? */
bool wire_same_step(const struct wire_match *second, int i);
/* Were the letters to the seat after `step` steps the same, in number, order, length
 * and content? If not, prints both and fails. Returns how many there were. */
int wire_compare(const struct wire_match *second, int seat, int step);

#endif
