/*
 * Actions, options and views from msgpack, by the games' tables. Nothing that is read
 * here is trusted: every type, range and length is checked, and errors are reported with
 * constant messages, never with what was read.
 */
#include "games/game.h"

#include <string.h>

static bool text_is(const msgpack_object *object, const char *text)
{
	return object->type == MSGPACK_OBJECT_STR &&
	       object->via.str.size == strlen(text) &&
	       !memcmp(object->via.str.ptr, text, object->via.str.size);
}

/* Index in a list of words that ends with NULL, or -1. */
static int find_word(const msgpack_object *object, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (text_is(object, words[i]))
			return i;
	return -1;
}

/* The face that the token stands for, or -1. */
static int find_face(const msgpack_object *object, const struct game *game)
{
	for (int i = 0; i < game->face_count; i++)
		if (text_is(object, game->faces[i]))
			return i;
	return -1;
}

static bool read_int(
	const msgpack_object *object, int64_t min, int64_t max, int64_t *value)
{
	if (object->type == MSGPACK_OBJECT_POSITIVE_INTEGER &&
		object->via.u64 <= INT64_MAX)
		*value = (int64_t)object->via.u64;
	else if (object->type == MSGPACK_OBJECT_NEGATIVE_INTEGER)
		*value = object->via.i64;
	else
		return false;
	return *value >= min && *value <= max;
}

static const msgpack_object *map_get(const msgpack_object *map, const char *key)
{
	for (uint32_t i = 0; i < map->via.map.size; i++)
		if (text_is(&map->via.map.ptr[i].key, key))
			return &map->via.map.ptr[i].val;
	return NULL;
}

/* Cards are few: an insertion sort makes the multiset canonical. */
static void sort_cards(uint8_t *list, int n)
{
	for (int i = 1; i < n; i++)
		for (int j = i; j > 0 && list[j - 1] > list[j]; j--) {
			uint8_t swap = list[j];

			list[j] = list[j - 1];
			list[j - 1] = swap;
		}
}

static bool read_list(const struct game *game, const struct game_arg *arg, int at,
	const msgpack_object *value, struct action *action)
{
	uint32_t n, max = GAME_ARGS_MAX - (uint32_t)at;

	if (value->type != MSGPACK_OBJECT_ARRAY)
		return false;
	n = value->via.array.size;
	if (n == 0 || n > (arg->max && arg->max < max ? arg->max : max))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		int face = find_face(&value->via.array.ptr[i], game);

		if (face < 0)
			return false;
		action->arg[at + (int)i] = (uint8_t)face;
	}
	if (arg->type == ARG_CARDS)
		sort_cards(action->arg + at, (int)n);
	action->count = (uint8_t)((uint32_t)at + n);
	return true;
}

static bool read_arg(const struct game *game, int seats, const struct game_arg *arg,
	int at, const msgpack_object *value, struct action *action)
{
	int64_t number = -1;

	switch ((enum arg_type)arg->type) {
	case ARG_END:
		return false;
	case ARG_CARDS:
	case ARG_ORDER:
		return read_list(game, arg, at, value, action);
	case ARG_CARD:
		number = find_face(value, game);
		break;
	case ARG_WORD:
		number = find_word(value, arg->words);
		break;
	case ARG_INT:
		if (!read_int(value, 0, arg->max, &number))
			return false;
		break;
	case ARG_SEAT:
		if (!read_int(value, 0, seats - 1, &number))
			return false;
		break;
	case ARG_TRUE:
		if (value->type != MSGPACK_OBJECT_BOOLEAN || !value->via.boolean)
			return false;
		number = 1;
		break;
	}
	action->arg[at] = (uint8_t)number;
	return number >= 0;
}

static int find_verb(const struct game *game, const msgpack_object *map)
{
	const msgpack_object *name = map_get(map, "a");

	for (int i = 0; name && i < game->verb_count; i++)
		if (text_is(name, game->verbs[i].name))
			return i;
	return -1;
}

static int find_arg(const struct game_verb *verb, const msgpack_object *key)
{
	for (int i = 0; i < 4 && verb->args[i].type != ARG_END; i++)
		if (text_is(key, verb->args[i].key))
			return i;
	return -1;
}

/* Scalars that may be missing start as ABSENT; count covers all scalars. */
static unsigned prepare_args(const struct game_verb *verb, struct action *action)
{
	unsigned required = 0;

	for (int i = 0; i < 4 && verb->args[i].type != ARG_END; i++) {
		const struct game_arg *arg = &verb->args[i];

		if (!arg->optional)
			required |= 1u << i;
		if (arg->type == ARG_CARDS || arg->type == ARG_ORDER)
			continue;
		action->arg[i] = ABSENT;
		action->count = (uint8_t)(i + 1);
	}
	return required;
}

