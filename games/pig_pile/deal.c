/* Pig Pile from the first state to the dealt round. */
#include "games/pig_pile/internal.h"

#include <string.h>

/* PP-1.4 */
void pig_pile_start(void *state)
{
	struct pig_pile_state *s = state;
	int first = s->head.option[PIG_PILE_OPTION_FIRST_DEALER];

	s->pen = (uint8_t)pig_pile_pen(s->head.seats);
	pig_pile_ask_nobody(s, first < 0 ? PIG_PILE_FIRST : PIG_PILE_DEAL, NEED_CHANCE);
	if (first >= 0)
		s->dealer = (uint8_t)(first % s->head.seats);
}

/* PP-1.2, PP-1.4 */
void pig_pile_chance(const void *state, struct chance *request)
{
	const struct pig_pile_state *s = state;
	int seats = s->head.seats;

	request->n = 0;
	request->index = s->round;
	if (s->head.phase == PIG_PILE_FIRST) {
		request->kind = CHANCE_FIRST;
		for (int seat = 0; seat < seats; seat++)
			request->token[request->n++] = (uint8_t)seat;
		return;
	}
	request->kind = CHANCE_DEAL;
	for (int face = 0; face < PIG_PILE_FACES; face++)
		for (int i = pig_pile_deck(seats, face); i > 0; i--)
			request->token[request->n++] = (uint8_t)face;
}

static void clear_table(struct pig_pile_state *s)
{
	s->direction = PIG_PILE_CLOCKWISE; /* PP-2.8 */
	s->turns = 0;
	s->out_count = 0;
	s->pile_count = 0;
	memset(s->out, NO_SEAT, sizeof(s->out));
	memset(s->hand_count, 0, sizeof(s->hand_count));
	memset(s->slop_left, 0, sizeof(s->slop_left));
	memset(s->hand, 0, sizeof(s->hand));
	memset(s->known, 0, sizeof(s->known));
	memset(s->limit, 0, sizeof(s->limit));
	memset(s->up, 0, sizeof(s->up));
	memset(s->washed, 0, sizeof(s->washed));
	memset(s->pile, NO_CARD, sizeof(s->pile));
	memset(s->stock, NO_CARD, sizeof(s->stock));
	memset(s->slop, NO_CARD, sizeof(s->slop));
}

/*
 * PP-2.1: `passes` cards to each seat, one at a time from the dealer's left. Returns
 * what is left of the order.
 */
static const uint8_t *deal_batch(struct pig_pile_state *s, int zone, int passes,
	const uint8_t *order, struct events *events)
{
	int seats = s->head.seats;

	for (int i = 1; i <= seats; i++) {
		int seat = (s->dealer + i) % seats;
		uint16_t audience = zone == PIG_PILE_ZONE_UP     ? AUDIENCE_ALL
				    : zone == PIG_PILE_ZONE_HAND ? AUDIENCE_SEAT(seat)
								 : AUDIENCE_NONE;
		uint8_t card[7];

		for (int pass = 0; pass < passes; pass++) {
			card[pass] = order[pass * seats + i - 1];
			if (zone == PIG_PILE_ZONE_SLOP)
				s->slop[seat][pass] = card[pass];
			else if (zone == PIG_PILE_ZONE_UP)
				s->up[seat][card[pass]]++;
			else
				s->hand[seat][card[pass]]++;
		}
		pig_pile_note_cards(
			events, PIG_PILE_EVENT_DEAL, seat, zone, audience, card, passes);
	}
	return order + passes * seats;
}

/* PP-2.3 */
static bool round_is_dealt_up(const struct pig_pile_state *s)
{
	int deal = s->head.option[PIG_PILE_OPTION_DEAL];

	return deal == PIG_PILE_DEALT || (deal == PIG_PILE_GREASED && s->round == 1);
}

static void deal_round(
	struct pig_pile_state *s, const uint8_t *order, int n, struct events *events)
{
	const uint8_t *end = order + n;
	int seats = s->head.seats, hand;
	bool up;

	clear_table(s);
	s->round++;
	up = round_is_dealt_up(s);
	hand = up ? 4 : 7; /* PP-2.2, PP-2.3 */
	pig_pile_note(events, PIG_PILE_EVENT_ROUND, s->round, s->dealer);
	order = deal_batch(s, PIG_PILE_ZONE_SLOP, PIG_PILE_SLOP, order, events);
	if (up)
		order = deal_batch(s, PIG_PILE_ZONE_UP, PIG_PILE_SLOP, order, events);
	order = deal_batch(s, PIG_PILE_ZONE_HAND, hand, order, events);
	for (int seat = 0; seat < seats; seat++) {
		s->slop_left[seat] = (1 << PIG_PILE_SLOP) - 1;
		s->hand_count[seat] = (uint8_t)hand;
		s->limit[seat][PIG_PILE_WILD] = (uint8_t)hand;
	}
	s->stock_count = (uint8_t)(end - order);
	for (int i = 0; order < end; i++)
		s->stock[i] = *--end;
	s->head.phase = up ? PIG_PILE_TURN : PIG_PILE_FACE;
	if (up)
		pig_pile_begin_turn(s, s->dealer, events); /* PP-2.8 */
	else
		pig_pile_ask(s, (uint16_t)((1 << seats) - 1)); /* PP-2.6 */
}

void pig_pile_apply_chance(
	void *state, const uint8_t *order, int n, struct events *events)
{
	struct pig_pile_state *s = state;

	if (s->head.phase == PIG_PILE_DEAL) {
		deal_round(s, order, n, events);
		return;
	}
	s->dealer = order[0];
	pig_pile_ask_nobody(s, PIG_PILE_DEAL, NEED_CHANCE);
}
