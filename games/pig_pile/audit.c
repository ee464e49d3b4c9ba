/* Whole tables of Pig Pile: completed from a description, and checked. */
#include "games/pig_pile/internal.h"

#include <string.h>

void pig_pile_count_seen(const struct pig_pile_state *s, int seen[PIG_PILE_FACES])
{
	for (int face = 0; face < PIG_PILE_FACES; face++) {
		seen[face] = s->washed[face];
		for (int seat = 0; seat < s->head.seats; seat++)
			seen[face] += s->hand[seat][face] + s->up[seat][face];
	}
	for (int i = 0; i < s->pile_count; i++)
		seen[s->pile[i]]++;
}

static uint8_t list_length(const uint8_t *list, int max)
{
	int n = 0;

	while (n < max && list[n] != NO_CARD)
		n++;
	return (uint8_t)n;
}

static void complete_seat(struct pig_pile_state *s, int seat)
{
	int hidden;

	s->hand_count[seat] = (uint8_t)pig_pile_sum(s->hand[seat]);
	hidden = s->hand_count[seat] - pig_pile_sum(s->known[seat]) -
		 pig_pile_sum(s->limit[seat]);
	if (hidden > 0)
		s->limit[seat][PIG_PILE_WILD] += (uint8_t)hidden;
	s->slop_left[seat] = 0;
	for (int i = 0; i < PIG_PILE_SLOP; i++)
		if (s->slop[seat][i] != NO_CARD)
			s->slop_left[seat] |= (uint8_t)(1 << i);
}

static void complete_head(struct pig_pile_state *s)
{
	struct game_head *head = &s->head;

	if (!head->pending && head->phase == PIG_PILE_TURN)
		head->pending = head->acting;
	head->need = head->phase == PIG_PILE_OVER ? NEED_NOTHING
		     : head->acting               ? NEED_ANSWERS
						  : NEED_CHANCE;
	if (s->dealer == NO_SEAT && head->phase != PIG_PILE_FIRST)
		s->dealer = 0;
}

/* Cards that lie nowhere are washed away. */
void pig_pile_complete(void *state)
{
	struct pig_pile_state *s = state;
	int missing[PIG_PILE_FACES], won = 0;

	complete_head(s);
	s->pile_count = list_length(s->pile, PIG_PILE_DECK_MAX);
	s->stock_count = list_length(s->stock, PIG_PILE_DECK_MAX);
	s->out_count = list_length(s->out, PIG_PILE_OUT_MAX);
	for (int seat = 0; seat < s->head.seats; seat++) {
		complete_seat(s, seat);
		won += s->pigs[seat];
	}
	s->pen = (uint8_t)(pig_pile_pen(s->head.seats) - won);
	if (!s->round && s->head.phase < PIG_PILE_FACE)
		return;
	if (!s->round)
		s->round = 1;
	memset(s->washed, 0, sizeof(s->washed));
	pig_pile_count_seen(s, missing);
	for (int i = 0; i < s->stock_count; i++)
		missing[s->stock[i]]++;
	for (int seat = 0; seat < s->head.seats; seat++)
		for (int i = 0; i < PIG_PILE_SLOP; i++)
			if (s->slop[seat][i] != NO_CARD)
				missing[s->slop[seat][i]]++;
	for (int face = 0; face < PIG_PILE_FACES; face++)
		s->washed[face] =
			(uint8_t)(pig_pile_deck(s->head.seats, face) - missing[face]);
}

static bool all_blank(const uint8_t *list, int from, int to, uint8_t blank)
{
	for (int i = from; i < to; i++)
		if (list[i] != blank)
			return false;
	return true;
}

