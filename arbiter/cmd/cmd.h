/*
 * The subcommands of `pigpen`, each in its own file; code outside this folder, except
 * main.c, includes nothing from here.
 *
 * A command gets argv with argv[0] = "pigpen <name>" (so argp prints the right
 * usage) and returns the exit status (arbiter/base/exit.h).
 */
#ifndef ARBITER_CMD_CMD_H
#define ARBITER_CMD_CMD_H

#include "arbiter/base/exit.h"

/* argp's key of --json, which has no short form: -j is --jobs. */
enum { KEY_JSON = 1000 };

struct cmd {
	const char *name;
	const char *help; /* one line for `pigpen --help`; NULL: internal, not listed */
	int (*run)(int argc, char **argv);
};

int cmd_games(int argc, char **argv);
int cmd_perft(int argc, char **argv);
int cmd_sim(int argc, char **argv);
int cmd_keygen(int argc, char **argv);
int cmd_bridge(int argc, char **argv);
int cmd_new(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_match(int argc, char **argv);
int cmd_host(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_ladder(int argc, char **argv);
int cmd_human(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_selftest(int argc, char **argv);

/*
 * Finds argv[1] in a list that ends with a NULL name and runs it. Prints the list for
 * --help or without arguments, and the command's own help for `help COMMAND`. `program`
 * is "pigpen" or "pigpen replay", `about` a sentence for the help.
 */
int cmd_dispatch(const struct cmd *list, const char *program, const char *about, int argc,
	char **argv);

#endif
