/* Reading and writing states through the field table; blank tables and views. */
#include "games/game.h"

#include <assert.h>
#include <string.h>

static int length(const struct game_field *field, int d, const void *state, int index)
{
	const struct field_dimension *dim = &field->dim[d];
	int n;

	switch (dim->kind) {
	case LENGTH_NONE:
		return 1;
	case LENGTH_FIXED:
		return dim->max;
	case LENGTH_SEATS:
		return game_head(state)->seats;
	default:
		n = ((const uint8_t *)state)[dim->counter + index];
		return n < dim->max ? n : dim->max;
	}
}

int field_outer_length(const struct game_field *field, const void *state)
{
	return length(field, 0, state, 0);
}

int field_inner_length(const struct game_field *field, const void *state, int outer)
{
	return length(field, 1, state, outer);
}

int field_outer_max(const struct game_field *field)
{
	return field->dim[0].kind == LENGTH_NONE ? 1 : field->dim[0].max;
}

size_t field_entry_size(const struct game_field *field)
{
	size_t inner = field->dim[1].kind == LENGTH_NONE ? 1 : field->dim[1].max;

	return inner * field->size;
}

void *field_entry(const struct game_field *field, void *state, int outer)
{
	return (uint8_t *)state + field->offset + (size_t)outer * field_entry_size(field);
}

void *field_element(const struct game_field *field, void *state, int outer, int inner)
{
	return (uint8_t *)field_entry(field, state, outer) + (size_t)inner * field->size;
}

bool field_seen_by(
	const struct game_field *field, const void *state, int viewer, int outer)
{
	if (viewer == OMNISCIENT)
		return true;
	switch (field->see) {
	case SEE_ALL:
		return !field->visible || field->visible(state, viewer, outer);
	case SEE_OWNER:
		return viewer == outer;
	default:
		return false;
	}
}

int64_t field_get_int(const void *at, int size, bool is_signed)
{
	uint64_t value = 0;
	int shift = 64 - 8 * size;

	if (size == 1) /* most are */
		return is_signed ? *(const int8_t *)at : *(const uint8_t *)at;
	memcpy(&value, at, (size_t)size); /* little endian */
	return is_signed ? (int64_t)(value << shift) >> shift : (int64_t)value;
}

void field_set_int(void *at, int size, int64_t value)
{
	memcpy(at, &value, (size_t)size);
}

static bool blank_is_ff(const struct game_field *field)
{
	return field->type == FIELD_CARD || field->type == FIELD_SEAT;
}

/* Everything blank; the head is the caller's. */
static void blank_state(const struct game *game, void *state)
{
	memset(state, 0, game->state_size);
	for (int i = 0; i < game->field_count; i++) {
		const struct game_field *f = &game->fields[i];

		if (blank_is_ff(f))
			memset(field_entry(f, state, 0), 0xff,
				field_entry_size(f) * (size_t)field_outer_max(f));
	}
}

void game_blank(const struct game *game, int seats,
	const int16_t option[GAME_OPTIONS_MAX], void *state)
{
	struct game_head *head = state;

	blank_state(game, state);
	head->viewer = OMNISCIENT;
	head->seats = (uint8_t)seats;
	memcpy(head->option, option, sizeof(head->option));
}

static void copy_seen(
	const struct game_field *field, const void *state, int viewer, void *view)
{
	/* The outer length is that of the state, which the view need not know. */
	int n = field_outer_length(field, state);
	size_t size = field_entry_size(field);

	for (int i = 0; i < n; i++)
		if (field_seen_by(field, state, viewer, i))
			memcpy(field_entry(field, view, i),
				field_entry(field, (void *)(uintptr_t)state, i), size);
}

void game_observe(const struct game *game, const void *state, int viewer, void *view)
{
	const struct game_head *from = state;
	struct game_head *to = view;

	assert(from->viewer == OMNISCIENT);
	game_blank(game, from->seats, from->option, view);
	to->viewer = (int8_t)viewer;
	to->phase = from->phase;
	to->need = from->need;
	to->acting = from->acting;
	if (viewer == OMNISCIENT)
		to->pending = from->pending;
	else if (viewer >= 0)
		to->pending = from->pending & (uint16_t)(1u << viewer);
	for (int i = 0; i < game->field_count; i++)
		copy_seen(&game->fields[i], state, viewer, view);
}
