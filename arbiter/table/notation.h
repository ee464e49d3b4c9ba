/*
 * Fields, actions, events and card orders as text that a player can read.
 *
 * One form for scenario files, traces and `replay show`; it follows from the tables
 * of the game alone:
 *
 *   action  verb, then its arguments in table order: cards, orders and words bare,
 *           numbers and seats as key=value, a switch as its bare key, absent ones
 *           left out: `play 5 5`, `play bolt to=1 pig=0`, `bid high n=3`
 *   event   name, key=value for each argument (`-` for no seat), then the cards, or
 *           `(3 cards)` for a viewer who may not see them
 *   field   tokens separated by blanks; an empty list, a hidden card and a blank
 *           value are `-`; flags are joined by `+`; where the outer entries are lists
 *           themselves they are separated by ` | `
 *
 * The head of a state is written as four more fields: `phase`, `need`, `act` and
 * `pending` (lists of seats).
 *
 * Every writer fills `buffer` like snprintf: always terminated, cut off if it does
 * not fit, and the full length is returned. Every parser returns false for a text
 * that does not fit the tables; `why` says what is wrong with it.
 */
#ifndef ARBITER_TABLE_NOTATION_H
#define ARBITER_TABLE_NOTATION_H

#include "games/game.h"
#include "protocol/why.h"

#include <stdio.h>

#define NOTATION_MAX 2048 /* enough for every field, action, event and order */

size_t notation_action(
	const struct game *game, const struct action *action, char *buffer, size_t size);
bool notation_parse_action(const struct game *game, const char *text,
	struct action *action, struct why *why);

size_t notation_event(const struct game *game, const struct event *event, int viewer,
	char *buffer, size_t size);

/* `n` tokens of a chance order; those of CHANCE_FIRST are seats. */
size_t notation_order(const struct game *game, int kind, const uint8_t *token, int n,
	char *buffer, size_t size);
/* Returns the number of tokens read into `token` (GAME_ORDER_MAX), or -1. */
int notation_parse_order(const struct game *game, int kind, const char *text,
	uint8_t *token, struct why *why);

/* Index into game.fields, or -1; the fields of the head are not found. */
int notation_field_find(const struct game *game, const char *name);
bool notation_field_of_head(const char *name);

/* One field of a state or view by name, or with `outer` >= 0 one entry of it. The name
 * must exist (notation_field_find, notation_field_of_head). */
size_t notation_field(const struct game *game, const void *state, const char *name,
	int outer, char *buffer, size_t size);

/* Sets a field, or one entry of it, and the counters of its lists; what the text does not
 * mention becomes blank. `act` sets `pending` too. */
bool notation_parse_field(const struct game *game, void *state, const char *name,
	int outer, const char *text, struct why *why);

/* Is the field, or one entry of it, the same in both? */
bool notation_field_equal(const struct game *game, const void *a, const void *b,
	const char *name, int outer);

/* Every field that is not blank, one line each (`hand 0: 5 W`), indented by two. */
void notation_print_state(const struct game *game, const void *state, FILE *out);

#endif
