/* `pigpen human PLACE`: the process that plays for a person; `pigpen match` starts it. */
#include "arbiter/base/terminal.h"
#include "arbiter/cmd/cmd.h"
#include "arbiter/human/human.h"
#include "arbiter/tools/show.h"
#include "arbiter/table/notation.h"
#include "protocol/json.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 1024

/* One stream for each direction, because stdio cannot seek a terminal in between. */
static FILE *terminal, *keyboard;

static void print_value(const json_t *value)
{
	const json_t *entry;
	size_t i;

	if (json_is_string(value))
		replay_print_text(text_of(json_string_value(value)), terminal);
	else if (json_is_integer(value))
		fprintf(terminal, "%lld", (long long)json_integer_value(value));
	else if (json_is_boolean(value))
		fputs(json_is_true(value) ? "yes" : "no", terminal);
	else
		fputs(json_array_size(value) ? "" : "-", terminal);
	json_array_foreach(value, i, entry)
	{
		fputs(i ? " " : "", terminal);
		print_value(entry);
	}
}

/* An event's cards are a list if the seat sees them, else their number. */
static void print_event(json_t *event)
{
	const json_t *cards = json_object_get(event, "cards");
	const char *key;
	json_t *value;

	fprintf(terminal, "  %s", json_string_value(json_object_get(event, "e")));
	json_object_foreach(event, key, value)
	{
		if (!strcmp(key, "e") || value == cards)
			continue;
		fprintf(terminal, " %s=", key);
		print_value(value);
	}
	if (json_is_integer(cards))
		fprintf(terminal, " (%lld face down)",
			(long long)json_integer_value(cards));
	else if (cards) {
		fputs(": ", terminal);
		print_value(cards);
	}
	fputc('\n', terminal);
}

static void print_events(struct blob blob)
{
	json_t *events = json_from_blob(blob, NULL), *event;
	size_t i;

	if (json_array_size(events))
		fputs("\nSince you were last asked:\n", terminal);
	json_array_foreach(events, i, event) print_event(event);
	json_decref(events);
}

static void print_question(const struct human_question *asked, int64_t seat, int64_t turn)
{
	char text[NOTATION_MAX];

	fprintf(terminal, "\nYou are seat %lld. Question %lld:\n\n", (long long)seat,
		(long long)turn);
	replay_print_view(asked->game, &asked->view, SHOW_WIDTH, terminal);
	fputs("\nYour moves:\n", terminal);
	for (int i = 0; i < asked->count; i++) {
		notation_action(asked->game, &asked->legal[i], text, sizeof(text));
		fprintf(terminal, "  %3d  %s\n", i, text);
	}
}

/* Reads an answer from one line of input; false: it is not a move. */
static bool read_answer(
	const struct human_question *asked, const char *line, struct bot_answer *answer)
{
	struct why why;
	char *end;
	long number = strtol(line, &end, 10);
	struct action action;
	msgpack_packer packer = buffer_packer(&answer->action);

	if (end != line && !*end) {
		answer->choice = number;
		if (number >= 0 && number < asked->count)
			return true;
		fprintf(terminal, "There are moves 0 to %d.\n", asked->count - 1);
		return false;
	}
	if (!notation_parse_action(asked->game, line, &action, &why)) {
		fprintf(terminal,
			"%s. Type the number of a move, or a move as it is written "
			"above; q leaves the table.\n",
			why.text);
		return false;
	}
	game_write_action(asked->game, &action, &packer);
	return true;
}

static void ask(struct bot_match *match, const struct message_act *question,
	struct bot_answer *answer)
{
	static struct human_question asked;
	char line[LINE_MAX_BYTES];

	human_read(&asked, &match->info, question);
	print_events(question->events);
	print_question(&asked, match->info.seat, question->turn);
	do {
		fputs("> ", terminal);
		fflush(terminal);
		if (!fgets(line, sizeof(line), keyboard) || !strcmp(line, "q\n")) {
			fputs("You leave the table.\n", terminal);
			fclose(terminal);
			exit(EXIT_FAILED);
		}
		line[strcspn(line, "\n")] = 0;
	} while (!read_answer(&asked, line, answer));
}

static void tell_refusal(struct bot_match *match, const struct message_refuse *refused)
{
	(void)match;
	fputs("That is against the rules (", terminal);
	replay_print_text(refused->clause, terminal);
	fputs("): ", terminal);
	replay_print_text(refused->why, terminal);
	fputc('\n', terminal);
}

static void tell_end(struct bot_match *match, const struct message_end *message)
{
	(void)match;
	if (message)
		print_events(message->events);
	fputs("\nThe match is over.\n\n", terminal);
	fflush(terminal);
}

int cmd_human(int argc, char **argv)
{
	const struct bot bot = {.name = HUMAN_NAME,
		.version = "",
		.matches = 1,
		.act = ask,
		.refuse = tell_refusal,
		.end = tell_end};
	int status, fd;

	if (argc != 2)
		return user_error(
			"`pigpen human` is internal; play with `pigpen match GAME human BOT…`");
	if (*argv[1] == '@')
		return human_link_run(argv[1]);
	fd = open(argv[1], O_WRONLY | O_CLOEXEC);
	terminal = fd < 0 ? NULL : terminal_open(fd);
	keyboard = fopen(argv[1], "re");
	if (!terminal || !keyboard)
		return user_error("the terminal %s cannot be opened", argv[1]);
	status = bot_run(&bot);
	fclose(terminal);
	fclose(keyboard);
	return status;
}
