/* `pigpen COMMAND …`: finds the command and hands over. */
#include "arbiter/cmd.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

static const struct cmd commands[] = {
	{"games", "list the games, or describe one", cmd_games},
	{"sim", "play random matches inside this process", cmd_sim},
	{"perft", "count action sequences, to check other engines against", cmd_perft},
	{"match", "play matches between bots", cmd_match},
	{"bridge", "connect a program that speaks JSON lines to an arbiter", cmd_bridge},
	{"replay", "read, prove and compare replays", cmd_replay},
};

static void print_help(FILE *out)
{
	fputs("Usage: pigpen COMMAND [ARGUMENT…]\n\n"
	      "A match runner for programs that play hidden-information card games.\n\n",
		out);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].help);
	fputs("\n`pigpen COMMAND --help` describes a command.\n", out);
}

int main(int argc, char **argv)
{
	char name[64];

	argp_err_exit_status = EXIT_USER;
	if (argc < 2) {
		print_help(stderr);
		return EXIT_USER;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
		print_help(stdout);
		return EXIT_OK;
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		snprintf(name, sizeof(name), "pigpen %s", commands[i].name);
		argv[1] = name;
		return commands[i].run(argc - 1, argv + 1);
	}
	return user_error(
		"there is no command '%s'; `pigpen --help` lists them", argv[1]);
}
