/* The fields of a state as text and back, by the field tables. */
#include "arbiter/table/notation_internal.h"
#include "arbiter/base/words.h"
#include "games/fields.h"

#include <ctype.h>
#include <string.h>

static const char *const head_fields[] = {"phase", "need", "act", "pending", NULL};
static const char *const need_names[] = {"answers", "chance", "nothing", NULL};

bool notation_field_of_head(const char *name)
{
	return word_index(head_fields, name) >= 0;
}

int notation_field_find(const struct game *game, const char *name)
{
	for (int i = 0; i < game->field_count; i++)
		if (!strcmp(game->fields[i].name, name))
			return i;
	return -1;
}

static void put_token(struct notation_out *out, size_t from, const char *token)
{
	notation_put(out, "%s%s", out->used > from ? " " : "", token);
}

static void put_seats(struct notation_out *out, unsigned set)
{
	size_t from = out->used;

	for (int seat = 0; seat < 16; seat++)
		if (set >> seat & 1)
			notation_put(out, "%s%d", out->used > from ? " " : "", seat);
	if (out->used == from)
		notation_put(out, "-");
}

static void put_flags(struct notation_out *out, const char *const *words, unsigned set)
{
	size_t from = out->used;

	for (int i = 0; words[i]; i++)
		if (set >> i & 1)
			notation_put(out, "%s%s", out->used > from ? "+" : "", words[i]);
	if (out->used == from)
		notation_put(out, "-");
}

static void put_faces(struct notation_out *out, const struct game *game,
	const struct game_field *field, const uint8_t *at)
{
	size_t from = out->used;
	uint64_t set = 0;

	if (field->type == FIELD_SET)
		set = (uint64_t)field_get_int(at, field->size, false);
	for (int face = 0; face < game->face_count; face++) {
		int n = field->type == FIELD_SET ? (int)(set >> face & 1) : at[face];

		while (n-- > 0)
			put_token(out, from, game->faces[face]);
	}
	if (out->used == from)
		notation_put(out, "-");
}

/* Is one element a list by itself? */
static bool element_is_list(const struct game_field *field)
{
	return field->type == FIELD_COUNTS || field->type == FIELD_SET ||
	       field->type == FIELD_SEATS;
}

static bool entry_is_list(const struct game_field *field)
{
	return element_is_list(field) || field->dim[1].kind != LENGTH_NONE;
}

static void put_element(struct notation_out *out, const struct game *game,
	const struct game_field *field, const void *at)
{
	int64_t value = 0;

	if (field->type != FIELD_COUNTS)
		value = field_get_int(at, field->size, field->type == FIELD_INT);
	if (field->type == FIELD_COUNTS || field->type == FIELD_SET)
		put_faces(out, game, field, at);
	else if (field->type == FIELD_SEATS)
		put_seats(out, (unsigned)value);
	else if (field->type == FIELD_FLAGS)
		put_flags(out, field->words, (unsigned)value);
	else if (field->type == FIELD_WORD)
		notation_put(out, "%s", field->words[value]);
	else if (field->type == FIELD_BOOL)
		notation_put(out, value ? "true" : "false");
	else if (field->type == FIELD_CARD)
		notation_put(out, "%s",
			value == NO_CARD ? "-"
					 : notation_face_name(game, (unsigned)value));
	else if (field->type == FIELD_SEAT && value == NO_SEAT)
		notation_put(out, "-");
	else
		notation_put(out, "%lld", (long long)value);
}

/* A list of cards or seats of which none is known is one `-`. */
static bool all_unknown(const struct game_field *field, const uint8_t *at, int n)
{
	if (field->type != FIELD_CARD && field->type != FIELD_SEAT)
		return n == 0;
	while (n > 0 && at[n - 1] == 0xff)
		n--;
	return n == 0;
}

static void put_entry(struct notation_out *out, const struct game *game,
	const struct game_field *field, void *state, int outer)
{
	int n = field_inner_length(field, state, outer);

	if (all_unknown(field, field_entry(field, state, outer), n)) {
		notation_put(out, "-");
		return;
	}
	for (int i = 0; i < n; i++) {
		if (i)
			notation_put(out, " ");
		put_element(out, game, field, field_element(field, state, outer, i));
	}
}

static void put_head_field(struct notation_out *out, const struct game *game,
	const void *state, const char *name)
{
	const struct game_head *head = state;

	if (!strcmp(name, "phase"))
		notation_put(out, "%s", game->phases[head->phase]);
	else if (!strcmp(name, "need"))
		notation_put(out, "%s", need_names[head->need]);
	else
		put_seats(out, strcmp(name, "act") ? head->pending : head->acting);
}

