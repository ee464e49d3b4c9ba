/* `pigpen replay export FILE`: writes a replay, or what one seat knew, as JSON. */
#include "arbiter/cmd/replay.h"
#include "arbiter/tools/export.h"
#include "arbiter/tools/seat_log.h"

#include <argp.h>
#include <errno.h>
#include <string.h>

enum { KEY_CANONICAL = 256, KEY_FULL, KEY_SEAT };

struct export_command {
	struct export_options options;
	int seat; /* -1: the whole match */
	const char *file, *output;
	int status;
};

static const struct argp_option argp_options[] = {
	{"canonical", KEY_CANONICAL, 0, 0,
		"leave out timings, ids, nonces and digests: equal matches give equal text",
		0},
	{"full", KEY_FULL, 0, 0, "with the view and the legal actions of every decision",
		0},
	{"seat", KEY_SEAT, "N", 0,
		"only what this seat was sent and did: safe to give to its author", 0},
	{"output", 'o', "FILE", 0, "write to FILE instead of standard output", 0},
	{0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct export_command *command = state->input;

	switch (key) {
	case KEY_CANONICAL:
		command->options.canonical = true;
		return 0;
	case KEY_FULL:
		command->options.full = true;
		return 0;
	case KEY_SEAT:
		if (!replay_number("seat", text, 0, GAME_SEATS_MAX - 1, &command->seat))
			command->status = EXIT_USER;
		return 0;
	case 'o':
		command->output = text;
		return 0;
	}
	return replay_parse_file(key, text, state, &command->file);
}

static const struct argp argp = {argp_options, parse, "FILE",
	"Writes a replay as JSON, as specs/replay.md describes it.\v"
	"Examples:\n"
	"  pigpen replay export FILE --full -o match.json\n"
	"  pigpen replay export FILE --seat 2 -o seat2.json",
	NULL, NULL, NULL};

/* Checks that the match has the seat, before a log is taken. */
static int check_seat(const struct export_command *command)
{
	enum playback_status status;
	struct why why;
	struct playback *p = playback_open(command->file, NULL, &status, &why);
	int seats;

	if (!p)
		return replay_exit(command->file, status, why.text);
	seats = playback_info(p)->setup.seats;
	playback_free(&p);
	if (command->seat < seats)
		return EXIT_OK;
	return user_error("--seat: the match has the seats 0 to %d", seats - 1);
}

static int export_seat(const struct export_command *command, FILE *out)
{
	struct seat_log log;
	enum playback_status status;
	struct why why;
	int exit_status = check_seat(command);

	if (exit_status != EXIT_OK)
		return exit_status;
	status = seat_log_from_replay(&log, command->file, command->seat, &why);
	if (log.game)
		seat_log_write_json(&log, out);
	seat_log_release(&log);
	return replay_exit(command->file, status, why.text);
}

static int export(const struct export_command *command, FILE *out)
{
	enum playback_status status;
	struct why why;

	if (command->seat >= 0)
		return export_seat(command, out);
	status = replay_export(command->file, &command->options, out, &why);
	return replay_exit(command->file, status, why.text);
}

int cmd_replay_export(int argc, char **argv)
{
	struct export_command command = {.seat = -1};
	FILE *out = stdout;
	int status;

	if (argp_parse(&argp, argc, argv, 0, NULL, &command) || command.status)
		return EXIT_USER;
	if (command.seat >= 0 && (command.options.canonical || command.options.full))
		return user_error("--seat has its own form, with the exact messages; "
				  "leave out --canonical and --full");
	if (command.output && !(out = fopen(command.output, "we")))
		return user_error("cannot write %s: %s", command.output, strerror(errno));
	status = export(&command, out);
	if (fflush(out) || ferror(out) || (out != stdout && fclose(out)))
		status = user_error("cannot write %s: %s",
			command.output ? command.output : "the output", strerror(errno));
	return status;
}