static const char *broken_cards(const struct pig_pile_state *s)
{
	int count[PIG_PILE_FACES];

	if (s->pile_count > PIG_PILE_DECK_MAX || s->stock_count > PIG_PILE_DECK_MAX)
		return "more cards than the deck has";
	if (!all_blank(s->pile, s->pile_count, PIG_PILE_DECK_MAX, NO_CARD))
		return "a card beyond the top of the pile";
	if (!all_blank(s->stock, s->stock_count, PIG_PILE_DECK_MAX, NO_CARD))
		return "a card beyond the top of the stock";
	pig_pile_count_seen(s, count);
	for (int i = 0; i < s->stock_count; i++)
		count[s->stock[i]]++;
	for (int seat = 0; seat < s->head.seats; seat++)
		for (int i = 0; i < PIG_PILE_SLOP; i++)
			if (s->slop[seat][i] != NO_CARD)
				count[s->slop[seat][i]]++;
	for (int face = 0; face < PIG_PILE_FACES; face++)
		if (count[face] != (s->round ? pig_pile_deck(s->head.seats, face) : 0))
			return "cards are not conserved";
	return NULL;
}

/* PP-6.1, PP-6.2: what would have been washed cannot lie there. */
static const char *broken_pile(const struct pig_pile_state *s)
{
	int run = 0;

	for (int i = 0; i < s->pile_count; i++) {
		if (s->pile[i] == PIG_PILE_EIGHT)
			return "an 8 on the pile";
		run = i && s->pile[i] == s->pile[i - 1] ? run + 1 : 1;
		if (run > 2)
			return "three equal cards in a row on the pile";
	}
	return NULL;
}

/* The cards of a hand that are not known must fit under their limits. */
static const char *broken_knowledge(const struct pig_pile_state *s, int seat)
{
	int above = 0;

	for (int limit = PIG_PILE_FACES - 1; limit >= 0; limit--) {
		for (int face = 0; face < PIG_PILE_FACES; face++) {
			if (s->known[seat][face] > s->hand[seat][face])
				return "a known card is not in the hand";
			if (pig_pile_strength(s, face) == limit)
				above += s->hand[seat][face] - s->known[seat][face];
		}
		above -= s->limit[seat][limit];
		if (above > 0)
			return "a hidden card is above its limit";
	}
	return above ? "there is not one limit for each hidden card" : NULL;
}

static const char *broken_seat(const struct pig_pile_state *s, int seat)
{
	bool in_turn = s->head.phase == PIG_PILE_TURN;

	if (s->hand_count[seat] != pig_pile_sum(s->hand[seat]))
		return "the size of a hand is wrong";
	if (pig_pile_sum(s->up[seat]) > PIG_PILE_SLOP)
		return "more than three cards face up";
	for (int i = 0; i < PIG_PILE_SLOP; i++)
		if ((s->slop_left[seat] >> i & 1) != (s->slop[seat][i] != NO_CARD))
			return "slop_left does not tell which slop cards are left";
	if (s->slop_left[seat] >> PIG_PILE_SLOP)
		return "a slop position that does not exist";
	if (pig_pile_is_out(s, seat) && pig_pile_cards_left(s, seat))
		return "a seat that is out has cards";
	if (in_turn && !pig_pile_is_out(s, seat) && !pig_pile_cards_left(s, seat))
		return "a seat without cards is not out";
	return broken_knowledge(s, seat);
}

static const char *broken_choice(const struct pig_pile_state *s, int seat)
{
	uint8_t left[PIG_PILE_FACES];
	bool answered =
		s->head.phase == PIG_PILE_FACE && !game_seat_in(s->head.pending, seat);

	if (!answered)
		return all_blank(s->chosen[seat], 0, PIG_PILE_SLOP, NO_CARD)
			       ? NULL
			       : "face-up cards of a seat that has not chosen";
	memcpy(left, s->hand[seat], sizeof(left));
	for (int i = 0; i < PIG_PILE_SLOP; i++)
		if (s->chosen[seat][i] >= PIG_PILE_FACES || !left[s->chosen[seat][i]]--)
			return "a chosen card is not in the hand";
	return NULL;
}

