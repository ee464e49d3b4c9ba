/* Turns a browser's request for a match into the command line of `pigpen match`. */
#include "arbiter/human/human.h"
#include "arbiter/table/clock.h"
#include "arbiter/web/play/play_internal.h"
#include "games/game.h"
#include "protocol/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A list that grows and always ends with NULL. */
struct command_words {
	char **word;
	size_t count, capacity;
};

static void add(struct command_words *words, const char *text)
{
	words->word = xgrow(
		words->word, words->count + 1, &words->capacity, sizeof(*words->word));
	words->word[words->count++] = xstrdup(text);
	words->word[words->count] = NULL;
}

void play_words_free(char **words)
{
	for (int i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

static const struct game_option *find_option(const struct game *game, const char *name)
{
	for (int i = 0; i < game->option_count; i++)
		if (!strcmp(game->options[i].name, name))
			return &game->options[i];
	return NULL;
}

static bool value_text(const json_t *value, char *text, size_t size)
{
	if (json_is_string(value))
		return snprintf(text, size, "%s", json_string_value(value)) < (int)size;
	if (json_is_boolean(value))
		snprintf(text, size, "%s", json_is_true(value) ? "true" : "false");
	else
		snprintf(text, size, "%lld", (long long)json_integer_value(value));
	return json_is_boolean(value) || json_is_integer(value);
}

static bool add_options(struct command_words *words, const struct game *game,
	json_t *options, struct why *why)
{
	char text[64], word[128];
	const char *name;
	int16_t number;
	json_t *value;

	json_object_foreach(options, name, value)
	{
		const struct game_option *option = find_option(game, name);

		if (!option || !value_text(value, text, sizeof(text)) ||
			!game_option_parse(option, text, &number))
			return why_set(why, "%s has no option '%s' with this value",
				game->title, name);
		snprintf(word, sizeof(word), "%s=%s", option->name, text);
		add(words, "-o");
		add(words, word);
	}
	return true;
}

static void add_sandbox(struct command_words *words, const struct play_sandbox *sandbox)
{
	char limits[160];

	if (!sandbox->of_ladder)
		return;
	sandbox_limits_format(&sandbox->limits, limits, sizeof(limits));
	add(words, "--sandbox");
	add(words, sandbox_mode_names[sandbox->mode]);
	add(words, "--limits");
	add(words, limits);
}

static bool add_seats(struct play *play, struct command_words *words, const json_t *seats,
	const char *person, int *seat, struct why *why)
{
	struct play_sandbox sandbox = {0};
	char path[PATH_MAX];
	const json_t *entry;
	size_t i;

	*seat = -1;
	json_array_foreach(seats, i, entry)
	{
		const char *id = json_string_value(entry);

		if (id && !strcmp(id, HUMAN_NAME)) {
			if (*seat >= 0)
				return why_set(why,
					"seat %zu: only one seat can be a person's, and "
					"seat %d is already",
					i, *seat);
			*seat = (int)i;
			add(words, person);
		} else if (id && play_bot_folder(play, id, path, &sandbox)) {
			add(words, path);
		} else {
			return why_set(why, "seat %zu: there is no bot of this name", i);
		}
	}
	add_sandbox(words, &sandbox);
	if (*seat < 0)
		why_set(why, "one seat must be \"human\"");
	return *seat >= 0;
}

static bool add_clock(struct command_words *words, const json_t *clock, struct why *why)
{
	const char *text = json_string_value(clock);
	struct clock_rules rules = {0};

	if (!text || !*text)
		return true;
	if (!clock_rules_parse(text, &rules, why))
		return false;
	add(words, "--clock");
	add(words, text);
	return true;
}

static bool fill(struct play *play, struct command_words *words, json_t *asked,
	const char *person, int *seat, struct why *why)
{
	const char *id = json_string_value(json_object_get(asked, "game"));
	const struct game *game = id ? game_find(id) : NULL;
	const json_t *seats = json_object_get(asked, "seats");
	int count = (int)json_array_size(seats);

	if (!game)
		return why_set(why, "there is no such game");
	if (count < game->seats_min || count > game->seats_max)
		return why_set(why, "%s has %d to %d seats", game->title, game->seats_min,
			game->seats_max);
	add(words, "pigpen");
	add(words, "match");
	add(words, "-q");
	add(words, "-O");
	add(words, ".");
	return add_options(words, game, json_object_get(asked, "options"), why) &&
	       add_clock(words, json_object_get(asked, "clock"), why) &&
	       (add(words, game->id), true) &&
	       add_seats(play, words, seats, person, seat, why);
}

char **play_command(struct play *play, const char *body, size_t size,
	const char *socket_name, int *seat, struct why *why)
{
	json_t *asked = json_loadb(body, size, JSON_REJECT_DUPLICATES, NULL);
	struct command_words words = {0};
	char person[160];
	bool ok;

	snprintf(person, sizeof(person), HUMAN_NAME ":%s", socket_name);
	ok = asked ? fill(play, &words, asked, person, seat, why)
		   : why_set(why, "the body is not JSON");
	json_decref(asked);
	if (ok)
		return words.word;
	play_words_free(words.word);
	return NULL;
}
