/* Tables of Pig Pile drawn to fit a view. */
#include "games/pig_pile/internal.h"

#include <assert.h>
#include <string.h>

/* Cards whose place is still to be drawn. */
struct pool {
	const struct game_random *random;
	int count;
	uint8_t card[PIG_PILE_DECK_MAX];
};

static uint8_t pool_draw(struct pool *pool)
{
	uint32_t i;
	uint8_t card;

	assert(pool->count > 0);
	i = game_random_below(pool->random, (uint32_t)pool->count);
	card = pool->card[i];
	pool->card[i] = pool->card[--pool->count];
	return card;
}

/*
 * Fills the hidden cards of the other hands. The cards with the tightest limit go
 * first: whatever they get, the number of ways to fill the looser ones stays the same,
 * so choosing each card uniformly among those allowed makes every arrangement equally
 * likely.
 */
static void sample_hands(struct pig_pile_state *s, int viewer,
	const int unseen[PIG_PILE_FACES], struct pool *pool)
{
	for (int limit = 0; limit < PIG_PILE_FACES; limit++) {
		for (int face = 0; face < PIG_PILE_FACES; face++)
			if (pig_pile_strength(s, face) == limit)
				for (int i = 0; i < unseen[face]; i++)
					pool->card[pool->count++] = (uint8_t)face;
		for (int seat = 0; seat < s->head.seats; seat++)
			for (int i = s->limit[seat][limit]; i > 0 && seat != viewer; i--)
				s->hand[seat][pool_draw(pool)]++;
	}
}

void pig_pile_sample(const void *view, const struct game_random *random, void *state)
{
	struct pig_pile_state *s = state;
	struct pool pool = {.random = random};
	int unseen[PIG_PILE_FACES];
	int viewer;

	memcpy(s, view, sizeof(*s));
	viewer = s->head.viewer;
	s->head.viewer = OMNISCIENT;
	if (viewer == SPECTATOR)
		s->head.pending = s->head.acting;
	else
		s->head.pending |= s->head.acting & (uint16_t)~AUDIENCE_SEAT(viewer);
	if (!s->round)
		return;
	for (int seat = 0; seat < s->head.seats; seat++)
		if (seat != viewer)
			memcpy(s->hand[seat], s->known[seat], sizeof(s->hand[seat]));
	pig_pile_count_seen(s, unseen);
	for (int face = 0; face < PIG_PILE_FACES; face++)
		unseen[face] = pig_pile_deck(s->head.seats, face) - unseen[face];
	sample_hands(s, viewer, unseen, &pool);
	for (int seat = 0; seat < s->head.seats; seat++)
		for (int i = 0; i < PIG_PILE_SLOP; i++)
			if (s->slop_left[seat] >> i & 1)
				s->slop[seat][i] = pool_draw(&pool);
	for (int i = 0; i < s->stock_count; i++)
		s->stock[i] = pool_draw(&pool);
	assert(pool.count == 0);
}