bool game_read_action(const struct game *game, int seats, const msgpack_object *object,
	struct action *action, struct refusal *why)
{
	const struct game_verb *verb;
	unsigned required, seen = 0;
	int index, verbs_seen = 0;

	memset(action, 0, sizeof(*action));
	if (object->type != MSGPACK_OBJECT_MAP)
		return refuse(why, game->form[0], "an action is a map");
	index = find_verb(game, object);
	if (index < 0)
		return refuse(why, game->form[0], "`a` must name a verb of this game");
	verb = &game->verbs[index];
	action->verb = (uint8_t)index;
	required = prepare_args(verb, action);
	for (uint32_t i = 0; i < object->via.map.size; i++) {
		const msgpack_object_kv *kv = &object->via.map.ptr[i];
		int at = find_arg(verb, &kv->key);

		if (text_is(&kv->key, "a") && !verbs_seen++)
			continue;
		if (at < 0 || seen >> at & 1)
			return refuse(
				why, game->form[1], "a key is unknown or given twice");
		if (!read_arg(game, seats, &verb->args[at], at, &kv->val, action))
			return refuse(why, game->form[2],
				"a value has the wrong type or is out of range");
		seen |= 1u << at;
	}
	if (required & ~seen)
		return refuse(why, game->form[1], "a key is missing");
	return true;
}

static bool read_option(
	const struct game_option *option, const msgpack_object *value, int16_t *out)
{
	int64_t number;

	if (option->words == game_switch) {
		*out = value->type == MSGPACK_OBJECT_BOOLEAN && value->via.boolean;
		return value->type == MSGPACK_OBJECT_BOOLEAN;
	}
	for (const struct game_word *w = option->words; w && w->name; w++)
		if (text_is(value, w->name)) {
			*out = w->value;
			return true;
		}
	if (!read_int(value, option->min, option->max, &number))
		return false;
	*out = (int16_t)number;
	return true;
}

const char *game_read_options(
	const struct game *game, const msgpack_object *object, int16_t *option)
{
	if (object->type != MSGPACK_OBJECT_MAP)
		return "options are not a map";
	game_defaults(game, option);
	for (uint32_t i = 0; i < object->via.map.size; i++) {
		const msgpack_object_kv *kv = &object->via.map.ptr[i];
		int at = -1;

		for (int o = 0; o < game->option_count; o++)
			if (text_is(&kv->key, game->options[o].name))
				at = o;
		if (at < 0)
			return "an option is unknown";
		if (!read_option(&game->options[at], &kv->val, &option[at]))
			return "an option's value is not allowed";
	}
	return NULL;
}

static bool read_faces(const struct game *game, const struct game_field *field,
	const msgpack_object *list, void *at)
{
	if (list->type != MSGPACK_OBJECT_ARRAY || list->via.array.size > GAME_ORDER_MAX)
		return false;
	for (uint32_t i = 0; i < list->via.array.size; i++) {
		int face = find_face(&list->via.array.ptr[i], game);

		if (face < 0)
			return false;
		if (field->type == FIELD_COUNTS)
			((uint8_t *)at)[face]++;
		else
			field_set_int(at, field->size,
				field_get_int(at, field->size, false) | 1LL << face);
	}
	return true;
}

static bool read_mask(
	const char *const *words, int n, int size, const msgpack_object *list, void *at)
{
	uint64_t mask = 0;

	if (list->type != MSGPACK_OBJECT_ARRAY)
		return false;
	for (uint32_t i = 0; i < list->via.array.size; i++) {
		int64_t bit;

		if (words)
			bit = find_word(&list->via.array.ptr[i], words);
		else if (!read_int(&list->via.array.ptr[i], 0, n - 1, &bit))
			return false;
		if (bit < 0)
			return false;
		mask |= 1ull << bit;
	}
	field_set_int(at, size, (int64_t)mask);
	return true;
}

static bool read_number(
	const struct game_field *field, const msgpack_object *value, void *at)
{
	int64_t half = 1LL << (8 * field->size - 1), number;
	bool is_signed = field->type == FIELD_INT;

	if (!read_int(value, is_signed ? -half : 0, is_signed ? half - 1 : 2 * half - 1,
		    &number))
		return false;
	field_set_int(at, field->size, number);
	return true;
}

/* The blank stays where the value is nil. */
static bool read_byte(int64_t number, bool nil, void *at)
{
	if (nil)
		return true;
	if (number < 0)
		return false;
	*(uint8_t *)at = (uint8_t)number;
	return true;
}

