/* Comparing paths with forms, and writing paths of a form. */
#include "arbiter/web/site/path_form.h"

#include <stdio.h>
#include <string.h>

#define DIGITS_MAX 15

/* Each of these takes its part from the beginning of `text`; NULL: it is not there. */

static const char *take_ladder(const char *text, char ladder[65])
{
	size_t length = strcspn(text, "/");

	if (!length || length > 64)
		return NULL;
	memcpy(ladder, text, length);
	ladder[length] = 0;
	return text + length;
}

static const char *take_number(const char *text, int64_t *number)
{
	const char *digits = text;

	for (*number = 0; *text >= '0' && *text <= '9'; text++) {
		if (text - digits == DIGITS_MAX)
			return NULL;
		*number = 10 * *number + *text - '0';
	}
	if (text == digits || (*digits == '0' && text - digits > 1))
		return NULL;
	return text;
}

/* Takes everything but what stands behind the word in the form. */
static const char *take_word(const char *text, const char *behind, char word[PATH_SIZE])
{
	size_t length = strlen(text), rest = strlen(behind);

	if (length <= rest || length - rest >= PATH_SIZE || strchr(text, '/'))
		return NULL;
	memcpy(word, text, length - rest);
	word[length - rest] = 0;
	return text + length - rest;
}

bool path_match(const char *form, const char *path, struct path_parts *parts)
{
	int64_t *number = parts->number;

	*parts = (struct path_parts){0};
	for (; path && *form; form++) {
		if (*form == '@')
			path = take_ladder(path, parts->ladder);
		else if (*form == '#')
			path = take_number(path, number++);
		else if (*form == '*')
			path = take_word(path, form + 1, parts->word);
		else if (*path == *form)
			path++;
		else
			path = NULL;
	}
	return path && !*path;
}

void path_write(const char *form, const struct path_parts *parts, char path[PATH_SIZE])
{
	const int64_t *number = parts->number;
	size_t n = 0;

	for (; *form && n < PATH_SIZE; form++) {
		char *at = path + n;
		size_t room = PATH_SIZE - n;
		int length;

		if (*form == '@')
			length = snprintf(at, room, "%s", parts->ladder);
		else if (*form == '#')
			length = snprintf(at, room, "%lld", (long long)*number++);
		else if (*form == '*')
			length = snprintf(at, room, "%s", parts->word);
		else
			length = snprintf(at, room, "%c", *form);
		n += (size_t)length;
	}
}
