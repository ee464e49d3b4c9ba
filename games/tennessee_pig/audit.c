/*
 * Whole tables of Tennessee Pig: completing one that is described in part, and
 * finding what is wrong with one.
 */
#include "games/tennessee_pig/internal.h"

#include <string.h>

static bool is_dealt(const struct tennessee_pig *s)
{
	return s->head.phase >= TENNESSEE_BID && s->head.phase <= TENNESSEE_PLAY;
}

static bool is_named(const struct tennessee_pig *s)
{
	return s->head.phase >= TENNESSEE_FILL && s->head.phase <= TENNESSEE_PLAY;
}

static uint64_t stock_cards(const struct tennessee_hand *now)
{
	uint64_t cards = 0;

	for (int i = 0; i < TENNESSEE_CARDS; i++)
		if (now->stock[i] != NO_CARD)
			cards |= card_bit(now->stock[i]);
	return cards;
}

static uint64_t placed_cards(const struct tennessee_hand *now)
{
	uint64_t cards = now->played | stock_cards(now);

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++)
		cards |= now->hand[seat] | now->discards[seat] | now->burning[seat] |
			 now->burned[seat] | now->folded[seat];
	return cards;
}

/* Hands of nine cards, the lowest ones that lie nowhere; the rest is the bottom of the
 * stock. Before the cut there are no hands. */
static void complete_deal(struct tennessee_hand *now, int dealt)
{
	uint64_t free = TENNESSEE_ALL_CARDS & ~placed_cards(now);
	int below;

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++)
		while (set_size(now->hand[seat]) < dealt)
			now->hand[seat] |= card_bit(set_pop(&free));
	below = set_size(free);
	memmove(now->stock + below, now->stock, sizeof(now->stock) - (size_t)below);
	for (int i = 0; i < below; i++)
		now->stock[i] = (uint8_t)set_pop(&free);
}

/* A table that does not say who threw what: every hand was received, trash that lies
 * nowhere was thrown, and what finds no room there was played. */
static void complete_discards(struct tennessee_hand *now)
{
	uint64_t trash =
		TENNESSEE_ALL_CARDS & ~placed_cards(now) & ~trump_cards(now->trump);

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++) {
		now->received[seat] = now->hand[seat];
		while (trash && set_size(now->discards[seat]) < TENNESSEE_DEALT)
			now->discards[seat] |= card_bit(set_pop(&trash));
		now->thrown[seat] = (uint8_t)set_size(now->discards[seat]);
	}
}

/* Points in finished tricks of which the table does not say who caught them are the
 * defenders'. */
static void complete_caught(struct tennessee_hand *now)
{
	uint64_t table = 0;
	int missing;

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++)
		if (now->trick[seat] != NO_CARD)
			table |= card_bit(now->trick[seat]);
	missing = points_of(now, now->played & ~table) - now->caught[0] - now->caught[1];
	if (missing > 0)
		now->caught[(now->bidder + 1) % TENNESSEE_TEAMS] += (uint8_t)missing;
}

static void complete_trick(struct tennessee_pig *s)
{
	struct tennessee_hand *now = &s->now;
	int held = 0;

	if (now->leader == NO_SEAT)
		now->leader = now->bidder;
	for (int seat = 0; seat < TENNESSEE_SEATS; seat++) {
		int cards = set_size(now->hand[seat]) + (now->trick[seat] != NO_CARD);

		if (now->trick[seat] != NO_CARD)
			now->played |= card_bit(now->trick[seat]);
		if (cards)
			now->live |= (uint16_t)(1u << seat);
		held = cards > held ? cards : held;
	}
	now->tricks = (uint8_t)(TENNESSEE_HAND - held);
}

static void complete_named(struct tennessee_pig *s)
{
	struct tennessee_hand *now = &s->now;

	if (s->head.phase == TENNESSEE_PLAY)
		complete_trick(s);
	if (now->bidder != NO_SEAT && now->bids[now->bidder] == 0)
		now->bids[now->bidder] = now->bid;
	now->point = point_card(now);
	if (!(now->thrown[0] | now->thrown[1] | now->thrown[2] | now->thrown[3]))
		complete_discards(now);
	now->played |= TENNESSEE_ALL_CARDS & ~placed_cards(now);
	complete_caught(now);
}

