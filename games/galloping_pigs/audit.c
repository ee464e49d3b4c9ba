/*
 * Whole tables of Galloping Pigs: completing one that is described in part, and
 * finding what is wrong with one.
 */
#include "games/galloping_pigs/internal.h"

#include <string.h>

static int sum(const uint8_t *list, int n)
{
	int total = 0;

	for (int i = 0; i < n; i++)
		total += list[i];
	return total;
}

static int food_on_track(const struct galloping_pigs *s)
{
	int n = 0;

	for (int i = 0; i < GALLOPING_SEATS_MAX; i++)
		n += s->track_food[i] > 0;
	return n;
}

static int food_outside_stock(const struct galloping_pigs *s)
{
	return sum(s->left, GALLOPING_SEATS_MAX) + sum(s->kept, GALLOPING_SEATS_MAX) +
	       food_on_track(s);
}

/* Cards that lie nowhere go under the pile until it has as many as were played,
 * then aside. */
static void complete_cards(struct galloping_pigs *s)
{
	int played = GALLOPING_HAND * s->head.seats;
	int listed = 0, missing, nowhere[GALLOPING_COLOURS];

	while (listed < GALLOPING_PILE_MAX && s->pile[listed] != NO_CARD)
		listed++;
	for (int c = 0; c < GALLOPING_COLOURS; c++)
		nowhere[c] = GALLOPING_CARDS_PER_PIG;
	for (int i = 0; i < listed; i++)
		nowhere[s->pile[i]]--;
	for (int seat = 0; seat < s->head.seats; seat++) {
		s->hand_size[seat] = (uint8_t)sum(s->hand[seat], GALLOPING_COLOURS);
		played -= s->hand_size[seat];
		for (int c = 0; c < GALLOPING_COLOURS; c++)
			nowhere[c] -= s->hand[seat][c];
	}
	missing = played > listed ? played - listed : 0;
	memmove(s->pile + missing, s->pile, (size_t)listed);
	for (int c = 0, i = 0; c < GALLOPING_COLOURS; c++) {
		for (; i < missing && nowhere[c] > 0; nowhere[c]--)
			s->pile[i++] = (uint8_t)c;
		s->aside[c] = (uint8_t)(nowhere[c] > 0 ? nowhere[c] : 0);
	}
	s->pile_size = (uint8_t)(missing + listed);
}

void galloping_complete(void *state)
{
	static const uint8_t need[] = {[GALLOPING_FIRST] = NEED_CHANCE,
		[GALLOPING_LINE] = NEED_ANSWERS,
		[GALLOPING_DEAL] = NEED_CHANCE,
		[GALLOPING_PLACE] = NEED_ANSWERS,
		[GALLOPING_PLAY] = NEED_ANSWERS,
		[GALLOPING_OVER] = NEED_NOTHING};
	struct galloping_pigs *s = state;

	s->head.need = need[s->head.phase];
	s->head.pending = s->head.acting;
	if (s->head.phase != GALLOPING_FIRST) {
		if (s->round == 0)
			s->round = 1;
		if (s->starter == NO_SEAT)
			s->starter = 0;
	}
	if (galloping_is_dealt(s))
		complete_cards(s);
	s->stock = (uint8_t)(GALLOPING_FOOD - food_outside_stock(s));
}

static const char *broken_turn(const struct galloping_pigs *s)
{
	const struct game_head *head = &s->head;
	bool begun = head->phase != GALLOPING_FIRST;
	int turn = s->starter;

	if (head->pending != head->acting)
		return "pending and acting differ";
	if (s->round > head->option[GALLOPING_OPTION_ROUNDS] || begun != (s->round > 0))
		return "round out of range";
	if (begun ? s->starter >= head->seats : s->starter != NO_SEAT)
		return "no such starter";
	if (head->need != NEED_ANSWERS)
		return head->acting ? "a seat acts that is not asked" : NULL;
	if (!head->acting || head->acting & (head->acting - 1) ||
		head->acting >> head->seats)
		return "not exactly one seat acts";
	if (head->phase == GALLOPING_PLAY)
		turn = (s->starter + s->pile_size) % head->seats;
	else if (head->phase == GALLOPING_PLACE)
		turn = (s->starter + food_on_track(s)) % head->seats;
	return head->acting == 1u << turn ? NULL : "the wrong seat acts";
}

