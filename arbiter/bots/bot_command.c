/* Building the command line that starts a bot. */
#include "arbiter/bots/bot_spec.h"
#include "arbiter/base/program.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The bridge says hello for a stdio bot with what its bot.json says. It is named by its
 * full path, because it need not be in PATH. */
static int add_bridge(struct bot_command *command, const struct bot_spec *spec)
{
	char *words[] = {(char *)program_path(), "bridge", "--name", (char *)spec->name,
		"--bot-version", (char *)spec->version, "--lang", (char *)spec->language,
		"--matches", command->matches, "--"};

	_Static_assert(sizeof(words) + (BOT_WORDS_MAX + 1) * sizeof(char *) ==
			       sizeof(command->argv),
		"room in argv");
	snprintf(command->matches, sizeof(command->matches), "%d", spec->matches);
	memcpy(command->argv, words, sizeof(words));
	return sizeof(words) / sizeof(words[0]);
}

void bot_command_fill(struct bot_command *command, const struct bot_spec *spec)
{
	int n = spec->transport == BOT_STDIO ? add_bridge(command, spec) : 0;

	for (int i = 0; spec->command[i]; i++)
		command->argv[n++] = spec->command[i];
	command->argv[n] = NULL;
}
