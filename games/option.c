/* Options by name, their values from text, and the words that all games share. */
#include "games/game.h"

#include <string.h>

const struct game_word game_switch[] = {{"false", 0}, {"true", 1}, {NULL, 0}};
const struct game_word game_faults[] = {{"reject", 0}, {"penalty", 1}, {NULL, 0}};
const struct game_word game_random_seat[] = {{"random", -1}, {NULL, 0}};

int game_option_find(const struct game *game, const char *name)
{
	for (int i = 0; i < game->option_count; i++)
		if (!strcmp(game->options[i].name, name))
			return i;
	return -1;
}

const char *game_option_word(const struct game_option *option, int16_t value)
{
	if (value >= option->min && value <= option->max)
		return NULL;
	for (const struct game_word *w = option->words; w && w->name; w++)
		if (w->value == value)
			return w->name;
	return NULL;
}

/* A decimal integer of at most five digits and nothing else. */
static bool parse_integer(const char *text, int *value)
{
	int sign = *text == '-' ? -1 : 1;
	int digits = 0;

	*value = 0;
	for (text += sign < 0; *text; text++, digits++) {
		if (*text < '0' || *text > '9' || digits == 5)
			return false;
		*value = *value * 10 + (*text - '0');
	}
	*value *= sign;
	return digits > 0;
}

bool game_option_parse(const struct game_option *option, const char *text, int16_t *value)
{
	int number;

	for (const struct game_word *w = option->words; w && w->name; w++)
		if (!strcmp(w->name, text)) {
			*value = w->value;
			return true;
		}
	if (!parse_integer(text, &number) || number < option->min || number > option->max)
		return false;
	*value = (int16_t)number;
	return true;
}

void game_defaults(const struct game *game, int16_t option[GAME_OPTIONS_MAX])
{
	memset(option, 0, GAME_OPTIONS_MAX * sizeof(*option));
	for (int i = 0; i < game->option_count; i++)
		option[i] = game->options[i].default_value;
}
