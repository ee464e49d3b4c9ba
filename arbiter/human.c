#include "arbiter/human.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool human_spec(struct bot_spec *spec, char *why, size_t why_size)
{
	char self[PATH_MAX];
	ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *terminal = ttyname(STDIN_FILENO);

	memset(spec, 0, sizeof(*spec));
	if (!terminal || size < 0) {
		snprintf(why, why_size,
			"a person plays at a terminal, and standard input is none; start "
			"it from a shell");
		return false;
	}
	self[size] = 0;
	if (!bot_hash(self, spec->hash, why, why_size))
		return false;
	strcpy(spec->name, HUMAN_NAME);
	strcpy(spec->folder, "/");
	spec->command[0] = strdup(self);
	spec->command[1] = strdup("human");
	spec->command[2] = strdup(terminal);
	if (!spec->command[0] || !spec->command[1] || !spec->command[2])
		abort();
	spec->matches = 1;
	spec->trusted = true;
	return true;
}
