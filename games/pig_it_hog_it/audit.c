/* Tables of Pig It Hog It from outside: completing one, and checking that it is sound. */
#include "games/pig_it_hog_it/internal.h"

#include <string.h>

static bool in_round(const struct pig_it_hog_it *s)
{
	return s->head.phase >= PIHI_PHASE_BID && s->head.phase <= PIHI_PHASE_PLAY;
}

static uint32_t placed(const struct pig_it_hog_it *s)
{
	uint32_t cards = 0;

	for (int seat = 0; seat < PIHI_SEATS; seat++)
		cards |= s->hand[seat] | s->played[seat];
	return cards;
}

static int tricks_done(const struct pig_it_hog_it *s)
{
	return s->tricks[0] + s->tricks[1] + s->tricks[2] + s->tricks[3];
}

static void complete_seating(struct pig_it_hog_it *s)
{
	if (s->head.phase == PIHI_PHASE_PARTNERS)
		return;
	for (int at = 0; at < PIHI_SEATS; at++) {
		if (s->order[at] == NO_SEAT)
			s->order[at] = (uint8_t)at;
		s->position[s->order[at]] = (uint8_t)at;
	}
	if (s->dealer == NO_SEAT && s->head.phase != PIHI_PHASE_FIRST)
		s->dealer = 0;
}

static int call_level(const struct pig_it_hog_it *s, int seat)
{
	int kind = s->call[seat] - PIHI_CALL_KIND;

	if (kind == PIHI_KIND_PIG || kind == PIHI_KIND_HOG)
		return kind == PIHI_KIND_PIG ? PIHI_LEVEL_PIG : PIHI_LEVEL_HOG;
	return s->call_n[seat];
}

/* The bidder's words where only the height of the bid and the declaration are given. */
static void complete_winning_call(struct pig_it_hog_it *s)
{
	int kind = PIHI_KIND_HIGH;

	if (s->level >= PIHI_LEVEL_PIG)
		kind = PIHI_KIND_PIG + s->level - PIHI_LEVEL_PIG;
	else if (s->declared == PIHI_LOW)
		kind = PIHI_KIND_LOW;
	else if (s->declared >= PIHI_TRUMP)
		kind = s->head.option[PIHI_SUIT_IN_BID]
			       ? PIHI_KIND_S + s->declared - PIHI_TRUMP
			       : PIHI_KIND_SUIT;
	else if (s->head.phase == PIHI_PHASE_DECLARE)
		kind = PIHI_KIND_SUIT;
	s->call[s->bidder] = (uint8_t)(PIHI_CALL_KIND + kind);
	s->call_n[s->bidder] = s->level < PIHI_LEVEL_PIG ? s->level : 0;
}

/* Seats that were asked and are not said to have bid have passed. */
static void complete_calls(struct pig_it_hog_it *s)
{
	bool bidding = s->head.phase == PIHI_PHASE_BID;

	if (s->bidder != NO_SEAT && s->call[s->bidder] == PIHI_CALL_NONE)
		complete_winning_call(s);
	for (int step = 1; step <= PIHI_SEATS; step++) {
		int seat = pihi_left_of(s, s->dealer, step);

		if (bidding && game_seat_in(s->head.acting, seat))
			break;
		if (s->call[seat] == PIHI_CALL_NONE)
			s->call[seat] = PIHI_CALL_PASS;
		if (call_level(s, seat) > s->level) {
			s->level = (uint8_t)call_level(s, seat);
			s->bidder = (uint8_t)seat;
		}
		if (call_level(s, seat) == PIHI_LEVEL_HOG)
			break;
	}
}

static uint32_t lowest_cards(uint32_t cards, int n)
{
	uint32_t taken = 0;

	for (; n > 0 && cards; n--, cards &= cards - 1)
		taken |= cards & -cards;
	return taken;
}

/* Cards each seat has at the start of the current trick. */
static int trick_size(const struct pig_it_hog_it *s)
{
	int size = 0;

	for (int seat = 0; seat < PIHI_SEATS; seat++) {
		int cards =
			__builtin_popcount(s->hand[seat]) + (s->trick[seat] != NO_CARD);

		if (seat != pihi_sitting_out(s) && cards > size)
			size = cards;
	}
	if (s->head.phase != PIHI_PHASE_PLAY)
		return PIHI_HAND;
	return size ? size : PIHI_HAND - tricks_done(s);
}

static void complete_cards(struct pig_it_hog_it *s)
{
	int size = trick_size(s);

	for (int seat = 0; seat < PIHI_SEATS; seat++)
		if (s->trick[seat] != NO_CARD)
			s->played[seat] |= pihi_bit(s->trick[seat]);
	for (int seat = 0; seat < PIHI_SEATS; seat++) {
		int due = size - (s->trick[seat] != NO_CARD);

		if (seat == pihi_sitting_out(s))
			due = PIHI_HAND;
		s->hand[seat] |= lowest_cards(PIHI_ALL_CARDS & ~placed(s),
			due - __builtin_popcount(s->hand[seat]));
		s->hand_count[seat] = (uint8_t)__builtin_popcount(s->hand[seat]);
	}
	for (int seat = 0; seat < PIHI_SEATS; seat++)
		s->played[seat] |= lowest_cards(PIHI_ALL_CARDS & ~placed(s),
			PIHI_HAND - s->hand_count[seat] -
				__builtin_popcount(s->played[seat]));
	if (s->head.phase == PIHI_PHASE_PLAY)
		s->tricks[pihi_left_of(s, s->bidder, 1)] +=
			(uint8_t)(PIHI_HAND - size - tricks_done(s));
}

