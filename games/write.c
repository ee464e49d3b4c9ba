/* Views, actions, events, options and results as msgpack, by the games' tables. */
#include "games/fields.h"

#include <assert.h>
#include <string.h>

static void write_text(msgpack_packer *pk, const char *text)
{
	size_t n = strlen(text);

	msgpack_pack_str(pk, n);
	msgpack_pack_str_body(pk, text, n);
}

static int count_words(const char *const *words)
{
	int n = 0;

	while (words[n])
		n++;
	return n;
}

static void write_counts(
	const struct game *game, const uint8_t *counts, msgpack_packer *pk)
{
	int n = 0;

	for (int face = 0; face < game->face_count; face++)
		n += counts[face];
	msgpack_pack_array(pk, (size_t)n);
	for (int face = 0; face < game->face_count; face++)
		for (int i = 0; i < counts[face]; i++)
			write_text(pk, game->faces[face]);
}

static void write_set(const struct game *game, uint64_t set, msgpack_packer *pk)
{
	msgpack_pack_array(pk, (size_t)__builtin_popcountll(set));
	for (; set; set &= set - 1)
		write_text(pk, game->faces[__builtin_ctzll(set)]);
}

static void write_seats(unsigned set, msgpack_packer *pk)
{
	msgpack_pack_array(pk, (size_t)__builtin_popcount(set));
	for (; set; set &= set - 1)
		msgpack_pack_int(pk, __builtin_ctz(set));
}

static void write_flags(const char *const *words, unsigned set, msgpack_packer *pk)
{
	msgpack_pack_array(pk, (size_t)__builtin_popcount(set));
	for (; set; set &= set - 1)
		write_text(pk, words[__builtin_ctz(set)]);
}

static void write_optional(bool there, int64_t value, msgpack_packer *pk)
{
	if (there)
		msgpack_pack_int64(pk, value);
	else
		msgpack_pack_nil(pk);
}

static void write_element(const struct game *game, const struct game_field *field,
	const void *at, msgpack_packer *pk)
{
	int64_t value = 0;

	if (field->type != FIELD_COUNTS)
		value = field_get_int(at, field->size, field->type == FIELD_INT);
	switch ((enum field_type)field->type) {
	case FIELD_INT:
	case FIELD_UINT:
		msgpack_pack_int64(pk, value);
		break;
	case FIELD_BOOL:
		value ? msgpack_pack_true(pk) : msgpack_pack_false(pk);
		break;
	case FIELD_WORD:
		assert(value < count_words(field->words));
		write_text(pk, field->words[value]);
		break;
	case FIELD_FLAGS:
		write_flags(field->words, (unsigned)value, pk);
		break;
	case FIELD_SEAT:
		write_optional(value != NO_SEAT, value, pk);
		break;
	case FIELD_SEATS:
		write_seats((unsigned)value, pk);
		break;
	case FIELD_CARD:
		if (value == NO_CARD)
			msgpack_pack_nil(pk);
		else
			write_text(pk, game->faces[value]);
		break;
	case FIELD_COUNTS:
		write_counts(game, at, pk);
		break;
	case FIELD_SET:
		write_set(game, (uint64_t)value, pk);
		break;
	}
}

static void write_entry(const struct game *game, const struct game_field *field,
	void *view, int outer, msgpack_packer *pk)
{
	int n = field_inner_length(field, view, outer);

	if (field->dim[1].kind != LENGTH_NONE)
		msgpack_pack_array(pk, (size_t)n);
	for (int i = 0; i < n; i++)
		write_element(game, field, field_element(field, view, outer, i), pk);
}

static void write_field(const struct game *game, const struct game_field *field,
	void *view, msgpack_packer *pk)
{
	int n = field_outer_length(field, view);

	if (field_is_list(field))
		msgpack_pack_array(pk, (size_t)n);
	for (int i = 0; i < n; i++)
		if (field_seen_by(field, view, game_head(view)->viewer, i))
			write_entry(game, field, view, i, pk);
		else
			msgpack_pack_nil(pk);
}

