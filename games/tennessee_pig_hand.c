/* Tennessee Pig from the draw for the dealer to the end of the burn. */
#include "games/tennessee_pig_internal.h"

#include <assert.h>
#include <string.h>

void tennessee_ask(struct tennessee_pig *s, int phase, unsigned seats)
{
	s->head.phase = (uint8_t)phase;
	s->head.need = NEED_ANSWERS;
	s->head.acting = s->head.pending = (uint16_t)seats;
}

void tennessee_await(struct tennessee_pig *s, int phase, enum game_need need)
{
	s->head.phase = (uint8_t)phase;
	s->head.need = (uint8_t)need;
	s->head.acting = s->head.pending = 0;
}

void tennessee_show(
	struct events *events, int kind, int seat, uint64_t cards, uint16_t audience)
{
	struct event *event;

	if (!events)
		return;
	event = event_add(events, kind, seat, 0, 0, 0);
	event_audience(event, audience);
	while (cards)
		event_card(event, (uint8_t)set_pop(&cards));
}

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

static int left_of(int seat)
{
	return (seat + 1) % TENNESSEE_SEATS;
}

static void deal_nine(
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
	tennessee_ask(s, TENNESSEE_BID, 1u << left_of(s->dealer)); /* TP-3.1 */
}

static void begin_hand(
	struct tennessee_pig *s, const uint8_t *order, struct events *events)
{
	s->deals++;
	s->hands++;
	clear_hand(&s->now);
	s->now.live = TENNESSEE_ALL_SEATS;
	if (s->head.option[TENNESSEE_OPTION_CUT] == TENNESSEE_CUT_AUTO) {
		deal_nine(s, order, events);
		return;
	}
	lay_stock(&s->now, order, TENNESSEE_CARDS);
	tennessee_ask(s, TENNESSEE_CUT, 1u << (s->dealer + 3) % TENNESSEE_SEATS);
}

/* The top n cards go to the bottom. */
static void apply_cut(struct tennessee_pig *s, int seat, int n, struct events *events)
{
	uint8_t order[TENNESSEE_CARDS]; /* TP-2.5 */

	for (int i = 0; i < TENNESSEE_CARDS; i++)
		order[i] = s->now.stock[TENNESSEE_CARDS - 1 - (i + n) % TENNESSEE_CARDS];
	memset(s->now.stock, NO_CARD, sizeof(s->now.stock));
	event_add(events, TENNESSEE_EVENT_CUT, seat, n, 0, 0);
	deal_nine(s, order, events);
}

/* The next seat bids; after 32 only the dealer is asked. */
static void next_bid(struct tennessee_pig *s, int seat, struct events *events)
{
	int next = left_of(seat);

	if (seat == s->dealer) {
		tennessee_ask(s, TENNESSEE_TRUMP, 1u << s->now.bidder); /* TP-3.6 */
		return;
	}
	for (; s->now.bid == TENNESSEE_BID_MAX && next != s->dealer; next = left_of(next))
		event_add(events, TENNESSEE_EVENT_SKIP, next, 0, 0, 0); /* TP-3.5 */
	tennessee_ask(s, TENNESSEE_BID, 1u << next);
}

/* A pass is a bid of 0. */
static void apply_bid(struct tennessee_pig *s, int seat, int n, struct events *events)
{
	event_add(events, TENNESSEE_EVENT_BID, seat, n, 0, 0);
	if (n == 0) {
		s->now.passed |= (uint16_t)(1u << seat);
	} else {
		s->now.bids[seat] = s->now.bid = (uint8_t)n;
		s->now.bidder = (uint8_t)seat;
	}
	next_bid(s, seat, events);
}

static void throw_trash(struct tennessee_pig *s, struct events *events) /* TP-4.2 */
{
	struct tennessee_hand *now = &s->now;
	uint64_t trumps = trump_cards(now->trump);

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++) {
		uint64_t trash = now->hand[seat] & ~trumps;

		now->discards[seat] = trash;
		now->hand[seat] &= trumps;
		now->thrown[seat] = (uint8_t)set_size(trash);
		now->hand_count[seat] = (uint8_t)(TENNESSEE_DEALT - now->thrown[seat]);
		now->sure_trumps[seat] = now->hand_count[seat];
		tennessee_show(
			events, TENNESSEE_EVENT_LOSE, seat, trash, AUDIENCE_SEAT(seat));
	}
}