size_t notation_field(const struct game *game, const void *state, const char *name,
	int outer, char *buffer, size_t size)
{
	struct notation_out out = notation_out_start(buffer, size);
	void *s = (void *)(uintptr_t)state;
	const struct game_field *field;
	int n;

	if (notation_field_of_head(name)) {
		put_head_field(&out, game, state, name);
		return out.used;
	}
	field = &game->fields[notation_field_find(game, name)];
	if (outer >= 0) {
		put_entry(&out, game, field, s, outer);
		return out.used;
	}
	n = field_outer_length(field, s);
	if (!entry_is_list(field) && all_unknown(field, field_entry(field, s, 0), n))
		n = 0;
	for (int i = 0; i < n; i++) {
		if (i)
			notation_put(&out, entry_is_list(field) ? " | " : " ");
		put_entry(&out, game, field, s, i);
	}
	if (!n)
		notation_put(&out, "-");
	return out.used;
}

static bool parse_seats(const char *text, unsigned *set)
{
	char token[64];
	long seat;

	*set = 0;
	while (notation_token_next(&text, token)) {
		if (!strcmp(token, "-"))
			continue;
		if (!notation_number_parse(token, 0, GAME_SEATS_MAX - 1, &seat))
			return false;
		*set |= 1u << seat;
	}
	return true;
}

static bool parse_faces(const struct game *game, const struct game_field *field,
	const char *text, void *at, struct why *why)
{
	uint8_t token[GAME_ORDER_MAX];
	int n = notation_parse_order(game, CHANCE_DEAL, text, token, why);
	uint64_t set = 0;

	for (int i = 0; i < n; i++)
		if (field->type == FIELD_COUNTS)
			((uint8_t *)at)[token[i]]++;
		else if (set >> token[i] & 1)
			return why_set(why, "%s twice in a set", game->faces[token[i]]);
		else
			set |= 1ull << token[i];
	if (field->type == FIELD_SET)
		field_set_int(at, field->size, (int64_t)set);
	return n >= 0;
}

static bool parse_flags(const char *const *words, const char *text, int64_t *value)
{
	char word[64];

	*value = 0;
	while (*text) {
		size_t n = strcspn(text, "+");
		int bit;

		snprintf(word, sizeof(word), "%.*s", (int)n, text);
		bit = word_index(words, word);
		if (bit < 0)
			return false;
		*value |= 1 << bit;
		text += n + (text[n] == '+');
	}
	return true;
}

/* One token for an element that is not a list; `-` leaves it blank. */
static bool parse_scalar(const struct game *game, const struct game_field *field,
	const char *token, void *at, struct why *why)
{
	int bits = 8 * field->size;
	int64_t value = -1;
	long number;
	bool ok;

	if (!strcmp(token, "-"))
		return true;
	if (field->type == FIELD_BOOL) {
		value = !strcmp(token, "true");
		ok = value || !strcmp(token, "false");
	} else if (field->type == FIELD_WORD) {
		value = word_index(field->words, token);
		ok = value >= 0;
	} else if (field->type == FIELD_FLAGS) {
		ok = parse_flags(field->words, token, &value);
	} else if (field->type == FIELD_CARD) {
		value = notation_face_find(game, token);
		ok = value >= 0;
	} else {
		bool is_signed = field->type == FIELD_INT;

		ok = notation_number_parse(token, is_signed ? -(1L << (bits - 1)) : 0,
			(1L << (bits - is_signed)) - 1, &number);
		value = number;
	}
	if (!ok)
		return why_set(why, "%s cannot be '%s'", field->name, token);
	field_set_int(at, field->size, value);
	return true;
}

static void blank_entry(const struct game_field *field, void *state, int outer)
{
	bool ff = field->type == FIELD_CARD || field->type == FIELD_SEAT;

	memset(field_entry(field, state, outer), ff ? 0xff : 0, field_entry_size(field));
}

static bool parse_entry(const struct game *game, const struct game_field *field,
	void *state, int outer, const char *text, struct why *why)
{
	const struct field_dimension *inner = &field->dim[1];
	int max = inner->kind == LENGTH_NONE ? 1 : inner->max;
	bool none = !strcmp(text, "-");
	char token[64];
	unsigned set;
	int n = 0;

	blank_entry(field, state, outer);
	if (field->type == FIELD_SEATS) {
		if (!parse_seats(text, &set))
			return why_set(why, "%s is a list of seats", field->name);
		field_set_int(field_entry(field, state, outer), field->size, set);
		return true;
	}
	if (element_is_list(field))
		return parse_faces(
			game, field, text, field_entry(field, state, outer), why);
	while (!none && notation_token_next(&text, token)) {
		if (n >= max)
			return why_set(why, "%s holds at most %d", field->name, max);
		if (!parse_scalar(game, field, token,
			    field_element(field, state, outer, n++), why))
			return false;
	}
	if (inner->kind == LENGTH_COUNT)
		((uint8_t *)state)[inner->counter + outer] = (uint8_t)n;
	return true;
}

