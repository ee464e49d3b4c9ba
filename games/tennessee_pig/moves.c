/*
 * What a seat may do in Tennessee Pig: the legal list, the check, which shares no code
 * with it, and the fallback.
 */
#include "games/tennessee_pig/internal.h"

#include <assert.h>
#include <limits.h>

static struct action action_of(int verb, int argument)
{
	return (struct action){(uint8_t)verb, 1, {(uint8_t)argument}};
}

/* Bids 7..16, 28, 30 and 32 that are higher than the last; 0 is the lowest. */
static int legal_bids(const struct tennessee_pig *s, int seat, struct action *out)
{
	int n = 0, bid = s->now.bid;

	if (bid == TENNESSEE_BID_MAX)
		bid = seat == s->dealer ? TENNESSEE_BID_MAX - 1 : TENNESSEE_BID_MAX;
	for (int x = TENNESSEE_BID_MIN; x <= TENNESSEE_BID_SINGLE_MAX; x++)
		if (x > bid)
			out[n++] = action_of(TENNESSEE_VERB_BID, x);
	for (int x = 28; x <= TENNESSEE_BID_MAX; x += 2)
		if (x > bid)
			out[n++] = action_of(TENNESSEE_VERB_BID, x);
	if (bid > 0 || seat != s->dealer)
		out[n++] = (struct action){TENNESSEE_VERB_PASS, 0, {0}};
	return n;
}

static int legal_burns(const struct tennessee_pig *s, int seat, struct action *out)
{
	uint64_t cards = s->now.hand[seat] & ~fixed_cards(s->now.trump);
	uint64_t told = s->head.option[OPTION_FAULTS] ? trump_cards(s->now.trump) : 0;
	int n = 0;

	while (cards) {
		int card = set_pop(&cards);
		uint8_t tell = told & card_bit(card) ? 1 : ABSENT;

		out[n++] = (struct action){TENNESSEE_VERB_BURN, 2, {(uint8_t)card, tell}};
	}
	return n;
}

static int legal_plays(const struct tennessee_pig *s, int seat, struct action *out)
{
	uint64_t hand = s->now.hand[seat];
	uint64_t trumps = hand & trump_cards(s->now.trump);
	uint64_t cards = trump_is_led(&s->now) ? trumps : hand;
	int n = 0;

	while (cards)
		out[n++] = action_of(TENNESSEE_VERB_PLAY, set_pop(&cards));
	if (!trumps)
		out[n++] = (struct action){TENNESSEE_VERB_FOLD, 0, {0}};
	return n;
}

int tennessee_legal(const void *state, int seat, struct action *out)
{
	const struct tennessee_pig *s = state;
	int n;

	if (!game_seat_in(s->head.pending, seat))
		return 0;
	switch (s->head.phase) {
	case TENNESSEE_PLAY:
		return legal_plays(s, seat, out);
	case TENNESSEE_BURN:
		return legal_burns(s, seat, out);
	case TENNESSEE_BID:
		return legal_bids(s, seat, out);
	case TENNESSEE_TRUMP:
		for (n = 0; n < TENNESSEE_SUITS; n++)
			out[n] = action_of(TENNESSEE_VERB_TRUMP, n);
		return n;
	case TENNESSEE_CUT:
		for (n = 0; n < TENNESSEE_CARDS; n++)
			out[n] = action_of(TENNESSEE_VERB_CUT, n);
		return n;
	default:
		return 0;
	}
}

static bool check_bid(const struct tennessee_pig *s, int seat, int n, struct refusal *why)
{
	bool single = n >= 7 && n <= 16;

	if (!single && n != 28 && n != 30 && n != 32)
		return refuse(why, "TP-3.2", "a bid is 7 to 16, 28, 30 or 32");
	if (n == 32 && s->now.bid == 32 && seat == s->dealer)
		return true; /* TP-3.5 */
	if (n <= s->now.bid)
		return refuse(why, "TP-3.3", "the bid must be higher than the last one");
	return true;
}

static bool check_pass(const struct tennessee_pig *s, int seat, struct refusal *why)
{
	unsigned others = TENNESSEE_ALL_SEATS & ~(1u << s->dealer);

	if (seat == s->dealer && (s->now.passed & others) == others)
		return refuse(
			why, "TP-3.4", "all others have passed: the dealer must bid");
	return true;
}

/* The cards of the suit of the trump's colour that count as trumps are found by their
 * own look-up here, not by the sets that `legal` works with. */
static bool card_is_trump(const struct tennessee_pig *s, int card)
{
	static const uint8_t same_colour[] = {3, 2, 1, 0};
	int suit = s->now.trump - 1, rank = card % TENNESSEE_RANKS;

	if (card == TENNESSEE_JOKER || card / TENNESSEE_RANKS == suit)
		return true;
	return card / TENNESSEE_RANKS == same_colour[suit] &&
	       (rank == TENNESSEE_FIVE || rank == TENNESSEE_JACK);
}

