/* `pigpen ladder admit DIR`: checks and enters submitted bots; run by `pigpen serve`. */
#include "arbiter/cmd/cmd.h"
#include "arbiter/cmd/ladder.h"
#include "arbiter/ladder/submit/submission_queue.h"

#include <argp.h>
#include <stdio.h>
#include <unistd.h>

#define NICENESS 10 /* matches of a ladder on the same machine come first */

static error_t parse(int key, char *text, struct argp_state *state)
{
	const char **path = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (*path)
		argp_error(state, "name only one ladder");
	*path = text;
	return 0;
}

int cmd_ladder_admit(int argc, char **argv)
{
	static const struct argp argp = {NULL, parse, "DIR",
		"Checks the bots that were submitted on the page, one after the other, "
		"and enters those that pass. `pigpen serve` does this by itself.",
		NULL, NULL, NULL};
	const char *path = NULL;
	struct why why;

	argp_parse(&argp, argc, argv, 0, NULL, &path);
	if (!path)
		return user_error("name the ladder's directory");
	(void)!nice(NICENESS);
	return submissions_admit(path, stdout, &why) ? EXIT_OK
						     : user_error("%s", why.text);
}