static bool read_element(const struct game *game, const struct game_field *field,
	int seats, const msgpack_object *value, void *at)
{
	bool nil = value->type == MSGPACK_OBJECT_NIL;
	int64_t seat = -1;

	switch ((enum field_type)field->type) {
	case FIELD_INT:
	case FIELD_UINT:
		return read_number(field, value, at);
	case FIELD_BOOL:
		*(bool *)at = value->type == MSGPACK_OBJECT_BOOLEAN && value->via.boolean;
		return value->type == MSGPACK_OBJECT_BOOLEAN;
	case FIELD_WORD:
		return read_byte(find_word(value, field->words), false, at);
	case FIELD_FLAGS:
		return read_mask(field->words, 0, field->size, value, at);
	case FIELD_SEAT:
		if (!nil && !read_int(value, 0, seats - 1, &seat))
			return false;
		return read_byte(seat, nil, at);
	case FIELD_SEATS:
		return read_mask(NULL, seats, field->size, value, at);
	case FIELD_CARD:
		return read_byte(find_face(value, game), nil, at);
	case FIELD_COUNTS:
	case FIELD_SET:
		return read_faces(game, field, value, at);
	}
	return false;
}

/* A list that has a counter sets it, so counters need no field of their own. */
static bool set_length(
	const struct field_dimension *dim, int index, uint32_t n, int seats, void *view)
{
	switch (dim->kind) {
	case LENGTH_FIXED:
		return n == dim->max;
	case LENGTH_SEATS:
		return n == (uint32_t)seats;
	default:
		if (n > dim->max)
			return false;
		((uint8_t *)view)[dim->counter + index] = (uint8_t)n;
		return true;
	}
}

static bool read_entry(const struct game *game, const struct game_field *field, int seats,
	const msgpack_object *value, int outer, void *view)
{
	if (field->dim[1].kind == LENGTH_NONE)
		return read_element(
			game, field, seats, value, field_element(field, view, outer, 0));
	if (value->type != MSGPACK_OBJECT_ARRAY ||
		!set_length(&field->dim[1], outer, value->via.array.size, seats, view))
		return false;
	for (uint32_t i = 0; i < value->via.array.size; i++)
		if (!read_element(game, field, seats, &value->via.array.ptr[i],
			    field_element(field, view, outer, (int)i)))
			return false;
	return true;
}

static bool read_field(const struct game *game, const struct game_field *field, int seats,
	const msgpack_object *value, void *view)
{
	if (!field_is_list(field))
		return read_entry(game, field, seats, value, 0, view);
	if (value->type != MSGPACK_OBJECT_ARRAY ||
		!set_length(&field->dim[0], 0, value->via.array.size, seats, view))
		return false;
	for (uint32_t i = 0; i < value->via.array.size; i++) {
		const msgpack_object *entry = &value->via.array.ptr[i];

		/* nil is a hidden entry, unless the element itself can be nil. */
		if (entry->type == MSGPACK_OBJECT_NIL)
			continue;
		if (!read_entry(game, field, seats, entry, (int)i, view))
			return false;
	}
	return true;
}

/* A view never has what its viewer may not see, so that one that is read is one that
 * could have been written. */
static bool shows_too_much(
	const struct game_field *field, const msgpack_object *value, const void *view)
{
	int viewer = game_head(view)->viewer;

	if (!field->visible || viewer == OMNISCIENT)
		return false;
	for (uint32_t i = 0; i < value->via.array.size; i++)
		if (value->via.array.ptr[i].type != MSGPACK_OBJECT_NIL &&
			!field->visible(view, viewer, (int)i))
			return true;
	return false;
}

static const char *read_section(const struct game *game, const msgpack_object *map,
	bool (*wanted)(const struct game_field *), int own, void *view)
{
	int seats = game_head(view)->seats;

	if (!map || map->type != MSGPACK_OBJECT_MAP)
		return "a section of the view is missing";
	for (int i = 0; i < game->field_count; i++) {
		const struct game_field *f = &game->fields[i];
		const msgpack_object *value;

		if (!wanted(f))
			continue;
		value = map_get(map, f->name);
		if (!value)
			return "a field of the view is missing";
		if (own >= 0 ? !read_entry(game, f, seats, value, own, view)
			     : !read_field(game, f, seats, value, view))
			return "a field of the view has the wrong form";
	}
	for (int i = 0; i < game->field_count; i++)
		if (wanted(&game->fields[i]) &&
			shows_too_much(&game->fields[i],
				map_get(map, game->fields[i].name), view))
			return "the view shows what its viewer may not see";
	return NULL;
}

