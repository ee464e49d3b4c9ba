/*
 * Events: what happened in a transition, and who sees the cards in it.
 *
 *   struct event *event = event_add(events, EVENT_DRAW, seat, 0, 0, 0);
 *
 *   event_audience(event, AUDIENCE_SEAT(seat));
 *   event_card(event, card);
 */
#ifndef GAMES_EVENT_H
#define GAMES_EVENT_H

#include "games/state.h"

#define GAME_EVENTS_MAX 96 /* events of one transition */

#define AUDIENCE_NONE      0
#define AUDIENCE_SPECTATOR 0x8000
#define AUDIENCE_ALL       0xffff
#define AUDIENCE_SEAT(s)   ((uint16_t)(1u << (s)))

/*
 * Something that happened. The arguments are public; the cards are seen by the
 * audience, and everybody else gets their number. card[] beyond count is not set.
 */
struct event {
	uint8_t kind; /* index into game.events */
	uint8_t count;
	uint16_t audience;
	int16_t arg[4];
	uint8_t card[GAME_ORDER_MAX];
};

enum event_arg_type { EVENT_END, EVENT_SEAT, EVENT_INT, EVENT_WORD };

struct game_event_kind {
	char name[GAME_NAME_SIZE];
	struct {
		char key[GAME_NAME_SIZE];
		uint8_t type;             /* EVENT_SEAT: NO_SEAT is nil */
		const char *const *words; /* EVENT_WORD: arg is an index into it */
	} args[4];
	const char *cards; /* key of the cards, NULL if the kind has none */
};

struct events {
	int count;
	struct event list[GAME_EVENTS_MAX];
};

/* Appends an event without cards, seen by all, and returns it so that cards can be
 * added; NULL if `events` is NULL (playouts do not want any). */
struct event *event_add(struct events *events, int kind, int a0, int a1, int a2, int a3);
/* These accept a NULL event. */
void event_card(struct event *event, uint8_t card);
void event_audience(struct event *event, uint16_t audience);

/* Is this event's list of cards for that viewer? */
bool event_seen_by(const struct event *event, int viewer);

#endif
