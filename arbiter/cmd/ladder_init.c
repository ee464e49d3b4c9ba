/* `pigpen ladder init`: settings on the command line become a ladder.json. */
#include "arbiter/cmd/cmd.h"
#include "arbiter/cmd/ladder.h"
#include "arbiter/cmd/match_args.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEY_GAME = 256,
	KEY_SCHEDULE,
	KEY_CHALLENGER,
	KEY_TEAMS,
	KEY_ONE_PER_AUTHOR,
	KEY_ANCHOR,
	KEY_ANCHOR_ELO,
	KEY_KEEP,
	KEY_DISK,
	KEY_SEED,
	KEY_BENCH_SHARE,
	KEY_BENCH_MATCHES,
	KEY_WORKER_MB
};

static const struct argp_option options[] = {
	{"game", KEY_GAME, "GAME", 0, "the game (`pigpen games` lists them)", 0},
	{"schedule", KEY_SCHEDULE, "adaptive|round_robin|gauntlet", 0,
		"who meets whom (adaptive: the pairings that tell most)", 0},
	{"challenger", KEY_CHALLENGER, "NAME", 0, "who sits at every table of a gauntlet",
		0},
	{"teams", KEY_TEAMS, "same|mixed", 0,
		"partnerships of one entrant, or of different ones (same)", 0},
	{"one-per-author", KEY_ONE_PER_AUTHOR, 0, 0,
		"at most one bot per author at a table", 0},
	{"anchor", KEY_ANCHOR, "NAME", 0, "whose rating is fixed (the first entrant)", 0},
	{"anchor-elo", KEY_ANCHOR_ELO, "ELO", 0, "the rating of the anchor (1000)", 0},
	{"keep", KEY_KEEP, "all|faults+sample|none", 0,
		"which replays to keep; faults+sample: those with faults and a sample "
		"of the rest (all)",
		0},
	{"disk-mb", KEY_DISK, "N", 0,
		"delete the oldest replays beyond this size (no limit)", 0},
	{"bench-share", KEY_BENCH_SHARE, "SHARE", 0,
		"bench a bot with faults in more than this share of its matches (0.25)",
		0},
	{"bench-matches", KEY_BENCH_MATCHES, "N", 0,
		"but not before this many matches (16)", 0},
	{"worker-mb", KEY_WORKER_MB, "N", 0, "memory limit of a worker (1024)", 0},
	{"seed", KEY_SEED, "TEXT", 0,
		"determines the schedule; random if not given. The deals have a secret "
		"key",
		0},
	{0},
};

/* All options except the rules, as the JSON that ladder.json would hold;
 * ladder_settings_read() checks it. */
struct init_command {
	const char *path;
	struct match_args args;
	json_t *said;
};

static void say_number(struct init_command *command, const char *key, const char *text,
	struct argp_state *state)
{
	char *end;
	double value = strtod(text, &end);

	if (!*text || *end)
		argp_error(state, "%s must be a number, not '%s'", key, text);
	/* Integers stay integers in the JSON. */
	json_object_set_new(command->said, key,
		value == (double)(json_int_t)value ? json_integer((json_int_t)value)
						   : json_real(value));
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	static const struct {
		int key;
		const char *name;
		bool number;
	} keys[] = {{KEY_SCHEDULE, "schedule", false},
		{KEY_CHALLENGER, "challenger", false}, {KEY_TEAMS, "teams", false},
		{KEY_ANCHOR, "anchor", false}, {KEY_ANCHOR_ELO, "anchor_elo", true},
		{KEY_KEEP, "keep", false}, {KEY_DISK, "disk_mb", true},
		{KEY_BENCH_SHARE, "bench_share", true},
		{KEY_BENCH_MATCHES, "bench_matches", true},
		{KEY_WORKER_MB, "worker_mb", true}, {KEY_SEED, "seed", false}};
	struct init_command *command = state->input;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (key == keys[i].key) {
			if (keys[i].number)
				say_number(command, keys[i].name, text, state);
			else
				json_object_set_new(
					command->said, keys[i].name, json_string(text));
			return 0;
		}
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &command->args.game;
		for (int i = 1; i <= 3; i++)
			state->child_inputs[i] = &command->args;
		return 0;
	case KEY_GAME:
		command->args.game.id = text;
		return 0;
	case KEY_ONE_PER_AUTHOR:
		json_object_set_new(command->said, "one_per_author", json_true());
		return 0;
	case ARGP_KEY_ARG:
		if (command->path)
			argp_error(state, "name only one directory");
		command->path = text;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* If partners are drawn during the match, an entrant cannot hold a whole team. */
static int settle_teams(struct ladder_settings *config, bool said)
{
	int8_t side[GAME_SEATS_MAX];

	if (match_rules_sides(&config->rules, side) || config->teams == TEAMS_MIXED)
		return EXIT_OK;
	if (said)
		return user_error("--teams same: partners are drawn during the match "
				  "with these options, so teams must be mixed");
	config->teams = TEAMS_MIXED;
	return EXIT_OK;
}

static int create(struct init_command *command)
{
	struct ladder_settings config;
	json_t *whole = json_object();
	struct why why;
	int status = EXIT_OK;

	match_rules_write(&command->args.rules, whole);
	json_object_set_new(whole, "format", json_integer(LADDER_FORMAT));
	json_object_update(whole, command->said);
	if (!ladder_settings_read(&config, whole, &why))
		status = user_error("%s", why.text);
	json_decref(whole);
	if (!status)
		status = settle_teams(
			&config, json_object_get(command->said, "teams") != NULL);
	if (!status && config.schedule == SCHEDULE_GAUNTLET && !*config.challenger)
		status = user_error("a gauntlet needs --challenger NAME");
	if (!status && !ladder_create(command->path, &config, &why))
		status = user_error("%s", why.text);
	if (!status)
		printf("%s is a ladder of %s with %d seats; "
		       "`pigpen ladder add %s BOT…` enters bots\n",
			command->path, config.rules.game->title, config.rules.seats,
			command->path);
	return status;
}

int cmd_ladder_init(int argc, char **argv)
{
	static const struct argp_child children[] = {{&game_args_table_argp, 0, NULL, 0},
		{&match_args_clock_argp, 0, NULL, 0},
		{&match_args_faults_argp, 0, NULL, 0},
		{&match_args_sandbox_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {options, parse, "DIR",
		"Makes a ladder: a directory for bots, results and replays.\v"
		"The settings are stored in DIR/ladder.json.\n\n"
		"Examples:\n"
		"  pigpen ladder init pigs --game pig_pile --seats 4\n"
		"  pigpen ladder init duel --game dirty_pig --schedule gauntlet \\\n"
		"      --challenger mybot",
		children, NULL, NULL};
	struct init_command command = {.said = json_object()};
	int status;

	match_args_init(&command.args);
	command.args.rules.sandbox = SANDBOX_REQUIRE;
	argp_parse(&argp, argc, argv, 0, NULL, &command);
	if (!command.path)
		status = user_error("name the directory to make");
	else if (!command.args.game.id)
		status = user_error(
			"name the game with --game GAME; `pigpen games` lists them");
	else
		status = match_args_settle(&command.args);
	if (!status)
		status = create(&command);
	json_decref(command.said);
	return status;
}
