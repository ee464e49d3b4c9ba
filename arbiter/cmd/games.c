/* `pigpen games`: lists the games; `pigpen games GAME`: describes one. */
#include "arbiter/cmd/cmd.h"
#include "arbiter/cmd/game_args.h"
#include "arbiter/table/option_text.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

static void print_seats(const struct game *game, char *buffer, size_t size)
{
	if (game->seats_min == game->seats_max)
		snprintf(buffer, size, "%d", game->seats_min);
	else
		snprintf(buffer, size, "%d-%d", game->seats_min, game->seats_max);
}

static void list_games(void)
{
	char seats[16];

	printf("%-16s %-16s %-6s %s\n", "ID", "TITLE", "SEATS", "TEAMS");
	for (int i = 0; game_list[i]; i++) {
		print_seats(game_list[i], seats, sizeof(seats));
		printf("%-16s %-16s %-6s %s\n", game_list[i]->id, game_list[i]->title,
			seats, game_list[i]->teams ? "2 of 2" : "none");
	}
	puts("\n`pigpen games GAME` describes a game.");
}

/* Prints text in lines of at most 78 columns, each after `indent` blanks. */
static void print_wrapped(const char *text, int indent)
{
	int column = 0;

	while (*text) {
		int n = (int)strcspn(text, " ");

		if (column && column + 1 + n > 78 - indent) {
			putchar('\n');
			column = 0;
		}
		column += printf("%*s%.*s", column ? 1 : indent, "", n, text) -
			  (column ? 0 : indent);
		text += n + (text[n] == ' ');
	}
	putchar('\n');
}

static void describe_game(const struct game *game)
{
	char seats[16], value[32], allowed[256];

	print_seats(game, seats, sizeof(seats));
	printf("%s (%s), %s seats%s, rules version %d\n\n", game->title, game->id, seats,
		game->teams ? " in two partnerships" : "", game->rules_version);
	print_wrapped(game->summary, 0);
	puts("\nOptions (--option NAME=VALUE):");
	for (int i = 0; i < game->option_count; i++) {
		const struct game_option *option = &game->options[i];

		option_value(option, option->default_value, value, sizeof(value));
		option_allowed(option, allowed, sizeof(allowed));
		printf("  %s=%s  (%s)\n", option->name, value, allowed);
		print_wrapped(option->help, 6);
	}
	printf("\nRules: specs/games/%s.md\n", game->id);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const char **id = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (*id)
		argp_error(state, "name only one game");
	*id = arg;
	return 0;
}

int cmd_games(int argc, char **argv)
{
	const struct argp argp = {.parser = parse,
		.args_doc = "[GAME]",
		.doc = "Lists the games, or describes one: seats, options with their "
		       "defaults, and what it is about."};
	const char *id = NULL;
	const struct game *game;

	argp_parse(&argp, argc, argv, 0, NULL, &id);
	if (!id) {
		list_games();
		return EXIT_OK;
	}
	if (game_args_find(id, &game))
		return EXIT_USER;
	describe_game(game);
	return EXIT_OK;
}
