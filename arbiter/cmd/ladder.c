/* `pigpen ladder SUBCOMMAND …`, and the subcommands that change who plays. */
#include "arbiter/cmd/ladder.h"
#include "arbiter/cmd/cmd.h"
#include "arbiter/ladder/directory/requests.h"
#include "arbiter/ladder/directory/owner.h"
#include "arbiter/ladder/slurm/task.h"
#include "arbiter/ladder/submit/admission.h"
#include "arbiter/ladder/submit/workshop.h"
#include "arbiter/ladder/workers/worker.h"
#include "protocol/keys.h"
#include "protocol/memory.h"

#include <argp.h>
#include <stdio.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

static int cmd_ladder_worker(int argc, char **argv)
{
	static const struct argp argp = {NULL, NULL, NULL,
		"Plays the matches named on standard input for a coordinator, a line of "
		"JSON each; specs/ladder.md describes them.",
		NULL, NULL, NULL};

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	return worker_run();
}

static error_t parse_task(int key, char *text, struct argp_state *state)
{
	const char **folder = state->input;

	if (key != ARGP_KEY_ARG || *folder)
		return ARGP_ERR_UNKNOWN;
	*folder = text;
	return 0;
}

static int cmd_ladder_task(int argc, char **argv)
{
	static const struct argp argp = {NULL, parse_task, "FOLDER",
		"Plays the matches that `ladder run --on slurm` has put into a folder; "
		"specs/ladder.md describes it.",
		NULL, NULL, NULL};
	const char *folder = NULL;

	argp_parse(&argp, argc, argv, 0, NULL, &folder);
	return folder ? task_run(folder) : user_error("name the task's folder");
}

static const struct cmd subcommands[] = {
	{"init", "make a ladder", cmd_ladder_init},
	{"add", "enter bots: copied, built, checked", cmd_ladder_add},
	{"remove", "take a bot out for good; its results stay", cmd_ladder_remove},
	{"bench", "take a bot out until `unbench`", cmd_ladder_bench},
	{"unbench", "let a bot play again", cmd_ladder_unbench},
	{"token", "make, list or revoke owners' access tokens", cmd_ladder_token},
	{"admit", "check and enter what was submitted on the page", cmd_ladder_admit},
	{"run", "play", cmd_ladder_run},
	{"standings", "ratings with intervals", cmd_ladder_standings},
	{"matrix", "who beats whom by how much", cmd_ladder_matrix},
	{"history", "ratings over time", cmd_ladder_history},
	{"results", "all results, as JSON or CSV", cmd_ladder_results},
	{"export", "everything as JSON", cmd_ladder_export},
	{"site", "write the pages of `pigpen serve` as files", cmd_ladder_site},
	{"doctor", "check store and replays against each other", cmd_ladder_doctor},
	{"worker", "play matches for a coordinator (internal)", cmd_ladder_worker},
	{"workshop", NULL, workshop_main},
	{"task", "play matches on a node of a cluster (internal)", cmd_ladder_task},
	{0},
};

int cmd_ladder(int argc, char **argv)
{
	return cmd_dispatch(subcommands, "pigpen ladder",
		"A ladder is a directory in which bots are entered, play duplicate sets\n"
		"against each other and are rated.",
		argc, argv);
}

int cmd_ladder_open(struct ladder *ladder, const char *path, enum ladder_access access)
{
	struct why why;

	if (!path)
		return user_error("name the ladder's directory");
	if (ladder_open(ladder, path, access, &why))
		return EXIT_OK;
	return user_error("%s", why.text);
}

enum { KEY_REMOTE = 256, KEY_KEY };

struct change_command {
	const char *path;
	const char *reason;
	const char **names;
	int count;
	const char *owner;
	bool no_check;
	const char *remote, *key;
};

