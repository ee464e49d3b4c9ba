/* `pigpen replay diff A B`: finds where two replays part. */
#include "arbiter/cmd/replay.h"
#include "arbiter/tools/diff.h"

#include <argp.h>

struct diff_command {
	const char *file[2];
	int count;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct diff_command *command = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (command->count == 2)
			argp_error(state, "name two replays, not more");
		command->file[command->count++] = text;
		return 0;
	case ARGP_KEY_END:
		if (command->count < 2)
			argp_error(state, "name two replays");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {NULL, parse, "A B",
	"Finds the first decision at which two replays part.\vTimes, ids, players "
	"and notes are not compared. The exit status is 1 if they part.\n\n"
	"Examples:\n"
	"  pigpen replay diff before.replay after.replay",
	NULL, NULL, NULL};

int cmd_replay_diff(int argc, char **argv)
{
	struct diff_command command = {0};
	struct diff_side a = {0}, b = {0};
	bool same;
	int status, other;

	if (argp_parse(&argp, argc, argv, 0, NULL, &command))
		return EXIT_USER;
	a.path = command.file[0];
	b.path = command.file[1];
	same = replay_diff(&a, &b, stdout);
	status = replay_exit(a.path, a.status, a.why.text);
	other = replay_exit(b.path, b.status, b.why.text);
	if (other > status)
		status = other;
	return status ? status : same ? EXIT_OK : EXIT_FAILED;
}
