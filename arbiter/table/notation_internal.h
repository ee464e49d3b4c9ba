/* What text.c and text_field.c share: a bounded writer and a token reader. */
#ifndef ARBITER_TABLE_NOTATION_INTERNAL_H
#define ARBITER_TABLE_NOTATION_INTERNAL_H

#include "arbiter/table/notation.h"

/* A buffer being filled; `used` counts on past the end, as snprintf does. */
struct text_out {
	char *buffer;
	size_t size, used;
};

struct text_out text_out_start(char *buffer, size_t size);
void text_put(struct text_out *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Fills `error`; returns false, so that `return text_wrong(…)` reads. */
bool text_wrong(char error[TEXT_ERROR_MAX], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Index into words (which end with NULL, and may be NULL), or -1. */
int text_word_find(const char *const *words, const char *text);
int text_face_find(const struct game *game, const char *text);
const char *text_face_name(const struct game *game, unsigned face);
bool text_number_parse(const char *text, long min, long max, long *value);

/* Takes the next token off *text into `token`; false at the end or if it is too long. */
bool text_token_next(const char **text, char token[64]);

#endif
