/*
 * What the files of Tennessee Pig share: sets of cards, and the functions behind
 * `tennessee_pig_game`.
 */
#ifndef GAMES_TENNESSEE_PIG_INTERNAL_H
#define GAMES_TENNESSEE_PIG_INTERNAL_H

#include "games/tennessee_pig.h"

#define TENNESSEE_ALL_CARDS ((1ull << TENNESSEE_CARDS) - 1)
#define TENNESSEE_ALL_SEATS 0xfu
/* The ranks of the trump suit that are not worth points in every hand. */
#define TENNESSEE_CHAIN_RANKS                                                            \
	(0x1fffull & ~(1ull << TENNESSEE_ACE | 1ull << TENNESSEE_JACK |                  \
			     1ull << TENNESSEE_TEN | 1ull << TENNESSEE_FIVE))

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

void tennessee_start(void *state);
void tennessee_chance(const void *state, struct chance *request);
void tennessee_apply_chance(
	void *state, const uint8_t *order, int n, struct events *events);
void tennessee_apply(
	void *state, int seat, const struct action *action, struct events *events);
bool tennessee_offence(
	void *state, int seat, const struct action *action, struct events *events);

/* How a card ranks among the trumps: 16 is the ace, 0 is trash. */
int tennessee_strength(int trump, int card);

void tennessee_play(struct tennessee_pig *s, int seat, int card, struct events *events);
void tennessee_fold(struct tennessee_pig *s, int seat, struct events *events);
void tennessee_begin_play(struct tennessee_pig *s, struct events *events);
/* The other team gets the most that the hand can bring, the hand is over. `cards`
 * are shown with the penalty. */
void tennessee_penalty(
	struct tennessee_pig *s, int seat, uint64_t cards, struct events *events);

/* Hand over: slam, or by the tricks. */
void tennessee_award(struct tennessee_pig *s, int team, struct events *events);
void tennessee_score(struct tennessee_pig *s, struct events *events);
void tennessee_begin_game(struct tennessee_pig *s);

void tennessee_ask(struct tennessee_pig *s, int phase, unsigned seats);
void tennessee_await(struct tennessee_pig *s, int phase, enum game_need need);
void tennessee_show(
	struct events *events, int kind, int seat, uint64_t cards, uint16_t audience);

void tennessee_sample(const void *view, const struct game_random *random, void *state);
void tennessee_complete(void *state);
const char *tennessee_invariants(const void *state);

#endif