static const char *broken_food(const struct galloping_pigs *s)
{
	bool racing = s->head.phase == GALLOPING_PLACE ||
		      s->head.phase == GALLOPING_PLAY || s->head.phase == GALLOPING_DEAL;
	unsigned seen = 0;

	if (s->stock + food_outside_stock(s) != GALLOPING_FOOD)
		return "food is lost or made";
	if (food_on_track(s) &&
		(!racing || !s->head.option[GALLOPING_OPTION_FOOD_ON_TRACK]))
		return "food on the track out of season";
	for (int i = 0; i < GALLOPING_SEATS_MAX; i++) {
		int at = s->track_food[i];

		if (i >= s->head.seats && (at || s->left[i] || s->kept[i]))
			return "food of a seat that is not there";
		if (s->left[i] && s->hand_size[i] == 0)
			return "food at stake without a card left";
		if (at && (at < GALLOPING_FOOD_SPACE_MIN || at > GALLOPING_SPACES))
			return "food on a forbidden space";
		if (at && seen >> at & 1)
			return "two foods on one space";
		seen |= 1u << at;
	}
	return NULL;
}

static const char *broken_track(const struct galloping_pigs *s)
{
	bool lined_up = s->head.phase > GALLOPING_LINE;
	unsigned seen = 0;

	for (int c = 0; c < GALLOPING_COLOURS; c++) {
		int d = s->distance[c];

		if (lined_up != (d > 0))
			return "a pig is on the track at the wrong time";
		if (d == 0)
			continue;
		if (seen >> galloping_space(d) & 1)
			return "two pigs on one space";
		seen |= 1u << galloping_space(d);
	}
	return NULL;
}

/* How many cards the seat should hold, by the turns that have passed. */
static int hand_size_due(const struct galloping_pigs *s, int seat)
{
	int seats = s->head.seats;
	int place = (seat - s->starter + seats) % seats;

	return GALLOPING_HAND - (s->pile_size + seats - 1 - place) / seats;
}

static const char *broken_hands(const struct galloping_pigs *s)
{
	bool dealt = galloping_is_dealt(s);

	for (int seat = 0; seat < GALLOPING_SEATS_MAX; seat++) {
		int held = sum(s->hand[seat], GALLOPING_COLOURS);

		if (held != s->hand_size[seat])
			return "hand and hand_size differ";
		if (held != (dealt && seat < s->head.seats ? hand_size_due(s, seat) : 0))
			return "a hand of the wrong size";
	}
	return NULL;
}

static const char *broken_cards(const struct galloping_pigs *s)
{
	bool dealt = galloping_is_dealt(s);
	int count[GALLOPING_COLOURS];

	if (s->pile_size > (dealt ? GALLOPING_HAND * s->head.seats : 0))
		return "too many cards in the pile";
	for (int c = 0; c < GALLOPING_COLOURS; c++) {
		count[c] = s->aside[c];
		for (int seat = 0; seat < s->head.seats; seat++)
			count[c] += s->hand[seat][c];
	}
	for (int i = 0; i < GALLOPING_PILE_MAX; i++) {
		if ((s->pile[i] < GALLOPING_COLOURS) != (i < s->pile_size))
			return "the pile is not pile_size cards";
		if (i < s->pile_size)
			count[s->pile[i]]++;
		else if (s->pile[i] != NO_CARD)
			return "the pile's tail is not blank";
	}
	for (int c = 0; c < GALLOPING_COLOURS; c++)
		if (count[c] != (dealt ? GALLOPING_CARDS_PER_PIG : 0))
			return "race cards are lost or made";
	return broken_hands(s);
}

const char *galloping_invariants(const void *state)
{
	const struct galloping_pigs *s = state;
	const char *broken = broken_turn(s);

	if (!broken)
		broken = broken_food(s);
	if (!broken)
		broken = broken_track(s);
	return broken ? broken : broken_cards(s);
}