static void complete_trick(struct pig_it_hog_it *s)
{
	if (s->leader == NO_SEAT)
		s->leader = (uint8_t)__builtin_ctz(s->head.acting);
	s->winning = NO_SEAT;
	for (int step = 0; step < PIHI_SEATS; step++) {
		int seat = pihi_left_of(s, s->leader, step);

		if (s->trick[seat] == NO_CARD)
			continue;
		if (s->winning == NO_SEAT ||
			pihi_beats(s->declared, s->trick[seat], s->trick[s->winning]))
			s->winning = (uint8_t)seat;
	}
}

static void complete_gifts(struct pig_it_hog_it *s)
{
	int pair[2] = {s->bidder, pihi_partner(s, s->bidder)};

	for (int i = 0; i < 2; i++) {
		int giver = pair[i], taker = pair[!i];

		if (s->given[giver] == NO_CARD)
			s->given[giver] =
				(uint8_t)__builtin_ctz(s->hand[taker] | s->played[taker]);
		s->received[taker] = s->given[giver];
	}
}

void pihi_complete(void *state)
{
	struct pig_it_hog_it *s = state;

	complete_seating(s);
	s->head.need = s->head.phase == PIHI_PHASE_OVER ? NEED_NOTHING
		       : in_round(s)                    ? NEED_ANSWERS
							: NEED_CHANCE;
	if (!in_round(s))
		return;
	if (!s->head.pending)
		s->head.pending = s->head.acting;
	if (!s->round)
		s->round = 1;
	if (s->deals < s->round)
		s->deals = s->round;
	complete_calls(s);
	complete_cards(s);
	if (s->head.phase != PIHI_PHASE_PLAY)
		return;
	complete_trick(s);
	if (s->level == PIHI_LEVEL_PIG)
		complete_gifts(s);
}

static const char *audit_match(const struct pig_it_hog_it *s)
{
	const int16_t *option = s->head.option;

	if (s->games_won[0] + s->games_won[1] > s->games_played)
		return "more games won than played";
	if (s->games_played > option[PIHI_GAMES])
		return "more games played than the match has";
	if (s->round > option[PIHI_MAX_ROUNDS] || s->round > s->deals)
		return "more rounds than allowed or dealt";
	if (s->thrown_in > PIHI_THROWN_IN_MAX)
		return "too many deals thrown in";
	for (int team = 0; team < 2; team++) {
		if (s->score[team] < -24 * option[PIHI_MAX_ROUNDS])
			return "score out of bounds";
		if (s->head.phase != PIHI_PHASE_OVER &&
			s->score[team] >= option[PIHI_TARGET])
			return "a game goes on though the target is reached";
	}
	return NULL;
}

static const char *audit_seating(const struct pig_it_hog_it *s)
{
	if (s->head.phase == PIHI_PHASE_PARTNERS)
		return s->order[0] == NO_SEAT && s->dealer == NO_SEAT
			       ? NULL
			       : "seated before the jacks are drawn";
	for (int at = 0; at < PIHI_SEATS; at++)
		if (s->order[at] >= PIHI_SEATS || s->position[s->order[at]] != at)
			return "order and position disagree";
	if ((s->dealer == NO_SEAT) != (s->head.phase == PIHI_PHASE_FIRST))
		return "no dealer, or one too early";
	return NULL;
}

static const char *audit_asked(const struct pig_it_hog_it *s)
{
	int asked = __builtin_popcount(s->head.acting);
	int phase = s->head.phase;
	int need = phase == PIHI_PHASE_OVER ? NEED_NOTHING
		   : in_round(s)            ? NEED_ANSWERS
					    : NEED_CHANCE;

	if (s->head.need != need)
		return "the phase and what is needed disagree";
	if (asked != (need != NEED_ANSWERS ? 0 : phase == PIHI_PHASE_EXCHANGE ? 2 : 1))
		return "wrong number of seats asked";
	if (s->head.pending & ~s->head.acting || !s->head.pending != !asked)
		return "pending seats do not fit the seats asked";
	return NULL;
}

/* Between rounds nothing of the last one may be left. */
static const char *audit_cleared(const struct pig_it_hog_it *s)
{
	int left = s->level | s->declared;

	for (int seat = 0; seat < PIHI_SEATS; seat++) {
		left |= s->call[seat] | s->call_n[seat] | s->hand_count[seat];
		left |= s->tricks[seat] | s->voids[seat];
		left |= (uint8_t)~s->given[seat] | (uint8_t)~s->received[seat];
		left |= (uint8_t)~s->trick[seat];
	}
	if (left || placed(s))
		return "something is left of the last round";
	if (s->bidder != NO_SEAT || s->leader != NO_SEAT || s->winning != NO_SEAT)
		return "a seat is left of the last round";
	return NULL;
}

