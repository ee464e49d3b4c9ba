/*
 * Worlds that a seat of Tennessee Pig cannot tell from the true one.
 *
 * Before trumps are named nothing is known of the hidden cards. Afterwards every
 * trump that the seat does not see is in another hand, because only trash is thrown
 * away face down, and burned trumps are announced. What can differ is who has which.
 * A hand of h cards consists of a cards kept of the nine, which are trumps, and h - a
 * received ones, which are anything; the view bounds a. So a hand with u trumps is
 * cut in ways(u) = sum over a of C(h, a) * C(h - a, u - a), and the numbers of trumps
 * of the three hands are drawn with the weight of the product of their ways. Given
 * those numbers all distributions of the unseen trumps and of the unseen trash are
 * equally likely.
 */
#include "games/tennessee_pig/internal.h"

#include <assert.h>
#include <string.h>

enum {
	OTHERS = TENNESSEE_SEATS - 1,
	/* The bidder holds at most fifteen cards: sixteen trumps in the hands leave
	 * nine cards over. */
	HAND_MAX = 15,
	TRUMPS = 16,
};

/* What the view says about the hand of another seat. */
struct other {
	int seat;
	int cards;
	int kept_min, kept_max; /* cards of the nine that are still held */
	int trash_min;
};

/* Cards not yet given out, in random order. */
struct heap {
	uint8_t card[TENNESSEE_CARDS];
	int n;
};

/* Uniform in 0..n-1: the highest bits that can hold it, drawn again if too great. */
static uint64_t random_below(const struct game_random *random, uint64_t n)
{
	int unused = n > 1 ? __builtin_clzll(n - 1) : 63;
	uint64_t value;

	do
		value = random->next(random->context) >> unused;
	while (value >= n);
	return value;
}

static void heap_fill(struct heap *heap, uint64_t cards, const struct game_random *random)
{
	heap->n = 0;
	while (cards)
		heap->card[heap->n++] = (uint8_t)set_pop(&cards);
	game_random_shuffle(random, heap->card, heap->n);
}

static uint64_t heap_take(struct heap *heap, int n)
{
	uint64_t cards = 0;

	assert(n <= heap->n);
	while (n-- > 0)
		cards |= card_bit(heap->card[--heap->n]);
	return cards;
}

static uint64_t choose(int n, int k)
{
	uint64_t ways = 1;

	if (k < 0 || k > n)
		return 0;
	for (int i = 0; i < k; i++)
		ways = ways * (uint64_t)(n - i) / (uint64_t)(i + 1);
	return ways;
}

/* Ways to cut a hand with u trumps of which a are of the nine. */
static uint64_t ways_kept(const struct other *o, int u, int a)
{
	return choose(o->cards, a) * choose(o->cards - a, u - a);
}

static uint64_t ways_held(const struct other *o, int u)
{
	uint64_t ways = 0;

	if (u > o->cards - o->trash_min)
		return 0;
	for (int a = o->kept_min; a <= o->kept_max && a <= u; a++)
		ways += ways_kept(o, u, a);
	return ways;
}

/* How many of `trumps` this hand gets, if the next hands have `rest[k]` ways to take
 * k of them. */
static int draw_held(const struct other *o, int trumps, const uint64_t *rest,
	const struct game_random *random)
{
	uint64_t weight[TRUMPS + 1], total = 0, at;
	int u = 0;

	for (int k = 0; k <= trumps; k++) {
		weight[k] = rest[trumps - k] ? ways_held(o, k) * rest[trumps - k] : 0;
		total += weight[k];
	}
	assert(total > 0);
	at = random_below(random, total);
	while (at >= weight[u])
		at -= weight[u++];
	return u;
}

static int draw_kept(const struct other *o, int u, const struct game_random *random)
{
	uint64_t at = random_below(random, ways_held(o, u));
	int a = o->kept_min;

	while (at >= ways_kept(o, u, a))
		at -= ways_kept(o, u, a++);
	return a;
}

/* rest[i][k]: ways for the hands from i on to hold k trumps together. */
static void count_ways(
	const struct other *others, int trumps, uint64_t rest[OTHERS + 1][TRUMPS + 1])
{
	memset(rest, 0, (OTHERS + 1) * sizeof(*rest));
	rest[OTHERS][0] = 1;
	for (int i = OTHERS - 1; i >= 0; i--)
		for (int u = 0; u <= trumps && u <= others[i].cards; u++) {
			uint64_t ways = ways_held(&others[i], u);

			for (int k = u; ways && k <= trumps; k++)
				rest[i][k] += ways * rest[i + 1][k - u];
		}
}