static const char *broken_head(const struct pig_pile_state *s)
{
	const struct game_head *head = &s->head;
	int all = (1 << head->seats) - 1;
	int actor = head->acting ? __builtin_ctz(head->acting) : 0;

	switch (head->phase) {
	case PIG_PILE_FACE:
		if (head->acting != all || !head->pending || (head->pending & ~all))
			return "the wrong seats choose face-up cards";
		return head->need == NEED_ANSWERS ? NULL : "a choice that nobody needs";
	case PIG_PILE_TURN:
		if (__builtin_popcount(head->acting) != 1 ||
			head->pending != head->acting)
			return "a turn belongs to one seat";
		if (actor >= head->seats || pig_pile_is_out(s, actor))
			return "a seat that is out has the turn";
		if (s->stock_count && !s->hand_count[actor])
			return "a turn without a hand while there is a stock";
		return head->need == NEED_ANSWERS ? NULL : "a turn that nobody needs";
	default:
		if (head->acting || head->pending)
			return "a seat is asked while there is nothing to ask";
		if (head->phase > PIG_PILE_OVER)
			return "no such phase";
		return head->need == (head->phase == PIG_PILE_OVER ? NEED_NOTHING
								   : NEED_CHANCE)
			       ? NULL
			       : "the phase needs something else";
	}
}

static const char *broken_match(const struct pig_pile_state *s)
{
	int pigs = s->pen;

	for (int seat = 0; seat < s->head.seats; seat++)
		pigs += s->pigs[seat];
	if (pigs != pig_pile_pen(s->head.seats))
		return "pigs are not conserved";
	if (s->round > pig_pile_round_limit(s))
		return "more rounds than the match has";
	if (s->turns > s->head.option[PIG_PILE_OPTION_MAX_TURNS])
		return "more turns than the guard allows";
	if (s->head.phase == PIG_PILE_FIRST ? s->dealer != NO_SEAT
					    : s->dealer >= s->head.seats)
		return "the dealer is no seat";
	if (s->direction > PIG_PILE_COUNTERCLOCKWISE)
		return "no such direction";
	if (s->out_count > PIG_PILE_OUT_MAX ||
		!all_blank(s->out, s->out_count, PIG_PILE_OUT_MAX, NO_SEAT))
		return "the list of seats that are out is broken";
	for (int i = 0; i < s->out_count; i++)
		if (s->out[i] >= s->head.seats)
			return "no such seat is out";
	if (s->out_count == 2 &&
		(s->out[0] == s->out[1] || s->head.phase == PIG_PILE_TURN))
		return "the round should have ended";
	return NULL;
}

/* Rows of seats that do not exist. */
static const char *broken_blanks(const struct pig_pile_state *s)
{
	for (int seat = s->head.seats; seat < GAME_SEATS_MAX; seat++)
		if (s->pigs[seat] || s->hand_count[seat] || s->slop_left[seat] ||
			!all_blank(s->hand[seat], 0, PIG_PILE_FACES, 0) ||
			!all_blank(s->known[seat], 0, PIG_PILE_FACES, 0) ||
			!all_blank(s->limit[seat], 0, PIG_PILE_FACES, 0) ||
			!all_blank(s->up[seat], 0, PIG_PILE_FACES, 0) ||
			!all_blank(s->slop[seat], 0, PIG_PILE_SLOP, NO_CARD) ||
			!all_blank(s->chosen[seat], 0, PIG_PILE_SLOP, NO_CARD))
			return "a seat that does not exist has something";
	return NULL;
}

const char *pig_pile_invariants(const void *state)
{
	const struct pig_pile_state *s = state;
	const char *broken = broken_match(s);

	broken = broken ? broken : broken_cards(s);
	broken = broken ? broken : broken_pile(s);
	broken = broken ? broken : broken_blanks(s);
	broken = broken ? broken : broken_head(s);
	for (int seat = 0; seat < s->head.seats && !broken; seat++) {
		broken = broken_seat(s, seat);
		broken = broken ? broken : broken_choice(s, seat);
	}
	return broken;
}
