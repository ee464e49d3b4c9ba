/*
 * The fields of a state, who sees them, and views.
 *
 * A view is a state with blanks. game_observe() starts from an empty struct of the same
 * type and copies what the field table allows the viewer to see; what is not in the
 * table, or not for that viewer, stays blank. There is no other way out of a state. The
 * view of OMNISCIENT holds every field, so it also serves to write a state down and to
 * read one back.
 *
 * The functions field_… read and write a state through the table. They are for games/
 * and for those who print or parse states; everybody else uses game_observe() and
 * games/wire.h.
 */
#ifndef GAMES_FIELDS_H
#define GAMES_FIELDS_H

#include "games/state.h"

enum field_type {
	FIELD_INT,    /* int8_t, int16_t, int32_t by size */
	FIELD_UINT,   /* uint8_t, uint16_t, uint32_t */
	FIELD_BOOL,   /* bool */
	FIELD_WORD,   /* uint8_t index into words */
	FIELD_FLAGS,  /* uint8_t or uint16_t, a bit for each of words: a list of words */
	FIELD_SEAT,   /* uint8_t, NO_SEAT is nil */
	FIELD_SEATS,  /* uint16_t, a bit for each seat: a list of seats */
	FIELD_CARD,   /* uint8_t face, NO_CARD is nil */
	FIELD_COUNTS, /* uint8_t[faces], how many of each: a sorted list of tokens */
	FIELD_SET     /* uint32_t or uint64_t, a bit for each face: a sorted list */
};

enum field_see {
	SEE_ALL,   /* under "pub" for everybody */
	SEE_OWNER, /* the outer dimension is seats; the viewer's own entry under "me" */
	SEE_NONE   /* hidden from everybody, the owner included */
};

/* How long a dimension is. */
enum field_length {
	LENGTH_NONE,  /* there is no such dimension */
	LENGTH_FIXED, /* max */
	LENGTH_SEATS, /* the number of seats */
	LENGTH_COUNT  /* the uint8_t at `counter`; for an inner dimension the outer
		       * index is added to the counter's address */
};

struct field_dimension {
	uint8_t kind; /* enum field_length */
	uint8_t max;  /* capacity: the array's declared size */
	uint16_t counter;
};

/*
 * One member of the state. An element that is hidden, and every element of an
 * array beyond its length, is blank: 0xff for FIELD_CARD and FIELD_SEAT, zero for
 * all other types. States keep this themselves (it makes equal states equal bytes).
 *
 * A list of cards is FIELD_CARD with a LENGTH_COUNT dimension. Stacks lie with
 * their top last.
 *
 * `visible`, if not NULL, narrows SEE_ALL: entry `outer` is shown to a seat or to
 * the spectator only if it returns true. OMNISCIENT sees everything always.
 */
struct game_field {
	char name[GAME_NAME_SIZE];
	uint8_t type;
	uint8_t see;
	uint8_t size; /* of one element in bytes */
	uint16_t offset;
	struct field_dimension dim[2]; /* outer, inner */
	const char *const *words;      /* FIELD_WORD, FIELD_FLAGS; ends with NULL */
	bool (*visible)(const void *state, int viewer, int outer);
};

/* `GAME_FIELD(struct x, member)` gives name and offset; size and dimensions follow. */
#define GAME_FIELD(type_, member_) .name = #member_, .offset = offsetof(type_, member_)
#define DIM_SEATS                                                                        \
	{                                                                                \
		LENGTH_SEATS, GAME_SEATS_MAX, 0                                          \
	}
#define DIM_SEATS_OF(max)                                                                \
	{                                                                                \
		LENGTH_SEATS, (max), 0                                                   \
	}
#define DIM_FIXED(max)                                                                   \
	{                                                                                \
		LENGTH_FIXED, (max), 0                                                   \
	}
#define DIM_COUNT(max, type_, member_)                                                   \
	{                                                                                \
		LENGTH_COUNT, (max), offsetof(type_, member_)                            \
	}

/* A table with nothing on it: the head filled, every field blank. */
void game_blank(const struct game *game, int seats,
	const int16_t option[GAME_OPTIONS_MAX], void *state);
/* The view of a seat, SPECTATOR or OMNISCIENT; `view` has game.state_size bytes. */
void game_observe(const struct game *game, const void *state, int viewer, void *view);

/* Entries of the outer dimension; 1 for a field without dimensions. */
int field_outer_length(const struct game_field *field, const void *state);
/* Entries of the inner dimension at `outer`; 1 without one. */
int field_inner_length(const struct game_field *field, const void *state, int outer);
/* Address and size in bytes of all that stands at `outer`, the unused tail included. */
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
