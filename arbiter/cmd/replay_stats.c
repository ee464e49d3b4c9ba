/* `pigpen replay stats FILE`: prints thinking times, decisions by phase and faults. */
#include "arbiter/cmd/replay.h"
#include "arbiter/tools/stats.h"

#include <argp.h>

struct stats_command {
	const char *file;
	bool json;
};

static const struct argp_option argp_options[] = {
	{"json", KEY_JSON, 0, 0, "print JSON", 0},
	{0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct stats_command *command = state->input;

	switch (key) {
	case KEY_JSON:
		command->json = true;
		return 0;
	}
	return replay_parse_file(key, text, state, &command->file);
}

static const struct argp argp = {argp_options, parse, "FILE",
	"Counts: thinking times (p50, p99, max), decisions by phase, faults.", NULL, NULL,
	NULL};

int cmd_replay_stats(int argc, char **argv)
{
	struct stats_command command = {0};
	enum playback_status status;
	struct why why;

	if (argp_parse(&argp, argc, argv, 0, NULL, &command))
		return EXIT_USER;
	status = replay_stats(command.file, command.json, stdout, &why);
	return replay_exit(command.file, status, why.text);
}
