/*
 * Whole tables of Dirty Pig: completing one that is described in part, and finding what
 * is wrong with one.
 */
#include "games/dirty_pig/internal.h"

#include <string.h>

/* Adds to count[] the barns, rods and locks that lie in front of the seats. */
static void count_table(const struct dirty_pig *s, uint8_t count[DIRTY_PIG_FACES])
{
	for (int seat = 0; seat < s->head.seats; seat++)
		for (int pig = 0; pig < DIRTY_PIG_PIGS_MAX; pig++) {
			uint8_t flags = s->pigs[seat][pig];

			count[DIRTY_PIG_BARN] += (flags & HAS_BARN) != 0;
			count[DIRTY_PIG_ROD] += (flags & HAS_ROD) != 0;
			count[DIRTY_PIG_LOCK] += (flags & HAS_LOCK) != 0;
		}
}

bool dirty_pig_count_missing(const struct dirty_pig *s, uint8_t missing[DIRTY_PIG_FACES])
{
	uint8_t seen[DIRTY_PIG_FACES];
	bool fits = true;

	memcpy(seen, s->discard, sizeof(seen));
	count_table(s, seen);
	for (int seat = 0; seat < s->head.seats; seat++)
		for (int face = 0; face < DIRTY_PIG_FACES; face++)
			seen[face] += s->hand[seat][face];
	for (int i = 0; i < s->stack_size; i++)
		if (s->stack[i] != NO_CARD)
			seen[s->stack[i]]++;
	for (int face = 0; face < DIRTY_PIG_FACES; face++) {
		fits = fits && seen[face] <= dirty_pig_deck[face];
		missing[face] = seen[face] <= dirty_pig_deck[face]
					? dirty_pig_deck[face] - seen[face]
					: 0;
	}
	return fits;
}

static void count_hand_sizes(struct dirty_pig *s)
{
	for (int seat = 0; seat < s->head.seats; seat++) {
		s->hand_size[seat] = 0;
		for (int face = 0; face < DIRTY_PIG_FACES; face++)
			s->hand_size[seat] += s->hand[seat][face];
	}
}

/* Short hands are filled with missing cards, sorted, seat by seat. */
static void complete_hands(struct dirty_pig *s)
{
	uint8_t missing[DIRTY_PIG_FACES];

	dirty_pig_count_missing(s, missing);
	for (int seat = 0; seat < s->head.seats; seat++)
		for (int face = 0; face < DIRTY_PIG_FACES; face++)
			while (missing[face] &&
				s->hand_size[seat] <
					s->head.option[DIRTY_PIG_OPTION_HAND]) {
				missing[face]--;
				s->hand[seat][face]++;
				s->hand_size[seat]++;
			}
}

/* Cards that lie nowhere are discarded, or if no stack is described they are the
 * stack, the first faces on top. */
static void complete_piles(struct dirty_pig *s)
{
	uint8_t missing[DIRTY_PIG_FACES], list[DIRTY_PIG_CARDS];
	int n;

	dirty_pig_count_missing(s, missing);
	n = dirty_pig_list_cards(missing, list);
	if (s->stack_size == 0 && s->head.phase == DIRTY_PIG_TURN) {
		dirty_pig_lay_stack(s, list, n);
		return;
	}
	for (int i = 0; i < n; i++)
		s->discard[list[i]]++;
}

void dirty_pig_complete(void *state)
{
	static const uint8_t needs[] = {
		NEED_CHANCE, NEED_CHANCE, NEED_ANSWERS, NEED_CHANCE, NEED_NOTHING};
	struct dirty_pig *s = state;

	memset(s->pig_count, dirty_pig_pigs_each(s), s->head.seats);
	s->head.need = needs[s->head.phase];
	s->head.pending = s->head.acting;
	if (s->head.acting)
		s->turn = (uint8_t)__builtin_ctz(s->head.acting);
	s->stack_size = 0;
	while (s->stack_size < DIRTY_PIG_CARDS && s->stack[s->stack_size] != NO_CARD)
		s->stack_size++;
	count_hand_sizes(s);
	if (s->head.phase == DIRTY_PIG_FIRST || s->head.phase == DIRTY_PIG_DEAL)
		return;
	if (s->head.phase == DIRTY_PIG_TURN)
		complete_hands(s);
	complete_piles(s);
}

