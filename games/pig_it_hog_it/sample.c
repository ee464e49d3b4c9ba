/*
 * Drawing a whole table of Pig It Hog It from what one seat knows.
 *
 * The unseen cards fall into groups: one for each suit that somebody has been shown to
 * be void in, and one for all other cards. An arrangement gives every hidden hand its
 * number of cards, and no card of a group to a seat that is void in it. The number
 * of arrangements for each way to split a group among the seats is a product of
 * binomials, so a split is drawn with its exact weight and then filled by a shuffle.
 */
#include "games/pig_it_hog_it/internal.h"

#include <assert.h>
#include <string.h>

/* The cards of one suit that at most two of the three hidden hands can hold. */
struct group {
	uint32_t cards;
	int count;
	int taker[2]; /* index of a hidden hand, -1: none */
	int share;    /* drawn: how many go to taker[0]; the others go to taker[1] */
};

struct puzzle {
	int seat[3]; /* the hidden hands */
	int room[3]; /* cards they still need */
	int groups;
	struct group group[4];
	uint32_t free; /* cards that fit every hand */
};

static uint64_t choose(int n, int k)
{
	static const uint64_t factorial[] = {1, 1, 2, 6, 24, 120, 720, 5040, 40320,
		362880, 3628800, 39916800, 479001600, 6227020800, 87178291200,
		1307674368000, 20922789888000, 355687428096000, 6402373705728000};

	return factorial[n] / (factorial[k] * factorial[n - k]);
}

static bool share_fits(const struct puzzle *p, const struct group *g, int share)
{
	int rest = g->count - share;

	return (share == 0 || (g->taker[0] >= 0 && share <= p->room[g->taker[0]])) &&
	       (rest == 0 || (g->taker[1] >= 0 && rest <= p->room[g->taker[1]]));
}

static void take_share(struct puzzle *p, const struct group *g, int share, int sign)
{
	if (share)
		p->room[g->taker[0]] -= sign * share;
	if (g->count - share)
		p->room[g->taker[1]] -= sign * (g->count - share);
}

/* Arrangements of the groups from `index` on and of the free cards. */
static uint64_t ways(struct puzzle *p, int index)
{
	const struct group *g = &p->group[index];
	uint64_t total = 0;

	if (index == p->groups)
		return choose(p->room[0] + p->room[1] + p->room[2], p->room[0]) *
		       choose(p->room[1] + p->room[2], p->room[1]);
	for (int share = 0; share <= g->count; share++) {
		if (!share_fits(p, g, share))
			continue;
		take_share(p, g, share, 1);
		total += choose(g->count, share) * ways(p, index + 1);
		take_share(p, g, share, -1);
	}
	return total;
}

/* Fixes the share of each group with the weight it has; leaves in room[] what is left
 * for the free cards. */
static void draw_shares(struct puzzle *p, const struct game_random *random)
{
	uint64_t pick;

	if (!p->groups)
		return;
	pick = game_random_below(random, (uint32_t)ways(p, 0));
	for (int index = 0; index < p->groups; index++) {
		struct group *g = &p->group[index];

		for (g->share = 0;; g->share++) {
			uint64_t each;

			assert(g->share <= g->count);
			if (!share_fits(p, g, g->share))
				continue;
			take_share(p, g, g->share, 1);
			each = ways(p, index + 1);
			if (pick < choose(g->count, g->share) * each) {
				pick %= each;
				break;
			}
			pick -= choose(g->count, g->share) * each;
			take_share(p, g, g->share, -1);
		}
	}
}

static int shuffled(uint32_t cards, const struct game_random *random, uint8_t *list)
{
	int n = 0;

	for (; cards; cards &= cards - 1)
		list[n++] = (uint8_t)__builtin_ctz(cards);
	game_random_shuffle(random, list, n);
	return n;
}

static void fill_hands(
	struct pig_it_hog_it *s, const struct puzzle *p, const struct game_random *random)
{
	uint8_t list[PIHI_CARDS];
	int next = 0;