static enum game_need need_of(int phase)
{
	switch (phase) {
	case TENNESSEE_DRAW:
	case TENNESSEE_DEAL:
	case TENNESSEE_FILL:
		return NEED_CHANCE;
	case TENNESSEE_OVER:
		return NEED_NOTHING;
	default:
		return NEED_ANSWERS;
	}
}

void tennessee_complete(void *state)
{
	struct tennessee_pig *s = state;
	struct tennessee_hand *now = &s->now;

	s->head.need = (uint8_t)need_of(s->head.phase);
	if (!s->head.pending)
		s->head.pending = s->head.acting;
	if (s->head.phase == TENNESSEE_DRAW)
		s->drawing = s->drawing ? s->drawing : TENNESSEE_ALL_SEATS;
	else if (s->dealer == NO_SEAT)
		s->dealer = 0;
	if (s->head.phase > TENNESSEE_DEAL && s->hands == 0)
		s->hands = 1;
	if (s->head.phase >= TENNESSEE_CUT && s->head.phase <= TENNESSEE_BURN)
		now->live = TENNESSEE_ALL_SEATS;
	if (s->head.phase >= TENNESSEE_CUT && s->head.phase <= TENNESSEE_TRUMP)
		complete_deal(now, is_dealt(s) ? TENNESSEE_DEALT : 0);
	if (is_named(s) && now->trump != TENNESSEE_NO_TRUMP)
		complete_named(s);
	for (int seat = 0; seat < TENNESSEE_SEATS; seat++)
		now->hand_count[seat] = (uint8_t)(set_size(now->hand[seat]) +
						  set_size(now->burning[seat]));
	now->stock_count = (uint8_t)set_size(stock_cards(now));
}

static bool is_one_seat(unsigned set)
{
	return set && !(set & (set - 1)) && set <= TENNESSEE_ALL_SEATS;
}

/* Whose turn it is in a trick. */
static int turn_of(const struct tennessee_hand *now)
{
	int seat = now->leader;

	while (now->trick[seat] != NO_CARD || !game_seat_in(now->live, seat))
		seat = (seat + 1) % TENNESSEE_SEATS;
	return seat;
}

static const char *broken_turn(const struct tennessee_pig *s)
{
	const struct game_head *head = &s->head;
	unsigned over = 0;

	if (head->phase > TENNESSEE_OVER || head->need != need_of(head->phase))
		return "phase and need do not fit";
	if (head->pending & ~head->acting)
		return "a seat is pending that was not asked";
	if (head->need != NEED_ANSWERS)
		return head->acting ? "a seat acts that is not asked" : NULL;
	if (!head->pending)
		return "nobody is pending";
	if (head->phase != TENNESSEE_BURN)
		return is_one_seat(head->acting) ? NULL : "not exactly one seat acts";
	for (int seat = 0; seat < TENNESSEE_SEATS; seat++) {
		if (s->now.hand_count[seat] > TENNESSEE_HAND)
			over |= 1u << seat;
		if (game_seat_in(head->pending, seat) !=
			(set_size(s->now.hand[seat]) > TENNESSEE_HAND))
			return "not those over six are pending";
	}
	return over == head->acting ? NULL : "not those over six burn";
}

static const char *broken_match(const struct tennessee_pig *s)
{
	const int16_t *option = s->head.option;
	int target = option[TENNESSEE_OPTION_TARGET];
	bool over = s->head.phase == TENNESSEE_OVER;

	if ((s->dealer >= TENNESSEE_SEATS) != (s->head.phase == TENNESSEE_DRAW))
		return "no such dealer";
	if ((s->drawing != 0) != (s->head.phase == TENNESSEE_DRAW))
		return "seats draw out of season";
	if (s->hands > option[TENNESSEE_OPTION_MAX_HANDS])
		return "too many hands";
	if (s->games_won[0] + s->games_won[1] > s->games_played ||
		s->games_played > option[TENNESSEE_OPTION_GAMES])
		return "too many games";
	if ((s->winner != TENNESSEE_NO_WINNER) != over || s->winner > TENNESSEE_DRAWN)
		return "a winner out of season";
	if ((s->ended != TENNESSEE_NOT_ENDED) != over)
		return "a game ended out of season";
	for (int team = 0; team < TENNESSEE_TEAMS; team++)
		if (!over && (s->score[team] >= target || s->score[team] <= -target))
			return "a decided game goes on";
	return NULL;
}

