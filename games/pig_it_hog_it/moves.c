/*
 * What a seat may do in Pig It Hog It: the legal list, the check, which shares no code
 * with it, and the fallback.
 */
#include "games/pig_it_hog_it/internal.h"

#include <string.h>

static struct action *add(struct action *out, int verb)
{
	memset(out, 0, sizeof(*out));
	out->verb = (uint8_t)verb;
	return out;
}

static void add_bid(struct action *out, int kind, int number)
{
	add(out, PIHI_BID);
	out->count = 2;
	out->arg[0] = (uint8_t)kind;
	out->arg[1] = (uint8_t)number;
}

static void add_one(struct action *out, int verb, int value)
{
	add(out, verb);
	out->count = 1;
	out->arg[0] = (uint8_t)value;
}

static int legal_bid(const struct pig_it_hog_it *s, int seat, struct action *out)
{
	bool suits = s->head.option[PIHI_SUIT_IN_BID];
	int last = suits ? PIHI_KIND_C : PIHI_KIND_SUIT;
	int n = 0;

	for (int kind = PIHI_KIND_HIGH; kind <= last; kind++) {
		if (suits && kind == PIHI_KIND_SUIT)
			continue;
		for (int number = s->level + 1; number <= PIHI_HAND; number++)
			add_bid(&out[n++], kind, number);
	}
	if (s->level < PIHI_LEVEL_PIG)
		add_bid(&out[n++], PIHI_KIND_PIG, ABSENT);
	add_bid(&out[n++], PIHI_KIND_HOG, ABSENT);
	if (!pihi_must_bid(s, seat))
		add(&out[n++], PIHI_PASS);
	return n;
}

static int legal_declare(const struct pig_it_hog_it *s, struct action *out)
{
	int first = s->level < PIHI_LEVEL_PIG ? PIHI_TRUMP : PIHI_HIGH;
	int n = 0;

	for (int mode = first; mode < PIHI_TRUMP + 4; mode++)
		add_one(&out[n++], PIHI_DECLARE, mode - PIHI_HIGH);
	return n;
}

/* The cards that the seat may play now. */
static uint32_t playable(const struct pig_it_hog_it *s, int seat)
{
	uint32_t hand = s->hand[seat];
	uint32_t follow;

	if (seat == s->leader)
		return hand;
	follow = hand & pihi_suit_cards(s->declared,
				pihi_suit_of(s->declared, s->trick[s->leader]));
	return follow ? follow : hand;
}

static int legal_cards(int verb, uint32_t cards, struct action *out)
{
	int n = 0;

	for (; cards; cards &= cards - 1)
		add_one(&out[n++], verb, __builtin_ctz(cards));
	return n;
}

int pihi_legal(const void *state, int seat, struct action *out)
{
	const struct pig_it_hog_it *s = state;

	if (!game_seat_in(s->head.pending, seat))
		return 0;
	switch (s->head.phase) {
	case PIHI_PHASE_BID:
		return legal_bid(s, seat, out);
	case PIHI_PHASE_DECLARE:
		return legal_declare(s, out);
	case PIHI_PHASE_EXCHANGE:
		return legal_cards(PIHI_GIVE, s->hand[seat], out);
	case PIHI_PHASE_PLAY:
		return legal_cards(PIHI_PLAY, playable(s, seat), out);
	default:
		return 0;
	}
}

static bool check_pass(const struct pig_it_hog_it *s, int seat, struct refusal *why)
{
	if (pihi_must_bid(s, seat))
		return refuse(why, "PIHI-3.7", "the dealer has to bid here");
	return true;
}

static bool check_bid(const struct pig_it_hog_it *s, int kind, int n, struct refusal *why)
{
	bool plain_suit = kind == PIHI_KIND_SUIT;
	bool named_suit = kind >= PIHI_KIND_S && kind <= PIHI_KIND_C;
	int worth = n;

	if (s->head.option[PIHI_SUIT_IN_BID] ? plain_suit : named_suit)
		return refuse(why, "PIHI-3.3",
			"a suit bid is \"suit\", or with suit_in_bid the suit itself");
	if (kind == PIHI_KIND_PIG || kind == PIHI_KIND_HOG) {
		if (n != ABSENT)
			return refuse(why, "PIHI-3.2", "pig and hog have no number");
		worth = kind == PIHI_KIND_PIG ? PIHI_LEVEL_PIG : PIHI_LEVEL_HOG;
	} else if (n < 1 || n > PIHI_HAND) {
		return refuse(why, "PIHI-3.2", "this bid needs a number n from 1 to 6");
	}
	if (worth <= s->level)
		return refuse(why, "PIHI-3.4", "a bid must be higher than the last one");
	return true;
}

