/*
 * Tennessee Pig by simple rules. A suit is judged by the trumps that the hand would
 * have in it, in tenths of points; the best suit decides the bid. In play the seat leads
 * trumps that nothing can beat, gives points (the two fives above all) to tricks that
 * its partner is sure of, and takes tricks that hold points.
 */
#include "games/tennessee_pig/tennessee_pig.h"
#include "sample_bots/c/common/player.h"

#define POINT 10 /* estimates are in tenths of a point */

/* Trumps from the lowest, the off cards in their places: 1 is the 2, 16 the ace. */
static int power(int trump, int card)
{
	static const int by_rank[TENNESSEE_RANKS] = {
		1, 2, 3, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16};
	int suit = card / TENNESSEE_RANKS, rank = card % TENNESSEE_RANKS;

	if (card == TENNESSEE_JOKER)
		return 11;
	if (suit == trump - 1)
		return by_rank[rank];
	if (suit != 4 - trump)
		return 0;
	return rank == TENNESSEE_JACK ? 12 : rank == TENNESSEE_FIVE ? 4 : 0;
}

static int points(const struct tennessee_hand *now, int card)
{
	int height = power(now->trump, card);

	if (card == now->point)
		return 1;
	if (height == 4 || height == 5)
		return 5;
	return (height >= 10 && height <= 13) || height == 16;
}

static int estimate_suit(int trump, uint64_t hand)
{
	static const int weight[17] = {
		0, 5, 5, 5, 12, 12, 6, 6, 7, 8, 11, 13, 14, 16, 17, 20, 26};
	int estimate = 45;

	for (; hand; hand &= hand - 1)
		estimate += weight[power(trump, __builtin_ctzll(hand))];
	return estimate;
}

static int estimate_best(uint64_t hand)
{
	int best = 0;

	for (int trump = 1; trump <= TENNESSEE_SUITS; trump++) {
		int estimate = estimate_suit(trump, hand);

		best = estimate > best ? estimate : best;
	}
	return best;
}

static int value_bid(
	const struct tennessee_pig *table, int seat, int bid, const char **why)
{
	int estimate = estimate_best(table->now.hand[seat]);
	int partner = (seat + 2) % TENNESSEE_SEATS;
	int need = bid <= TENNESSEE_BID_SINGLE_MAX ? bid * POINT : 190 + bid;

	if (estimate < need)
		return because(why, estimate - need - 100, "too high");
	if (table->now.bidder == partner && table->now.bid > 0)
		return because(why, -1, "leave it to the partner");
	return because(why, bid, "what the best suit is good for");
}

/* Trash goes first, then low trumps; whoever burns the 2 only moves its point. */
static int value_burn(const struct tennessee_pig *table, int card, const char **why)
{
	return because(why,
		-power(table->now.trump, card) - 5 * points(&table->now, card),
		"the card that catches least");
}

static bool beatable(const struct tennessee_pig *table, int seat, int height)
{
	const struct tennessee_hand *now = &table->now;
	uint64_t gone = now->hand[seat] | now->played;

	for (int other = 0; other < TENNESSEE_SEATS; other++)
		gone |= now->burned[other] | now->folded[other];
	for (int card = 0; card < TENNESSEE_CARDS; card++)
		if (!(gone >> card & 1) && power(now->trump, card) > height)
			return true;
	return false;
}

static int value_lead(
	const struct tennessee_pig *table, int seat, int card, const char **why)
{
	int height = power(table->now.trump, card), worth = points(&table->now, card);

	if (height > 0 && !beatable(table, seat, height))
		return because(why, 60 + worth + height, "nothing can beat it");
	if (height == 0)
		return because(why, 12, "lead trash and wait");
	return because(why, 20 - height - 6 * worth, "lead something cheap");
}

struct trick {
	int points, height, best_seat, cards;
};

static struct trick trick_on(const struct tennessee_hand *now)
{
	struct trick trick = {.best_seat = NO_SEAT};

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++) {
		int card = now->trick[seat];

		if (card == NO_CARD)
			continue;
		trick.cards++;
		trick.points += points(now, card);
		if (power(now->trump, card) > trick.height) {
			trick.height = power(now->trump, card);
			trick.best_seat = seat;
		}
	}
	return trick;
}

static int value_follow(
	const struct tennessee_pig *table, int seat, int card, const char **why)
{
	const struct tennessee_hand *now = &table->now;
	int height = power(now->trump, card), worth = points(now, card);
	struct trick trick = trick_on(now);
	bool last = trick.cards + 1 >= __builtin_popcount(now->live);

	if (trick.best_seat == (seat + 2) % TENNESSEE_SEATS &&
		(last || !beatable(table, seat, trick.height)))
		return because(why, 40 + 6 * worth - height,
			worth ? "points for the partner's trick" : "the partner has it");
	if (height <= trick.height)
		return because(
			why, 20 - 6 * worth - height, "give as little as possible");
	if (last)
		return because(why, 40 + 3 * (trick.points + worth) - height,
			"take it as cheaply as possible");
	if (!beatable(table, seat, height))
		return because(why, 35 + 3 * trick.points - height / 4,
			"nobody can beat this any more");
	return because(why, 14 + 2 * trick.points + height - 6 * worth, "try to take it");
}

static int value(const void *view, int seat, const struct action *move, const char **why)
{
	const struct tennessee_pig *table = view;

	switch (move->verb) {
	case TENNESSEE_VERB_BID:
		return value_bid(table, seat, move->arg[0], why);
	case TENNESSEE_VERB_TRUMP:
		return because(why,
			estimate_suit(1 + move->arg[0], table->now.hand[seat]),
			"the suit with the best trumps");
	case TENNESSEE_VERB_BURN:
		return value_burn(table, move->arg[0], why);
	case TENNESSEE_VERB_PLAY:
		return table->now.leader == seat
			       ? value_lead(table, seat, move->arg[0], why)
			       : value_follow(table, seat, move->arg[0], why);
	default: /* pass, cut, fold */
		return because(why, 0, "nothing better to do");
	}
}

const struct player tennessee_pig_player = {&tennessee_pig_game, value};
