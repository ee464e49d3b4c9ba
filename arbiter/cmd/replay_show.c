/* `pigpen replay show FILE`: shows a match as text. */
#include "arbiter/cmd/replay.h"
#include "arbiter/tools/show.h"

#include <argp.h>
#include <limits.h>

enum { KEY_SEAT = 256, KEY_AT, KEY_FROM, KEY_TO, KEY_EVENTS };

struct replay_show_command {
	struct show_options options;
	const char *file;
	int status;
};

static const struct argp_option argp_options[] = {
	{"seat", KEY_SEAT, "N", 0, "only what this seat knew", 0},
	{"at", KEY_AT, "D", 0,
		"one decision: the view, the legal moves, the choice, note and time", 0},
	{"from", KEY_FROM, "D", 0, "from this decision on", 0},
	{"to", KEY_TO, "D", 0, "up to this decision", 0},
	{"events", KEY_EVENTS, 0, 0, "every event on a line of its own", 0},
	{"json", KEY_JSON, 0, 0, "one JSON object per line", 0},
	{0},
};

static void parse_number(struct replay_show_command *command, const char *option,
	const char *text, int min, int max, int *number)
{
	if (!replay_number(option, text, min, max, number))
		command->status = EXIT_USER;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct replay_show_command *command = state->input;
	struct show_options *o = &command->options;

	switch (key) {
	case KEY_SEAT:
		parse_number(command, "seat", text, 0, GAME_SEATS_MAX - 1, &o->viewer);
		return 0;
	case KEY_AT:
		parse_number(command, "at", text, 1, INT_MAX, &o->at);
		return 0;
	case KEY_FROM:
		parse_number(command, "from", text, 1, INT_MAX, &o->from);
		return 0;
	case KEY_TO:
		parse_number(command, "to", text, 1, INT_MAX, &o->to);
		return 0;
	case KEY_EVENTS:
		o->events = true;
		return 0;
	case KEY_JSON:
		o->json = true;
		return 0;
	}
	return replay_parse_file(key, text, state, &command->file);
}

static const struct argp argp = {argp_options, parse, "FILE",
	"Shows a match as text: who did what, how long it took, what came of it."
	"\vDecisions are numbered from 1, in the order in which they were applied.\n\n"
	"Examples:\n"
	"  pigpen replay show FILE\n"
	"  pigpen replay show FILE --at 57 --seat 2    # what did seat 2 know there?",
	NULL, NULL, NULL};

int cmd_replay_show(int argc, char **argv)
{
	struct replay_show_command command = {
		.options = {.viewer = OMNISCIENT, .to = INT_MAX}};
	enum playback_status status;
	struct why why;

	if (argp_parse(&argp, argc, argv, 0, NULL, &command) || command.status)
		return EXIT_USER;
	if (command.options.from > command.options.to)
		return user_error("--from %d comes after --to %d", command.options.from,
			command.options.to);
	status = replay_show(command.file, &command.options, stdout, &why);
	return replay_exit(command.file, status, why.text);
}