	for (int index = 0; index < p->groups; index++) {
		const struct group *g = &p->group[index];
		int n = shuffled(g->cards, random, list);

		for (int i = 0; i < n; i++)
			s->hand[p->seat[g->taker[i >= g->share]]] |= pihi_bit(list[i]);
	}
	shuffled(p->free, random, list);
	for (int hand = 0; hand < 3; hand++)
		for (int i = 0; i < p->room[hand]; i++)
			s->hand[p->seat[hand]] |= pihi_bit(list[next++]);
}

/* A suit somebody is void in becomes a group, if any of its cards are unseen. */
static void add_suit(
	struct puzzle *p, const struct pig_it_hog_it *s, int suit, uint32_t cards)
{
	struct group *g = &p->group[p->groups];
	int takers = 0;

	g->taker[0] = g->taker[1] = -1;
	for (int hand = 0; hand < 3; hand++) {
		if (s->voids[p->seat[hand]] >> suit & 1)
			continue;
		if (takers == 2) {
			p->free |= cards;
			return;
		}
		g->taker[takers++] = hand;
	}
	if (!cards)
		return;
	g->cards = cards;
	g->count = __builtin_popcount(cards);
	p->groups++;
}

/* s has the viewer's own hand only. */
static void pose_puzzle(struct puzzle *p, struct pig_it_hog_it *s, int viewer)
{
	uint32_t unseen =
		PIHI_ALL_CARDS & ~(s->hand[viewer] | s->played[0] | s->played[1] |
					 s->played[2] | s->played[3]);
	int given = s->given[viewer];
	int known = 0;

	/* PIHI-5.3: the card one has given lies in the partner's hand till it is played.
	 */
	if (given != NO_CARD && unseen & pihi_bit(given)) {
		s->hand[pihi_partner(s, viewer)] = pihi_bit(given);
		unseen &= ~pihi_bit(given);
		known = 1;
	}
	for (int hand = 0; hand < 3; hand++) {
		int seat = pihi_left_of(s, viewer, hand + 1);

		p->seat[hand] = seat;
		p->room[hand] = s->hand_count[seat] - (hand == 1 ? known : 0);
	}
	p->groups = 0;
	p->free = 0;
	for (int suit = 0; suit < 4; suit++)
		add_suit(p, s, suit, unseen & pihi_suit_cards(s->declared, suit));
}

static int any_card(uint32_t cards, const struct game_random *random)
{
	uint32_t skip = game_random_below(random, (uint32_t)__builtin_popcount(cards));

	for (; skip; skip--)
		cards &= cards - 1;
	return __builtin_ctz(cards);
}

/* The cards that crossed in a pig: the viewer's partner's are the viewer's own the other
 * way round; to an opponent any card that the receiver has or had is as likely. */
static void draw_gifts(
	struct pig_it_hog_it *s, int viewer, const struct game_random *random)
{
	int pair[2] = {s->bidder, pihi_partner(s, s->bidder)};

	for (int i = 0; i < 2; i++) {
		int giver = pair[i], taker = pair[!i];

		if (giver == viewer)
			continue;
		if (taker == viewer)
			s->given[giver] = s->received[viewer];
		else
			s->given[giver] = (uint8_t)any_card(
				s->hand[taker] | s->played[taker], random);
	}
	for (int i = 0; i < 2; i++)
		s->received[pair[i]] = s->given[pair[!i]];
}

void pihi_sample(const void *view, const struct game_random *random, void *state)
{
	const struct pig_it_hog_it *v = view;
	struct pig_it_hog_it *s = state;
	int viewer = v->head.viewer;
	struct puzzle puzzle;

	assert(viewer >= 0);
	*s = *v;
	s->head.viewer = OMNISCIENT;
	if (s->head.need != NEED_ANSWERS)
		return;
	/* Others who were asked count as not having answered yet. */
	s->head.pending |= s->head.acting & (uint16_t) ~(1u << viewer);
	pose_puzzle(&puzzle, s, viewer);
	draw_shares(&puzzle, random);
	fill_hands(s, &puzzle, random);
	if (s->level == PIHI_LEVEL_PIG && s->head.phase == PIHI_PHASE_PLAY)
		draw_gifts(s, viewer, random);
}
