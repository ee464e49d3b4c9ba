/*
 * Reaching into a state by its field table. For games/ and for those who print or
 * parse states (tests, text); everybody else uses game_observe() and the writers.
 */
#ifndef GAMES_FIELDS_H
#define GAMES_FIELDS_H

#include "games/game.h"

/* Entries of the outer dimension; 1 for a field without dimensions. */
int field_outer_length(const struct game_field *field, const void *state);
/* Entries of the inner dimension at `outer`; 1 without one. */
int field_inner_length(const struct game_field *field, const void *state, int outer);
/* Address and size in bytes of everything that stands at `outer`, unused tail included.
 */
void *field_entry(const struct game_field *field, void *state, int outer);
size_t field_entry_size(const struct game_field *field);
/* Capacity of the outer dimension, 1 without one. */
int field_outer_max(const struct game_field *field);
/* Address of one element. */
void *field_element(const struct game_field *field, void *state, int outer, int inner);
/* Is entry `outer` shown to the viewer? */
bool field_seen_by(
	const struct game_field *field, const void *state, int viewer, int outer);
/* Is the whole field a list of elements, rather than one? */
static inline bool field_is_list(const struct game_field *field)
{
	return field->dim[0].kind != LENGTH_NONE;
}

/* An integer of 1, 2, 4 or 8 bytes. */
int64_t field_get_int(const void *at, int size, bool is_signed);
void field_set_int(void *at, int size, int64_t value);

#endif