static bool check_declare(const struct pig_it_hog_it *s, int word, struct refusal *why)
{
	bool suit_bid = s->call[s->bidder] == PIHI_CALL_KIND + PIHI_KIND_SUIT;

	if (suit_bid && (word == 0 || word == 1))
		return refuse(
			why, "PIHI-4.2", "after a suit bid a suit must be declared");
	return true;
}

bool pihi_revokes(const struct pig_it_hog_it *s, int seat, int card)
{
	int led;

	if (s->leader == seat)
		return false;
	led = pihi_suit_of(s->declared, s->trick[s->leader]);
	if (pihi_suit_of(s->declared, card) == led)
		return false;
	for (int other = 0; other < PIHI_CARDS; other++)
		if (s->hand[seat] & pihi_bit(other) &&
			pihi_suit_of(s->declared, other) == led)
			return true;
	return false;
}

static bool check_card(const struct pig_it_hog_it *s, int seat,
	const struct action *action, struct refusal *why)
{
	int card = action->arg[0];

	if (!(s->hand[seat] >> card & 1))
		return action->verb == PIHI_GIVE
			       ? refuse(why, "PIHI-5.2", "the card is not in your hand")
			       : refuse(why, "PIHI-6.2", "the card is not in your hand");
	if (action->verb == PIHI_PLAY && pihi_revokes(s, seat, card))
		return refuse(
			why, "PIHI-6.3", "you hold the suit that was led: follow it");
	return true;
}

static bool verb_fits(int verb, int phase)
{
	switch (verb) {
	case PIHI_BID:
	case PIHI_PASS:
		return phase == PIHI_PHASE_BID;
	case PIHI_DECLARE:
		return phase == PIHI_PHASE_DECLARE;
	case PIHI_GIVE:
		return phase == PIHI_PHASE_EXCHANGE;
	default:
		return phase == PIHI_PHASE_PLAY;
	}
}

bool pihi_check(
	const void *state, int seat, const struct action *action, struct refusal *why)
{
	const struct pig_it_hog_it *s = state;

	if (!game_seat_in(s->head.pending, seat))
		return refuse(why, "PIHI-1.6", "you owe no answer now");
	if (!verb_fits(action->verb, s->head.phase))
		return refuse(why, "PIHI-1.7", "this is not what the phase asks for");
	switch (action->verb) {
	case PIHI_PASS:
		return check_pass(s, seat, why);
	case PIHI_BID:
		return check_bid(s, action->arg[0], action->arg[1], why);
	case PIHI_DECLARE:
		return check_declare(s, action->arg[0], why);
	default:
		return check_card(s, seat, action, why);
	}
}

/* Lowest rank from 9 up to A, then S H D C, whatever is declared. */
static int lowest(uint32_t cards)
{
	const uint32_t nines = 0x41041;

	for (int rank = PIHI_9; rank <= PIHI_A; rank++)
		if (cards & nines << rank)
			return __builtin_ctz(cards & nines << rank);
	return NO_CARD;
}

void pihi_fallback(const void *view, struct action *out)
{
	const struct pig_it_hog_it *s = view;
	int seat = s->head.viewer;

	switch (s->head.phase) {
	case PIHI_PHASE_BID:
		if (pihi_must_bid(s, seat))
			add_bid(out, PIHI_KIND_HIGH, 1);
		else
			add(out, PIHI_PASS);
		break;
	case PIHI_PHASE_DECLARE:
		add_one(out, PIHI_DECLARE,
			(s->level < PIHI_LEVEL_PIG ? PIHI_TRUMP : PIHI_HIGH) - PIHI_HIGH);
		break;
	case PIHI_PHASE_EXCHANGE:
		add_one(out, PIHI_GIVE, lowest(s->hand[seat]));
		break;
	default:
		add_one(out, PIHI_PLAY, lowest(playable(s, seat)));
		break;
	}
}
