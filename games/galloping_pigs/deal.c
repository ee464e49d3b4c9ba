/* Galloping Pigs: how a match and a round begin, and the deal. */
#include "games/galloping_pigs/internal.h"

#include <assert.h>
#include <string.h>

void galloping_begin_round(struct galloping_pigs *s, int starter, struct events *events)
{
	s->round++;
	s->starter = (uint8_t)starter;
	s->pile_size = 0;
	memset(s->pile, NO_CARD, sizeof(s->pile));
	memset(s->distance, 0, sizeof(s->distance));
	memset(s->aside, 0, sizeof(s->aside));
	event_add(events, GALLOPING_EVENT_ROUND, s->round, starter, 0, 0);
	galloping_ask(s, GALLOPING_LINE, starter); /* GP-2.3 */
}

void galloping_start(void *state)
{
	struct galloping_pigs *s = state;
	int first = s->head.option[GALLOPING_OPTION_FIRST];

	s->stock = GALLOPING_FOOD; /* GP-1.4 */
	if (first < 0)
		galloping_await(s, GALLOPING_FIRST, NEED_CHANCE);
	else
		galloping_begin_round(s, first % s->head.seats, NULL); /* GP-2.1 */
}

void galloping_chance(const void *state, struct chance *request)
{
	const struct galloping_pigs *s = state;

	if (s->head.phase == GALLOPING_FIRST) {
		request->kind = CHANCE_FIRST;
		request->index = 0;
		request->n = s->head.seats;
		for (int i = 0; i < request->n; i++)
			request->token[i] = (uint8_t)i;
		return;
	}
	request->kind = CHANCE_DEAL;
	request->index = (uint16_t)(s->round - 1);
	request->n = GALLOPING_DECK; /* GP-3.1 */
	for (int i = 0; i < GALLOPING_DECK; i++)
		request->token[i] = (uint8_t)(i / GALLOPING_CARDS_PER_PIG);
}

static void deal_events(
	const struct galloping_pigs *s, const uint8_t *order, struct events *events)
{
	int seats = s->head.seats;
	struct event *event;

	for (int k = 0; k < seats; k++) {
		int seat = (s->starter + k) % seats;

		event = event_add(events, GALLOPING_EVENT_DEAL, seat, 0, 0, 0);
		event_audience(event, AUDIENCE_SEAT(seat)); /* GP-3.3 */
		for (int i = k; i < GALLOPING_HAND * seats; i += seats)
			event_card(event, order[i]);
	}
	event = event_add(events, GALLOPING_EVENT_DEAL, NO_SEAT, 0, 0, 0);
	event_audience(event, AUDIENCE_NONE); /* GP-3.2 */
	for (int i = GALLOPING_HAND * seats; i < GALLOPING_DECK; i++)
		event_card(event, order[i]);
}

static void deal(struct galloping_pigs *s, const uint8_t *order, struct events *events)
{
	int seat = s->starter;
	int dealt = GALLOPING_HAND * s->head.seats;

	for (int i = 0; i < dealt; i++, seat = galloping_next_seat(s, seat)) /* GP-3.1 */
		s->hand[seat][order[i]]++;
	for (int i = dealt; i < GALLOPING_DECK; i++) /* GP-3.2 */
		s->aside[order[i]]++;
	memset(s->hand_size, GALLOPING_HAND, s->head.seats);
	if (events)
		deal_events(s, order, events);
}

void galloping_apply_chance(
	void *state, const uint8_t *order, int n, struct events *events)
{
	struct galloping_pigs *s = state;

	if (s->head.phase == GALLOPING_FIRST) {
		galloping_begin_round(s, order[0], events); /* GP-2.1 */
		return;
	}
	assert(n == GALLOPING_DECK);
	(void)n;
	deal(s, order, events);
	if (galloping_places_food(s, GALLOPING_AFTER_DEAL))
		galloping_ask_food(s, s->starter, false); /* GP-4.1 */
	else
		galloping_ask(s, GALLOPING_PLAY, s->starter); /* GP-5.1 */
}
