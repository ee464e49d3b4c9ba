/* Tennessee Pig: the draw for the dealer, the deal and the reshuffled discards. */
#include "games/tennessee_pig/internal.h"

#include <assert.h>
#include <string.h>

void tennessee_start(void *state)
{
	tennessee_begin_game(state);
}

static void request_cards(struct chance *request, int kind, int index, uint64_t cards)
{
	request->kind = (uint8_t)kind;
	request->index = (uint16_t)index;
	request->n = 0;
	while (cards)
		request->token[request->n++] = (uint8_t)set_pop(&cards);
}

void tennessee_chance(const void *state, struct chance *request)
{
	const struct tennessee_pig *s = state;
	const uint64_t *thrown = s->now.discards;

	assert(s->head.need == NEED_CHANCE);
	if (s->head.phase == TENNESSEE_DRAW)
		request_cards(request, CHANCE_DRAW, s->draws, TENNESSEE_ALL_CARDS);
	else if (s->head.phase == TENNESSEE_DEAL)
		request_cards(request, CHANCE_DEAL, s->deals, TENNESSEE_ALL_CARDS);
	else
		request_cards(request, CHANCE_SHUFFLE, s->shuffles,
			thrown[0] | thrown[1] | thrown[2] | thrown[3]); /* TP-4.5 */
}

/* The joker ranks between a jack and a ten, suits do not count. */
static int draw_rank(int card) /* TP-2.1 */
{
	return card == TENNESSEE_JOKER ? 2 * TENNESSEE_JACK - 1
				       : 2 * (card % TENNESSEE_RANKS);
}

/* One card for each seat that draws; those with the highest draw again. */
static void draw_row(struct tennessee_pig *s, const uint8_t *order, struct events *events)
{
	unsigned tied = 0;
	int best = -1;

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++) {
		if (!game_seat_in(s->drawing, seat))
			continue;
		int rank = draw_rank(*order);

		tennessee_show(events, TENNESSEE_EVENT_DRAW, seat, card_bit(*order++),
			AUDIENCE_ALL);
		if (rank > best)
			tied = 0;
		if (rank >= best) {
			best = rank;
			tied |= 1u << seat;
		}
	}
	s->drawing = (uint16_t)tied; /* TP-2.2 */
}

static void draw_dealer(
	struct tennessee_pig *s, const uint8_t *order, int n, struct events *events)
{
	int at = 0;

	s->draws++;
	for (;;) {
		int seats = set_size(s->drawing);

		if (seats == 1)
			break;
		if (n - at < seats)
			return; /* TP-2.3 */
		draw_row(s, order + at, events);
		at += seats;
	}
	s->dealer = (uint8_t)__builtin_ctz(s->drawing);
	s->drawing = 0;
	tennessee_await(s, TENNESSEE_DEAL, NEED_CHANCE);
}

static void clear_hand(struct tennessee_hand *now)
{
	size_t seats_and_cards = offsetof(struct tennessee_hand, bidder);

	memset(now, 0, seats_and_cards);
	memset((uint8_t *)now + seats_and_cards, 0xff,
		offsetof(struct tennessee_hand, stock) + sizeof(now->stock) -
			seats_and_cards);
}

/* Lays an order, top first, down as the stock, top last. */
static void lay_stock(struct tennessee_hand *now, const uint8_t *order, int n)
{
	now->stock_count = (uint8_t)n;
	for (int i = 0; i < n; i++)
		now->stock[n - 1 - i] = order[i];
}

void tennessee_deal_nine(
	struct tennessee_pig *s, const uint8_t *order, struct events *events) /* TP-2.4 */
{
	const int dealt = TENNESSEE_DEALT * TENNESSEE_SEATS;
	uint64_t hands[TENNESSEE_SEATS] = {0};

	for (int i = 0; i < dealt; i++)
		hands[i % TENNESSEE_SEATS] |= card_bit(order[i]);
	for (int i = 0; i < TENNESSEE_SEATS; i++) {
		int seat = (s->dealer + 1 + i) % TENNESSEE_SEATS;

		s->now.hand[seat] = hands[i];
		s->now.hand_count[seat] = TENNESSEE_DEALT;
		tennessee_show(events, TENNESSEE_EVENT_DEAL, seat, hands[i],
			AUDIENCE_SEAT(seat));
	}
	lay_stock(&s->now, order + dealt, TENNESSEE_CARDS - dealt);
	tennessee_ask(s, TENNESSEE_BID, 1u << tennessee_left_of(s->dealer)); /* TP-3.1 */
}

static void begin_hand(
	struct tennessee_pig *s, const uint8_t *order, struct events *events)
{
	s->deals++;
	s->hands++;
	clear_hand(&s->now);
	s->now.live = TENNESSEE_ALL_SEATS;
	if (s->head.option[TENNESSEE_OPTION_CUT] == TENNESSEE_CUT_AUTO) {
		tennessee_deal_nine(s, order, events);
		return;
	}
	lay_stock(&s->now, order, TENNESSEE_CARDS);
	tennessee_ask(s, TENNESSEE_CUT, 1u << (s->dealer + 3) % TENNESSEE_SEATS);
}

static void reshuffle(
	struct tennessee_pig *s, const uint8_t *order, int n, struct events *events)
{
	s->shuffles++;
	s->now.reshuffled = true;
	memset(s->now.discards, 0, sizeof(s->now.discards));
	lay_stock(&s->now, order, n);
	event_add(events, TENNESSEE_EVENT_SHUFFLE, n, 0, 0, 0);
	tennessee_fill(s, events);
}

void tennessee_apply_chance(
	void *state, const uint8_t *order, int n, struct events *events)
{
	struct tennessee_pig *s = state;

	assert(s->head.need == NEED_CHANCE);
	if (s->head.phase == TENNESSEE_DRAW)
		draw_dealer(s, order, n, events);
	else if (s->head.phase == TENNESSEE_DEAL)
		begin_hand(s, order, events);
	else
		reshuffle(s, order, n, events);
}
