/* Views, actions, events, options and results as msgpack, by the games' tables. */
#include "games/game.h"
#include "games/pen.h"

#include <assert.h>
#include <string.h>

static void write_face(const struct game *game, int face, struct pen *pen)
{
	pen_slot(pen, game->faces[face], sizeof(game->faces[face]));
}

static void write_name(const char name[GAME_NAME_SIZE], struct pen *pen)
{
	pen_slot(pen, name, GAME_NAME_SIZE);
}

static int count_words(const char *const *words)
{
	int n = 0;

	while (words[n])
		n++;
	return n;
}

static void write_counts(const struct game *game, const uint8_t *counts, struct pen *pen)
{
	int n = 0;

	for (int face = 0; face < game->face_count; face++)
		n += counts[face];
	pen_pack_array(pen, (size_t)n);
	for (int face = 0; face < game->face_count; face++)
		for (int i = 0; i < counts[face]; i++)
			write_face(game, face, pen);
}

static void write_set(const struct game *game, uint64_t set, struct pen *pen)
{
	pen_pack_array(pen, (size_t)__builtin_popcountll(set));
	for (; set; set &= set - 1)
		write_face(game, __builtin_ctzll(set), pen);
}

static void write_seats(unsigned set, struct pen *pen)
{
	pen_pack_array(pen, (size_t)__builtin_popcount(set));
	for (; set; set &= set - 1)
		pen_pack_int(pen, __builtin_ctz(set));
}

static void write_flags(const char *const *words, unsigned set, struct pen *pen)
{
	pen_pack_array(pen, (size_t)__builtin_popcount(set));
	for (; set; set &= set - 1)
		pen_text(pen, words[__builtin_ctz(set)]);
}

static void write_optional(bool there, int64_t value, struct pen *pen)
{
	if (there)
		pen_pack_int64(pen, value);
	else
		pen_pack_nil(pen);
}

static void write_element(const struct game *game, const struct game_field *field,
	const void *at, struct pen *pen)
{
	int64_t value = 0;

	if (field->type != FIELD_COUNTS)
		value = field_get_int(at, field->size, field->type == FIELD_INT);
	switch ((enum field_type)field->type) {
	case FIELD_INT:
	case FIELD_UINT:
		pen_pack_int64(pen, value);
		break;
	case FIELD_BOOL:
		value ? pen_pack_true(pen) : pen_pack_false(pen);
		break;
	case FIELD_WORD:
		assert(value < count_words(field->words));
		pen_text(pen, field->words[value]);
		break;
	case FIELD_FLAGS:
		write_flags(field->words, (unsigned)value, pen);
		break;
	case FIELD_SEAT:
		write_optional(value != NO_SEAT, value, pen);
		break;
	case FIELD_SEATS:
		write_seats((unsigned)value, pen);
		break;
	case FIELD_CARD:
		if (value == NO_CARD)
			pen_pack_nil(pen);
		else
			write_face(game, value, pen);
		break;
	case FIELD_COUNTS:
		write_counts(game, at, pen);
		break;
	case FIELD_SET:
		write_set(game, (uint64_t)value, pen);
		break;
	}
}

static void write_entry(const struct game *game, const struct game_field *field,
	void *view, int outer, struct pen *pen)
{
	int n = field_inner_length(field, view, outer);

	if (field->dim[1].kind != LENGTH_NONE)
		pen_pack_array(pen, (size_t)n);
	for (int i = 0; i < n; i++)
		write_element(game, field, field_element(field, view, outer, i), pen);
}

static void write_field(const struct game *game, const struct game_field *field,
	void *view, struct pen *pen)
{
	int n = field_outer_length(field, view);

	if (field_is_list(field))
		pen_pack_array(pen, (size_t)n);
	for (int i = 0; i < n; i++)
		if (field_seen_by(field, view, game_head(view)->viewer, i))
			write_entry(game, field, view, i, pen);
		else
			pen_pack_nil(pen);
}

static int count_fields(const struct game *game, int see)
{
	int n = 0;

	for (int i = 0; i < game->field_count; i++)
		n += game->fields[i].see == see;
	return n;
}

