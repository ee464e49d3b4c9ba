/* Pig It Hog It from the first state to the dealt round. */
#include "games/pig_it_hog_it/internal.h"

#include <assert.h>

/* PIHI-1.1: the table as the seats are numbered. */
static void sit_by_number(struct pig_it_hog_it *s)
{
	for (int seat = 0; seat < PIHI_SEATS; seat++)
		s->order[seat] = s->position[seat] = (uint8_t)seat;
}

void pihi_start(void *state)
{
	struct pig_it_hog_it *s = state;

	if (s->head.option[PIHI_PARTNERS] == PIHI_PARTNERS_JACKS) {
		pihi_await_chance(s, PIHI_PHASE_PARTNERS);
		return;
	}
	sit_by_number(s); /* PIHI-1.2 */
	if (s->head.option[PIHI_FIRST_DEALER] < 0) {
		pihi_await_chance(s, PIHI_PHASE_FIRST);
		return;
	}
	s->dealer = (uint8_t)s->head.option[PIHI_FIRST_DEALER];
	pihi_await_chance(s, PIHI_PHASE_DEAL);
}

void pihi_chance(const void *state, struct chance *request)
{
	const struct pig_it_hog_it *s = state;
	bool first = s->head.phase == PIHI_PHASE_FIRST;
	bool partners = s->head.phase == PIHI_PHASE_PARTNERS;

	request->kind = first ? CHANCE_FIRST : partners ? CHANCE_PARTNERS : CHANCE_DEAL;
	request->index = first ? 0 : partners ? s->draws : s->deals;
	request->n = first ? PIHI_SEATS : PIHI_CARDS;
	for (int i = 0; i < request->n; i++)
		request->token[i] = (uint8_t)i;
}

/* PIHI-1.5: the first jack stays, the partner goes opposite, the others keep their
 * order clockwise from him. */
static void reseat(struct pig_it_hog_it *s, int first, int partner, struct events *events)
{
	int place = 1;

	s->order[first] = (uint8_t)first;
	s->order[(first + 2) & 3] = (uint8_t)partner;
	for (int step = 1; step < PIHI_SEATS; step++) {
		int seat = (first + step) & 3;

		if (seat == partner)
			continue;
		s->order[(first + place) & 3] = (uint8_t)seat;
		place += 2;
	}
	for (int at = 0; at < PIHI_SEATS; at++)
		s->position[s->order[at]] = (uint8_t)at;
	for (int seat = 0; seat < PIHI_SEATS; seat++)
		event_add(events, PIHI_EVENT_MOVE, seat, s->position[seat], 0, 0);
}

/* PIHI-1.3: cards are turned until two different seats have got a jack. PIHI-1.4: if
 * one seat gets all four, the cards are shuffled again. */
static void draw_partners(
	struct pig_it_hog_it *s, const uint8_t *order, struct events *events)
{
	int first = NO_SEAT;
	int jacks = 0;

	s->draws++;
	for (int i = 0; jacks < 4; i++) {
		int seat = i & 3;

		event_card(event_add(events, PIHI_EVENT_DRAW, seat, 0, 0, 0), order[i]);
		if (pihi_rank(order[i]) != PIHI_J)
			continue;
		jacks++;
		if (first == NO_SEAT) {
			first = seat;
		} else if (seat != first) {
			reseat(s, first, seat, events);
			s->dealer = (uint8_t)first;
			pihi_await_chance(s, PIHI_PHASE_DEAL);
			return;
		}
	}
}

static void deal_seat(
	struct pig_it_hog_it *s, int seat, const uint8_t *packet, struct events *events)
{
	struct event *event = event_add(events, PIHI_EVENT_DEAL, seat, 0, 0, 0);

	s->hand_count[seat] = PIHI_HAND;
	for (int i = 0; i < PIHI_HAND; i++) {
		uint8_t card = packet[i < 3 ? i : i + 9];

		s->hand[seat] |= pihi_bit(card);
		event_card(event, card);
	}
	event_audience(event, AUDIENCE_SEAT(seat));
}

/* PIHI-2.1: two passes of three cards from the dealer's left. */
static void deal(struct pig_it_hog_it *s, const uint8_t *order, struct events *events)
{
	s->deals++;
	s->round++;
	event_add(events, PIHI_EVENT_ROUND, s->games_played + 1, s->round, s->dealer, 0);
	for (int i = 0; i < PIHI_SEATS; i++)
		deal_seat(s, pihi_left_of(s, s->dealer, i + 1), order + 3 * i, events);
	pihi_ask(s, PIHI_PHASE_BID, 1u << pihi_left_of(s, s->dealer, 1)); /* PIHI-3.1 */
}

void pihi_apply_chance(void *state, const uint8_t *order, int n, struct events *events)
{
	struct pig_it_hog_it *s = state;

	assert(n == (s->head.phase == PIHI_PHASE_FIRST ? PIHI_SEATS : PIHI_CARDS));
	switch (s->head.phase) {
	case PIHI_PHASE_FIRST: /* PIHI-1.2 */
		s->dealer = order[0];
		pihi_await_chance(s, PIHI_PHASE_DEAL);
		break;
	case PIHI_PHASE_PARTNERS:
		draw_partners(s, order, events);
		break;
	default:
		deal(s, order, events);
		break;
	}
}
