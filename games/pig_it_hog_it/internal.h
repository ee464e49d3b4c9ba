/*
 * What the files of Pig It Hog It share.
 *
 *   first ────┐
 *             ├─► deal ─► bid ─► declare ─► exchange ─► play ─► (score) ─► over
 *   partners ─┘    ▲       │ │      │                    ▲ ▲       │
 *                  │       │ │      └───── suit, hog ────┘ │       │
 *                  │       │ └──────────── high, low ──────┘       │
 *                  │       └─ all pass ─┐                          │
 *                  └────────────────────┴──────── next round ──────┘
 *
 *   first, partners, deal   wait for chance: pihi_apply_chance()
 *   bid        seat after seat from the dealer's left; apply_call(), end_bidding()
 *   declare    the bidder, unless the bid says it all; apply_declare()
 *   exchange   only a pig: bidder and partner at once; apply_give(), end_exchange()
 *   play       six tricks; apply_play(), end_trick(), then pihi_score_round()
 *   over       nothing is needed any more; end_match()
 */
#ifndef GAMES_PIG_IT_HOG_IT_INTERNAL_H
#define GAMES_PIG_IT_HOG_IT_INTERNAL_H

#include "games/pig_it_hog_it/pig_it_hog_it.h"

#define PIHI_ALL_CARDS     0xffffffu
#define PIHI_THROWN_IN_MAX 8

/* deal.c */
void pihi_start(void *state);
void pihi_chance(const void *state, struct chance *request);
void pihi_apply_chance(void *state, const uint8_t *order, int n, struct events *events);

/* play.c */
/* Does the new card take the trick from the card that wins so far? */
bool pihi_beats(int mode, int card, int best);
void pihi_apply(
	void *state, int seat, const struct action *action, struct events *events);
bool pihi_offence(
	void *state, int seat, const struct action *action, struct events *events);

/* score.c */
/* What the bidders lose if they are set. PIHI-7.2, PIHI-7.3, PIHI-7.4 */
int pihi_stake(const struct pig_it_hog_it *s);
/* The round is over: by its tricks, with a gain for each team, or without any. */
void pihi_score_round(struct pig_it_hog_it *s, struct events *events);
void pihi_award(struct pig_it_hog_it *s, const int gain[2], struct events *events);
void pihi_end_round(struct pig_it_hog_it *s, int bidding_team, int next_dealer,
	struct events *events);
void pihi_teams_of(const void *state, int8_t team[GAME_SEATS_MAX]);
void pihi_result(const void *state, struct game_result *out);

/* moves.c */
int pihi_legal(const void *state, int seat, struct action *out);
/* PIHI-6.3: would the seat, whose turn it is, fail to follow suit though it could? */
bool pihi_revokes(const struct pig_it_hog_it *s, int seat, int card);
bool pihi_check(
	const void *state, int seat, const struct action *action, struct refusal *why);
void pihi_fallback(const void *view, struct action *out);

/* sample.c */
void pihi_sample(const void *view, const struct game_random *random, void *state);

/* audit.c */
void pihi_complete(void *state);
const char *pihi_invariants(const void *state);

static inline uint32_t pihi_bit(int card)
{
	return 1u << card;
}

static inline int pihi_suit(int card)
{
	return card / PIHI_RANKS;
}

static inline int pihi_rank(int card)
{
	return card % PIHI_RANKS;
}

/* PIHI-6.5: the second jack of a trump suit. NO_CARD where there is no trump. */
static inline int pihi_left_bower(int mode)
{
	return mode < PIHI_TRUMP ? NO_CARD
				 : ((mode - PIHI_TRUMP) ^ 3) * PIHI_RANKS + PIHI_J;
}

/* The suit a card belongs to in this round. PIHI-6.5 */
static inline int pihi_suit_of(int mode, int card)
{
	return card == pihi_left_bower(mode) ? mode - PIHI_TRUMP : pihi_suit(card);
}

/* All cards that belong to a suit in this round. PIHI-6.5 */
static inline uint32_t pihi_suit_cards(int mode, int suit)
{
	uint32_t cards = 0x3fu << (suit * PIHI_RANKS);
	uint32_t left;

	if (mode < PIHI_TRUMP)
		return cards;
	left = pihi_bit(pihi_left_bower(mode));
	return suit == mode - PIHI_TRUMP ? cards | left : cards & ~left;
}

/* The seat that sits `steps` places to the left of this one. */
static inline int pihi_left_of(const struct pig_it_hog_it *s, int seat, int steps)
{
	return s->order[(s->position[seat] + steps) & 3];
}

static inline int pihi_partner(const struct pig_it_hog_it *s, int seat)
{
	return pihi_left_of(s, seat, 2);
}

static inline int pihi_team(const struct pig_it_hog_it *s, int seat)
{
	return s->position[seat] & 1;
}

/* PIHI-6.9: the seat that takes no part in the tricks of a hog, or NO_SEAT. */
static inline int pihi_sitting_out(const struct pig_it_hog_it *s)
{
	if (s->level != PIHI_LEVEL_HOG ||
		s->head.option[PIHI_HOG_PARTNER] != PIHI_HOG_PARTNER_OUT)
		return NO_SEAT;
	return pihi_partner(s, s->bidder);
}

static inline int pihi_next_to_play(const struct pig_it_hog_it *s, int seat)
{
	int next = pihi_left_of(s, seat, 1);

	return next == pihi_sitting_out(s) ? pihi_left_of(s, seat, 2) : next;
}

/* PIHI-3.7: may this seat not pass? */
static inline bool pihi_must_bid(const struct pig_it_hog_it *s, int seat)
{
	return seat == s->dealer && !s->level &&
	       (s->head.option[PIHI_ALL_PASS] == PIHI_ALL_PASS_DEALER ||
		       s->thrown_in >= PIHI_THROWN_IN_MAX);
}

static inline void pihi_ask(struct pig_it_hog_it *s, int phase, unsigned seats)
{
	s->head.phase = (uint8_t)phase;
	s->head.need = NEED_ANSWERS;
	s->head.acting = s->head.pending = (uint16_t)seats;
}

static inline void pihi_await_chance(struct pig_it_hog_it *s, int phase)
{
	s->head.phase = (uint8_t)phase;
	s->head.need = NEED_CHANCE;
	s->head.acting = s->head.pending = 0;
}

#endif
