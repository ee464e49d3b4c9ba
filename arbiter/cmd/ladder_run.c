/* `pigpen ladder run`: plays duplicate sets, here or on a cluster, and rates the bots. */
#include "arbiter/cmd/cmd.h"
#include "arbiter/cmd/ladder.h"
#include "arbiter/cmd/game_args.h"
#include "arbiter/ladder/run/run.h"
#include "arbiter/ladder/rating/standings.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOBS_LIMIT    1024
#define AT_ONCE_LIMIT 10000
#define SETS_LIMIT    1000000000

enum {
	KEY_SETS = 256,
	KEY_FOR,
	KEY_UNTIL,
	KEY_AT_ONCE,
	KEY_ON,
	KEY_PARTITION,
	KEY_TASKS,
	KEY_SETS_PER_TASK,
	KEY_SBATCH,
	KEY_LISTEN
};

#define TASKS_LIMIT           100000
#define TASKS_DEFAULT         16
#define SETS_PER_TASK_DEFAULT 64

static const struct argp_option options[] = {
	{"sets", KEY_SETS, "N", 0, "play this many more duplicate sets", 0},
	{"for", KEY_FOR, "TIME", 0,
		"stop after a time such as 90s, 30min, 2h; sets under way are finished",
		0},
	{"until-interval", KEY_UNTIL, "ELO", 0,
		"until every rating is known within this many points", 0},
	{"jobs", 'j', "K", 0, "worker processes (one for each core)", 0},
	{"at-once", KEY_AT_ONCE, "N", 0, "matches that a worker plays at a time (1)", 0},
	{"on", KEY_ON, "slurm", 0,
		"play as tasks of a Slurm cluster; the ladder lies on a file system that "
		"all nodes share, and --jobs counts for each task (1)",
		0},
	{"partition", KEY_PARTITION, "NAME", 0, "of the cluster (its default)", 0},
	{"tasks", KEY_TASKS, "N", 0, "tasks waiting or running at a time (16)", 0},
	{"sets-per-task", KEY_SETS_PER_TASK, "N", 0, "most duplicate sets in a task (64)",
		0},
	{"sbatch", KEY_SBATCH, "OPTION", 0,
		"passed on to sbatch, such as --sbatch=--time=2:00:00; may be repeated",
		0},
	{"listen", KEY_LISTEN, "tcp://HOST:PORT", 0,
		"where bots entered with `ladder add --remote` connect", 0},
	{"quiet", 'q', 0, 0, "no progress and no standings", 0},
	{0},
};

struct run_command {
	const char *path;
	struct run_options run;
	struct slurm_options slurm;
	const char *slurm_word; /* an option that needs --on slurm */
	int extra;
	int status;
};

static void parse_number(struct run_command *command, const char *name, const char *text,
	long max, long *value)
{
	int status = game_args_number(name, text, 1, max, value);

	command->status = status ? status : command->status;
}

/* Hours are allowed here, though duration_parse() does not know them. */
static void parse_time(struct run_command *command, const char *text)
{
	char *end;
	double hours = strtod(text, &end);

	if (end != text && end[0] == 'h' && !end[1] && hours > 0 && hours < 1e5)
		command->run.for_ns = (int64_t)(hours * 3600 * 1e9);
	else if (!duration_parse(text, &command->run.for_ns) || command->run.for_ns <= 0)
		command->status = user_error(
			"--for takes a time such as 90s, 30min or 2h, not '%s'", text);
}

static void parse_interval(struct run_command *command, const char *text)
{
	char *end;

	command->run.until_interval = strtod(text, &end);
	if (!*text || *end || !(command->run.until_interval > 0))
		command->status = user_error("--until-interval takes a number of Elo "
					     "points such as 25, not '%s'",
			text);
}

