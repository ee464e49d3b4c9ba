/* Options of games as text. */
#include "arbiter/table/option_text.h"

#include <stdio.h>
#include <string.h>

/* Appends to a buffer that is a terminated string. */
static void append(char *buffer, size_t size, const char *separator, const char *text)
{
	size_t used = strlen(buffer);

	snprintf(buffer + used, size - used, "%s%s", used ? separator : "", text);
}

void option_allowed(const struct game_option *option, char *buffer, size_t size)
{
	*buffer = 0;
	if (option->min == option->max)
		snprintf(buffer, size, "%d", option->min);
	else if (option->min < option->max)
		snprintf(buffer, size, "%d..%d", option->min, option->max);
	for (const struct game_word *w = option->words; w && w->name; w++)
		append(buffer, size, " or ", w->name);
}

void option_value(
	const struct game_option *option, int16_t value, char *buffer, size_t size)
{
	const char *word = game_option_word(option, value);

	if (word)
		snprintf(buffer, size, "%s", word);
	else
		snprintf(buffer, size, "%d", value);
}
