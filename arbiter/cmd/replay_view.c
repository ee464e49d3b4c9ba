/* `pigpen replay view FILE`: steps through a match in the terminal. */
#include "arbiter/cmd/replay.h"
#include "arbiter/tools/screen.h"

#include <argp.h>
#include <limits.h>
#include <unistd.h>

enum { KEY_SEAT = 256, KEY_AT };

struct view_command {
	int viewer, at;
	const char *file;
	int status;
};

static const struct argp_option argp_options[] = {
	{"seat", KEY_SEAT, "N", 0, "begin with what this seat knew", 0},
	{"at", KEY_AT, "D", 0, "begin at this decision", 0},
	{0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct view_command *command = state->input;

	switch (key) {
	case KEY_SEAT:
		if (!replay_number("seat", text, 0, GAME_SEATS_MAX - 1, &command->viewer))
			command->status = EXIT_USER;
		return 0;
	case KEY_AT:
		if (!replay_number("at", text, 1, INT_MAX, &command->at))
			command->status = EXIT_USER;
		return 0;
	}
	return replay_parse_file(key, text, state, &command->file);
}

static const struct argp argp = {argp_options, parse, "FILE",
	"Shows a match on the whole terminal: step, jump, switch seats, search. ? lists the keys.\v"
	"Examples:\n"
	"  pigpen replay view FILE --at 57 --seat 2",
	NULL, NULL, NULL};

static int show(const struct view_command *command, const struct screen_match *match)
{
	if (command->viewer >= match->info.setup.seats)
		return user_error("--seat: the match has the seats 0 to %d",
			match->info.setup.seats - 1);
	if (command->at > match->last)
		return user_error(
			"--at: the match has the decisions 1 to %d", match->last);
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return user_error(
			"this needs a terminal; `pigpen replay show %s` prints the match as text",
			command->file);
	if (!screen_run(match, command->viewer, command->at ? command->at - 1 : 0))
		return user_error(
			"the terminal is of an unknown kind; set TERM, or print "
			"the match with `pigpen replay show %s`",
			command->file);
	return EXIT_OK;
}

int cmd_replay_view(int argc, char **argv)
{
	struct view_command command = {.viewer = OMNISCIENT};
	struct screen_match match;
	enum playback_status status;
	struct why why;
	int exit_status = EXIT_OK;

	if (argp_parse(&argp, argc, argv, 0, NULL, &command) || command.status)
		return EXIT_USER;
	status = screen_match_read(&match, command.file, &why);
	if (match.game)
		exit_status = show(&command, &match);
	screen_match_release(&match);
	return exit_status ? exit_status : replay_exit(command.file, status, why.text);
}