static void describe_others(
	const struct tennessee_hand *now, int viewer, struct other *others)
{
	int n = 0;

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++) {
		int cards = now->hand_count[seat];
		int kept = TENNESSEE_DEALT - now->thrown[seat];

		if (seat == viewer)
			continue;
		assert(cards <= HAND_MAX);
		others[n++] = (struct other){seat, cards, now->sure_trumps[seat],
			kept < cards ? kept : cards, now->sure_trash[seat]};
	}
}

static void deal_others(struct tennessee_hand *now, const struct other *others,
	struct heap *trumps, struct heap *trash, const struct game_random *random)
{
	uint64_t rest[OTHERS + 1][TRUMPS + 1];

	count_ways(others, trumps->n, rest);
	for (int i = 0; i < OTHERS; i++) {
		const struct other *o = &others[i];
		int u = draw_held(o, trumps->n, rest[i + 1], random);
		int kept = draw_kept(o, u, random);

		now->hand[o->seat] = heap_take(trumps, kept);
		now->received[o->seat] =
			heap_take(trumps, u - kept) | heap_take(trash, o->cards - u);
		now->hand[o->seat] |= now->received[o->seat];
		now->discards[o->seat] = heap_take(trash, discard_count(now, o->seat));
	}
}

static void lay_rest(struct tennessee_hand *now, struct heap *heap)
{
	assert(heap->n == now->stock_count);
	memcpy(now->stock, heap->card, (size_t)heap->n);
}

static uint64_t unseen_cards(const struct tennessee_hand *now, int viewer)
{
	uint64_t seen = now->hand[viewer] | now->burning[viewer] | now->discards[viewer] |
			now->played | all_burned(now);

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++)
		seen |= now->folded[seat];
	return TENNESSEE_ALL_CARDS & ~seen;
}

/* Nobody who burns held all seven fixed point cards: that would have been a slam. */
static bool has_slam(const struct tennessee_hand *now)
{
	uint64_t fixed = fixed_cards(now->trump);

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++)
		if ((now->hand[seat] & fixed) == fixed)
			return true;
	return false;
}

static void sample_named(struct tennessee_hand *now, int viewer, bool burning,
	const struct game_random *random)
{
	uint64_t unseen = unseen_cards(now, viewer), named = trump_cards(now->trump);
	struct other others[OTHERS];
	struct heap trumps, trash;

	describe_others(now, viewer, others);
	/* Three of ten draws are kept at the least. Where a slam is possible, an unseen
	 * trump lies outside the nine of that hand, or it would have been one: it is a
	 * fixed point card in 7 of at most 16 cases, and if the other two hands kept
	 * nothing, 12 of at most 17 places for it are theirs. */
	do {
		heap_fill(&trumps, unseen & named, random);
		heap_fill(&trash, unseen & ~named, random);
		deal_others(now, others, &trumps, &trash, random);
	} while (burning && has_slam(now));
	lay_rest(now, &trash);
}

static void sample_unnamed(
	struct tennessee_hand *now, int viewer, const struct game_random *random)
{
	struct heap heap;

	heap_fill(&heap, unseen_cards(now, viewer), random);
	for (int seat = 0; seat < TENNESSEE_SEATS; seat++)
		if (seat != viewer)
			now->hand[seat] = heap_take(&heap, now->hand_count[seat]);
	lay_rest(now, &heap);
}

void tennessee_sample(const void *view, const struct game_random *random, void *state)
{
	struct tennessee_pig *s = state;
	int viewer = game_head(view)->viewer;

	assert(viewer >= 0);
	memcpy(s, view, sizeof(*s));
	s->head.viewer = OMNISCIENT;
	s->head.pending |= s->head.acting & (uint16_t) ~(1u << viewer);
	switch (s->head.phase) {
	case TENNESSEE_CUT:
	case TENNESSEE_BID:
	case TENNESSEE_TRUMP:
		sample_unnamed(&s->now, viewer, random);
		break;
	case TENNESSEE_FILL:
	case TENNESSEE_BURN:
	case TENNESSEE_PLAY:
		sample_named(&s->now, viewer, s->head.phase == TENNESSEE_BURN, random);
		break;
	default: /* between hands nothing is hidden */
		break;
	}
}