static bool card_is_protected(const struct tennessee_pig *s, int card)
{
	int rank = card % TENNESSEE_RANKS;

	if (!card_is_trump(s, card))
		return false;
	return card == TENNESSEE_JOKER || rank == TENNESSEE_ACE ||
	       rank == TENNESSEE_JACK || rank == TENNESSEE_TEN || rank == TENNESSEE_FIVE;
}

static bool holds(const struct tennessee_pig *s, int seat, int card)
{
	return s->now.hand[seat] >> card & 1;
}

static bool holds_trump(const struct tennessee_pig *s, int seat)
{
	for (int card = 0; card < TENNESSEE_CARDS; card++)
		if (holds(s, seat, card) && card_is_trump(s, card))
			return true;
	return false;
}

static bool check_burn(const struct tennessee_pig *s, int seat,
	const struct action *action, struct refusal *why)
{
	int card = action->arg[0];
	bool tells = action->arg[1] != ABSENT;
	bool penalty = s->head.option[OPTION_FAULTS] != 0;

	if (tells && (!penalty || !card_is_trump(s, card)))
		return refuse(why, "TP-0.2",
			"`tell` belongs only to a burned trump with faults=penalty");
	if (!holds(s, seat, card))
		return refuse(why, "TP-5.2", "the card is not in your hand");
	if (card_is_protected(s, card))
		return refuse(why, "TP-5.3", "this point card may not be burned");
	if (penalty && card_is_trump(s, card) && !tells)
		return refuse(why, "TP-5.6", "a burned trump must be told: `tell`: true");
	return true;
}

static bool check_play(
	const struct tennessee_pig *s, int seat, int card, struct refusal *why)
{
	int led = s->now.trick[s->now.leader];

	if (!holds(s, seat, card))
		return refuse(why, "TP-6.2", "the card is not in your hand");
	if (led == NO_CARD || !card_is_trump(s, led) || card_is_trump(s, card))
		return true; /* TP-6.3 */
	if (holds_trump(s, seat))
		return refuse(why, "TP-6.4", "a trump was led: play a trump");
	return refuse(why, "TP-6.5", "a trump was led and you hold none: fold");
}

bool tennessee_check(
	const void *state, int seat, const struct action *action, struct refusal *why)
{
	static const uint8_t phase_of[TENNESSEE_VERBS] = {
		[TENNESSEE_VERB_CUT] = TENNESSEE_CUT,
		[TENNESSEE_VERB_BID] = TENNESSEE_BID,
		[TENNESSEE_VERB_PASS] = TENNESSEE_BID,
		[TENNESSEE_VERB_TRUMP] = TENNESSEE_TRUMP,
		[TENNESSEE_VERB_BURN] = TENNESSEE_BURN,
		[TENNESSEE_VERB_PLAY] = TENNESSEE_PLAY,
		[TENNESSEE_VERB_FOLD] = TENNESSEE_PLAY};
	const struct tennessee_pig *s = state;

	if (s->head.need != NEED_ANSWERS || !game_seat_in(s->head.pending, seat))
		return refuse(why, "TP-1.7", "it is not your turn");
	if (phase_of[action->verb] != s->head.phase)
		return refuse(why, "TP-1.7", "this is not what is being asked now");
	switch (action->verb) {
	case TENNESSEE_VERB_BID:
		return check_bid(s, seat, action->arg[0], why);
	case TENNESSEE_VERB_PASS:
		return check_pass(s, seat, why);
	case TENNESSEE_VERB_BURN:
		return check_burn(s, seat, action, why);
	case TENNESSEE_VERB_PLAY:
		return check_play(s, seat, action->arg[0], why);
	case TENNESSEE_VERB_FOLD:
		if (holds_trump(s, seat))
			return refuse(why, "TP-6.6", "only a hand without trumps folds");
		return true;
	default:
		return true; /* TP-2.5, TP-4.1: any number, any suit */
	}
}

/* The lowest card, trash before trumps; to fold only if nothing else is legal. */
static void lowest_card(const struct tennessee_pig *s, const struct action *list, int n,
	struct action *out)
{
	int lowest = INT_MAX;

	*out = list[0];
	for (int i = 0; i < n; i++) {
		int rank = list[i].count
				   ? tennessee_strength(s->now.trump, list[i].arg[0])
				   : INT_MAX;

		if (rank < lowest) {
			lowest = rank;
			*out = list[i];
		}
	}
}

void tennessee_fallback(const void *view, struct action *out)
{
	const struct tennessee_pig *s = view;
	struct action list[GAME_LEGAL_MAX];
	int n = tennessee_legal(view, s->head.viewer, list);

	assert(n > 0);
	switch (s->head.phase) {
	case TENNESSEE_BID:
		*out = list[n - 1].verb == TENNESSEE_VERB_PASS ? list[n - 1] : list[0];
		break;
	case TENNESSEE_BURN:
	case TENNESSEE_PLAY:
		lowest_card(s, list, n, out);
		break;
	default:
		*out = list[0];
	}
}
