/* `pigpen ladder run`. */
#include "arbiter/cmd.h"
#include "arbiter/cmd_ladder.h"
#include "arbiter/game_args.h"
#include "arbiter/ladder/run.h"
#include "arbiter/ladder/standings.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define JOBS_LIMIT    1024
#define AT_ONCE_LIMIT 10000
#define SETS_LIMIT    1000000000

enum { KEY_SETS = 256, KEY_FOR, KEY_UNTIL, KEY_AT_ONCE };

static const struct argp_option options[] = {
	{"sets", KEY_SETS, "N", 0, "play so many more duplicate sets", 0},
	{"for", KEY_FOR, "TIME", 0, "such as 90s, 30min, 2h; sets under way are finished",
		0},
	{"until-interval", KEY_UNTIL, "ELO", 0,
		"until every rating is known within so many points", 0},
	{"jobs", 'j', "K", 0, "worker processes (one for each core)", 0},
	{"at-once", KEY_AT_ONCE, "N", 0, "matches that a worker plays at a time (1)", 0},
	{"quiet", 'q', 0, 0, "no progress and no standings", 0},
	{0},
};

struct run_command {
	const char *path;
	struct run_options run;
	int status;
};

static void take_number(struct run_command *command, const char *name, const char *text,
	long max, long *value)
{
	int status = game_args_number(name, text, 1, max, value);

	command->status = status ? status : command->status;
}

/* Hours are not a unit of clocks, but of ladders. */
static void take_time(struct run_command *command, const char *text)
{
	char *end;
	double hours = strtod(text, &end);

	if (end != text && end[0] == 'h' && !end[1] && hours > 0 && hours < 1e5)
		command->run.for_ns = (int64_t)(hours * 3600 * 1e9);
	else if (!duration_parse(text, &command->run.for_ns) || command->run.for_ns <= 0)
		command->status = user_error(
			"--for takes a time such as 90s, 30min or 2h, not '%s'", text);
}

static void take_interval(struct run_command *command, const char *text)
{
	char *end;

	command->run.until_interval = strtod(text, &end);
	if (!*text || *end || !(command->run.until_interval > 0))
		command->status = user_error("--until-interval takes a number of Elo "
					     "points such as 25, not '%s'",
			text);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct run_command *command = state->input;
	long value = 0;

	switch (key) {
	case KEY_SETS:
		take_number(command, "--sets", text, SETS_LIMIT, &value);
		command->run.sets = value;
		break;
	case KEY_FOR:
		take_time(command, text);
		break;
	case KEY_UNTIL:
		take_interval(command, text);
		break;
	case 'j':
		take_number(command, "--jobs", text, JOBS_LIMIT, &value);
		command->run.jobs = (int)value;
		break;
	case KEY_AT_ONCE:
		take_number(command, "--at-once", text, AT_ONCE_LIMIT, &value);
		command->run.at_once = (int)value;
		break;
	case 'q':
		command->run.quiet = true;
		break;
	case ARGP_KEY_ARG:
		if (command->path)
			argp_error(state, "one ladder at a time");
		command->path = text;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void show(struct ladder *ladder)
{
	struct standings standings;
	char why[512];

	if (!standings_load(&standings, ladder, why, sizeof(why)))
		return;
	standings_print(&standings, false, stdout);
	standings_release(&standings);
}

int cmd_ladder_run(int argc, char **argv)
{
	static const struct argp argp = {options, parse, "DIR",
		"Plays duplicate sets and rates them, until it is told to stop.\v"
		"A run that was killed goes on where it was.",
		NULL, NULL, NULL};
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	struct run_command command = {
		.run = {.jobs = cores > 0 ? (int)cores : 1, .at_once = 1}};
	struct ladder ladder;
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &command);
	if (command.status)
		return command.status;
	status = cmd_ladder_open(&ladder, command.path, LADDER_WRITE);
	if (status)
		return status;
	status = ladder_run(&ladder, &command.run);
	if (status != EXIT_USER && !command.run.quiet)
		show(&ladder);
	ladder_close(&ladder);
	return status;
}
