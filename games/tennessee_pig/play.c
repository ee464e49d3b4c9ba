/* A hand of Tennessee Pig: cut, bids, trump, burn and tricks. */
#include "games/tennessee_pig/internal.h"

#include <assert.h>
#include <string.h>

static void begin_play(struct tennessee_pig *s, struct events *events);

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

/* The top n cards go to the bottom. */
static void apply_cut(struct tennessee_pig *s, int seat, int n, struct events *events)
{
	uint8_t order[TENNESSEE_CARDS]; /* TP-2.5 */

	for (int i = 0; i < TENNESSEE_CARDS; i++)
		order[i] = s->now.stock[TENNESSEE_CARDS - 1 - (i + n) % TENNESSEE_CARDS];
	memset(s->now.stock, NO_CARD, sizeof(s->now.stock));
	event_add(events, TENNESSEE_EVENT_CUT, seat, n, 0, 0);
	tennessee_deal_nine(s, order, events);
}

/* The next seat bids; after 32 only the dealer is asked. */
static void next_bid(struct tennessee_pig *s, int seat, struct events *events)
{
	int next = tennessee_left_of(seat);

	if (seat == s->dealer) {
		tennessee_ask(s, TENNESSEE_TRUMP, 1u << s->now.bidder); /* TP-3.6 */
		return;
	}
	for (; s->now.bid == TENNESSEE_BID_MAX && next != s->dealer;
		next = tennessee_left_of(next))
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
		begin_play(s, events);
}

void tennessee_fill(struct tennessee_pig *s, struct events *events)
{
	struct tennessee_hand *now = &s->now;

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
	if (!now->reshuffled) { /* TP-4.6 */
		now->leftover = now->stock_count;
		draw_stock(now, now->bidder, now->stock_count, TENNESSEE_EVENT_TAKE,
			AUDIENCE_SEAT(now->bidder), events); /* TP-4.4 */
	}
	begin_burn(s, events);
}

static void apply_trump(
	struct tennessee_pig *s, int seat, int suit, struct events *events)
{
	s->now.trump = (uint8_t)(1 + suit); /* TP-4.1 */
	s->now.point = point_card(&s->now);
	event_add(events, TENNESSEE_EVENT_TRUMP, seat, suit, 0, 0);
	throw_trash(s, events);
	tennessee_fill(s, events);
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
		begin_play(s, events);
}

static void apply_burn(struct tennessee_pig *s, int seat, int card, struct events *events)
{
	struct tennessee_hand *now = &s->now;

	now->hand[seat] &= ~card_bit(card);
	now->received[seat] &= ~card_bit(card);
	now->burning[seat] |= card_bit(card);
	if (set_size(now->hand[seat]) > TENNESSEE_HAND)
		return;
	s->head.pending &= (uint16_t) ~(1u << seat);
	if (!s->head.pending)
		end_burn(s, events);
}

int tennessee_strength(int trump, int card) /* TP-1.4 */
{
	static const uint8_t by_rank[TENNESSEE_RANKS] = {
		1, 2, 3, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16};
	enum { OFF_FIVE = 4, JOKER = 11, OFF_JACK = 12 };
	int suit = trump - 1;

	if (card == TENNESSEE_JOKER)
		return JOKER;
	if (card / TENNESSEE_RANKS == suit)
		return by_rank[card % TENNESSEE_RANKS];
	if (card == card_of(3 - suit, TENNESSEE_JACK))
		return OFF_JACK;
	return card == card_of(3 - suit, TENNESSEE_FIVE) ? OFF_FIVE : 0;
}

static int next_live(const struct tennessee_hand *now, int seat)
{
	do
		seat = (seat + 1) % TENNESSEE_SEATS;
	while (!game_seat_in(now->live, seat));
	return seat;
}

/* Before every lead: the hand ends by itself when nobody holds a trump, or when one
 * seat is left and catches the rest. */