/* Parses the options of a cluster; false: the key is not one of them. */
static bool parse_slurm(struct run_command *command, int key, char *text)
{
	long value = 0;

	switch (key) {
	case KEY_ON:
		if (strcmp(text, "slurm"))
			command->status = user_error("--on takes slurm, not '%s'", text);
		command->run.slurm = &command->slurm;
		return true;
	case KEY_PARTITION:
		command->slurm_word = "--partition";
		command->slurm.partition = text;
		return true;
	case KEY_TASKS:
		command->slurm_word = "--tasks";
		parse_number(command, "--tasks", text, TASKS_LIMIT, &value);
		command->slurm.tasks = (int)value;
		return true;
	case KEY_SETS_PER_TASK:
		command->slurm_word = "--sets-per-task";
		parse_number(command, "--sets-per-task", text, SETS_LIMIT, &value);
		command->slurm.sets_per_task = (int)value;
		return true;
	case KEY_SBATCH:
		command->slurm_word = "--sbatch";
		if (command->extra == SLURM_EXTRA_MAX)
			command->status =
				user_error("--sbatch may be given at most %d times",
					SLURM_EXTRA_MAX);
		else
			command->slurm.extra[command->extra++] = text;
		return true;
	default:
		return false;
	}
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct run_command *command = state->input;
	long value = 0;

	switch (key) {
	case KEY_SETS:
		parse_number(command, "--sets", text, SETS_LIMIT, &value);
		command->run.sets = value;
		break;
	case KEY_FOR:
		parse_time(command, text);
		break;
	case KEY_UNTIL:
		parse_interval(command, text);
		break;
	case 'j':
		parse_number(command, "--jobs", text, JOBS_LIMIT, &value);
		command->run.jobs = (int)value;
		break;
	case KEY_AT_ONCE:
		parse_number(command, "--at-once", text, AT_ONCE_LIMIT, &value);
		command->run.at_once = (int)value;
		break;
	case KEY_LISTEN:
		command->run.listen = text;
		break;
	case 'q':
		command->run.quiet = true;
		break;
	case ARGP_KEY_ARG:
		if (command->path)
			argp_error(state, "name only one ladder");
		command->path = text;
		break;
	default:
		return parse_slurm(command, key, text) ? 0 : ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void show(struct ladder *ladder, bool listened)
{
	struct standings standings;
	struct why why;
	bool remote = false;

	if (!standings_load(&standings, ladder, &why))
		return;
	standings_print(&standings, false, stdout);
	for (int i = 0; i < standings.count; i++)
		remote |= standings.list[i].entrant.state == ENTRANT_ACTIVE &&
			  *standings.list[i].entrant.remote;
	if (remote && !listened)
		fputs("remote entrants play only in a run with --listen "
		      "tcp://HOST:PORT\n",
			stderr);
	standings_release(&standings);
}

int cmd_ladder_run(int argc, char **argv)
{
	static const struct argp argp = {options, parse, "DIR",
		"Plays duplicate sets and rates them, until it is told to stop.\v"
		"A run that was killed continues where it stopped.\n\n"
		"Examples:\n"
		"  pigpen ladder run pigs --for 2h\n"
		"  pigpen ladder run pigs --until-interval 25 --jobs 8\n"
		"  pigpen ladder run pigs --on slurm --tasks 32 --partition short",
		NULL, NULL, NULL};
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	struct run_command command = {.run = {.at_once = 1},
		.slurm = {
			.tasks = TASKS_DEFAULT, .sets_per_task = SETS_PER_TASK_DEFAULT}};
	struct ladder ladder;
	char live[LADDER_PATH_MAX];
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &command);
	if (command.status)
		return command.status;
	if (command.slurm_word && !command.run.slurm)
		return user_error("%s needs --on slurm", command.slurm_word);
	if (command.run.listen && command.run.slurm)
		return user_error("remote bots connect to one machine: "
				  "--listen cannot be combined with --on slurm");
	if (!command.run.jobs)
		command.run.jobs = command.run.slurm || cores < 1 ? 1 : (int)cores;
	status = cmd_ladder_open(&ladder, command.path, LADDER_WRITE);
	if (status)
		return status;
	ladder_file(&ladder, "live", live);
	command.slurm.folder = live;
	status = ladder_run(&ladder, &command.run);
	if (status != EXIT_USER && !command.run.quiet)
		show(&ladder, command.run.listen);
	ladder_close(&ladder);
	return status;
}