static int count_fields(const struct game *game, int see)
{
	int n = 0;

	for (int i = 0; i < game->field_count; i++)
		n += game->fields[i].see == see;
	return n;
}

static void write_public(const struct game *game, void *view, msgpack_packer *pk)
{
	write_text(pk, "pub");
	msgpack_pack_map(pk, (size_t)count_fields(game, SEE_ALL));
	for (int i = 0; i < game->field_count; i++) {
		if (game->fields[i].see != SEE_ALL)
			continue;
		write_text(pk, game->fields[i].name);
		write_field(game, &game->fields[i], view, pk);
	}
}

static void write_own(const struct game *game, void *view, msgpack_packer *pk)
{
	int seat = game_head(view)->viewer;

	write_text(pk, "me");
	if (seat < 0) {
		msgpack_pack_map(pk, 0);
		return;
	}
	msgpack_pack_map(pk, (size_t)count_fields(game, SEE_OWNER) + 1);
	write_text(pk, "pending");
	game_head(view)->pending ? msgpack_pack_true(pk) : msgpack_pack_false(pk);
	for (int i = 0; i < game->field_count; i++) {
		if (game->fields[i].see != SEE_OWNER)
			continue;
		write_text(pk, game->fields[i].name);
		write_entry(game, &game->fields[i], view, seat, pk);
	}
}

static void write_all(const struct game *game, void *view, msgpack_packer *pk)
{
	write_text(pk, "all");
	msgpack_pack_map(pk,
		(size_t)(count_fields(game, SEE_OWNER) + count_fields(game, SEE_NONE)) +
			1);
	write_text(pk, "pending");
	write_seats(game_head(view)->pending, pk);
	for (int i = 0; i < game->field_count; i++) {
		if (game->fields[i].see == SEE_ALL)
			continue;
		write_text(pk, game->fields[i].name);
		write_field(game, &game->fields[i], view, pk);
	}
}

static void write_viewer(int viewer, msgpack_packer *pk)
{
	write_text(pk, "seat");
	if (viewer >= 0)
		msgpack_pack_int(pk, viewer);
	else
		write_text(pk, viewer == SPECTATOR ? "spectator" : "omniscient");
}

void game_write_view(const struct game *game, const void *view, msgpack_packer *pk)
{
	const struct game_head *head = view;
	void *v = (void *)(uintptr_t)view;

	msgpack_pack_map(
		pk, 7u + (head->need != NEED_ANSWERS) + (head->viewer == OMNISCIENT));
	write_text(pk, "game");
	write_text(pk, game->id);
	write_text(pk, "opts");
	game_write_options(game, head->option, pk);
	write_viewer(head->viewer, pk);
	write_text(pk, "phase");
	write_text(pk, game->phases[head->phase]);
	if (head->need != NEED_ANSWERS) {
		write_text(pk, "need");
		write_text(pk, head->need == NEED_CHANCE ? "chance" : "nothing");
	}
	write_text(pk, "act");
	write_seats(head->acting, pk);
	write_public(game, v, pk);
	write_own(game, v, pk);
	if (head->viewer == OMNISCIENT)
		write_all(game, v, pk);
}

static void write_option(
	const struct game_option *option, int16_t value, msgpack_packer *pk)
{
	const char *word = game_option_word(option, value);

	if (option->words == game_switch)
		value ? msgpack_pack_true(pk) : msgpack_pack_false(pk);
	else if (word)
		write_text(pk, word);
	else
		msgpack_pack_int(pk, value);
}

void game_write_options(
	const struct game *game, const int16_t *option, msgpack_packer *pk)
{
	msgpack_pack_map(pk, (size_t)game->option_count);
	for (int i = 0; i < game->option_count; i++) {
		write_text(pk, game->options[i].name);
		write_option(&game->options[i], option[i], pk);
	}
}

