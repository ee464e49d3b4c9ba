/*
 * What the files of Tennessee Pig share.
 *
 *   start ──► DRAW ──► DEAL ──► [CUT] ──► BID… ──► TRUMP ──► [FILL] ──► [BURN…] ──► PLAY…
 *          (chance)  (chance)                              (chance)                  │
 *              ▲        ▲                                                            │
 *              │        └───────────────────── next hand ────────────────────────────┤
 *              └────────────────────────────── next game ────────────────────────────┤
 *                                                                          OVER ◄────┘
 *
 *   DRAW   who deals first; again while seats tie       draw_dealer
 *   DEAL   an order of all cards                        begin_hand
 *   CUT    only with cut=ask: dealer's right            apply_cut → tennessee_deal_nine
 *   BID    clockwise, the dealer last                   apply_bid
 *   TRUMP  the bidder                                   apply_trump → tennessee_fill
 *   FILL   only if the stock runs out: the discards     reshuffle → tennessee_fill
 *          are shuffled
 *   BURN   all seats over six at once, card by card     apply_burn → end_burn
 *   PLAY   up to six tricks                             apply_play, apply_fold
 *
 * Behind every PLAY, and behind a slam or a penalty, end_hand scores and chooses the
 * way back. Only BURN asks several seats; elsewhere acting and pending are equal.
 */
#ifndef GAMES_TENNESSEE_PIG_INTERNAL_H
#define GAMES_TENNESSEE_PIG_INTERNAL_H

#include "games/tennessee_pig/tennessee_pig.h"

#define TENNESSEE_ALL_CARDS ((1ull << TENNESSEE_CARDS) - 1)
#define TENNESSEE_ALL_SEATS 0xfu
/* The ranks of the trump suit that are not worth points in every hand. */
#define TENNESSEE_CHAIN_RANKS                                                            \
	(0x1fffull & ~(1ull << TENNESSEE_ACE | 1ull << TENNESSEE_JACK |                  \
			     1ull << TENNESSEE_TEN | 1ull << TENNESSEE_FIVE))

/* tables.c: the words for enum tennessee_end. */
extern const char *const tennessee_end_words[];

/* deal.c */
void tennessee_start(void *state);
void tennessee_chance(const void *state, struct chance *request);
void tennessee_deal_nine(
	struct tennessee_pig *s, const uint8_t *order, struct events *events);
void tennessee_apply_chance(
	void *state, const uint8_t *order, int n, struct events *events);

/* play.c */
/* How a card ranks among the trumps: 16 is the ace, 0 is trash. */
int tennessee_strength(int trump, int card);
/* An event with a set of cards. */
void tennessee_show(
	struct events *events, int kind, int seat, uint64_t cards, uint16_t audience);
/* The hands are filled to six, and the burn or the play begins. */
void tennessee_fill(struct tennessee_pig *s, struct events *events);
void tennessee_apply(
	void *state, int seat, const struct action *action, struct events *events);
bool tennessee_offence(
	void *state, int seat, const struct action *action, struct events *events);

/* score.c */
void tennessee_begin_game(struct tennessee_pig *s);
/* The hand is over: all points for a team, or by the tricks. */
void tennessee_award(struct tennessee_pig *s, int team, struct events *events);
void tennessee_score(struct tennessee_pig *s, struct events *events);
/* The other team gets the most that the hand can bring, the hand is over. `cards`
 * are shown with the penalty. */
void tennessee_penalty(
	struct tennessee_pig *s, int seat, uint64_t cards, struct events *events);
void tennessee_teams_of(const void *state, int8_t team[GAME_SEATS_MAX]);
void tennessee_result(const void *state, struct game_result *out);

/* moves.c */
int tennessee_legal(const void *state, int seat, struct action *out);
bool tennessee_check(
	const void *state, int seat, const struct action *action, struct refusal *why);
void tennessee_fallback(const void *view, struct action *out);

/* sample.c */
void tennessee_sample(const void *view, const struct game_random *random, void *state);

/* audit.c */
void tennessee_complete(void *state);
const char *tennessee_invariants(const void *state);

static inline uint64_t card_bit(int card)
{
	return 1ull << card;
}

static inline int card_of(int suit, int rank)
{
	return suit * TENNESSEE_RANKS + rank;
}

static inline int set_size(uint64_t set)
{
	return __builtin_popcountll(set);
}

/* Removes the lowest card of a set that is not empty. */
static inline int set_pop(uint64_t *set)
{
	int card = __builtin_ctzll(*set);

	*set &= *set - 1;
	return card;
}

/* The suit's cards of the given ranks. */
static inline uint64_t suit_cards(int suit, uint64_t ranks)
{
	return ranks << (suit * TENNESSEE_RANKS);
}

/* `trump` is a value of the state's member; without a trump there are no trumps. */
static inline uint64_t trump_cards(int trump) /* TP-1.3 */
{
	int suit = trump - 1;

	if (trump == TENNESSEE_NO_TRUMP)
		return 0;
	return suit_cards(suit, 0x1fff) | card_bit(TENNESSEE_JOKER) |
	       suit_cards(3 - suit, 1ull << TENNESSEE_FIVE | 1ull << TENNESSEE_JACK);
}

static inline uint64_t pig_cards(int trump)
{
	return card_bit(card_of(trump - 1, TENNESSEE_FIVE)) |
	       card_bit(card_of(4 - trump, TENNESSEE_FIVE));
}

/* The trumps that may bear the sixteenth point. */
static inline uint64_t chain_cards(int trump) /* TP-5.5 */
{
	return suit_cards(trump - 1, TENNESSEE_CHAIN_RANKS);
}

/* The seven cards that are worth points in every hand. */
static inline uint64_t fixed_cards(int trump) /* TP-1.5 */
{
	return trump_cards(trump) & ~chain_cards(trump);
}

static inline int points_of(const struct tennessee_hand *now, uint64_t cards) /* TP-1.5 */
{
	uint64_t point = now->point == NO_CARD ? 0 : card_bit(now->point);

	return set_size(cards & (fixed_cards(now->trump) | point)) +
	       4 * set_size(cards & pig_cards(now->trump));
}

static inline uint64_t all_burned(const struct tennessee_hand *now)
{
	return now->burned[0] | now->burned[1] | now->burned[2] | now->burned[3];
}

static inline uint8_t point_card(const struct tennessee_hand *now) /* TP-5.5 */
{
	uint64_t left = chain_cards(now->trump) & ~all_burned(now);

	return left ? (uint8_t)__builtin_ctzll(left) : NO_CARD;
}

/* Was a trump led to the trick on the table? Only once it has been led to. */
static inline bool trump_is_led(const struct tennessee_hand *now)
{
	uint8_t led = now->trick[now->leader];

	return led != NO_CARD && trump_cards(now->trump) & card_bit(led);
}

/* How many discards lie before a seat. */
static inline int discard_count(const struct tennessee_hand *now, int seat)
{
	return (now->reshuffled ? 0 : now->thrown[seat]) + now->burned_trash[seat];
}

static inline int tennessee_left_of(int seat)
{
	return (seat + 1) % TENNESSEE_SEATS;
}

static inline void tennessee_ask(struct tennessee_pig *s, int phase, unsigned seats)
{
	s->head.phase = (uint8_t)phase;
	s->head.need = NEED_ANSWERS;
	s->head.acting = s->head.pending = (uint16_t)seats;
}

static inline void tennessee_await(
	struct tennessee_pig *s, int phase, enum game_need need)
{
	s->head.phase = (uint8_t)phase;
	s->head.need = (uint8_t)need;
	s->head.acting = s->head.pending = 0;
}

#endif
