/*
 * What the files of Pig Pile share.
 *
 *   FIRST --apply_chance--> DEAL          only with first_dealer=random
 *   DEAL  --apply_chance--> FACE          a round in which seats choose
 *                      `--> TURN          a round dealt face up
 *   FACE  --apply (last of all)--> TURN   the dealer begins
 *   TURN  --apply--> TURN                 the same seat after a wash, or the next
 *               `--> DEAL | OVER          the round ended (pig_pile_end_round)
 *
 * A turn: apply_play, apply_take and apply_slop move the cards; after_play washes and
 * draws; end_turn lets a seat go out, obeys the top of the pile and passes the turn on.
 */
#ifndef GAMES_PIG_PILE_INTERNAL_H
#define GAMES_PIG_PILE_INTERNAL_H

#include "games/pig_pile/pig_pile.h"

/* deal.c */
void pig_pile_start(void *state);
void pig_pile_chance(const void *state, struct chance *request);
void pig_pile_apply_chance(
	void *state, const uint8_t *order, int n, struct events *events);

/* play.c */
void pig_pile_apply(
	void *state, int seat, const struct action *action, struct events *events);

/* score.c */
int pig_pile_round_limit(const struct pig_pile_state *s);
void pig_pile_end_round(struct pig_pile_state *s, struct events *events);
void pig_pile_teams_of(const void *state, int8_t team[GAME_SEATS_MAX]);
void pig_pile_result(const void *state, struct game_result *result);

/* moves.c */
int pig_pile_legal(const void *state, int seat, struct action *out);
bool pig_pile_check(
	const void *state, int seat, const struct action *action, struct refusal *why);
void pig_pile_fallback(const void *view, struct action *out);

/* sample.c */
void pig_pile_sample(const void *view, const struct game_random *random, void *state);

/* audit.c */
/* How many of each face lie in hands, face up, on the pile and washed away. */
void pig_pile_count_seen(const struct pig_pile_state *s, int seen[PIG_PILE_FACES]);
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

static inline void pig_pile_note(struct events *events, int kind, int a0, int a1)
{
	if (events)
		event_add(events, kind, a0, a1, 0, 0);
}

static inline void pig_pile_note_cards(struct events *events, int kind, int seat, int a1,
	uint16_t audience, const uint8_t *card, int count)
{
	struct event *event;

	if (!events)
		return;
	event = event_add(events, kind, seat, a1, 0, 0);
	event_audience(event, audience);
	for (int i = 0; i < count; i++)
		event_card(event, card[i]);
}

static inline void pig_pile_ask(struct pig_pile_state *s, uint16_t seats)
{
	s->head.need = NEED_ANSWERS;
	s->head.acting = seats;
	s->head.pending = seats;
}

static inline void pig_pile_ask_nobody(struct pig_pile_state *s, int phase, int need)
{
	s->head.phase = (uint8_t)phase;
	s->head.need = (uint8_t)need;
	s->head.acting = 0;
	s->head.pending = 0;
}

static inline void pig_pile_begin_turn(
	struct pig_pile_state *s, int seat, struct events *events)
{
	pig_pile_ask(s, AUDIENCE_SEAT(seat));
	pig_pile_note(events, PIG_PILE_EVENT_TURN, seat, 0);
}

#endif
