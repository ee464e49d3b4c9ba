/* Actions, events and orders as text and back. */
#include "arbiter/table/notation_internal.h"
#include "arbiter/base/words.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void notation_put(struct notation_out *out, const char *format, ...)
{
	size_t room = out->used < out->size ? out->size - out->used : 0;
	va_list args;

	va_start(args, format);
	int n = vsnprintf(room ? out->buffer + out->used : NULL, room, format, args);
	va_end(args);
	out->used += n > 0 ? (size_t)n : 0;
}

struct notation_out notation_out_start(char *buffer, size_t size)
{
	struct notation_out out = {buffer, size, 0};

	if (size)
		buffer[0] = 0;
	return out;
}

int notation_face_find(const struct game *game, const char *text)
{
	for (int i = 0; i < game->face_count; i++)
		if (!strcmp(game->faces[i], text))
			return i;
	return -1;
}

bool notation_number_parse(const char *text, long min, long max, long *value)
{
	char *end;

	*value = strtol(text, &end, 10);
	return *text && !*end && *value >= min && *value <= max;
}

bool notation_token_next(const char **text, char token[64])
{
	size_t n = 0;

	while (isspace((unsigned char)**text))
		(*text)++;
	while ((*text)[n] && !isspace((unsigned char)(*text)[n]))
		n++;
	if (n == 0 || n >= 64)
		return false;
	memcpy(token, *text, n);
	token[n] = 0;
	*text += n;
	return true;
}

static bool is_list(const struct game_arg *arg)
{
	return arg->type == ARG_CARDS || arg->type == ARG_ORDER;
}

const char *notation_face_name(const struct game *game, unsigned face)
{
	return face < (unsigned)game->face_count ? game->faces[face] : "?";
}

size_t notation_action(
	const struct game *game, const struct action *action, char *buffer, size_t size)
{
	struct notation_out out = notation_out_start(buffer, size);
	const struct game_verb *verb = &game->verbs[action->verb];

	notation_put(&out, "%s", verb->name);
	for (int i = 0; i < 4 && verb->args[i].type != ARG_END; i++) {
		const struct game_arg *arg = &verb->args[i];
		unsigned byte = action->arg[i];

		if (is_list(arg)) {
			for (int k = i; k < action->count; k++)
				notation_put(&out, " %s",
					notation_face_name(game, action->arg[k]));
			break;
		}
		if (byte == ABSENT)
			continue;
		if (arg->type == ARG_CARD)
			notation_put(&out, " %s", notation_face_name(game, byte));
		else if (arg->type == ARG_WORD)
			notation_put(&out, " %s", arg->words[byte]);
		else if (arg->type == ARG_TRUE)
			notation_put(&out, " %s", arg->key);
		else
			notation_put(&out, " %s=%u", arg->key, byte);
	}
	return out.used;
}

/* Puts a bare token into the first argument from `*next` on that can take it. */
static bool bare_argument(const struct game *game, const struct game_verb *verb,
	int *next, const char *token, struct action *action)
{
	for (int i = *next; i < 4 && verb->args[i].type != ARG_END; i++) {
		const struct game_arg *arg = &verb->args[i];
		int value = -1;

		if (is_list(arg)) {
			value = notation_face_find(game, token);
			if (value < 0 || action->count >= GAME_ARGS_MAX)
				return false;
			action->arg[action->count++] = value;
			*next = i;
			return true;
		}
		if (arg->type == ARG_CARD)
			value = notation_face_find(game, token);
		else if (arg->type == ARG_WORD)
			value = word_index(arg->words, token);
		else if (arg->type == ARG_TRUE && !strcmp(arg->key, token))
			value = 1;
		if (value < 0)
			continue;
		action->arg[i] = value;
		*next = i + 1;
		return true;
	}
	return false;
}

/* `key=value` for numbers and seats. */
static bool keyed_argument(
	const struct game_verb *verb, const char *token, struct action *action)
{
	size_t key_length = strcspn(token, "=");
	long value;

	for (int i = 0; i < 4 && verb->args[i].type != ARG_END; i++) {
		const struct game_arg *arg = &verb->args[i];

		if (arg->type != ARG_INT && arg->type != ARG_SEAT)
			continue;
		if (strlen(arg->key) != key_length || memcmp(arg->key, token, key_length))
			continue;
		if (!notation_number_parse(token + key_length + 1, 0, ABSENT - 1, &value))
			return false;
		action->arg[i] = value;
		return true;
	}
	return false;
}

