/* What all games share: options, forced moves, events, small sums. */
#include "games/game.h"

#include <assert.h>
#include <string.h>

const struct game_word game_switch[] = {{"false", 0}, {"true", 1}, {NULL, 0}};
const struct game_word game_faults[] = {{"reject", 0}, {"penalty", 1}, {NULL, 0}};
const struct game_word game_random_seat[] = {{"random", -1}, {NULL, 0}};
const char *const game_chance_names[] = {"first", "partners", "draw", "deal", "shuffle"};

int action_compare(const struct action *a, const struct action *b)
{
	return memcmp(a, b, sizeof(*a));
}

bool refuse(struct refusal *r, const char *clause, const char *why)
{
	if (r) {
		r->clause = clause;
		r->why = why;
	}
	return false;
}

struct event *event_add(struct events *events, int kind, int a0, int a1, int a2, int a3)
{
	struct event *event;

	if (!events)
		return NULL;
	assert(events->count < GAME_EVENTS_MAX);
	event = &events->list[events->count++];
	event->kind = (uint8_t)kind;
	event->count = 0;
	event->audience = AUDIENCE_ALL;
	event->arg[0] = (int16_t)a0;
	event->arg[1] = (int16_t)a1;
	event->arg[2] = (int16_t)a2;
	event->arg[3] = (int16_t)a3;
	return event;
}

void event_card(struct event *event, uint8_t card)
{
	if (!event)
		return;
	assert(event->count < GAME_ORDER_MAX);
	event->card[event->count++] = card;
}

void event_audience(struct event *event, uint16_t audience)
{
	if (event)
		event->audience = audience;
}

bool event_seen_by(const struct event *event, int viewer)
{
	if (viewer == OMNISCIENT)
		return true;
	if (viewer == SPECTATOR)
		return event->audience & AUDIENCE_SPECTATOR;
	return game_seat_in(event->audience, viewer);
}

uint32_t game_random_below(const struct game_random *random, uint32_t n)
{
	uint32_t threshold = -n % n; /* values below it would favour small results */

	for (;;) {
		uint64_t bits = random->next(random->context);
		uint64_t product = (bits >> 32) * n;

		if ((uint32_t)product >= threshold)
			return (uint32_t)(product >> 32);
	}
}

void game_random_shuffle(const struct game_random *random, uint8_t *list, int n)
{
	for (int i = n - 1; i > 0; i--) {
		int j = (int)game_random_below(random, (uint32_t)i + 1);
		uint8_t swap = list[i];

		list[i] = list[j];
		list[j] = swap;
	}
}

void game_rank_by_score(struct game_result *result, int seats)
{
	for (int s = 0; s < seats; s++) {
		result->rank[s] = 1;
		for (int other = 0; other < seats; other++)
			result->rank[s] += result->score[other] > result->score[s];
	}
}

int game_sides(const struct game *game, int seats)
{
	return game->teams ? game->teams : seats;
}

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
		option[i] = game->options[i].standard;
}

uint16_t game_to_ask(const struct game *game, const void *state)
{
	const struct game_head *head = game_head(state);
	struct action legal[GAME_LEGAL_MAX];
	uint16_t ask = 0;

	assert(head->need == NEED_ANSWERS);
	if (head->option[OPTION_ASK_FORCED])
		return head->pending;
	for (int seat = 0; seat < head->seats; seat++)
		if (game_seat_in(head->pending, seat) &&
			game->legal(state, seat, legal) > 1)
			ask |= (uint16_t)(1u << seat);
	return ask;
}

void game_forced(const struct game *game, const void *state, int seat, struct action *out)
{
	struct action legal[GAME_LEGAL_MAX];
	int n = game->legal(state, seat, legal);

	assert(n == 1);
	*out = legal[0];
}
