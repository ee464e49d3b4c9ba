/* Making events, and who sees their cards. */
#include "games/event.h"

#include <assert.h>

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
