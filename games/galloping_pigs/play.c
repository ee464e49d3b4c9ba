/* Galloping Pigs from the line-up to the last card of a round. */
#include "games/galloping_pigs/internal.h"

#include <assert.h>

void galloping_ask_food(struct galloping_pigs *s, int seat, bool all_asked)
{
	if (!all_asked && s->stock > 0) /* GP-4.5 */
		galloping_ask(s, GALLOPING_PLACE, seat);
	else if (s->head.option[GALLOPING_OPTION_FOOD_TIMING] == GALLOPING_BEFORE_DEAL)
		galloping_await(s, GALLOPING_DEAL, NEED_CHANCE); /* GP-4.6 */
	else
		galloping_ask(s, GALLOPING_PLAY, s->starter); /* GP-5.1 */
}

static void apply_line(struct galloping_pigs *s, int seat, const struct action *action,
	struct events *events)
{
	struct event *event = event_add(events, GALLOPING_EVENT_LINE, seat, 0, 0, 0);

	for (int i = 0; i < GALLOPING_COLOURS; i++) {
		s->distance[action->arg[i]] = (uint8_t)(i + 1); /* GP-2.4 */
		event_card(event, action->arg[i]);
	}
	if (galloping_places_food(s, GALLOPING_BEFORE_DEAL))
		galloping_ask_food(s, s->starter, false); /* GP-4.6 */
	else
		galloping_await(s, GALLOPING_DEAL, NEED_CHANCE); /* GP-2.5 */
}

static void apply_food(struct galloping_pigs *s, int seat, int at, struct events *events)
{
	int next = galloping_next_seat(s, seat);

	s->stock--; /* GP-4.1 */
	s->track_food[seat] = (uint8_t)at;
	event_add(events, GALLOPING_EVENT_FOOD, seat, at, 0, 0);
	galloping_ask_food(s, next, next == s->starter);
}

/* How far the pig goes: to the first space beyond it that holds no pig. */
static int steps(const struct galloping_pigs *s, int pig)
{
	uint64_t occupied = 0;

	for (int c = 0; c < GALLOPING_COLOURS; c++)
		occupied |= 1ull << galloping_space(s->distance[c]);
	occupied |= occupied << GALLOPING_SPACES; /* GP-6.2: space 1 follows space 22 */
	occupied >>= galloping_space(s->distance[pig]) + 1;
	return 1 + __builtin_ctzll(~occupied); /* GP-6.1 */
}

static bool is_ahead(const struct galloping_pigs *s, int pig)
{
	unsigned farther = 0;

	for (int c = 0; c < GALLOPING_COLOURS; c++)
		farther += s->distance[c] > s->distance[pig]; /* GP-6.3 */
	return farther == 0;
}

static void move(struct galloping_pigs *s, int pig, struct events *events)
{
	int from = s->distance[pig];
	int to = from + steps(s, pig);

	s->distance[pig] = (uint8_t)to;
	event_add(events, GALLOPING_EVENT_MOVE, pig, from, to, 0);
}

static void eat_from_track(
	struct galloping_pigs *s, int seat, int space, struct events *events)
{
	for (int i = 0; i < s->head.seats; i++)
		if (s->track_food[i] == space) { /* GP-7.3 */
			s->track_food[i] = 0;
			s->left[seat]++;
			event_add(events, GALLOPING_EVENT_EAT, seat, GALLOPING_EAT_TRACK,
				0, 0);
		}
}

static void eat(
	struct galloping_pigs *s, int seat, int pig, bool ahead, struct events *events)
{
	if (ahead && s->stock > 0) { /* GP-7.1, GP-7.4 */
		s->stock--;
		s->left[seat]++;
		event_add(events, GALLOPING_EVENT_EAT, seat, GALLOPING_EAT_LEAD, 0, 0);
	}
	if (s->head.option[GALLOPING_OPTION_FOOD_ON_TRACK])
		eat_from_track(s, seat, galloping_space(s->distance[pig]), events);
}

/* The seat has played its last card of the round. */
static void settle(struct galloping_pigs *s, int seat, bool ahead, struct events *events)
{
	int n = s->left[seat];

	if (ahead) /* GP-8.1, GP-8.4 */
		s->kept[seat] = (uint8_t)(s->kept[seat] + n);
	else /* GP-8.2, GP-8.3 */
		s->stock = (uint8_t)(s->stock + n);
	s->left[seat] = 0;
	event_add(events, ahead ? GALLOPING_EVENT_KEEP : GALLOPING_EVENT_LOSE, seat, n, 0,
		0);
}

static void apply_play(struct galloping_pigs *s, int seat, int pig, struct events *events)
{
	int next = galloping_next_seat(s, seat);
	bool ahead;

	s->hand[seat][pig]--;
	s->hand_size[seat]--;
	s->pile[s->pile_size++] = (uint8_t)pig; /* GP-5.5 */
	event_card(event_add(events, GALLOPING_EVENT_PLAY, seat, 0, 0, 0), (uint8_t)pig);
	move(s, pig, events);
	ahead = is_ahead(s, pig);
	eat(s, seat, pig, ahead, events);
	if (s->hand_size[seat] == 0)
		settle(s, seat, ahead, events);
	if (s->hand_size[next] > 0)
		galloping_ask(s, GALLOPING_PLAY, next); /* GP-5.1 */
	else
		galloping_end_round(s, events); /* GP-9.1 */
}

void galloping_apply(
	void *state, int seat, const struct action *action, struct events *events)
{
	struct galloping_pigs *s = state;

	assert(game_seat_in(s->head.pending, seat));
	switch (s->head.phase) {
	case GALLOPING_LINE:
		apply_line(s, seat, action, events);
		break;
	case GALLOPING_PLACE:
		apply_food(s, seat, action->arg[0], events);
		break;
	default:
		assert(s->head.phase == GALLOPING_PLAY);
		apply_play(s, seat, action->arg[0], events);
	}
}