static const char *broken_pigs(const struct dirty_pig *s)
{
	for (int seat = 0; seat < DIRTY_PIG_SEATS_MAX; seat++) {
		bool seated = seat < s->head.seats;

		if (s->pig_count[seat] != (seated ? dirty_pig_pigs_each(s) : 0))
			return "number of pigs";
		for (int pig = 0; pig < DIRTY_PIG_PIGS_MAX; pig++) {
			int flags = s->pigs[seat][pig];

			if (pig >= s->pig_count[seat] && flags)
				return "a pig that is not there has flags";
			if (flags & (HAS_ROD | HAS_LOCK) && !(flags & HAS_BARN))
				return "rod or lock without a barn";
			if (flags & HAS_LOCK && !(flags & IS_DIRTY))
				return "a locked pig is clean"; /* DP-4.8 */
		}
	}
	return NULL;
}

static const char *broken_hands(const struct dirty_pig *s)
{
	int full = s->head.option[DIRTY_PIG_OPTION_HAND];
	bool dealt = s->head.phase > DIRTY_PIG_DEAL;

	for (int seat = 0; seat < DIRTY_PIG_SEATS_MAX; seat++) {
		bool short_now = seat == s->turn && s->head.phase != DIRTY_PIG_TURN;
		int n = 0;

		for (int face = 0; face < DIRTY_PIG_FACES; face++) {
			int others = 0;

			n += s->hand[seat][face];
			for (int other = 0; other < DIRTY_PIG_SEATS_MAX; other++)
				others += other == seat ? 0 : s->hand[other][face];
			if (s->held[seat][face] > others)
				return "a card said to be held is not";
		}
		if (n != s->hand_size[seat])
			return "hand size";
		if (seat < s->head.seats && dealt && !short_now && n != full)
			return "a hand is not full";
		if (n > full || (n && (!dealt || seat >= s->head.seats)))
			return "too many cards in a hand";
	}
	return NULL;
}

static const char *broken_cards(const struct dirty_pig *s)
{
	uint8_t missing[DIRTY_PIG_FACES];
	bool dealt = s->head.phase > DIRTY_PIG_DEAL;

	if (s->stack_size > DIRTY_PIG_CARDS)
		return "stack size";
	for (int i = 0; i < DIRTY_PIG_CARDS; i++)
		if ((s->stack[i] != NO_CARD) != (i < s->stack_size) ||
			(i < s->stack_size && s->stack[i] >= DIRTY_PIG_FACES))
			return "stack and its size";
	if (!dirty_pig_count_missing(s, missing))
		return "more cards than the deck has";
	for (int face = 0; face < DIRTY_PIG_FACES; face++)
		if (missing[face] != (dealt ? 0 : dirty_pig_deck[face]))
			return "cards are missing";
	return NULL;
}

static const char *broken_phase(const struct dirty_pig *s)
{
	int phase = s->head.phase;
	int acting = phase == DIRTY_PIG_TURN ? 1 << s->turn : 0;

	if (phase > DIRTY_PIG_OVER)
		return "unknown phase";
	if (s->head.acting != acting || s->head.pending != acting)
		return "who acts";
	if (phase == DIRTY_PIG_FIRST ? s->turn != NO_SEAT : s->turn >= s->head.seats)
		return "whose turn it is";
	if (phase == DIRTY_PIG_TURN && s->stack_size == 0)
		return "an empty stack was not replaced"; /* DP-2.7 */
	if (phase == DIRTY_PIG_SHUFFLE && s->stack_size)
		return "a shuffle while the stack lasts";
	if (s->turns > s->head.option[DIRTY_PIG_OPTION_MAX_TURNS])
		return "more turns than allowed";
	if (s->winner != NO_SEAT && phase != DIRTY_PIG_OVER)
		return "a winner before the end";
	for (int seat = 0; seat < s->head.seats; seat++)
		if ((dirty_pig_count_dirty(s, seat) == s->pig_count[seat]) !=
			(s->winner == seat))
			return "the winner is who has only dirty pigs"; /* DP-5.1 */
	return NULL;
}

const char *dirty_pig_invariants(const void *state)
{
	const struct dirty_pig *s = state;
	const char *broken = broken_pigs(s);

	if (!broken)
		broken = broken_phase(s);
	if (!broken)
		broken = broken_cards(s);
	return broken ? broken : broken_hands(s);
}
