/*
 * Pig It Hog It by simple rules. The hand is estimated in tenths of tricks for each way
 * of ranking the cards; the best estimate is bid and declared. In play the seat leads
 * cards that cannot be beaten, takes a trick as cheaply as it can, leaves its partner's
 * tricks alone and throws away the worst card otherwise.
 */
#include "games/pig_it_hog_it/pig_it_hog_it.h"
#include "sample_bots/c/common/player.h"

#define TRICK        10 /* estimates are in tenths of a trick */
#define ALL_CARDS    ((1u << PIHI_CARDS) - 1)
#define PARTNER_PART 3  /* tenths of the other tricks that a partner takes */
#define PIG_ESTIMATE 57 /* enough for all six tricks */
#define HOG_ESTIMATE 58 /* the same without a partner */

static bool is_trump_mode(int mode)
{
	return mode >= PIHI_TRUMP;
}

/* The other jack of the trump's colour belongs to the trump suit. */
static bool is_left_jack(int mode, int card)
{
	return is_trump_mode(mode) && card % PIHI_RANKS == PIHI_J &&
	       card / PIHI_RANKS == ((mode - PIHI_TRUMP) ^ 3);
}

static int suit_of(int mode, int card)
{
	return is_left_jack(mode, card) ? mode - PIHI_TRUMP : card / PIHI_RANKS;
}

static bool is_trump(int mode, int card)
{
	return is_trump_mode(mode) && suit_of(mode, card) == mode - PIHI_TRUMP;
}

/* Higher wins within a suit; every trump is above every other card. */
static int power(int mode, int card)
{
	int rank = card % PIHI_RANKS;

	if (mode == PIHI_LOW)
		return PIHI_A - rank;
	if (!is_trump(mode, card))
		return rank;
	if (rank == PIHI_J)
		return is_left_jack(mode, card) ? 17 : 18;
	return 10 + rank;
}

static bool beats(int mode, int card, int best)
{
	if (suit_of(mode, card) != suit_of(mode, best))
		return is_trump(mode, card);
	return power(mode, card) > power(mode, best);
}

/* Could one of these cards beat it, if it were led or lay on the table? */
static bool beatable(int mode, int card, uint32_t cards)
{
	for (; cards; cards &= cards - 1)
		if (beats(mode, __builtin_ctz(cards), card))
			return true;
	return false;
}

static int estimate_trumps(int mode, uint32_t hand)
{
	int estimate = 0, length = 0;

	for (uint32_t cards = hand; cards; cards &= cards - 1) {
		int card = __builtin_ctz(cards), height = power(mode, card);

		if (is_trump(mode, card)) {
			length++;
			estimate += height >= 17 ? 10 : height == 15 ? 8 : 5;
		} else if (height == PIHI_A) {
			estimate += 7;
		} else if (height == PIHI_K) {
			estimate += 2;
		}
	}
	return estimate + (length > 3 ? 4 * (length - 3) : 0) - (length < 2 ? 10 : 0);
}

/* High and low: a suit brings tricks as long as its cards go down from the best. */
static int estimate_plain(int mode, uint32_t hand)
{
	int estimate = 0;

	for (int suit = 0; suit < 4; suit++) {
		uint32_t held = hand >> (suit * PIHI_RANKS) & 0x3f;
		int length = __builtin_popcount(held), top = 0;

		while (top < PIHI_RANKS &&
			held >> (mode == PIHI_LOW ? top : PIHI_A - top) & 1)
			top++;
		if (top >= 2 && length > top) /* the rest becomes good */
			estimate += 8 * (length - top);
		estimate += 10 * top;
		if (!top && length >= 2 && held >> (mode == PIHI_LOW ? 1 : PIHI_K) & 1)
			estimate += 4;
	}
	return estimate > 60 ? 60 : estimate;
}

/* Tricks of this hand alone. */
static int estimate_own(int mode, uint32_t hand)
{
	return is_trump_mode(mode) ? estimate_trumps(mode, hand)
				   : estimate_plain(mode, hand);
}

static int estimate_best_suit(uint32_t hand)
{
	int best = 0;

	for (int suit = 0; suit < 4; suit++) {
		int estimate = estimate_own(PIHI_TRUMP + suit, hand);

		best = estimate > best ? estimate : best;
	}
	return best;
}