static bool is_public(const struct game_field *field)
{
	return field->see == SEE_ALL;
}

static bool is_own(const struct game_field *field)
{
	return field->see == SEE_OWNER;
}

static bool is_hidden(const struct game_field *field)
{
	return field->see != SEE_ALL;
}

static bool read_viewer(const msgpack_object *value, int seats, int8_t *viewer)
{
	int64_t seat;

	if (value && text_is(value, "spectator"))
		*viewer = SPECTATOR;
	else if (value && text_is(value, "omniscient"))
		*viewer = OMNISCIENT;
	else if (value && read_int(value, 0, seats - 1, &seat))
		*viewer = (int8_t)seat;
	else
		return false;
	return true;
}

/* The view does not say how many seats there are; every per-seat public list does. */
static int count_seats(const struct game *game, const msgpack_object *object)
{
	const msgpack_object *pub = map_get(object, "pub");

	if (!pub || pub->type != MSGPACK_OBJECT_MAP)
		return 0;
	for (int i = 0; i < game->field_count; i++) {
		const struct game_field *f = &game->fields[i];
		const msgpack_object *list;

		if (f->see != SEE_ALL || f->dim[0].kind != LENGTH_SEATS)
			continue;
		list = map_get(pub, f->name);
		if (!list || list->type != MSGPACK_OBJECT_ARRAY ||
			list->via.array.size < (uint32_t)game->seats_min ||
			list->via.array.size > (uint32_t)game->seats_max)
			return 0;
		return (int)list->via.array.size;
	}
	return game->seats_min == game->seats_max ? game->seats_min : 0;
}

static const char *read_head(
	const struct game *game, const msgpack_object *object, void *view)
{
	const msgpack_object *need = map_get(object, "need"), *value;
	struct game_head *head = view;
	int phase;

	if (!read_viewer(map_get(object, "seat"), head->seats, &head->viewer))
		return "`seat` is missing or not a viewer";
	value = map_get(object, "phase");
	phase = value ? find_word(value, game->phases) : -1;
	if (phase < 0)
		return "`phase` is not a phase of this game";
	head->phase = (uint8_t)phase;
	head->need = !need                     ? NEED_ANSWERS
		     : text_is(need, "chance") ? NEED_CHANCE
					       : NEED_NOTHING;
	value = map_get(object, "act");
	if (!value ||
		!read_mask(NULL, head->seats, sizeof(head->acting), value, &head->acting))
		return "`act` is not a list of seats";
	return NULL;
}

static const char *read_hidden(
	const struct game *game, const msgpack_object *all, void *view)
{
	struct game_head *head = view;
	const msgpack_object *pending;

	if (!all || all->type != MSGPACK_OBJECT_MAP)
		return "`all` is missing";
	pending = map_get(all, "pending");
	if (!pending || !read_mask(NULL, head->seats, sizeof(head->pending), pending,
				&head->pending))
		return "`pending` is not a list of seats";
	return read_section(game, all, is_hidden, -1, view);
}

static const char *read_own(const struct game *game, const msgpack_object *me, void *view)
{
	struct game_head *head = view;
	const msgpack_object *pending;

	if (!me || me->type != MSGPACK_OBJECT_MAP)
		return "`me` is missing";
	pending = map_get(me, "pending");
	if (!pending || pending->type != MSGPACK_OBJECT_BOOLEAN)
		return "`pending` is not true or false";
	if (pending->via.boolean)
		head->pending = (uint16_t)(1u << head->viewer);
	return read_section(game, me, is_own, head->viewer, view);
}

const char *game_read_view(
	const struct game *game, const msgpack_object *object, void *view)
{
	int16_t option[GAME_OPTIONS_MAX];
	const msgpack_object *opts;
	const char *wrong;
	int seats;

	if (object->type != MSGPACK_OBJECT_MAP)
		return "a view is a map";
	if (!map_get(object, "game") || !text_is(map_get(object, "game"), game->id))
		return "the view is of another game";
	opts = map_get(object, "opts");
	wrong = opts ? game_read_options(game, opts, option) : "`opts` is missing";
	if (wrong)
		return wrong;
	seats = count_seats(game, object);
	if (!seats)
		return "the number of seats cannot be told";
	game_blank(game, seats, option, view);
	wrong = read_head(game, object, view);
	if (!wrong)
		wrong = read_section(game, map_get(object, "pub"), is_public, -1, view);
	if (wrong)
		return wrong;
	if (game_head(view)->viewer == OMNISCIENT)
		return read_hidden(game, map_get(object, "all"), view);
	if (game_head(view)->viewer == SPECTATOR)
		return NULL;
	return read_own(game, map_get(object, "me"), view);
}
