/*
 * The options of a game: a table of names, ranges and defaults.
 *
 * Values are kept in the head of the state, at the index that the option has in the
 * table. The first OPTIONS_COMMON options are the same in every game.
 */
#ifndef GAMES_OPTION_H
#define GAMES_OPTION_H

#include "games/state.h"

struct game_word {
	const char *name;
	int16_t value;
};

/*
 * An option's value is an integer from min..max, or one of the named words (which
 * stand for values of their own, outside min..max). min > max: words only. A
 * switch has the words game_switch and is a bool on the wire.
 */
struct game_option {
	char name[GAME_NAME_SIZE];
	const char *help;
	int16_t default_value;
	int16_t min, max;
	const struct game_word *words; /* ends with a NULL name; may be NULL */
};

extern const struct game_word game_switch[];      /* false 0, true 1 */
extern const struct game_word game_faults[];      /* reject 0, penalty 1 */
extern const struct game_word game_random_seat[]; /* random -1 */

/* The options that every game has, at these indices of its option table. */
enum { OPTION_ASK_FORCED, OPTION_FAULTS, OPTIONS_COMMON };
#define GAME_COMMON_OPTIONS                                                              \
	[OPTION_ASK_FORCED] = {"ask_forced",                                             \
		"ask a seat even if it has only one legal move", 0, 1, 0, game_switch},  \
	[OPTION_FAULTS] = {"faults",                                                     \
		"an illegal answer is refused (reject) or punished by the "              \
		"rule book's own penalty where it has one (penalty)",                    \
		0, 1, 0, game_faults}

/* Index of an option by name, or -1. */
int game_option_find(const struct game *game, const char *name);
/* Parses an option's value ("5", "players", "true"). False: not allowed. */
bool game_option_parse(
	const struct game_option *option, const char *text, int16_t *value);
/* The word that stands for the value, or NULL if it is a plain integer. */
const char *game_option_word(const struct game_option *option, int16_t value);
/* Fills all options with their defaults. */
void game_defaults(const struct game *game, int16_t option[GAME_OPTIONS_MAX]);

#endif
