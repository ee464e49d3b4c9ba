/* Game, seats and options on a command line. */
#include "arbiter/cmd/game_args.h"
#include "arbiter/cmd/cmd.h"
#include "arbiter/table/option_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends to a buffer that is a terminated string. */
static void append(char *buffer, size_t size, const char *separator, const char *text)
{
	size_t used = strlen(buffer);

	snprintf(buffer + used, size - used, "%s%s", used ? separator : "", text);
}

int game_args_find(const char *id, const struct game **game)
{
	char list[256] = "";

	*game = game_find(id);
	if (*game)
		return EXIT_OK;
	for (int i = 0; game_list[i]; i++)
		append(list, sizeof(list), ", ", game_list[i]->id);
	return user_error("there is no game '%s'; there are: %s", id, list);
}

int game_args_number(const char *name, const char *text, long min, long max, long *value)
{
	char *end;

	*value = strtol(text, &end, 10);
	if (*text && !*end && *value >= min && *value <= max)
		return EXIT_OK;
	return user_error(
		"%s is a number from %ld to %ld, not '%s'", name, min, max, text);
}

int game_args_option(const struct game *game, const char *text, int16_t *option)
{
	const char *equals = strchr(text, '=');
	char name[64], list[512] = "";
	int index;

	if (!equals)
		return user_error(
			"--option takes name=value, not '%s'; `pigpen games %s` "
			"lists the options",
			text, game->id);
	snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
	index = game_option_find(game, name);
	if (index < 0) {
		for (int i = 0; i < game->option_count; i++)
			append(list, sizeof(list), ", ", game->options[i].name);
		return user_error(
			"%s has no option '%s'; it has: %s", game->id, name, list);
	}
	if (game_option_parse(&game->options[index], equals + 1, &option[index]))
		return EXIT_OK;
	option_allowed(&game->options[index], list, sizeof(list));
	return user_error("%s cannot be '%s'; allowed: %s", name, equals + 1, list);
}

static int parse_seats(struct game_args *args)
{
	const struct game *game = args->game;
	char *end;
	long value = strtol(args->seats_text, &end, 10);

	if (*end || value < game->seats_min || value > game->seats_max) {
		if (game->seats_min == game->seats_max)
			return user_error("%s is for %d seats, not '%s'", game->id,
				game->seats_min, args->seats_text);
		return user_error("%s is for %d to %d seats, not '%s'", game->id,
			game->seats_min, game->seats_max, args->seats_text);
	}
	args->seats = (int)value;
	return EXIT_OK;
}

int game_args_settle(struct game_args *args)
{
	if (game_args_find(args->id, &args->game))
		return EXIT_USER;
	args->seats = args->game->seats_min;
	game_defaults(args->game, args->option);
	if (args->seats_text && parse_seats(args))
		return EXIT_USER;
	for (int i = 0; i < args->option_texts; i++)
		if (game_args_option(args->game, args->option_text[i], args->option))
			return EXIT_USER;
	return EXIT_OK;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct game_args *args = state->input;

	if (key != 'o')
		return ARGP_ERR_UNKNOWN;
	if (args->option_texts == GAME_OPTIONS_MAX * 2)
		argp_error(state, "too many --option arguments");
	args->option_text[args->option_texts++] = text;
	return 0;
}

static error_t parse_table(int key, char *text, struct argp_state *state)
{
	struct game_args *args = state->input;

	if (key == ARGP_KEY_INIT)
		state->child_inputs[0] = args;
	else if (key == 's')
		args->seats_text = text;
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct game_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = args;
		return 0;
	case ARGP_KEY_ARG:
		if (args->id)
			argp_error(state, "name only one game");
		args->id = text;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "name a game; `pigpen games` lists them");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option option_options[] = {
	{"option", 'o', "NAME=VALUE", 0,
		"an option of the game (`pigpen games GAME` lists them); may be repeated",
		0},
	{0},
};
static const struct argp_option table_options[] = {
	{"seats", 's', "N", 0, "number of seats (default: the smallest)", 0},
	{0},
};
static const struct argp_child option_child[] = {
	{&game_args_option_argp, 0, NULL, 0}, {0}};
static const struct argp_child table_child[] = {{&game_args_table_argp, 0, NULL, 0}, {0}};

const struct argp game_args_option_argp = {
	.options = option_options, .parser = parse_option};
const struct argp game_args_table_argp = {
	.options = table_options, .parser = parse_table, .children = option_child};
const struct argp game_args_argp = {.parser = parse, .children = table_child};
