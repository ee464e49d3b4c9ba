/* `pigpen ladder admit DIR`: checks and enters submitted bots; run by `pigpen serve`. */
#include "arbiter/cmd/cmd.h"
#include "arbiter/cmd/ladder.h"
#include "arbiter/ladder/submit/submission_queue.h"

#include <argp.h>
#include <stdio.h>
#include <unistd.h>

#define NICENESS 10 /* matches of a ladder on the same machine come first */

enum { KEY_ONE = 256 };

struct admit_command {
	const char *path;
	const char *one; /* the id of a submission; NULL: all */
};

static const struct argp_option options[] = {
	{"one", KEY_ONE, "ID", OPTION_HIDDEN, NULL, 0},
	{0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct admit_command *command = state->input;

	if (key == KEY_ONE) {
		command->one = text;
		return 0;
	}
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (command->path)
		argp_error(state, "name only one ladder");
	command->path = text;
	return 0;
}

int cmd_ladder_admit(int argc, char **argv)
{
	static const struct argp argp = {options, parse, "DIR",
		"Checks the bots that were submitted on the page, one after the other, "
		"and enters those that pass. `pigpen serve` does this by itself.",
		NULL, NULL, NULL};
	struct admit_command command = {NULL, NULL};
	struct why why;
	bool ok;

	argp_parse(&argp, argc, argv, 0, NULL, &command);
	if (!command.path)
		return user_error("name the ladder's directory");
	if (!command.one)
		(void)!nice(NICENESS);
	ok = command.one ? submission_admit_one(command.path, command.one, &why)
			 : submissions_admit(command.path, &why);
	return ok ? EXIT_OK : user_error("%s", why.text);
}
