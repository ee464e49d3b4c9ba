/* The subcommands of `pigpen ladder` that only read: standings, matrix and more. */
#include "arbiter/cmd/cmd.h"
#include "arbiter/cmd/ladder.h"
#include "arbiter/ladder/run/doctor.h"
#include "arbiter/ladder/rating/export.h"
#include "arbiter/ladder/rating/standings.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct show_command {
	const char *path;
	bool json, csv, all;
};

#define OPTION_JSON                                                                      \
	{                                                                                \
		"json", KEY_JSON, 0, 0, "as JSON", 0                                     \
	}

static const struct argp_option no_options[] = {{0}};
static const struct argp_option json_option[] = {OPTION_JSON, {0}};
static const struct argp_option standings_options[] = {
	OPTION_JSON,
	{"all", 'a', 0, 0, "include bots that were removed", 0},
	{0},
};
static const struct argp_option results_options[] = {
	OPTION_JSON,
	{"csv", 'c', 0, 0, "as CSV", 0},
	{0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct show_command *command = state->input;

	switch (key) {
	case KEY_JSON:
		command->json = true;
		break;
	case 'c':
		command->csv = true;
		break;
	case 'a':
		command->all = true;
		break;
	case ARGP_KEY_ARG:
		if (command->path)
			argp_error(state, "name only one ladder");
		command->path = text;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int open_to_show(int argc, char **argv, const struct argp_option *options,
	const char *help, struct show_command *command, struct ladder *ladder)
{
	const struct argp argp = {options, parse, "DIR", help, NULL, NULL, NULL};

	memset(command, 0, sizeof(*command));
	argp_parse(&argp, argc, argv, 0, NULL, command);
	return cmd_ladder_open(ladder, command->path, LADDER_READ);
}

static void print_json(json_t *root)
{
	json_dumpf(root, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(10));
	fputc('\n', stdout);
	json_decref(root);
}

static int show_standings(int argc, char **argv, bool matrix)
{
	struct show_command command;
	struct ladder ladder;
	struct standings standings;
	struct why why;
	int status = open_to_show(argc, argv, matrix ? json_option : standings_options,
		matrix ? "Prints who beats whom by how much, and cycles (A beats B "
			 "beats C beats A)."
		       : "Prints ratings with 95 % intervals. `> next` is the likelihood "
			 "of being stronger than the next in the list.",
		&command, &ladder);

	if (status)
		return status;
	if (!standings_load(&standings, &ladder, &why))
		status = user_error("%s", why.text);
	else if (command.json)
		print_json(matrix ? standings_matrix_json(&standings)
				  : standings_json(&standings));
	else if (matrix)
		standings_print_matrix(&standings, stdout);
	else
		standings_print(&standings, command.all, stdout);
	if (!status)
		standings_release(&standings);
	ladder_close(&ladder);
	return status;
}

int cmd_ladder_standings(int argc, char **argv)
{
	return show_standings(argc, argv, false);
}

int cmd_ladder_matrix(int argc, char **argv)
{
	return show_standings(argc, argv, true);
}

int cmd_ladder_history(int argc, char **argv)
{
	struct show_command command;
	struct ladder ladder;
	struct store_entrant *entrants = NULL;
	struct store_rating *list = NULL;
	int entrant_count, count;
	int status = open_to_show(argc, argv, json_option,
		"Prints the ratings as they stood before each epoch.", &command, &ladder);

	if (status)
		return status;
	if (!store_entrants(ladder.store, &entrants, &entrant_count) ||
		!store_history(ladder.store, &list, &count))
		status = user_error("%s", store_why(ladder.store));
	else if (command.json)
		print_json(export_history(list, count));
	else
		standings_print_history(entrants, entrant_count, list, count, stdout);
	free(entrants);
	free(list);
	ladder_close(&ladder);
	return status;
}

int cmd_ladder_results(int argc, char **argv)
{
	struct show_command command;
	struct ladder ladder;
	int status = open_to_show(argc, argv, results_options,
		"Prints every seat of every match.", &command, &ladder);
	bool ok = true;

	if (status)
		return status;
	if (command.json == command.csv) {
		status = user_error("choose a form with --json or --csv");
	} else if (command.csv) {
		ok = export_results_csv(&ladder, stdout);
	} else {
		json_t *results = export_results(&ladder);

		ok = results != NULL;
		if (ok)
			print_json(results);
	}
	if (!ok)
		status = user_error("%s", store_why(ladder.store));
	ladder_close(&ladder);
	return status;
}

int cmd_ladder_export(int argc, char **argv)
{
	struct show_command command;
	struct ladder ladder;
	json_t *whole;
	struct why why;
	int status = open_to_show(argc, argv, no_options,
		"Prints everything that is known of a ladder as one JSON document.",
		&command, &ladder);

	if (status)
		return status;
	whole = export_ladder(&ladder, &why);
	if (whole)
		print_json(whole);
	else
		status = user_error("%s", why.text);
	ladder_close(&ladder);
	return status;
}

int cmd_ladder_doctor(int argc, char **argv)
{
	struct show_command command;
	struct ladder ladder;
	struct doctor_report report;
	int status = open_to_show(argc, argv, no_options,
		"Checks the store and every replay against each other.", &command,
		&ladder);

	if (status)
		return status;
	report = ladder_doctor(&ladder, stdout);
	printf("%lld sets, %lld matches, %lld replays: %s\n", (long long)report.sets,
		(long long)report.matches, (long long)report.replays,
		report.problems ? "not well" : "all well");
	ladder_close(&ladder);
	return report.problems ? EXIT_FAILED : EXIT_OK;
}
