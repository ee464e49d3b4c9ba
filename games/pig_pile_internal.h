/*
 * What the files of Pig Pile share: pig_pile.c (tables), pig_pile_rules.c
 * (transitions), pig_pile_moves.c (legal, check, fallback), pig_pile_table.c
 * (sample, complete, invariants). The contracts are those of struct game.
 */
#ifndef GAMES_PIG_PILE_INTERNAL_H
#define GAMES_PIG_PILE_INTERNAL_H

#include "games/pig_pile.h"

void pig_pile_start(void *state);
void pig_pile_chance(const void *state, struct chance *request);
void pig_pile_apply_chance(
	void *state, const uint8_t *order, int n, struct events *events);
void pig_pile_apply(
	void *state, int seat, const struct action *action, struct events *events);
void pig_pile_result(const void *state, struct game_result *result);
int pig_pile_round_limit(const struct pig_pile_state *s);

int pig_pile_legal(const void *state, int seat, struct action *out);
bool pig_pile_check(
	const void *state, int seat, const struct action *action, struct refusal *why);
void pig_pile_fallback(const void *view, struct action *out);

void pig_pile_sample(const void *view, const struct game_random *random, void *state);
void pig_pile_complete(void *state);
const char *pig_pile_invariants(const void *state);

/* PP-1.2: how many cards of a face the deck has. */
static inline int pig_pile_deck(int seats, int face)
{
	int extra = seats > 6 ? seats - 6 : 0;

	return (face == PIG_PILE_WILD ? 8 : 6) + extra;
}

/* PP-1.3 */
static inline int pig_pile_pen(int seats)
{
	return seats > 6 ? 80 : 40;
}

/*
 * PP-3.4, PP-3.5: a face may be played if its strength is at least the pile's floor.
 * Numbers are as strong as they are high, W is stronger than all.
 */
static inline int pig_pile_strength(const struct pig_pile_state *s, int face)
{
	if (face == PIG_PILE_EIGHT && s->head.option[PIG_PILE_OPTION_WASH_ANY])
		return PIG_PILE_WILD;
	return face;
}

static inline int pig_pile_floor(const struct pig_pile_state *s)
{
	int top = s->pile_count ? s->pile[s->pile_count - 1] : PIG_PILE_WILD;

	return top == PIG_PILE_WILD ? 0 : top;
}

static inline int pig_pile_sum(const uint8_t count[PIG_PILE_FACES])
{
	int sum = 0;

	for (int face = 0; face < PIG_PILE_FACES; face++)
		sum += count[face];
	return sum;
}

/* Cards in hand, face up and in the slop. */
static inline int pig_pile_cards_left(const struct pig_pile_state *s, int seat)
{
	return s->hand_count[seat] + pig_pile_sum(s->up[seat]) +
	       __builtin_popcount(s->slop_left[seat]);
}

static inline bool pig_pile_is_out(const struct pig_pile_state *s, int seat)
{
	return s->out[0] == seat || s->out[1] == seat;
}

#endif
