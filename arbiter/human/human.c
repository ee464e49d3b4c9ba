/* A person as a bot: the arguments that mean one, and how their seat is started. */
#include "arbiter/human/human.h"
#include "arbiter/base/program.h"
#include "protocol/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLACE_PREFIX HUMAN_NAME ":"

bool human_is_meant(const char *word)
{
	return !strcmp(word, HUMAN_NAME) ||
	       !strncmp(word, PLACE_PREFIX, strlen(PLACE_PREFIX));
}

bool human_spec(struct bot_spec *spec, const char *word, struct why *why)
{
	const char *place = strcmp(word, HUMAN_NAME) ? word + strlen(PLACE_PREFIX)
						     : ttyname(STDIN_FILENO);

	memset(spec, 0, sizeof(*spec));
	if (!place)
		return why_set(why, "a person plays at a terminal, and standard "
				    "input is none; start it from a shell");
	if (!bot_hash(program_path(), spec->hash, why))
		return false;
	strcpy(spec->name, HUMAN_NAME);
	strcpy(spec->folder, "/");
	spec->command[0] = xstrdup(program_path());
	spec->command[1] = xstrdup("human");
	spec->command[2] = xstrdup(place);
	spec->matches = 1;
	spec->trusted = true;
	return true;
}

void human_read(struct human_question *question, const struct message_match *match,
	const struct message_act *act)
{
	msgpack_object view, legal;
	msgpack_zone zone;
	struct refusal refusal;
	char id[64];
	bool ok;

	text_copy(match->game, id, sizeof(id));
	question->game = game_find(id);
	question->seats = (int)match->seats;
	question->count = 0;
	msgpack_zone_init(&zone, MSGPACK_ZONE_CHUNK_SIZE);
	ok = question->game && blob_unpack(act->view, &zone, &view) &&
	     blob_unpack(act->legal, &zone, &legal) &&
	     !game_read_view(question->game, &view, &question->view);
	for (uint32_t i = 0; ok && i < legal.via.array.size; i++)
		ok = game_read_action(question->game, question->seats,
			&legal.via.array.ptr[i], &question->legal[question->count++],
			&refusal);
	msgpack_zone_destroy(&zone);
	if (!ok)
		abort();
}