static void write_public(const struct game *game, void *view, struct pen *pen)
{
	pen_text(pen, "pub");
	pen_pack_map(pen, (size_t)count_fields(game, SEE_ALL));
	for (int i = 0; i < game->field_count; i++) {
		if (game->fields[i].see != SEE_ALL)
			continue;
		write_name(game->fields[i].name, pen);
		write_field(game, &game->fields[i], view, pen);
	}
}

static void write_own(const struct game *game, void *view, struct pen *pen)
{
	int seat = game_head(view)->viewer;

	pen_text(pen, "me");
	if (seat < 0) {
		pen_pack_map(pen, 0);
		return;
	}
	pen_pack_map(pen, (size_t)count_fields(game, SEE_OWNER) + 1);
	pen_text(pen, "pending");
	game_head(view)->pending ? pen_pack_true(pen) : pen_pack_false(pen);
	for (int i = 0; i < game->field_count; i++) {
		if (game->fields[i].see != SEE_OWNER)
			continue;
		write_name(game->fields[i].name, pen);
		write_entry(game, &game->fields[i], view, seat, pen);
	}
}

static void write_all(const struct game *game, void *view, struct pen *pen)
{
	pen_text(pen, "all");
	pen_pack_map(pen,
		(size_t)(count_fields(game, SEE_OWNER) + count_fields(game, SEE_NONE)) +
			1);
	pen_text(pen, "pending");
	write_seats(game_head(view)->pending, pen);
	for (int i = 0; i < game->field_count; i++) {
		if (game->fields[i].see == SEE_ALL)
			continue;
		write_name(game->fields[i].name, pen);
		write_field(game, &game->fields[i], view, pen);
	}
}

static void write_viewer(int viewer, struct pen *pen)
{
	pen_text(pen, "seat");
	if (viewer >= 0)
		pen_pack_int(pen, viewer);
	else
		pen_text(pen, viewer == SPECTATOR ? "spectator" : "omniscient");
}

static void write_option(const struct game_option *option, int16_t value, struct pen *pen)
{
	const char *word = game_option_word(option, value);

	if (option->words == game_switch)
		value ? pen_pack_true(pen) : pen_pack_false(pen);
	else if (word)
		pen_text(pen, word);
	else
		pen_pack_int(pen, value);
}

static void write_options(const struct game *game, const int16_t *option, struct pen *pen)
{
	pen_pack_map(pen, (size_t)game->option_count);
	for (int i = 0; i < game->option_count; i++) {
		write_name(game->options[i].name, pen);
		write_option(&game->options[i], option[i], pen);
	}
}

static void write_view(const struct game *game, const void *view, struct pen *pen)
{
	const struct game_head *head = view;
	void *v = (void *)(uintptr_t)view;

	pen_pack_map(
		pen, 7u + (head->need != NEED_ANSWERS) + (head->viewer == OMNISCIENT));
	pen_text(pen, "game");
	pen_text(pen, game->id);
	pen_text(pen, "opts");
	write_options(game, head->option, pen);
	write_viewer(head->viewer, pen);
	pen_text(pen, "phase");
	pen_text(pen, game->phases[head->phase]);
	if (head->need != NEED_ANSWERS) {
		pen_text(pen, "need");
		pen_text(pen, head->need == NEED_CHANCE ? "chance" : "nothing");
	}
	pen_text(pen, "act");
	write_seats(head->acting, pen);
	write_public(game, v, pen);
	write_own(game, v, pen);
	if (head->viewer == OMNISCIENT)
		write_all(game, v, pen);
}

static bool arg_there(const struct game_arg *arg, const struct action *action, int at)
{
	bool list = arg->type == ARG_CARDS || arg->type == ARG_ORDER;

	if (list)
		return !arg->optional || action->count > at;
	return action->arg[at] != ABSENT;
}

static void write_arg(const struct game *game, const struct game_arg *arg,
	const struct action *action, int at, struct pen *pen)
{
	switch ((enum arg_type)arg->type) {
	case ARG_END:
		break;
	case ARG_CARD:
		write_face(game, action->arg[at], pen);
		break;
	case ARG_CARDS:
	case ARG_ORDER:
		pen_pack_array(pen, (size_t)(action->count - at));
		for (; at < action->count; at++)
			write_face(game, action->arg[at], pen);
		break;
	case ARG_INT:
	case ARG_SEAT:
		pen_pack_int(pen, action->arg[at]);
		break;
	case ARG_WORD:
		pen_text(pen, arg->words[action->arg[at]]);
		break;
	case ARG_TRUE:
		pen_pack_true(pen);
		break;
	}
}

