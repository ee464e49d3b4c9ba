/*
 * What the files of Galloping Pigs share.
 *
 *   start ──► FIRST? ──► LINE ──► [FOOD…] ──► DEAL ──► [FOOD…] ──► PLAY… ──► OVER
 *            (chance)     ▲                 (chance)                │
 *                         └──────────── next round ─────────────────┘
 *
 *   FIRST  only with first=random                        apply_chance → begin_round
 *   LINE   the starter                                   apply_line
 *   FOOD   only with food_on_track, every seat once,     apply_food
 *          before or after the deal by food_timing
 *   DEAL                                                 deal
 *   PLAY   clockwise, seven cards each                   apply_play → end_round
 *
 * One seat acts at a time, so head.acting and head.pending are always equal.
 */
#ifndef GAMES_GALLOPING_PIGS_INTERNAL_H
#define GAMES_GALLOPING_PIGS_INTERNAL_H

#include "games/galloping_pigs/galloping_pigs.h"

/* deal.c */
void galloping_begin_round(struct galloping_pigs *s, int starter, struct events *events);
void galloping_start(void *state);
void galloping_chance(const void *state, struct chance *request);
void galloping_apply_chance(
	void *state, const uint8_t *order, int n, struct events *events);

/* play.c */
/* Asks `seat` to put a food on the track, or goes on when everybody has or the
 * stock is empty. */
void galloping_ask_food(struct galloping_pigs *s, int seat, bool all_asked);
void galloping_apply(
	void *state, int seat, const struct action *action, struct events *events);

/* score.c */
void galloping_end_round(struct galloping_pigs *s, struct events *events);
void galloping_teams_of(const void *state, int8_t team[GAME_SEATS_MAX]);
void galloping_result(const void *state, struct game_result *out);

/* moves.c */
int galloping_legal(const void *state, int seat, struct action *out);
bool galloping_check(
	const void *state, int seat, const struct action *action, struct refusal *why);
void galloping_fallback(const void *view, struct action *out);

/* sample.c */
void galloping_sample(const void *view, const struct game_random *random, void *state);

/* audit.c */
void galloping_complete(void *state);
const char *galloping_invariants(const void *state);

/* Do race cards lie in hands, in the pile and aside? */
static inline bool galloping_is_dealt(const struct galloping_pigs *s)
{
	int timing = s->head.option[GALLOPING_OPTION_FOOD_TIMING];

	return s->head.phase >= GALLOPING_PLAY ||
	       (s->head.phase == GALLOPING_PLACE && timing == GALLOPING_AFTER_DEAL);
}

/* Do the options put food on the track at this time? */
static inline bool galloping_places_food(const struct galloping_pigs *s, int timing)
{
	return s->head.option[GALLOPING_OPTION_FOOD_ON_TRACK] &&
	       s->head.option[GALLOPING_OPTION_FOOD_TIMING] == timing;
}

static inline int galloping_next_seat(const struct galloping_pigs *s, int seat)
{
	return seat + 1 == s->head.seats ? 0 : seat + 1;
}

static inline void galloping_ask(struct galloping_pigs *s, int phase, int seat)
{
	s->head.phase = (uint8_t)phase;
	s->head.need = NEED_ANSWERS;
	s->head.acting = s->head.pending = (uint16_t)(1u << seat);
}

static inline void galloping_await(
	struct galloping_pigs *s, int phase, enum game_need need)
{
	s->head.phase = (uint8_t)phase;
	s->head.need = (uint8_t)need;
	s->head.acting = s->head.pending = 0;
}

#endif
