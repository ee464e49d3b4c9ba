/* `pigpen check`: the conformance check, for people and for scripts. */
#include "arbiter/base/json_text.h"
#include "arbiter/check/check.h"
#include "arbiter/cmd/cmd.h"
#include "arbiter/cmd/match_args.h"

#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_ALL = 256 };

static const struct argp_option argp_options[] = {
	{"game", 'g', "GAME", 0,
		"play this game only (may be repeated; default: all it declares)", 0},
	{"all", KEY_ALL, 0, 0,
		"every number of seats, not only smallest, middle, largest", 0},
	{"json", KEY_JSON, 0, 0, "print the report as JSON", 0},
	{0},
};

struct check_command {
	const char *bot;
	struct check_options options;
	struct match_args args; /* only the clock, sandbox and limits are used */
	bool json;
	int status;
};

static void parse_game(struct check_command *command, const char *id)
{
	const struct game *game;

	if (game_args_find(id, &game))
		command->status = EXIT_USER;
	else if (command->options.game_count < BOT_GAMES_MAX)
		command->options.game[command->options.game_count++] = game;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct check_command *command = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[1] = &command->args;
		break;
	case 'g':
		parse_game(command, text);
		break;
	case KEY_ALL:
		command->options.every_seat_count = true;
		break;
	case KEY_JSON:
		command->json = true;
		break;
	case ARGP_KEY_ARG:
		if (command->bot)
			argp_error(state, "only one bot can be checked at a time");
		command->bot = text;
		break;
	case ARGP_KEY_END:
		if (!command->bot)
			argp_error(state, "name a bot: a folder with a bot.json, an "
					  "executable, or a sample bot");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const char *const verdict_names[] = {"pass", "FAIL", "skip"};

static void print_bytes(const struct check_step *step)
{
	if (!step->bytes_size)
		return;
	printf("          it sent:");
	for (size_t i = 0; i < step->bytes_size && i < 48; i++)
		printf(" %02x", step->bytes[i]);
	printf("%s\n", step->bytes_size > 48 ? " …" : "");
}

static void print_output(const char *output)
{
	char copy[sizeof(((struct check_step *)0)->output)], *rest = copy, *line;

	snprintf(copy, sizeof(copy), "%s", output);
	while ((line = strsep(&rest, "\n")))
		if (*line)
			printf("          | %s\n", line);
}

static void print_step(void *context, int number, const struct check_step *step)
{
	(void)context;
	printf("%3d  %s  %s%s%s\n", number, verdict_names[step->verdict], step->name,
		*step->why.text ? ": " : "", step->why.text);
	if (step->verdict == CHECK_FAIL) {
		print_bytes(step);
		print_output(step->output);
	}
	fflush(stdout);
}

static json_t *json_of(const struct check_step *step)
{
	static const char *const words[] = {"pass", "fail", "skip"};
	json_t *json = json_pack("{s:s,s:s,s:o}", "name", step->name, "verdict",
		words[step->verdict], "why",
		json_of_bytes(step->why.text, strlen(step->why.text)));
	char hex[2 * sizeof(step->bytes) + 1] = "";

	for (size_t i = 0; i < step->bytes_size; i++)
		snprintf(hex + 2 * i, 3, "%02x", step->bytes[i]);
	if (step->verdict == CHECK_FAIL) {
		json_object_set_new(json, "bytes", json_string(hex));
		json_object_set_new(json, "output",
			json_of_bytes(step->output, strlen(step->output)));
	}
	return json;
}

static void print_json(const struct bot_spec *bot, const struct check_report *report)
{
	json_t *steps = json_array();
	json_t *root = json_pack("{s:s,s:s,s:b,s:o}", "bot", bot->name, "hash", bot->hash,
		"passed", report->failed == 0, "steps", steps);

	for (int i = 0; i < report->count; i++)
		json_array_append_new(steps, json_of(&report->list[i]));
	json_dumpf(root, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(root);
}

static void settle_games(const struct bot_spec *bot, struct check_options *options)
{
	if (options->game_count)
		return;
	for (int i = 0; game_list[i]; i++)
		if (bot_spec_plays(bot, game_list[i]->id))
			options->game[options->game_count++] = game_list[i];
}

static int run(struct check_command *command, const struct bot_spec *bot)
{
	static struct check_report report;
	struct check_options *options = &command->options;

	settle_games(bot, options);
	if (!options->game_count)
		return user_error("%s plays no game of this program; its bot.json lists "
				  "the games under \"games\"",
			bot->name);
	if (!command->json) {
		printf("%s%s%s\n", bot->name, *bot->version ? " " : "", bot->version);
		options->step = print_step;
	}
	check_run(bot, options, &report);
	if (command->json)
		print_json(bot, &report);
	else
		printf(report.failed ? "%s fails %d of %d steps\n"
				     : "%s keeps to the protocol (%d failed, %d steps)\n",
			bot->name, report.failed, report.count);
	return report.failed ? EXIT_FAILED : EXIT_OK;
}

int cmd_check(int argc, char **argv)
{
	static const struct argp_child children[] = {{&match_args_clock_argp, 0, NULL, 0},
		{&match_args_sandbox_argp, 0, NULL, 0}, {0}};
	struct check_command command = {.status = EXIT_OK};
	struct match_rules *rules = &command.args.rules;
	struct bot_spec bot;
	const struct argp argp = {argp_options, parse, "BOT",
		"Checks that a bot keeps to the protocol, step by step, and says what to fix.\v"
		"The exit status is 0 if it does, 1 if a step fails, 2 for a user error.\n\n"
		"Examples:\n"
		"  pigpen check mybot\n"
		"  pigpen check mybot --game dirty_pig --sandbox off",
		children, NULL, NULL};
	struct why why;
	int status;

	match_args_init(&command.args);
	clock_rules_parse("bank=10s,inc=50ms,move=5s", &rules->clock, &why);
	if (argp_parse(&argp, argc, argv, 0, NULL, &command) || command.status ||
		command.args.status)
		return EXIT_USER;
	command.options.clock = rules->clock;
	if (!bot_spec_load(&bot, command.bot, &why))
		return user_error("%s", why.text);
	bot_spec_warn(&bot);
	status = sandbox_choose(rules->sandbox, &rules->limits, &command.options.sandbox);
	if (status)
		return status;
	status = run(&command, &bot);
	bot_spec_release(&bot);
	return status;
}