static void begin_lead(struct tennessee_pig *s, struct events *events)
{
	struct tennessee_hand *now = &s->now;
	uint64_t trumps = trump_cards(now->trump), left = 0;

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++)
		left |= now->hand[seat]; /* a folded hand is empty */
	left &= trumps;
	if (left && now->live & (now->live - 1)) {
		tennessee_ask(s, TENNESSEE_PLAY, 1u << now->leader);
		return;
	}
	if (left) { /* TP-6.10 */
		int points = points_of(now, left);
		struct event *event = event_add(
			events, TENNESSEE_EVENT_TRICK, now->leader, points, 0, 0);

		now->caught[now->leader % TENNESSEE_TEAMS] += (uint8_t)points;
		while (event && left)
			event_card(event, (uint8_t)set_pop(&left));
	}
	tennessee_score(s, events); /* TP-6.11 */
}

static void begin_play(struct tennessee_pig *s, struct events *events)
{
	s->now.leader = s->now.bidder; /* TP-6.1 */
	begin_lead(s, events);
}

static int trick_catcher(const struct tennessee_hand *now) /* TP-6.7 */
{
	int best = 0, catcher = NO_SEAT;

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++) {
		int rank = now->trick[seat] == NO_CARD
				   ? 0
				   : tennessee_strength(now->trump, now->trick[seat]);

		if (rank > best) {
			best = rank;
			catcher = seat;
		}
	}
	return catcher;
}

static int trick_points(const struct tennessee_hand *now)
{
	uint64_t cards = 0;

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++)
		if (now->trick[seat] != NO_CARD)
			cards |= card_bit(now->trick[seat]);
	return points_of(now, cards);
}

static void end_trick(struct tennessee_pig *s, struct events *events)
{
	struct tennessee_hand *now = &s->now;
	int catcher = trick_catcher(now), points = 0;

	if (catcher != NO_SEAT) {
		points = trick_points(now);
		now->caught[catcher % TENNESSEE_TEAMS] += (uint8_t)points;
		now->leader = (uint8_t)catcher;
	} /* else TP-6.8: the same seat leads again */
	event_add(events, TENNESSEE_EVENT_TRICK, catcher, points, 0, 0);
	memcpy(now->past[now->tricks], now->trick, sizeof(now->trick));
	memset(now->trick, NO_CARD, sizeof(now->trick));
	now->catcher[now->tricks++] = (uint8_t)catcher;
	begin_lead(s, events);
}

/* The seat has answered; the next one in the trick is asked. */
static void next_turn(struct tennessee_pig *s, int seat, struct events *events)
{
	int next = next_live(&s->now, seat);

	if (next == s->now.leader)
		end_trick(s, events);
	else
		tennessee_ask(s, TENNESSEE_PLAY, 1u << next);
}

static void apply_play(struct tennessee_pig *s, int seat, int card, struct events *events)
{
	struct tennessee_hand *now = &s->now;
	uint64_t bit = card_bit(card);
	uint8_t *sure =
		bit & trump_cards(now->trump) ? now->sure_trumps : now->sure_trash;

	now->hand[seat] &= ~bit;
	now->received[seat] &= ~bit;
	now->hand_count[seat]--;
	now->played |= bit;
	now->trick[seat] = (uint8_t)card;
	sure[seat] -= sure[seat] > 0;
	tennessee_show(events, TENNESSEE_EVENT_PLAY, seat, bit, AUDIENCE_ALL);
	next_turn(s, seat, events);
}

static void apply_fold(struct tennessee_pig *s, int seat, struct events *events)
{
	struct tennessee_hand *now = &s->now;

	tennessee_show(events, TENNESSEE_EVENT_FOLD, seat, now->hand[seat], AUDIENCE_ALL);
	now->folded[seat] = now->hand[seat];
	now->hand[seat] = now->received[seat] = 0;
	now->hand_count[seat] = now->sure_trash[seat] = 0;
	now->live &= (uint16_t) ~(1u << seat);
	if (seat != now->leader) {
		next_turn(s, seat, events);
		return;
	}
	now->leader = (uint8_t)next_live(now, seat); /* TP-6.9 */
	begin_lead(s, events);
}

void tennessee_apply(
	void *state, int seat, const struct action *action, struct events *events)
{
	struct tennessee_pig *s = state;

	assert(game_seat_in(s->head.pending, seat));
	switch ((enum tennessee_verb)action->verb) {
	case TENNESSEE_VERB_PLAY:
		apply_play(s, seat, action->arg[0], events);
		break;
	case TENNESSEE_VERB_FOLD:
		apply_fold(s, seat, events);
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
