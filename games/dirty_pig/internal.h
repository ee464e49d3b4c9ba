/*
 * What the files of Dirty Pig share.
 *
 *   start --> FIRST --> DEAL --> TURN ------> OVER
 *     |                  ^       |  ^          ^
 *     +------------------+       v  |          |
 *                             SHUFFLE ---------+
 *
 *   start           first=random goes to FIRST, a fixed seat straight to DEAL
 *   FIRST, DEAL     chance (apply_chance)
 *   TURN -> TURN    an action and the refill (refill, end_turn)
 *   TURN -> SHUFFLE the refill took the last card of the stack (refill)
 *   SHUFFLE -> TURN the new stack lies, the refill goes on and the turn ends
 *   ... -> OVER     the last clean pig was muddied (play_mud), or the guard (end_turn)
 */
#ifndef GAMES_DIRTY_PIG_INTERNAL_H
#define GAMES_DIRTY_PIG_INTERNAL_H

#include "games/dirty_pig/dirty_pig.h"

/* tables.c: how many cards of each face there are. */
extern const uint8_t dirty_pig_deck[DIRTY_PIG_FACES];

/* deal.c */
void dirty_pig_start(void *state);
void dirty_pig_chance(const void *state, struct chance *request);
void dirty_pig_apply_chance(
	void *state, const uint8_t *order, int n, struct events *events);

/* play.c */
/* The seat whose turn it is draws up to a full hand; the turn ends, or waits for a
 * shuffle. */
void dirty_pig_refill(struct dirty_pig *s, struct events *events);
void dirty_pig_apply(
	void *state, int seat, const struct action *action, struct events *events);

/* score.c */
/* The match is over; the winner is NO_SEAT at the guard. */
void dirty_pig_finish(struct dirty_pig *s, int winner, struct events *events);
void dirty_pig_teams_of(const void *state, int8_t team[GAME_SEATS_MAX]);
void dirty_pig_result(const void *state, struct game_result *r);

/* moves.c */
int dirty_pig_legal(const void *state, int seat, struct action *out);
bool dirty_pig_check(
	const void *state, int seat, const struct action *action, struct refusal *why);
void dirty_pig_fallback(const void *view, struct action *out);

/* sample.c */
void dirty_pig_sample(const void *view, const struct game_random *random, void *state);

/* audit.c */
/* What the deck has beyond the cards that can be seen in the state; false if the
 * state shows more of a face than there are. */
bool dirty_pig_count_missing(const struct dirty_pig *s, uint8_t missing[DIRTY_PIG_FACES]);
void dirty_pig_complete(void *state);
const char *dirty_pig_invariants(const void *state);

enum {
	IS_DIRTY = DIRTY_PIG_IS_DIRTY,
	HAS_BARN = DIRTY_PIG_HAS_BARN,
	HAS_ROD = DIRTY_PIG_HAS_ROD,
	HAS_LOCK = DIRTY_PIG_HAS_LOCK
};

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

static inline void dirty_pig_ask(struct dirty_pig *s, int seat)
{
	s->turn = (uint8_t)seat;
	s->head.phase = DIRTY_PIG_TURN;
	s->head.need = NEED_ANSWERS;
	s->head.acting = s->head.pending = (uint16_t)(1u << seat);
}

static inline void dirty_pig_need_chance(struct dirty_pig *s, int phase)
{
	s->head.phase = (uint8_t)phase;
	s->head.need = NEED_CHANCE;
	s->head.acting = s->head.pending = 0;
}

static inline uint8_t dirty_pig_draw(struct dirty_pig *s, int seat)
{
	uint8_t card = s->stack[--s->stack_size];

	s->stack[s->stack_size] = NO_CARD;
	s->hand[seat][card]++;
	s->hand_size[seat]++;
	return card;
}

static inline int dirty_pig_list_cards(
	const uint8_t count[DIRTY_PIG_FACES], uint8_t *list)
{
	int n = 0;

	for (int face = 0; face < DIRTY_PIG_FACES; face++)
		for (int i = 0; i < count[face]; i++)
			list[n++] = (uint8_t)face;
	return n;
}

#endif
