/*
 * Game, seats and options as the user names them on a command line. Every function
 * returns EXIT_OK, or reports what was wrong and what is allowed and returns EXIT_USER.
 */
#ifndef ARBITER_CMD_GAME_ARGS_H
#define ARBITER_CMD_GAME_ARGS_H

#include "games/game.h"

#include <argp.h>

/*
 * What `ID --seats N --option NAME=VALUE…` says. A command adds one of the parsers below
 * as a child of its own argp, with a struct game_args as the child's input, and calls
 * game_args_settle() once everything is parsed.
 */
struct game_args {
	const struct game *game;
	int seats; /* without --seats the smallest number */
	int16_t option[GAME_OPTIONS_MAX];

	const char *id, *seats_text; /* as given */
	const char *option_text[GAME_OPTIONS_MAX * 2];
	int option_texts;
};

extern const struct argp game_args_argp;        /* ID, --seats and --option */
extern const struct argp game_args_table_argp;  /* the command sets `id` itself */
extern const struct argp game_args_option_argp; /* --option alone */
int game_args_settle(struct game_args *args);

int game_args_find(const char *id, const struct game **game);
/* Sets one option from `name=value`. */
int game_args_option(const struct game *game, const char *text, int16_t *option);
/* An integer from min to max; `name` is the option's name, such as "--depth". */
int game_args_number(const char *name, const char *text, long min, long max, long *value);

#endif