/* Takes the next outer entry off *text: up to `|` for lists, one token otherwise. */
static bool entry_next(
	const struct game_field *field, const char **text, char entry[NOTATION_MAX])
{
	size_t n;

	if (!entry_is_list(field))
		return notation_token_next(text, entry);
	while (isspace((unsigned char)**text))
		(*text)++;
	if (!**text)
		return false;
	n = strcspn(*text, "|");
	snprintf(entry, NOTATION_MAX, "%.*s", (int)n, *text);
	*text += n + ((*text)[n] == '|');
	for (n = strlen(entry); n && isspace((unsigned char)entry[n - 1]);)
		entry[--n] = 0;
	return true;
}

static bool parse_whole(const struct game *game, const struct game_field *field,
	void *state, const char *text, struct why *why)
{
	int max = field_outer_max(field), n = 0;
	bool none = !strcmp(text, "-");
	char entry[NOTATION_MAX];

	if (!field_is_list(field))
		return parse_entry(game, field, state, 0, text, why);
	for (int i = 0; i < max; i++)
		blank_entry(field, state, i);
	while (!none && entry_next(field, &text, entry)) {
		if (n >= max)
			return why_set(why, "%s holds at most %d", field->name, max);
		if (!parse_entry(game, field, state, n++, entry, why))
			return false;
	}
	if (field->dim[0].kind == LENGTH_COUNT)
		((uint8_t *)state)[field->dim[0].counter] = (uint8_t)n;
	return true;
}

static bool parse_head_field(const struct game *game, void *state, const char *name,
	const char *text, struct why *why)
{
	struct game_head *head = state;
	unsigned set;
	int word;

	if (!strcmp(name, "phase") || !strcmp(name, "need")) {
		bool phase = *name == 'p';

		word = word_index(phase ? game->phases : need_names, text);
		if (word < 0)
			return why_set(why, "%s cannot be '%s'", name, text);
		*(phase ? &head->phase : &head->need) = (uint8_t)word;
		return true;
	}
	if (!parse_seats(text, &set))
		return why_set(why, "%s is a list of seats", name);
	head->pending = (uint16_t)set;
	if (!strcmp(name, "act"))
		head->acting = (uint16_t)set;
	return true;
}

bool notation_parse_field(const struct game *game, void *state, const char *name,
	int outer, const char *text, struct why *why)
{
	int index = notation_field_find(game, name);

	if (notation_field_of_head(name) && outer < 0)
		return parse_head_field(game, state, name, text, why);
	if (index < 0)
		return why_set(why, "there is no field '%s'", name);
	if (outer < 0)
		return parse_whole(game, &game->fields[index], state, text, why);
	if (outer >= field_outer_max(&game->fields[index]))
		return why_set(why, "%s has no entry %d", name, outer);
	return parse_entry(game, &game->fields[index], state, outer, text, why);
}

bool notation_field_equal(const struct game *game, const void *a, const void *b,
	const char *name, int outer)
{
	void *x = (void *)(uintptr_t)a, *y = (void *)(uintptr_t)b;
	const struct game_head *p = a, *q = b;
	const struct game_field *field;
	size_t n;

	if (!strcmp(name, "phase"))
		return p->phase == q->phase;
	if (!strcmp(name, "need"))
		return p->need == q->need;
	if (!strcmp(name, "act"))
		return p->acting == q->acting;
	if (!strcmp(name, "pending"))
		return p->pending == q->pending;
	field = &game->fields[notation_field_find(game, name)];
	n = field_entry_size(field) * (size_t)(outer < 0 ? field_outer_max(field) : 1);
	outer = outer < 0 ? 0 : outer;
	return !memcmp(field_entry(field, x, outer), field_entry(field, y, outer), n);
}

static bool is_blank(const struct game_field *field, void *state, int outer)
{
	const uint8_t *at = field_entry(field, state, outer);
	bool ff = field->type == FIELD_CARD || field->type == FIELD_SEAT;

	for (size_t i = 0; i < field_entry_size(field); i++)
		if (at[i] != (ff ? 0xff : 0))
			return false;
	return true;
}

void notation_print_state(const struct game *game, const void *state, FILE *out)
{
	void *s = (void *)(uintptr_t)state;
	char buffer[NOTATION_MAX];

	for (int i = 0; i < 3; i++) {
		notation_field(game, state, head_fields[i], -1, buffer, sizeof(buffer));
		fprintf(out, "  %s: %s\n", head_fields[i], buffer);
	}
	for (int i = 0; i < game->field_count; i++) {
		const struct game_field *field = &game->fields[i];
		bool by_seat = field->dim[0].kind == LENGTH_SEATS;
		bool blank = true;

		for (int k = 0; k < field_outer_max(field); k++) {
			if (is_blank(field, s, k))
				continue;
			blank = false;
			if (!by_seat)
				break;
			notation_field(
				game, state, field->name, k, buffer, sizeof(buffer));
			fprintf(out, "  %s %d: %s\n", field->name, k, buffer);
		}
		if (blank || by_seat)
			continue;
		notation_field(game, state, field->name, -1, buffer, sizeof(buffer));
		fprintf(out, "  %s: %s\n", field->name, buffer);
	}
}