static int estimate_kind(int kind, uint32_t hand)
{
	int best;

	switch (kind) {
	case PIHI_KIND_HIGH:
	case PIHI_KIND_LOW:
		return estimate_own(kind == PIHI_KIND_LOW ? PIHI_LOW : PIHI_HIGH, hand);
	case PIHI_KIND_SUIT:
		return estimate_best_suit(hand);
	case PIHI_KIND_PIG:
	case PIHI_KIND_HOG:
		best = estimate_best_suit(hand);
		for (int mode = PIHI_HIGH; mode <= PIHI_LOW; mode++)
			if (estimate_own(mode, hand) > best)
				best = estimate_own(mode, hand);
		return best;
	default:
		return estimate_own(PIHI_TRUMP + kind - PIHI_KIND_S, hand);
	}
}

static int partner_of(const struct pig_it_hog_it *table, int seat)
{
	return table->order[(table->position[seat] + 2) & 3];
}

/* Passing is worth 0, a bid what it promises beyond what it needs. */
static int value_bid(const struct pig_it_hog_it *table, int seat,
	const struct action *move, const char **why)
{
	int kind = move->arg[0], own = estimate_kind(kind, table->hand[seat]);
	int ours = own + (6 * TRICK - own) * PARTNER_PART / 10;

	if (kind == PIHI_KIND_HOG)
		return because(why, own >= HOG_ESTIMATE ? 200 : -200, "six tricks alone");
	if (kind == PIHI_KIND_PIG)
		return because(why, ours >= PIG_ESTIMATE ? 100 : -100,
			"all six tricks with the partner's best card");
	if (ours < move->arg[1] * TRICK)
		return because(why, ours - move->arg[1] * TRICK - 100, "too high");
	if (table->bidder == partner_of(table, seat))
		return because(why, -1, "leave it to the partner");
	return because(why, ours - 20 + move->arg[1], "what the hand is good for");
}

static int value_give(
	const struct pig_it_hog_it *table, int seat, int card, const char **why)
{
	int height = power(table->declared, card);

	if (seat == table->bidder)
		return because(why, -height, "away with the weakest card");
	return because(why, height, "the best card for the bidder");
}

static uint32_t unseen_cards(const struct pig_it_hog_it *table, int seat)
{
	uint32_t seen = table->hand[seat];

	for (int other = 0; other < PIHI_SEATS; other++)
		seen |= table->played[other];
	return ALL_CARDS & ~seen;
}

static int value_lead(
	const struct pig_it_hog_it *table, int seat, int card, const char **why)
{
	int mode = table->declared, height = power(mode, card);

	if (!beatable(mode, card, unseen_cards(table, seat)))
		return because(why, 60 + height, "nothing can beat it");
	if (!is_trump(mode, card) && is_trump_mode(mode) && height == PIHI_A)
		return because(why, 40, "only a trump can beat it");
	return because(why, 20 - height, "lead something cheap");
}

static bool is_last(const struct pig_it_hog_it *table)
{
	bool alone = table->level == PIHI_LEVEL_HOG &&
		     table->head.option[PIHI_HOG_PARTNER] == PIHI_HOG_PARTNER_OUT;
	int played = 0;

	for (int seat = 0; seat < PIHI_SEATS; seat++)
		played += table->trick[seat] != NO_CARD;
	return played == (alone ? 2 : 3);
}

static int value_follow(
	const struct pig_it_hog_it *table, int seat, int card, const char **why)
{
	int mode = table->declared, height = power(mode, card);
	int best = table->trick[table->winning];
	uint32_t unseen = unseen_cards(table, seat);
	bool last = is_last(table);

	if (table->winning == partner_of(table, seat) &&
		(last || !beatable(mode, best, unseen)))
		return because(why, 20 - height - 20 * beats(mode, card, best),
			"the partner has it");
	if (!beats(mode, card, best))
		return because(why, 20 - height, "throw the cheapest card");
	if (last)
		return because(why, 80 - height, "take it as cheaply as possible");
	if (!beatable(mode, card, unseen))
		return because(why, 70 - height, "nobody can beat this any more");
	return because(why, 30 + height, "try to take it");
}

static int value(const void *view, int seat, const struct action *move, const char **why)
{
	const struct pig_it_hog_it *table = view;

	switch (move->verb) {
	case PIHI_PASS:
		return because(why, 0, "not good enough");
	case PIHI_BID:
		return value_bid(table, seat, move, why);
	case PIHI_DECLARE:
		return because(why,
			estimate_own(PIHI_HIGH + move->arg[0], table->hand[seat]),
			"this suits the hand best");
	case PIHI_GIVE:
		return value_give(table, seat, move->arg[0], why);
	default:
		return table->leader == seat
			       ? value_lead(table, seat, move->arg[0], why)
			       : value_follow(table, seat, move->arg[0], why);
	}
}

const struct player pig_it_hog_it_player = {&pig_it_hog_it_game, value};