static bool arg_there(const struct game_arg *arg, const struct action *action, int at)
{
	bool list = arg->type == ARG_CARDS || arg->type == ARG_ORDER;

	if (list)
		return !arg->optional || action->count > at;
	return action->arg[at] != ABSENT;
}

static void write_arg(const struct game *game, const struct game_arg *arg,
	const struct action *action, int at, msgpack_packer *pk)
{
	switch ((enum arg_type)arg->type) {
	case ARG_END:
		break;
	case ARG_CARD:
		write_text(pk, game->faces[action->arg[at]]);
		break;
	case ARG_CARDS:
	case ARG_ORDER:
		msgpack_pack_array(pk, (size_t)(action->count - at));
		for (; at < action->count; at++)
			write_text(pk, game->faces[action->arg[at]]);
		break;
	case ARG_INT:
	case ARG_SEAT:
		msgpack_pack_int(pk, action->arg[at]);
		break;
	case ARG_WORD:
		write_text(pk, arg->words[action->arg[at]]);
		break;
	case ARG_TRUE:
		msgpack_pack_true(pk);
		break;
	}
}

void game_write_action(
	const struct game *game, const struct action *action, msgpack_packer *pk)
{
	const struct game_verb *verb = &game->verbs[action->verb];
	size_t keys = 1;

	for (int i = 0; i < 4 && verb->args[i].type != ARG_END; i++)
		keys += arg_there(&verb->args[i], action, i);
	msgpack_pack_map(pk, keys);
	write_text(pk, "a");
	write_text(pk, verb->name);
	for (int i = 0; i < 4 && verb->args[i].type != ARG_END; i++) {
		if (!arg_there(&verb->args[i], action, i))
			continue;
		write_text(pk, verb->args[i].key);
		write_arg(game, &verb->args[i], action, i, pk);
	}
}

static void write_event_arg(
	int type, const char *const *words, int value, msgpack_packer *pk)
{
	if (type == EVENT_WORD)
		write_text(pk, words[value]);
	else if (type == EVENT_SEAT && value == NO_SEAT)
		msgpack_pack_nil(pk);
	else
		msgpack_pack_int(pk, value);
}

void game_write_event(const struct game *game, const struct event *event, int viewer,
	msgpack_packer *pk)
{
	const struct game_event_kind *kind = &game->events[event->kind];
	int args = 0;

	while (args < 4 && kind->args[args].type != EVENT_END)
		args++;
	msgpack_pack_map(pk, (size_t)args + 1 + (kind->cards != NULL));
	write_text(pk, "e");
	write_text(pk, kind->name);
	for (int i = 0; i < args; i++) {
		write_text(pk, kind->args[i].key);
		write_event_arg(
			kind->args[i].type, kind->args[i].words, event->arg[i], pk);
	}
	if (!kind->cards)
		return;
	write_text(pk, kind->cards);
	if (!event_seen_by(event, viewer)) {
		msgpack_pack_int(pk, event->count);
		return;
	}
	msgpack_pack_array(pk, event->count);
	for (int i = 0; i < event->count; i++)
		write_text(pk, game->faces[event->card[i]]);
}

void game_write_result(const struct game *game, const struct game_result *result,
	int seats, msgpack_packer *pk)
{
	msgpack_pack_map(pk, game->teams ? 4 : 3);
	write_text(pk, "scores");
	msgpack_pack_array(pk, (size_t)seats);
	for (int s = 0; s < seats; s++)
		msgpack_pack_int(pk, result->score[s]);
	write_text(pk, "ranks");
	msgpack_pack_array(pk, (size_t)seats);
	for (int s = 0; s < seats; s++)
		msgpack_pack_int(pk, result->rank[s]);
	if (game->teams) {
		write_text(pk, "teams");
		msgpack_pack_array(pk, (size_t)seats);
		for (int s = 0; s < seats; s++)
			write_optional(result->team[s] >= 0, result->team[s], pk);
	}
	write_text(pk, "reason");
	write_text(pk, result->reason);
}
