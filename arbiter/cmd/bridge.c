/* `pigpen bridge`: connects a program that speaks JSON on stdio to an arbiter. */
#include "arbiter/bridge/bridge.h"
#include "arbiter/cmd/cmd.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_NAME = 256, KEY_VERSION, KEY_LANG, KEY_MATCHES, KEY_EVENTS };

static const struct argp_option argp_options[] = {
	{"name", KEY_NAME, "NAME", 0, "the bot's name (the command's file name)", 0},
	{"bot-version", KEY_VERSION, "TEXT", 0, "the bot's version", 0},
	{"lang", KEY_LANG, "TEXT", 0, "the bot's language", 0},
	{"matches", KEY_MATCHES, "N", 0, "how many matches at once (1)", 0},
	{"events", KEY_EVENTS, 0, 0, "pass on events as they happen", 0},
	{0},
};

static error_t parse_matches(struct bridge_options *options, const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (!*text || *end || number < 1 || number > MATCHES_MAX) {
		user_error("bridge: --matches: '%s' is not a number from 1 to %d", text,
			MATCHES_MAX);
		return EINVAL;
	}
	options->matches = (int)number;
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct bridge_options *options = state->input;

	switch (key) {
	case KEY_NAME:
		options->name = arg;
		return 0;
	case KEY_VERSION:
		options->version = arg;
		return 0;
	case KEY_LANG:
		options->lang = arg;
		return 0;
	case KEY_MATCHES:
		return parse_matches(options, arg);
	case KEY_EVENTS:
		options->events = true;
		return 0;
	case ARGP_KEY_ARG:
		/* The command and its arguments. */
		options->command = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_bridge(int argc, char **argv)
{
	static const struct argp argp = {argp_options, parse, "-- COMMAND…",
		"Connects a program that reads and writes lines of JSON to an arbiter. "
		"The arbiter starts it for bots whose bot.json says "
		"\"transport\": \"stdio\"; run it by hand for a bot that "
		"plays on another machine. specs/bridge.md describes it.\v"
		"Examples:\n"
		"  pigpen bridge --matches 8 -- awk -f bot.awk",
		NULL, NULL, NULL};
	struct bridge_options options = {.matches = 1};
	const char *slash;

	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &options))
		return EXIT_USER;
	if (!options.command)
		return user_error(
			"bridge: name the program to run: pigpen bridge -- COMMAND…");
	slash = strrchr(options.command[0], '/');
	if (!options.name)
		options.name = slash ? slash + 1 : options.command[0];
	return bridge_run(&options);
}
