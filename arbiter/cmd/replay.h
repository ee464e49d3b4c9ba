/*
 * The subcommands of `pigpen replay`, one replay_<name>.c each, in the table of replay.c.
 * argv[0] is "pigpen replay <name>"; the exit status is that of arbiter/base/exit.h: 0
 * success, 1 the answer is no or the file ends early, 2 a user error.
 */
#ifndef ARBITER_CMD_REPLAY_H
#define ARBITER_CMD_REPLAY_H

#include <argp.h>
#include "arbiter/cmd/cmd.h"
#include "arbiter/replay/playback.h"

int cmd_replay_show(int argc, char **argv);
int cmd_replay_view(int argc, char **argv);
int cmd_replay_html(int argc, char **argv);
int cmd_replay_stats(int argc, char **argv);
int cmd_replay_diff(int argc, char **argv);
int cmd_replay_export(int argc, char **argv);
int cmd_replay_verify(int argc, char **argv);
int cmd_replay_rerun(int argc, char **argv);
int cmd_replay_branch(int argc, char **argv);

/* For an argp parser: handles the one FILE that every subcommand has; a missing or second
 * one is an error. */
error_t replay_parse_file(
	int key, char *text, struct argp_state *state, const char **file);

/* A whole number from min to max; false after a user error that names the option. */
bool replay_number(const char *option, const char *text, int min, int max, int *number);

/*
 * The exit status for how a playback ended; everything but PLAYBACK_DONE is reported on
 * stderr.
 */
int replay_exit(const char *path, enum playback_status status, const char *why);

#endif
