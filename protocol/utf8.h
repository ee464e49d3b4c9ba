/*
 * UTF-8: checking texts, cutting them, and making texts of unknown origin fit to be
 * shown. The one place that cuts texts; a cut never splits a character.
 */
#ifndef PROTOCOL_UTF8_H
#define PROTOCOL_UTF8_H

#include "protocol/buffer.h"

#include <stdarg.h>

bool utf8_valid(struct text text);
/* The length in bytes of the longest valid beginning. */
size_t utf8_valid_size(struct text text);

/* The longest beginning of the text that has at most `max` bytes and splits no
 * character. */
size_t utf8_cut(const char *text, size_t size, size_t max);

/* The string as a text for a field that takes at most `max` bytes. */
struct text utf8_text(const char *string, size_t max);

/* Like snprintf(), but what does not fit is cut between characters. */
void utf8_format(char *string, size_t capacity, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void utf8_format_list(char *string, size_t capacity, const char *format, va_list list)
	__attribute__((format(printf, 3, 0)));

#define UTF8_SHOWN_SIZE 8

/*
 * Any bytes as valid UTF-8 that steers no terminal. Bytes that are not UTF-8 and ASCII's
 * control characters are written `\x1b`, a new line `\n`; DEL, the C1 controls, line
 * separators and what changes the direction of writing `\u202e`, as in JSON. A byte
 * becomes at most six. Cut to fit, with every escape whole.
 */
void utf8_show(struct text bytes, char *string, size_t capacity);
/* The same for the first character, or byte that is none; returns how many bytes of the
 * text that was. The text is not empty. */
size_t utf8_show_one(struct text bytes, char out[UTF8_SHOWN_SIZE]);
/* How many bytes at the end may be the beginning of a character that is yet to come. */
size_t utf8_unfinished(struct text bytes);

#endif