static const char *audit_cards(const struct pig_it_hog_it *s)
{
	int total = 0;

	if (placed(s) != PIHI_ALL_CARDS)
		return "a card is missing";
	for (int seat = 0; seat < PIHI_SEATS; seat++) {
		int held = __builtin_popcount(s->hand[seat]);
		int played = __builtin_popcount(s->played[seat]);

		total += held + played;
		if (held != s->hand_count[seat])
			return "hand_count is wrong";
		if (held + played != PIHI_HAND)
			return "a seat has not got six cards";
		for (int suit = 0; suit < 4; suit++)
			if (s->voids[seat] >> suit & 1 &&
				s->hand[seat] & pihi_suit_cards(s->declared, suit))
				return "a void suit is held";
	}
	return total == PIHI_CARDS ? NULL : "a card lies in two places";
}

static const char *audit_calls(const struct pig_it_hog_it *s)
{
	int level = 0;

	for (int step = 1; step <= PIHI_SEATS; step++) {
		int seat = pihi_left_of(s, s->dealer, step);

		if (s->call[seat] < PIHI_CALL_KIND && s->call_n[seat])
			return "a number without a bid";
		if (s->call[seat] < PIHI_CALL_KIND)
			continue;
		if (call_level(s, seat) <= level)
			return "a bid that is not higher than the last";
		level = call_level(s, seat);
		if (step < PIHI_SEATS && level == PIHI_LEVEL_HOG &&
			s->call[pihi_left_of(s, seat, 1)] != PIHI_CALL_NONE)
			return "a call after a hog";
	}
	if (level != s->level || !level != (s->bidder == NO_SEAT))
		return "bidder or level do not fit the calls";
	if (level && call_level(s, s->bidder) != level)
		return "the bidder has not made the highest bid";
	if (!level && s->head.phase != PIHI_PHASE_BID)
		return "play without a bid";
	if (!s->declared !=
		(s->head.phase == PIHI_PHASE_BID || s->head.phase == PIHI_PHASE_DECLARE))
		return "declared too early or not at all";
	return NULL;
}

static const char *audit_gifts(const struct pig_it_hog_it *s)
{
	bool play = s->head.phase == PIHI_PHASE_PLAY;
	bool exchange = s->head.phase == PIHI_PHASE_EXCHANGE;

	for (int seat = 0; seat < PIHI_SEATS; seat++) {
		int partner = pihi_partner(s, seat);
		int given = s->given[seat];
		bool pig = s->level == PIHI_LEVEL_PIG &&
			   pihi_team(s, seat) == pihi_team(s, s->bidder);
		bool answered = exchange && pig && !game_seat_in(s->head.pending, seat);

		if ((given != NO_CARD) != (answered || (pig && play)))
			return "a gift without its time";
		if (s->received[seat] != (pig && play ? s->given[partner] : NO_CARD))
			return "received is not what the partner gave";
		if (answered && !(s->hand[seat] & pihi_bit(given)))
			return "a gift that is not held";
		if (pig && play &&
			!((s->hand[partner] | s->played[partner]) & pihi_bit(given)))
			return "a gift that did not arrive";
	}
	return NULL;
}

static const char *audit_play(const struct pig_it_hog_it *s)
{
	int done = tricks_done(s);

	if (s->head.phase != PIHI_PHASE_PLAY)
		return done || s->leader != NO_SEAT || s->winning != NO_SEAT
			       ? "tricks too early"
			       : NULL;
	for (int seat = 0; seat < PIHI_SEATS; seat++) {
		bool on_trick = s->trick[seat] != NO_CARD;
		int due = seat == pihi_sitting_out(s) ? 0 : done + on_trick;

		if (on_trick && !(s->played[seat] & pihi_bit(s->trick[seat])))
			return "a card of the trick was not played";
		if (__builtin_popcount(s->played[seat]) != due)
			return "tricks and played cards disagree";
	}
	if (s->leader >= PIHI_SEATS || s->leader == pihi_sitting_out(s))
		return "the leader does not play";
	if ((s->winning == NO_SEAT) != (s->trick[s->leader] == NO_CARD))
		return "winning seat without a trick";
	if (s->winning != NO_SEAT && s->trick[s->winning] == NO_CARD)
		return "the winning seat has not played";
	return NULL;
}

const char *pihi_invariants(const void *state)
{
	static const char *(*const audits[])(const struct pig_it_hog_it *) = {
		audit_cards, audit_calls, audit_gifts, audit_play};
	const struct pig_it_hog_it *s = state;
	const char *wrong = audit_match(s);

	if (!wrong)
		wrong = audit_seating(s);
	if (!wrong)
		wrong = audit_asked(s);
	if (!wrong && !in_round(s))
		return audit_cleared(s);
	for (size_t i = 0; !wrong && i < sizeof(audits) / sizeof(audits[0]); i++)
		wrong = audits[i](s);
	return wrong;
}