/* The arguments before a list start out absent; those still absent must be optional. */
static bool arguments_complete(
	const struct game_verb *verb, struct action *action, int fixed, struct why *why)
{
	for (int i = 0; i < fixed; i++) {
		const struct game_arg *arg = &verb->args[i];

		if (action->arg[i] == ABSENT && !arg->optional && arg->type != ARG_TRUE)
			return why_set(why, "%s: no %s given", verb->name, arg->key);
	}
	return true;
}

static int byte_compare(const void *a, const void *b)
{
	return *(const uint8_t *)a - *(const uint8_t *)b;
}

bool notation_parse_action(
	const struct game *game, const char *text, struct action *action, struct why *why)
{
	char token[64];
	const struct game_verb *verb = NULL;
	int fixed = 0, next = 0;

	memset(action, 0, sizeof(*action));
	if (!notation_token_next(&text, token))
		return why_set(why, "the action is empty; it begins with a verb");
	for (int i = 0; i < game->verb_count && !verb; i++)
		if (!strcmp(game->verbs[i].name, token))
			verb = &game->verbs[i];
	if (!verb)
		return why_set(why, "there is no verb '%s'", token);
	action->verb = verb - game->verbs;
	while (fixed < 4 && verb->args[fixed].type != ARG_END &&
		!is_list(&verb->args[fixed]))
		action->arg[fixed++] = ABSENT;
	action->count = fixed;
	while (notation_token_next(&text, token))
		if (strchr(token, '=') ? !keyed_argument(verb, token, action)
				       : !bare_argument(game, verb, &next, token, action))
			return why_set(why, "%s: cannot place '%s'", verb->name, token);
	if (!arguments_complete(verb, action, fixed, why))
		return false;
	if (fixed < 4 && verb->args[fixed].type == ARG_CARDS)
		qsort(action->arg + fixed, action->count - fixed, 1, byte_compare);
	return true;
}

size_t notation_event(const struct game *game, const struct event *event, int viewer,
	char *buffer, size_t size)
{
	struct notation_out out = notation_out_start(buffer, size);
	const struct game_event_kind *kind = &game->events[event->kind];

	notation_put(&out, "%s", kind->name);
	for (int i = 0; i < 4 && kind->args[i].type != EVENT_END; i++) {
		int value = event->arg[i];

		if (kind->args[i].type == EVENT_WORD)
			notation_put(&out, " %s=%s", kind->args[i].key,
				kind->args[i].words[value]);
		else if (kind->args[i].type == EVENT_SEAT && value == NO_SEAT)
			notation_put(&out, " %s=-", kind->args[i].key);
		else
			notation_put(&out, " %s=%d", kind->args[i].key, value);
	}
	if (!kind->cards)
		return out.used;
	if (event_seen_by(event, viewer))
		for (int i = 0; i < event->count; i++)
			notation_put(
				&out, " %s", notation_face_name(game, event->card[i]));
	else
		notation_put(
			&out, " (%d card%s)", event->count, event->count == 1 ? "" : "s");
	return out.used;
}

size_t notation_order(const struct game *game, int kind, const uint8_t *token, int n,
	char *buffer, size_t size)
{
	struct notation_out out = notation_out_start(buffer, size);

	for (int i = 0; i < n; i++) {
		notation_put(&out, i ? " " : "");
		if (kind == CHANCE_FIRST)
			notation_put(&out, "%u", token[i]);
		else
			notation_put(&out, "%s", notation_face_name(game, token[i]));
	}
	return out.used;
}

int notation_parse_order(const struct game *game, int kind, const char *text,
	uint8_t *token, struct why *why)
{
	char word[64];
	int n = 0;

	while (notation_token_next(&text, word)) {
		long value = -1;

		if (!strcmp(word, "-"))
			continue;
		if (kind != CHANCE_FIRST)
			value = notation_face_find(game, word);
		else if (!notation_number_parse(word, 0, GAME_SEATS_MAX - 1, &value))
			value = -1;
		if (value < 0 || n >= GAME_ORDER_MAX) {
			why_set(why, "'%s' cannot be ordered here", word);
			return -1;
		}
		token[n++] = value;
	}
	return n;
}
