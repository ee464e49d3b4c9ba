/* Finding and running a subcommand. */
#include "arbiter/cmd/cmd.h"

#include <stdio.h>
#include <string.h>

static void print_list(
	const struct cmd *list, const char *program, const char *about, FILE *out)
{
	fprintf(out, "Usage: %s COMMAND [ARGUMENT…]\n\n%s\n\n", program, about);
	for (; list->name; list++)
		if (list->help)
			fprintf(out, "  %-10s %s\n", list->name, list->help);
	fprintf(out, "\n`%s COMMAND --help` describes a command.\n", program);
}

int cmd_dispatch(const struct cmd *list, const char *program, const char *about, int argc,
	char **argv)
{
	char name[64];

	if (argc < 2) {
		print_list(list, program, about, stderr);
		return EXIT_USER;
	}
	/* `help replay show` is `replay show --help`. */
	if (!strcmp(argv[1], "help") && argc > 2) {
		memmove(argv + 1, argv + 2, (size_t)(argc - 2) * sizeof(*argv));
		argv[argc - 1] = "--help";
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
		print_list(list, program, about, stdout);
		return EXIT_OK;
	}
	for (; list->name; list++) {
		if (strcmp(argv[1], list->name))
			continue;
		snprintf(name, sizeof(name), "%s %s", program, list->name);
		argv[1] = name;
		return list->run(argc - 1, argv + 1);
	}
	return user_error(
		"there is no command '%s'; `%s --help` lists them", argv[1], program);
}