static const char *broken_stock(const struct tennessee_hand *now)
{
	for (int i = 0; i < TENNESSEE_CARDS; i++)
		if ((now->stock[i] < TENNESSEE_CARDS) != (i < now->stock_count))
			return "the stock is not stock_count cards";
	return NULL;
}

static const char *broken_cards(const struct tennessee_pig *s)
{
	const struct tennessee_hand *now = &s->now;
	int cards = now->stock_count + set_size(now->played), hidden = now->stock_count;

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++) {
		int held = set_size(now->hand[seat]) + set_size(now->burning[seat]);

		if (now->hand_count[seat] != held)
			return "hand and hand_count differ";
		if (now->received[seat] & ~now->hand[seat])
			return "a card was received that is not held";
		hidden += held + set_size(now->discards[seat]);
		cards += held + set_size(now->discards[seat]) +
			 set_size(now->burned[seat]) + set_size(now->folded[seat]);
	}
	if (!is_dealt(s) && s->head.phase != TENNESSEE_CUT)
		return hidden ? "cards lie about between hands" : NULL;
	if (cards != TENNESSEE_CARDS || placed_cards(now) != TENNESSEE_ALL_CARDS)
		return "cards are lost or made";
	return NULL;
}

static const char *broken_bids(const struct tennessee_pig *s)
{
	const struct tennessee_hand *now = &s->now;
	int bid = now->bid;

	if (bid && !(bid >= 7 && bid <= 16) && bid != 28 && bid != 30 && bid != 32)
		return "no such bid";
	if ((now->bidder < TENNESSEE_SEATS) != (bid > 0))
		return "a bid without a bidder";
	if (bid && now->bids[now->bidder] != bid)
		return "the highest bid is not the bidder's";
	if (s->head.phase == TENNESSEE_TRUMP && !bid)
		return "trumps are named without a bid";
	if (now->trump > TENNESSEE_SUITS || (is_named(s) && !(bid && now->trump)))
		return "no trump";
	return NULL;
}

static const char *broken_unnamed(const struct tennessee_pig *s)
{
	const struct tennessee_hand *now = &s->now;
	int dealt = is_dealt(s) ? TENNESSEE_DEALT : 0;

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++)
		if (now->hand_count[seat] != dealt || now->thrown[seat] ||
			now->received[seat] || now->burning[seat] || now->folded[seat] ||
			now->sure_trumps[seat])
			return "more than a deal before trumps are named";
	return now->played || now->trump ? "play before trumps are named" : NULL;
}

/* What is publicly known of a hand must be true of it. */
static const char *broken_hand(const struct tennessee_hand *now, int seat)
{
	uint64_t trumps = trump_cards(now->trump), hand = now->hand[seat];
	uint64_t kept = hand & ~now->received[seat];
	uint64_t laid = now->burning[seat];
	uint64_t fixed = fixed_cards(now->trump);

	if (kept & ~trumps)
		return "trash was kept";
	if (now->thrown[seat] > TENNESSEE_DEALT ||
		set_size(kept) > TENNESSEE_DEALT - now->thrown[seat])
		return "more was kept than was dealt";
	if (set_size(kept) + set_size(laid & trumps) < now->sure_trumps[seat])
		return "sure_trumps is wrong";
	if (set_size(hand & ~trumps) < now->sure_trash[seat])
		return "sure_trash is wrong";
	if (now->discards[seat] & trumps || now->burned[seat] & (~trumps | fixed))
		return "a card was burned that may not be";
	if (set_size(now->discards[seat]) != discard_count(now, seat))
		return "discards and their number differ";
	if (laid & fixed)
		return "a fixed point card is laid aside";
	if (now->folded[seat] & trumps)
		return "a trump was folded";
	return NULL;
}

