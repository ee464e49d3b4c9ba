/* Playing for a person behind a socket, with questions and answers as JSON lines. */
#include "arbiter/base/exit.h"
#include "arbiter/base/json_text.h"
#include "arbiter/human/human.h"
#include "arbiter/table/notation.h"

#include <errno.h>
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LINE_MAX_BYTES 4096

static FILE *to_person, *from_person;

/* Takes the reference. Ends the process if the other end is gone. */
static void tell(json_t *line)
{
	if (json_dumpf(line, to_person, JSON_COMPACT) || fputc('\n', to_person) == EOF ||
		fflush(to_person))
		exit(EXIT_FAILED);
	json_decref(line);
}

static void tell_question(
	const struct human_question *question, const struct message_act *act)
{
	json_t *legal = json_array();
	char text[NOTATION_MAX];

	for (int i = 0; i < question->count; i++) {
		notation_action(question->game, &question->legal[i], text, sizeof(text));
		json_array_append_new(legal, json_string(text));
	}
	tell(json_pack("{s:s,s:I,s:o,s:I,s:I}", "t", "ask", "turn", (json_int_t)act->turn,
		"legal", legal, "bank_ms", (json_int_t)act->clock.bank_ms, "move_ms",
		(json_int_t)act->clock.move_ms));
}

/* The reason may quote what the person wrote, cut anywhere. */
static void tell_mistake(int64_t turn, const char *why)
{
	tell(json_pack("{s:s,s:I,s:s,s:o}", "t", "refuse", "turn", (json_int_t)turn,
		"clause", "", "why", json_of_bytes(why, strlen(why))));
}

/* False: the line does not answer this question. */
static bool take_answer(const struct human_question *question, int64_t turn,
	const json_t *line, struct bot_answer *answer)
{
	const json_t *choice = json_object_get(line, "choice");
	const char *text = json_string_value(json_object_get(line, "text"));
	msgpack_packer packer = buffer_packer(&answer->action);
	struct why why;
	struct action action;

	if (json_integer_value(json_object_get(line, "turn")) != turn)
		return false;
	if (json_is_integer(choice)) {
		answer->choice = json_integer_value(choice);
		if (answer->choice >= 0 && answer->choice < question->count)
			return true;
		tell_mistake(turn, "there is no such move");
		return false;
	}
	if (!text || !notation_parse_action(question->game, text, &action, &why)) {
		tell_mistake(turn, text ? why.text : "that is not a move");
		return false;
	}
	game_write_action(question->game, &action, &packer);
	return true;
}

static void ask(
	struct bot_match *match, const struct message_act *act, struct bot_answer *answer)
{
	static struct human_question question;
	char text[LINE_MAX_BYTES];
	bool taken = false;

	human_read(&question, &match->info, act);
	while (!taken) {
		json_t *line;

		tell_question(&question, act);
		if (!fgets(text, sizeof(text), from_person))
			exit(EXIT_FAILED);
		line = json_loads(text, 0, NULL);
		taken = take_answer(&question, act->turn, line, answer);
		json_decref(line);
	}
}

static void tell_refusal(struct bot_match *match, const struct message_refuse *refused)
{
	(void)match;
	tell(json_pack("{s:s,s:I,s:o,s:o}", "t", "refuse", "turn",
		(json_int_t)refused->turn, "clause",
		json_of_bytes(refused->clause.bytes, refused->clause.size), "why",
		json_of_bytes(refused->why.bytes, refused->why.size)));
}

static void tell_end(struct bot_match *match, const struct message_end *message)
{
	(void)match;
	(void)message;
	tell(json_pack("{s:s}", "t", "end"));
}

static int connect_to(const char *place)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(place);
	int link = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (length >= sizeof(address.sun_path) || link < 0)
		return -1;
	memcpy(address.sun_path + 1, place + 1, length - 1);
	if (connect(link, (struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length))) {
		close(link);
		return -1;
	}
	return link;
}

int human_link_run(const char *place)
{
	const struct bot bot = {.name = HUMAN_NAME,
		.version = "",
		.matches = 1,
		.act = ask,
		.refuse = tell_refusal,
		.end = tell_end};
	int link = connect_to(place), status;

	if (link < 0)
		return user_error(
			"nobody listens at %s; `pigpen serve` runs this command by itself",
			place);
	to_person = fdopen(link, "w");
	from_person = fdopen(dup(link), "r");
	if (!to_person || !from_person)
		return user_error("the person cannot be talked to: %s", strerror(errno));
	status = bot_run(&bot);
	fclose(to_person);
	fclose(from_person);
	return status;
}
