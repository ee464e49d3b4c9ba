/* `pigpen replay SUBCOMMAND …`: finds the subcommand and hands over. */
#include "arbiter/cmd/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cmd commands[] = {
	{"show", "show a match as text", cmd_replay_show},
	{"view", "step through a match in the terminal", cmd_replay_view},
	{"html", "write a page that shows a match as a picture", cmd_replay_html},
	{"stats", "thinking times, decisions by phase, faults", cmd_replay_stats},
	{"diff", "find where two replays part", cmd_replay_diff},
	{"verify", "prove that a replay is authentic", cmd_replay_verify},
	{"rerun", "ask a bot again what a seat was asked", cmd_replay_rerun},
	{"branch", "play on from a decision: what did it cost?", cmd_replay_branch},
	{"export", "write a replay, or what one seat knew, as JSON", cmd_replay_export},
	{0},
};

int cmd_replay(int argc, char **argv)
{
	return cmd_dispatch(commands, "pigpen replay",
		"Reads the replays that `pigpen match` writes, compressed or not.", argc,
		argv);
}

error_t replay_parse_file(
	int key, char *text, struct argp_state *state, const char **file)
{
	switch (key) {
	case ARGP_KEY_ARG:
		if (*file)
			argp_error(state, "name only one replay");
		*file = text;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "name a replay");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

bool replay_number(const char *option, const char *text, int min, int max, int *number)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (!*text || *end || value < min || value > max) {
		user_error("--%s: '%s' is not a number from %d to %d", option, text, min,
			max);
		return false;
	}
	*number = (int)value;
	return true;
}

int replay_exit(const char *path, enum playback_status status, const char *why)
{
	fflush(stdout);
	switch (status) {
	case PLAYBACK_STEP:
	case PLAYBACK_DONE:
		return EXIT_OK;
	case PLAYBACK_CUT:
		fprintf(stderr, "pigpen: %s is cut off: %s\n", path, why);
		return EXIT_FAILED;
	case PLAYBACK_OTHER:
		fprintf(stderr, "pigpen: %s: %s\n", path, why);
		return EXIT_FAILED;
	case PLAYBACK_WRONG:
		fprintf(stderr, "pigpen: %s is damaged: %s\n", path, why);
		return EXIT_FAILED;
	case PLAYBACK_UNREADABLE:
		break;
	}
	return user_error("%s: %s", path, why);
}