static error_t parse_change(int key, char *text, struct argp_state *state)
{
	struct change_command *command = state->input;

	switch (key) {
	case 'r':
		command->reason = text;
		break;
	case 'n':
		command->no_check = true;
		break;
	case KEY_REMOTE:
		command->remote = text;
		break;
	case KEY_KEY:
		command->key = text;
		break;
	case 'o':
		if (!owner_name_ok(text))
			argp_error(state,
				"'%s' is not a valid owner name; use letters, digits and . _ - +",
				text);
		command->owner = text;
		break;
	case ARGP_KEY_ARG:
		if (!command->path)
			command->path = text;
		else
			command->names[command->count++] = text;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Applies a posted request at once if we hold the lock; reports one not posted. */
static int apply_posted(struct ladder *ladder, bool posted)
{
	if (!posted)
		return user_error("the request cannot be written to %s/inbox; is there "
				  "room, and may this user write there?",
			ladder->path);
	if (ladder->lock < 0) {
		printf("the running ladder applies this before it plans its next epoch\n");
		return EXIT_OK;
	}
	if (requests_apply(ladder, stdout))
		return EXIT_OK;
	return user_error("%s", store_why(ladder->store));
}

static int add_one(
	struct ladder *ladder, const struct change_command *command, const char *what)
{
	const struct admission_order order = {
		.what = what, .owner = command->owner, .no_check = command->no_check};
	struct store_entrant entrant;
	struct why why;

	if (!admit_bot(ladder, &order, &entrant, &why))
		return user_error("%s is not entered: %s", what, why.text);
	return apply_posted(ladder, request_post_add(ladder, &entrant));
}

/* A remote bot can hold only one seat of a table, and its CPU time cannot be measured. */
static int add_remote(struct ladder *ladder, const struct change_command *command)
{
	const struct ladder_settings *config = &ladder->config;
	struct store_entrant entrant = {0};
	uint8_t bytes[KEY_BYTES];
	int8_t side[GAME_SEATS_MAX];
	int sides = match_rules_sides(&config->rules, side);

	if (!command->key || !key_from_text(command->key, bytes))
		return user_error("--remote %s needs --key with its public key, the 40 "
				  "characters in its NAME.pub (`pigpen keygen`)",
			command->remote);
	if (!key_name_valid(command->remote))
		return user_error(
			"'%s' is not a valid name; use letters, digits, '_', '-' and '.'",
			command->remote);
	if (config->rules.clock.kind == CLOCK_KIND_CPU)
		return user_error("the clocks of this ladder count CPU time, which "
				  "cannot be known of a remote bot");
	if (config->teams == TEAMS_SAME && sides && sides < config->rules.seats)
		return user_error("in this ladder an entrant holds all seats of a team; "
				  "a remote bot can hold one (--teams mixed)");
	snprintf(entrant.name, sizeof(entrant.name), "%s", command->remote);
	snprintf(entrant.remote, sizeof(entrant.remote), "%s", command->key);
	snprintf(entrant.owner, sizeof(entrant.owner), "%s",
		command->owner ? command->owner : "");
	/* The key tells its versions apart, because nothing else is known of it. */
	sodium_bin2hex(entrant.hash, sizeof(entrant.hash), bytes, sizeof(bytes));
	return apply_posted(ladder, request_post_add(ladder, &entrant));
}

static int change_one(
	struct ladder *ladder, const char *verb, const char *name, const char *reason)
{
	struct store_entrant *list;
	int count, status = EXIT_OK;
	json_t *request;
	bool ok;

	if (!store_entrants(ladder->store, &list, &count))
		return user_error("%s", store_why(ladder->store));
	if (!entrant_by_name(list, count, name))
		status = user_error("%s has no entrant '%s'; `pigpen ladder standings %s "
				    "--all` lists them",
			ladder->path, name, ladder->path);
	free(list);
	if (status)
		return status;
	request = json_pack("{s:s,s:s,s:s}", "do", verb, "name", name, "reason",
		reason ? reason : "");
	ok = request_post(ladder, request);
	json_decref(request);
	return apply_posted(ladder, ok);
}

static const struct argp_option add_options[] = {
	{"no-check", 'n', 0, 0, "enter the bots without `pigpen check`", 0},
	{"remote", KEY_REMOTE, "NAME", 0,
		"instead of a BOT: one that connects by itself to `ladder run --listen`",
		0},
	{"key", KEY_KEY, "KEY", 0, "its public key, as in its NAME.pub", 0},
	{"owner", 'o', "NAME", 0,
		"owner of the bots, as in `ladder token` "
		"(default: the owner of an earlier version, else the host)",
		0},
	{0},
};

static const struct argp_option change_options[] = {
	{"reason", 'r', "TEXT", 0, "shown in the standings", 0},
	{0},
};

static int change_entrants(int argc, char **argv, const char *verb)
{
	bool add = !strcmp(verb, "add");
	const struct argp argp = {add ? add_options : change_options, parse_change,
		add ? "DIR BOT…" : "DIR NAME[@HASH]…",
		add ? "Enters bots. A BOT is a folder with a bot.json, an archive of one "
		      "(tar or zip), an executable, or the name of a sample bot.\v"
		      "Examples:\n"
		      "  pigpen ladder add pigs greedy search mybot/\n"
		      "  pigpen ladder add pigs mybot.tar.gz --owner anna\n"
		      "  pigpen ladder add pigs --remote anna --key 'rq:rM>}U…'"
		    : "Changes whether entrants play. Their results stay.",
		NULL, NULL, NULL};
	struct change_command command = {
		.names = xcalloc((size_t)argc + 1, sizeof(*command.names))};
	struct ladder ladder;
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &command);
	if (command.remote && command.count)
		status = user_error("give either --remote or bots, not both");
	else
		status =
			command.count || command.remote
				? cmd_ladder_open(&ladder, command.path, LADDER_WRITE_TRY)
				: user_error(
					  "name the ladder's directory and at least one bot");
	if ((command.count || command.remote) && !status) {
		if (command.remote)
			status = add_remote(&ladder, &command);
		for (int i = 0; i < command.count; i++) {
			int one = add ? add_one(&ladder, &command, command.names[i])
				      : change_one(&ladder, verb, command.names[i],
						command.reason);

			status = one ? one : status;
		}
		ladder_close(&ladder);
	}
	free(command.names);
	return status;
}

int cmd_ladder_add(int argc, char **argv)
{
	return change_entrants(argc, argv, "add");
}

int cmd_ladder_remove(int argc, char **argv)
{
	return change_entrants(argc, argv, "remove");
}

int cmd_ladder_bench(int argc, char **argv)
{
	return change_entrants(argc, argv, "bench");
}

int cmd_ladder_unbench(int argc, char **argv)
{
	return change_entrants(argc, argv, "unbench");
}
