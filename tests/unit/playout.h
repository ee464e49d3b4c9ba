/*
 * Random matches, recorded step by step so that they can be played again.
 *
 * Everything is drawn from `struct dice`, a small generator of the tests' own with a
 * fixed seed: the same seed gives the same match on every machine.
 */
#ifndef TESTS_UNIT_PLAYOUT_H
#define TESTS_UNIT_PLAYOUT_H

#include "tests/unit/variants.h"

struct dice {
	uint64_t state;
};

uint64_t dice_next(void *dice); /* fits struct game_random */
uint32_t dice_below(struct dice *dice, uint32_t n);
/* A seed from a text and a number. */
struct dice dice_named(const char *name, unsigned number);

enum step_what { STEP_CHANCE, STEP_ACTION, STEP_OFFENCE };

struct step {
	uint8_t what; /* enum step_what */
	uint8_t seat;
	uint8_t kind; /* STEP_CHANCE: enum chance_kind */
	uint8_t n;    /* STEP_CHANCE: cards in order */
	uint16_t index;
	struct action action;
	uint8_t order[GAME_ORDER_MAX];
};

/* A state of any game. */
struct table {
	_Alignas(16) uint8_t bytes[GAME_STATE_MAX];
};

struct playout {
	const struct game *game;
	int seats;
	int16_t option[GAME_OPTIONS_MAX];
	struct dice dice;
	int style;           /* how actions are chosen, drawn with the match */
	int offence_percent; /* how often an offence is tried (faults=penalty) */
	struct table state;
	struct step *step;
	int count, room;
};

/* Begins a match of a variant; false if the variant's options do not fit the game.
 * playout_release() frees the record. */
bool playout_init(struct playout *p, const struct game *game,
	const struct variant *variant, unsigned number);
void playout_release(struct playout *p);

/* Draws the next step without taking it; false once the match is over. */
bool playout_draw(struct playout *p, struct step *step);
/* Takes a step on any state of the game. */
void step_apply(const struct game *game, void *state, const struct step *step,
	struct events *events);
/* Draws, takes and records a step. The recorded one, or NULL once the match is over. */
const struct step *playout_step(struct playout *p, struct events *events);

/*
 * All well-formed actions that the tests try: every combination of the scalar
 * arguments; lists of equal cards up to the greatest length, all multisets of up to
 * three cards, all orders of up to `order_max` cards. Sorted by action_compare.
 * The caller frees *list.
 */
int action_space(const struct game *game, int seats, int order_max, struct action **list);

#endif
