/*
 * The rules of a match on a command line. A command adds the parsers below that it needs
 * as children of its own argp, each with the same struct match_args as input:
 *
 *     struct match_args args;
 *     match_args_init(&args);                 the defaults, which --help shows
 *     …argp_parse() …
 *     status = match_args_settle(&args);      game, seats and options
 *     … args.rules …
 */
#ifndef ARBITER_CMD_MATCH_ARGS_H
#define ARBITER_CMD_MATCH_ARGS_H

#include "arbiter/cmd/game_args.h"
#include "arbiter/match/match_rules.h"

struct match_args {
	struct match_rules rules;
	struct game_args game; /* the input of game_args_…_argp; `id` is the command's */
	bool clock_given;
	int status; /* not 0: a user error was reported */
};

extern const struct argp match_args_clock_argp;   /* --clock */
extern const struct argp match_args_faults_argp;  /* --clock-kind --on-fault --retries */
extern const struct argp match_args_sandbox_argp; /* --sandbox --limits */

/* Sets the defaults: the default clock, a sandbox if possible, no retries. */
void match_args_init(struct match_args *args);
/* Finds the game and reads seats and options into the rules. Returns 0, or EXIT_USER also
 * if parsing has already failed. */
int match_args_settle(struct match_args *args);

/* For other options that take a word or a number: both return the value, or report the
 * error, set `status` and return 0 or `min`. */
int match_args_word(
	const char *option, const char *text, const char *const *words, int *status);
int match_args_number(
	const char *option, const char *text, int min, int max, int *status);

#endif
