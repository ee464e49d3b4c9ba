/* Checking, cutting and showing texts. */
#include "protocol/utf8.h"

#include <stdio.h>

/* Length of a valid sequence that starts a non-ASCII character, 0 if there is none.
 * The bounds of the second byte keep out overlong forms, surrogates and what lies
 * above U+10FFFF. */
static size_t sequence_length(const uint8_t *at, size_t left)
{
	uint8_t first = at[0];
	uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
	size_t length = first < 0xc2   ? 0
			: first < 0xe0 ? 2
			: first < 0xf0 ? 3
			: first < 0xf5 ? 4
				       : 0;

	if (length == 0 || length > left || at[1] < low || at[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

/* The length of the first character; 0 if it is invalid. */
static size_t character_length(const uint8_t *at, size_t left)
{
	return at[0] < 0x80 ? 1 : sequence_length(at, left);
}

size_t utf8_valid_size(struct text text)
{
	const uint8_t *bytes = (const uint8_t *)text.bytes;
	size_t i = 0, length = 1;

	while (i < text.size && length) {
		length = character_length(bytes + i, text.size - i);
		i += length;
	}
	return i;
}

bool utf8_valid(struct text text)
{
	return utf8_valid_size(text) == text.size;
}

size_t utf8_cut(const char *text, size_t size, size_t max)
{
	size_t end = size < max ? size : max, start = end;

	if (size <= max)
		return size;
	/* Back to the beginning of the character that the cut may go through. */
	while (start && end - start < 4 && ((uint8_t)text[start] & 0xc0) == 0x80)
		start--;
	return start + sequence_length((const uint8_t *)text + start, size - start) > end
		       ? start
		       : end;
}

struct text utf8_text(const char *string, size_t max)
{
	return (struct text){string, (uint32_t)utf8_cut(string, strlen(string), max)};
}

void utf8_format_list(char *string, size_t capacity, const char *format, va_list list)
{
	int length = vsnprintf(string, capacity, format, list);
	size_t start = capacity - 1;

	if (length < 0 || (size_t)length < capacity)
		return;
	/* snprintf() may have cut the last character in the middle. */
	while (start && capacity - 1 - start < 4 &&
		((uint8_t)string[start - 1] & 0xc0) == 0x80)
		start--;
	if (start && (uint8_t)string[start - 1] >= 0xc0 &&
		!sequence_length((const uint8_t *)string + start - 1, capacity - start))
		string[start - 1] = 0;
}

void utf8_format(char *string, size_t capacity, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	utf8_format_list(string, capacity, format, list);
	va_end(list);
}

/* One character, or the escape of one byte, into `out`; returns the bytes taken. */
static size_t show_one(const uint8_t *at, size_t left, char out[8])
{
	size_t length = character_length(at, left);
	bool control = at[0] < 0x20 || at[0] == 0x7f ||
		       (left > 1 && at[0] == 0xc2 && at[1] < 0xa0);

	if (length && !control) {
		memcpy(out, at, length);
		out[length] = 0;
		return length;
	}
	if (at[0] == '\n')
		strcpy(out, "\\n");
	else
		snprintf(out, 8, "\\x%02x", at[0]);
	return 1;
}

void utf8_show(struct text bytes, char *string, size_t capacity)
{
	const uint8_t *at = (const uint8_t *)bytes.bytes;
	size_t used = 0, left = bytes.size;

	while (left) {
		char out[8];
		size_t taken = show_one(at, left, out), size = strlen(out);

		if (used + size + 1 > capacity)
			break;
		memcpy(string + used, out, size);
		used += size;
		at += taken;
		left -= taken;
	}
	string[used] = 0;
}