static const char *broken_tricks(const struct tennessee_pig *s)
{
	const struct tennessee_hand *now = &s->now;
	const uint8_t *past = now->past[0];
	uint64_t table = 0, seen = 0;

	if (now->tricks > TENNESSEE_TRICKS)
		return "too many tricks";
	for (int i = 0; i < TENNESSEE_TRICKS * TENNESSEE_SEATS; i++) {
		uint64_t bit = past[i] == NO_CARD ? 0 : card_bit(past[i]);

		if (bit & seen || (bit && i >= now->tricks * TENNESSEE_SEATS))
			return "the record of tricks is wrong";
		seen |= bit;
	}
	for (int seat = 0; seat < TENNESSEE_SEATS; seat++)
		if (now->trick[seat] != NO_CARD)
			table |= card_bit(now->trick[seat]);
	if (seen & table || (seen | table) & ~now->played)
		return "a card in a trick was not played";
	if (is_named(s) &&
		now->caught[0] + now->caught[1] != points_of(now, now->played & ~table))
		return "points are lost or made";
	return NULL;
}

/* From the leader on everybody has played up to the seat whose turn it is, and there is
 * one. */
static bool is_in_order(const struct tennessee_hand *now)
{
	bool waiting = false;

	for (int i = 0; i < TENNESSEE_SEATS; i++) {
		int seat = (now->leader + i) % TENNESSEE_SEATS;

		if (!game_seat_in(now->live, seat))
			continue;
		if (waiting && now->trick[seat] != NO_CARD)
			return false;
		waiting |= now->trick[seat] == NO_CARD;
	}
	return waiting;
}

static const char *broken_play(const struct tennessee_pig *s)
{
	const struct tennessee_hand *now = &s->now;
	uint64_t left = 0;

	if (now->leader >= TENNESSEE_SEATS || !game_seat_in(now->live, now->leader))
		return "no such leader";
	for (int seat = 0; seat < TENNESSEE_SEATS; seat++) {
		int due = TENNESSEE_HAND - now->tricks - (now->trick[seat] != NO_CARD);

		if (now->hand_count[seat] != (game_seat_in(now->live, seat) ? due : 0))
			return "a hand of the wrong size";
		left |= now->hand[seat];
	}
	if (now->trick[now->leader] == NO_CARD &&
		(is_one_seat(now->live) || !(left & trump_cards(now->trump))))
		return "a hand goes on that is over";
	if (!is_in_order(now))
		return "somebody has played out of turn";
	if (s->head.acting != 1u << turn_of(now))
		return "the wrong seat acts";
	return NULL;
}

static const char *broken_named(const struct tennessee_pig *s)
{
	const struct tennessee_hand *now = &s->now;
	uint64_t fixed = fixed_cards(now->trump);
	const char *wrong = NULL;

	if (now->point != point_card(now))
		return "the wrong point card";
	for (int seat = 0; !wrong && seat < TENNESSEE_SEATS; seat++) {
		wrong = broken_hand(now, seat);
		if (s->head.phase != TENNESSEE_BURN &&
			(now->burning[seat] || now->silent[seat]))
			wrong = "a burn out of season";
		if (s->head.phase == TENNESSEE_BURN &&
			now->hand_count[seat] < TENNESSEE_HAND)
			wrong = "a hand was not filled";
		if (s->head.phase == TENNESSEE_BURN && !(fixed & ~now->hand[seat]))
			wrong = "a slam was overlooked";
	}
	return wrong;
}

const char *tennessee_invariants(const void *state)
{
	const struct tennessee_pig *s = state;
	const char *wrong = broken_turn(s);
	int phase = s->head.phase;

	wrong = wrong ? wrong : broken_match(s);
	wrong = wrong ? wrong : broken_stock(&s->now);
	wrong = wrong ? wrong : broken_cards(s);
	wrong = wrong ? wrong : broken_bids(s);
	wrong = wrong ? wrong : broken_tricks(s);
	if (!wrong && phase >= TENNESSEE_CUT && phase <= TENNESSEE_BURN &&
		s->now.live != TENNESSEE_ALL_SEATS)
		wrong = "somebody has folded before the play";
	if (!wrong && phase >= TENNESSEE_CUT && phase <= TENNESSEE_TRUMP)
		wrong = broken_unnamed(s);
	if (!wrong && is_named(s))
		wrong = broken_named(s);
	if (!wrong && phase == TENNESSEE_PLAY)
		wrong = broken_play(s);
	return wrong;
}
