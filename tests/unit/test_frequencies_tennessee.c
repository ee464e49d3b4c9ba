/*
 * The sampler of Tennessee Pig against deals made here.
 *
 * Too many cards are hidden to enumerate the worlds, so they are drawn a second time in
 * the plainest way: shuffle the cards that the seat has not seen, deal nine to each of
 * the others, throw the deal away unless everybody has as much trash as was told in
 * public, and fill the hands. The places of all cards and the numbers of trumps in the
 * hands must be distributed as the sampler says.
 */
#include "tests/unit/each_game.h"
#include "tests/unit/playout.h"
#include "games/tennessee_pig/tennessee_pig.h"

#include <math.h>

enum { TABLES = 24, DEALS = 8000, DEALS_TRIED_MAX = 6000000, CARDS = TENNESSEE_CARDS };

/* How often each card was in each hand, and each hand had how many trumps. */
struct tally {
	int place[CARDS][TENNESSEE_SEATS];
	int trumps[TENNESSEE_SEATS][CARDS];
};

static uint64_t trump_cards(int suit)
{
	uint64_t own = 0x1fffull << (13 * suit);
	int sister = 13 * (3 - suit);

	return own | 1ull << (sister + TENNESSEE_JACK) |
	       1ull << (sister + TENNESSEE_FIVE) | 1ull << TENNESSEE_JOKER;
}

static void count(
	struct tally *tally, const uint64_t hand[TENNESSEE_SEATS], uint64_t trumps)
{
	for (int s = 0; s < TENNESSEE_SEATS; s++) {
		tally->trumps[s][__builtin_popcountll(hand[s] & trumps)]++;
		for (uint64_t h = hand[s]; h; h &= h - 1)
			tally->place[__builtin_ctzll(h)][s]++;
	}
}

/* One deal of the unseen cards; false if it is not what was told in public. */
static bool deal(const struct tennessee_pig *view, int seat, uint8_t *unseen, int n,
	struct dice *dice, uint64_t hand[TENNESSEE_SEATS])
{
	struct game_random random = {dice_next, dice};
	const struct tennessee_hand *now = &view->now;
	uint64_t trumps = trump_cards(now->trump - 1);
	int at = 0;

	game_random_shuffle(&random, unseen, n);
	for (int s = 0; s < TENNESSEE_SEATS; s++) {
		uint64_t nine = 0;

		hand[s] = s == seat ? now->hand[s] : 0;
		if (s == seat)
			continue;
		for (int i = 0; i < TENNESSEE_DEALT; i++)
			nine |= 1ull << unseen[at++];
		if (__builtin_popcountll(nine & ~trumps) != now->thrown[s])
			return false;
		hand[s] = nine & trumps;
	}
	for (int s = 0; s < TENNESSEE_SEATS; s++)
		while (s != seat && __builtin_popcountll(hand[s]) < now->hand_count[s])
			hand[s] |= 1ull << unseen[at++];
	return true;
}

/* Of all tables together, where a small bias adds up. A count that is expected in a share
 * p of the deals adds 1 - p to the sum if nothing is wrong. */
static double chi_all, expected_all;
static int cells_all;

/* Two-sample chi-square of one row of counts with equal sums. */
static double chi_row(const int *a, const int *b, int n, int *cells)
{
	double chi = 0;

	for (int i = 0; i < n; i++) {
		if (a[i] + b[i] < 10)
			continue;
		chi += (double)(a[i] - b[i]) * (a[i] - b[i]) / (a[i] + b[i]);
		expected_all += 1 - (a[i] + b[i]) / (2.0 * DEALS);
		++*cells;
	}
	return chi;
}

static void compare(const struct tally *a, const struct tally *b, const char *name)
{
	double chi = 0;
	int cells = 0;

	for (int c = 0; c < CARDS; c++)
		chi += chi_row(a->place[c], b->place[c], TENNESSEE_SEATS, &cells);
	for (int s = 0; s < TENNESSEE_SEATS; s++)
		chi += chi_row(a->trumps[s], b->trumps[s], CARDS, &cells);
	cr_expect_leq(chi, cells + 7 * sqrt(2.0 * cells) + 12,
		"%s: chi-square %.1f of %d cells", name, chi, cells);
	chi_all += chi;
	cells_all += cells;
}

/* Trumps are named, everybody has thrown and filled, and nothing else has happened. */
static bool freshly_filled(const struct tennessee_pig *s)
{
	if (s->head.phase != TENNESSEE_BURN && s->head.phase != TENNESSEE_PLAY)
		return false;
	for (int i = 0; i < TENNESSEE_SEATS; i++)
		if (s->now.burning[i] || s->now.burned[i] || s->now.burned_trash[i])
			return false;
	return !s->now.played && !s->now.reshuffled && s->head.pending == s->head.acting;
}

static bool compare_table(
	const struct game *game, const struct table *table, int seat, struct dice *dice)
{
	static struct tally dealt, sampled;
	struct game_random random = {dice_next, dice};
	struct table view, sample;
	const struct tennessee_pig *v = (const void *)view.bytes;
	uint64_t hand[TENNESSEE_SEATS], own;
	uint8_t unseen[CARDS];
	char name[64];
	int n = 0, deals = 0;

	memset(&dealt, 0, sizeof(dealt));
	memset(&sampled, 0, sizeof(sampled));
	game_observe(game, table->bytes, seat, view.bytes);
	own = v->now.hand[seat] | v->now.discards[seat];
	for (int c = 0; c < CARDS; c++)
		if (!(own >> c & 1))
			unseen[n++] = (uint8_t)c;
	for (int i = 0; i < DEALS_TRIED_MAX && deals < DEALS; i++)
		if (deal(v, seat, unseen, n, dice, hand)) {
			count(&dealt, hand, trump_cards(v->now.trump - 1));
			deals++;
		}
	if (deals < DEALS)
		return false;
	for (int i = 0; i < DEALS; i++) {
		game->sample(view.bytes, &random, sample.bytes);
		count(&sampled, ((struct tennessee_pig *)sample.bytes)->now.hand,
			trump_cards(v->now.trump - 1));
	}
	snprintf(name, sizeof(name), "seat %d, thrown %d %d %d %d", seat,
		v->now.thrown[0], v->now.thrown[1], v->now.thrown[2], v->now.thrown[3]);
	compare(&dealt, &sampled, name);
	return true;
}

Test(frequencies, tennessee_deals, .timeout = 1500)
{
	const struct game *game = each_game("tennessee_pig");
	const struct variant variant = {"tennessee_pig", 4, "max_hands=8"};
	struct dice dice = dice_named("tennessee deals", 1);
	int tables = 0;

	for (unsigned match = 0; game && tables < TABLES * each_game_scale(); match++) {
		struct playout p;
		bool done = false;

		cr_assert(match < 1000);
		cr_assert(playout_init(&p, game, &variant, match));
		while (!done && playout_step(&p, NULL)) {
			done = freshly_filled((const void *)p.state.bytes);
			if (done)
				tables += compare_table(
					game, &p.state, (int)match % 4, &dice);
		}
		playout_release(&p);
	}
	cr_expect_leq(chi_all, expected_all + 7 * sqrt(2.0 * cells_all),
		"chi-square %.1f of %d cells, %.1f are expected", chi_all, cells_all,
		expected_all);
	fprintf(stderr, "note: chi-square %.1f of %d cells, %.1f are expected\n", chi_all,
		cells_all, expected_all);
}
