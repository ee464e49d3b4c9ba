/* What the files of Dirty Pig share among themselves. */
#ifndef GAMES_DIRTY_PIG_INTERNAL_H
#define GAMES_DIRTY_PIG_INTERNAL_H

#include "games/dirty_pig.h"

enum {
	IS_DIRTY = DIRTY_PIG_IS_DIRTY,
	HAS_BARN = DIRTY_PIG_HAS_BARN,
	HAS_ROD = DIRTY_PIG_HAS_ROD,
	HAS_LOCK = DIRTY_PIG_HAS_LOCK
};

/* How many cards of each face there are. */
extern const uint8_t dirty_pig_deck[DIRTY_PIG_FACES];

/* DP-1.1 */
static inline int dirty_pig_pigs_each(const struct dirty_pig *s)
{
	static const uint8_t pigs[DIRTY_PIG_SEATS_MAX + 1] = {0, 0, 5, 4, 3};

	return pigs[s->head.seats];
}

static inline int dirty_pig_count_dirty(const struct dirty_pig *s, int seat)
{
	int n = 0;

	for (int pig = 0; pig < DIRTY_PIG_PIGS_MAX; pig++)
		n += s->pigs[seat][pig] & IS_DIRTY;
	return n;
}

/* The order comes top first, the stack lies with its top last. */
static inline void dirty_pig_lay_stack(struct dirty_pig *s, const uint8_t *order, int n)
{
	for (int i = 0; i < n; i++)
		s->stack[n - 1 - i] = order[i];
	s->stack_size = (uint8_t)n;
}

/* Slots of struct game: dirty_pig_moves.c, then dirty_pig_table.c. */
int dirty_pig_legal(const void *state, int seat, struct action *out);
bool dirty_pig_check(
	const void *state, int seat, const struct action *action, struct refusal *why);
void dirty_pig_sample(const void *view, const struct game_random *random, void *state);
void dirty_pig_complete(void *state);
const char *dirty_pig_invariants(const void *state);

#endif
