/* What notation.c and notation_field.c share: a bounded writer and a token reader. */
#ifndef ARBITER_TABLE_NOTATION_INTERNAL_H
#define ARBITER_TABLE_NOTATION_INTERNAL_H

#include "arbiter/table/notation.h"

/* A buffer being filled; like snprintf, `used` keeps counting past the end. */
struct notation_out {
	char *buffer;
	size_t size, used;
};

struct notation_out notation_out_start(char *buffer, size_t size);
void notation_put(struct notation_out *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

int notation_face_find(const struct game *game, const char *text);
const char *notation_face_name(const struct game *game, unsigned face);
bool notation_number_parse(const char *text, long min, long max, long *value);

/* Takes the next token off *text into `token`; false at the end or if it is too long. */
bool notation_token_next(const char **text, char token[64]);

#endif