static void write_action(
	const struct game *game, const struct action *action, struct pen *pen)
{
	const struct game_verb *verb = &game->verbs[action->verb];
	size_t keys = 1;

	for (int i = 0; i < 4 && verb->args[i].type != ARG_END; i++)
		keys += arg_there(&verb->args[i], action, i);
	pen_pack_map(pen, keys);
	pen_text(pen, "a");
	write_name(verb->name, pen);
	for (int i = 0; i < 4 && verb->args[i].type != ARG_END; i++) {
		if (!arg_there(&verb->args[i], action, i))
			continue;
		write_name(verb->args[i].key, pen);
		write_arg(game, &verb->args[i], action, i, pen);
	}
}

static void write_event_arg(
	int type, const char *const *words, int value, struct pen *pen)
{
	if (type == EVENT_WORD)
		pen_text(pen, words[value]);
	else if (type == EVENT_SEAT && value == NO_SEAT)
		pen_pack_nil(pen);
	else
		pen_pack_int(pen, value);
}

static void write_event(
	const struct game *game, const struct event *event, int viewer, struct pen *pen)
{
	const struct game_event_kind *kind = &game->events[event->kind];
	int args = 0;

	while (args < 4 && kind->args[args].type != EVENT_END)
		args++;
	pen_pack_map(pen, (size_t)args + 1 + (kind->cards != NULL));
	pen_text(pen, "e");
	write_name(kind->name, pen);
	for (int i = 0; i < args; i++) {
		write_name(kind->args[i].key, pen);
		write_event_arg(
			kind->args[i].type, kind->args[i].words, event->arg[i], pen);
	}
	if (!kind->cards)
		return;
	pen_text(pen, kind->cards);
	if (!event_seen_by(event, viewer)) {
		pen_pack_int(pen, event->count);
		return;
	}
	pen_pack_array(pen, event->count);
	for (int i = 0; i < event->count; i++)
		write_face(game, event->card[i], pen);
}

static void write_result(const struct game *game, const struct game_result *result,
	int seats, struct pen *pen)
{
	pen_pack_map(pen, game->teams ? 4 : 3);
	pen_text(pen, "scores");
	pen_pack_array(pen, (size_t)seats);
	for (int s = 0; s < seats; s++)
		pen_pack_int(pen, result->score[s]);
	pen_text(pen, "ranks");
	pen_pack_array(pen, (size_t)seats);
	for (int s = 0; s < seats; s++)
		pen_pack_int(pen, result->rank[s]);
	if (game->teams) {
		pen_text(pen, "teams");
		pen_pack_array(pen, (size_t)seats);
		for (int s = 0; s < seats; s++)
			write_optional(result->team[s] >= 0, result->team[s], pen);
	}
	pen_text(pen, "reason");
	pen_text(pen, result->reason);
}

/* The same for callers that write to a packer. */

void game_write_view(const struct game *game, const void *view, msgpack_packer *pk)
{
	struct pen pen;

	pen_init(&pen, pk);
	write_view(game, view, &pen);
	pen_flush(&pen);
}

void game_write_options(
	const struct game *game, const int16_t *option, msgpack_packer *pk)
{
	struct pen pen;

	pen_init(&pen, pk);
	write_options(game, option, &pen);
	pen_flush(&pen);
}

void game_write_action(
	const struct game *game, const struct action *action, msgpack_packer *pk)
{
	struct pen pen;

	pen_init(&pen, pk);
	write_action(game, action, &pen);
	pen_flush(&pen);
}

void game_write_event(const struct game *game, const struct event *event, int viewer,
	msgpack_packer *pk)
{
	struct pen pen;

	pen_init(&pen, pk);
	write_event(game, event, viewer, &pen);
	pen_flush(&pen);
}

void game_write_result(const struct game *game, const struct game_result *result,
	int seats, msgpack_packer *pk)
{
	struct pen pen;

	pen_init(&pen, pk);
	write_result(game, result, seats, &pen);
	pen_flush(&pen);
}