/* Takes up to n cards off the stock into a hand. */
static void draw_stock(struct tennessee_hand *now, int seat, int n, int kind,
	uint16_t audience, struct events *events)
{
	uint64_t cards = 0;

	if (n > now->stock_count)
		n = now->stock_count;
	if (n == 0)
		return;
	for (int i = 0; i < n; i++) {
		cards |= card_bit(now->stock[--now->stock_count]);
		now->stock[now->stock_count] = NO_CARD;
	}
	now->hand[seat] |= cards;
	now->received[seat] |= cards;
	now->hand_count[seat] = (uint8_t)(now->hand_count[seat] + n);
	if (kind == TENNESSEE_EVENT_DEAL)
		now->filled[seat] = (uint8_t)(now->filled[seat] + n);
	if (now->reshuffled)
		now->sure_trash[seat] = (uint8_t)(now->sure_trash[seat] + n);
	tennessee_show(events, kind, seat, cards, audience);
}

static void begin_burn(struct tennessee_pig *s, struct events *events)
{
	uint64_t fixed = fixed_cards(s->now.trump);
	unsigned over = 0;

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++) {
		if ((s->now.hand[seat] & fixed) == fixed) { /* TP-4.7 */
			tennessee_show(events, TENNESSEE_EVENT_DECLARE, seat, fixed,
				AUDIENCE_ALL);
			tennessee_award(s, seat % TENNESSEE_TEAMS, events);
			return;
		}
		if (s->now.hand_count[seat] > TENNESSEE_HAND)
			over |= 1u << seat;
	}
	if (over)
		tennessee_ask(s, TENNESSEE_BURN, over); /* TP-5.1 */
	else
		tennessee_begin_play(s, events);
}

static void fill(struct tennessee_pig *s, struct events *events)
{
	struct tennessee_hand *now = &s->now;
	uint16_t audience;

	for (int i = 0; i < TENNESSEE_SEATS; i++) { /* TP-4.3 */
		int seat = (s->dealer + 1 + i) % TENNESSEE_SEATS;
		int missing = TENNESSEE_HAND - now->hand_count[seat];

		if (missing <= 0)
			continue;
		draw_stock(now, seat, missing, TENNESSEE_EVENT_DEAL, AUDIENCE_SEAT(seat),
			events);
		if (now->hand_count[seat] < TENNESSEE_HAND) {
			tennessee_await(s, TENNESSEE_FILL, NEED_CHANCE); /* TP-4.5 */
			return;
		}
	}
	audience = AUDIENCE_SEAT(now->bidder);
#ifdef PLANT_tennessee_pig_leftover
	audience = AUDIENCE_ALL;
#endif
	if (!now->reshuffled) { /* TP-4.6 */
		now->leftover = now->stock_count;
		draw_stock(now, now->bidder, now->stock_count, TENNESSEE_EVENT_TAKE,
			audience, events); /* TP-4.4 */
	}
	begin_burn(s, events);
}

