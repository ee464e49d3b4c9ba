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

static uint32_t code_point(const uint8_t *at, size_t length)
{
	uint32_t code = length == 1 ? at[0] : at[0] & (0x7fu >> length);

	for (size_t i = 1; i < length; i++)
		code = code << 6 | (at[i] & 0x3f);
	return code;
}

/* Control characters, separators of lines, and what changes the direction of writing. */
static bool steers(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
	       code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

size_t utf8_show_one(struct text bytes, char out[UTF8_SHOWN_SIZE])
{
	const uint8_t *at = (const uint8_t *)bytes.bytes;
	size_t length = character_length(at, bytes.size);
	uint32_t code = length ? code_point(at, length) : 0;

	if (length && code == '\n') {
		strcpy(out, "\\n");
		return 1;
	}
	if (!length || code < 0x20) {
		snprintf(out, UTF8_SHOWN_SIZE, "\\x%02x", at[0]);
		return 1;
	}
	if (steers(code)) {
		snprintf(out, UTF8_SHOWN_SIZE, "\\u%04x", code & 0xffff);
		return length;
	}
	memcpy(out, at, length);
	out[length] = 0;
	return length;
}

void utf8_show(struct text bytes, char *string, size_t capacity)
{
	size_t used = 0;

	while (bytes.size) {
		char out[UTF8_SHOWN_SIZE];
		size_t taken = utf8_show_one(bytes, out), size = strlen(out);

		if (used + size + 1 > capacity)
			break;
		memcpy(string + used, out, size);
		used += size;
		bytes.bytes += taken;
		bytes.size -= (uint32_t)taken;
	}
	string[used] = 0;
}

size_t utf8_unfinished(struct text bytes)
{
	const uint8_t *end = (const uint8_t *)bytes.bytes + bytes.size;

	for (size_t n = 1; n < 4 && n <= bytes.size; n++) {
		uint8_t first = end[-(ptrdiff_t)n];

		if ((first & 0xc0) == 0x80)
			continue;
		return (first >= 0xc2 && first < 0xe0 && n < 2) ||
				       (first >= 0xe0 && first < 0xf0 && n < 3) ||
				       (first >= 0xf0 && first < 0xf5 && n < 4)
			       ? n
			       : 0;
	}
	return 0;
}
