/* Reads a question into the types of games/. */
#include "sample_bots/c/common/question.h"

static const struct game *find_game(const struct message_match *match)
{
	char id[64];

	text_copy(match->game, id, sizeof(id));
	return game_find(id);
}

static const char *read_view(struct question *question, struct blob view)
{
	const char *wrong = "the view is not msgpack";
	msgpack_object object;
	msgpack_zone zone;

	msgpack_zone_init(&zone, MSGPACK_ZONE_CHUNK_SIZE);
	if (blob_unpack(view, &zone, &object))
		wrong = game_read_view(question->game, &object, &question->view);
	msgpack_zone_destroy(&zone);
	return wrong;
}

static const char *read_list(struct question *question, int seats, msgpack_object *list)
{
	struct refusal refusal;

	if (list->type != MSGPACK_OBJECT_ARRAY || list->via.array.size > GAME_LEGAL_MAX)
		return "the legal actions are no list of a possible length";
	question->legal_count = (int)list->via.array.size;
	for (int i = 0; i < question->legal_count; i++)
		if (!game_read_action(question->game, seats, &list->via.array.ptr[i],
			    &question->legal[i], &refusal))
			return refusal.why;
	return NULL;
}

static const char *read_legal(struct question *question, int seats, struct blob legal)
{
	const char *wrong = "the legal actions are not msgpack";
	msgpack_object object;
	msgpack_zone zone;

	msgpack_zone_init(&zone, MSGPACK_ZONE_CHUNK_SIZE);
	if (blob_unpack(legal, &zone, &object))
		wrong = read_list(question, seats, &object);
	msgpack_zone_destroy(&zone);
	return wrong;
}

const char *question_read(struct question *question, const struct message_match *match,
	const struct message_act *act)
{
	const char *wrong;

	question->game = find_game(match);
	question->seat = (int)match->seat;
	question->legal_count = 0;
	if (!question->game)
		return "this game is unknown to me";
	if (match->rules != question->game->rules_version)
		return "I know another version of these rules";
	wrong = read_view(question, act->view);
	return wrong ? wrong : read_legal(question, (int)match->seats, act->legal);
}