static void reshuffle(
	struct tennessee_pig *s, const uint8_t *order, int n, struct events *events)
{
	s->shuffles++;
	s->now.reshuffled = true;
	memset(s->now.discards, 0, sizeof(s->now.discards));
	lay_stock(&s->now, order, n);
	event_add(events, TENNESSEE_EVENT_SHUFFLE, n, 0, 0, 0);
	fill(s, events);
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

static void apply_trump(
	struct tennessee_pig *s, int seat, int suit, struct events *events)
{
	s->now.trump = (uint8_t)(1 + suit); /* TP-4.1 */
	s->now.point = point_card(&s->now);
	event_add(events, TENNESSEE_EVENT_TRUMP, seat, suit, 0, 0);
	throw_trash(s, events);
	fill(s, events);
}

static uint8_t less(uint8_t count, int n)
{
	return (uint8_t)(count > n ? count - n : 0);
}

/* Everything that one seat laid aside, announced. */
static void announce_burn(struct tennessee_hand *now, int seat, struct events *events)
{
	uint64_t trumps = now->burning[seat] & trump_cards(now->trump);
	uint64_t trash = now->burning[seat] & ~trumps;
	struct event *event;

	now->burning[seat] = 0;
	now->burned[seat] = trumps;
	now->discards[seat] |= trash;
	now->burned_trash[seat] = (uint8_t)set_size(trash);
	now->hand_count[seat] = TENNESSEE_HAND;
	now->sure_trumps[seat] = less(now->sure_trumps[seat], set_size(trumps));
	event = event_add(
		events, TENNESSEE_EVENT_BURN, seat, now->burned_trash[seat], 0, 0);
	while (event && trumps)
		event_card(event, (uint8_t)set_pop(&trumps));
}

static void end_burn(struct tennessee_pig *s, struct events *events) /* TP-5.4 */
{
	int offender = NO_SEAT;

	for (int seat = TENNESSEE_SEATS - 1; seat >= 0; seat--)
		if (s->now.silent[seat])
			offender = seat;
	for (int seat = 0; seat < TENNESSEE_SEATS; seat++)
		if (game_seat_in(s->head.acting, seat))
			announce_burn(&s->now, seat, events);
	s->now.point = point_card(&s->now);
	if (offender != NO_SEAT)
		tennessee_penalty(
			s, offender, s->now.burned[offender], events); /* TP-5.7 */
	else
		tennessee_begin_play(s, events);
}

static void apply_burn(struct tennessee_pig *s, int seat, int card, struct events *events)
{
	struct tennessee_hand *now = &s->now;

	now->hand[seat] &= ~card_bit(card);
	now->received[seat] &= ~card_bit(card);
	now->burning[seat] |= card_bit(card);
#ifdef PLANT_tennessee_pig_burn_progress
	now->hand_count[seat]--;
#endif
	if (set_size(now->hand[seat]) > TENNESSEE_HAND)
		return;
	s->head.pending &= (uint16_t) ~(1u << seat);
	if (!s->head.pending)
		end_burn(s, events);
}

void tennessee_apply(
	void *state, int seat, const struct action *action, struct events *events)
{
	struct tennessee_pig *s = state;

	assert(game_seat_in(s->head.pending, seat));
	switch ((enum tennessee_verb)action->verb) {
	case TENNESSEE_VERB_PLAY:
		tennessee_play(s, seat, action->arg[0], events);
		break;
	case TENNESSEE_VERB_FOLD:
		tennessee_fold(s, seat, events);
		break;
	case TENNESSEE_VERB_BURN:
		apply_burn(s, seat, action->arg[0], events);
		break;
	case TENNESSEE_VERB_BID:
		apply_bid(s, seat, action->arg[0], events);
		break;
	case TENNESSEE_VERB_PASS:
		apply_bid(s, seat, 0, events);
		break;
	case TENNESSEE_VERB_TRUMP:
		apply_trump(s, seat, action->arg[0], events);
		break;
	case TENNESSEE_VERB_CUT:
		apply_cut(s, seat, action->arg[0], events);
		break;
	case TENNESSEE_VERBS:
		assert(0);
	}
}

bool tennessee_offence(
	void *state, int seat, const struct action *action, struct events *events)
{
	struct tennessee_pig *s = state;
	uint64_t card = card_bit(action->arg[0]);
	uint64_t trumps = trump_cards(s->now.trump);

	if (s->head.option[OPTION_FAULTS] == 0 || !game_seat_in(s->head.pending, seat))
		return false;
	if (s->head.phase == TENNESSEE_PLAY && action->verb == TENNESSEE_VERB_PLAY) {
		uint64_t hand = s->now.hand[seat];

		if (!trump_is_led(&s->now) || !(hand & trumps) ||
			!(hand & card & ~trumps))
			return false;
		tennessee_penalty(s, seat, card, events); /* TP-6.12 */
		return true;
	}
	if (s->head.phase == TENNESSEE_BURN && action->verb == TENNESSEE_VERB_BURN) {
		uint64_t allowed = trumps & ~fixed_cards(s->now.trump);

		if (action->arg[1] != ABSENT || !(s->now.hand[seat] & card & allowed))
			return false;
		s->now.silent[seat] = true; /* TP-5.7 */
		apply_burn(s, seat, action->arg[0], events);
		return true;
	}
	return false;
}
