/*
 * Pig Pile: a dealt or drawn hand card is shown to its seat, a face-up, played, turned
 * or taken card to everybody, slop and stock to nobody.
 *
 * Of equal cards in a hand the one that everybody knows is played first, then the one
 * that came first: so the cards that the others cannot be sure of stay hidden as long
 * as the table's own memory (`known`) says so.
 */
#include "tests/unit/tracker.h"
#include "games/pig_pile/pig_pile.h"

#include <assert.h>

#define ORDERS_MAX 101 /* one for the dealer, one for each of a hundred rounds */

enum zone { ZONE_STOCK, ZONE_SLOP, ZONE_UP, ZONE_HAND, ZONE_PILE, ZONE_WASHED };

struct place {
	uint8_t face;
	uint8_t zone;
	uint8_t owner;
	uint8_t slot;   /* ZONE_SLOP: position */
	uint16_t shown; /* audience */
	uint16_t since; /* ZONE_HAND: when it came */
};

struct pig_pile_tracker {
	int seats, dealer, deal, rounds;
	bool wash_any;
	int orders;
	uint16_t moves;
	int chosen_count;
	uint8_t chosen[GAME_SEATS_MAX][PIG_PILE_SLOP];
	int stock_next, stock_end;
	int pile_count;
	uint8_t pile[PIG_PILE_DECK_MAX]; /* positions in the last order */
	struct place place[ORDERS_MAX][PIG_PILE_DECK_MAX];
};

static void start(void *memory, int seats, const int16_t *option)
{
	struct pig_pile_tracker *t = memory;

	t->seats = seats;
	t->dealer = option[PIG_PILE_OPTION_FIRST_DEALER] % seats;
	t->deal = option[PIG_PILE_OPTION_DEAL];
	t->wash_any = option[PIG_PILE_OPTION_WASH_ANY];
}

static struct place *places(struct pig_pile_tracker *t)
{
	return t->place[t->orders - 1];
}

static void into_hand(struct pig_pile_tracker *t, struct place *place, int seat)
{
	place->zone = ZONE_HAND;
	place->owner = (uint8_t)seat;
	place->since = t->moves++;
	place->shown |= AUDIENCE_SEAT(seat);
}

/* Deals `passes` cards to each seat from position `at`; returns the next position. */
static int deal_batch(struct pig_pile_tracker *t, enum zone zone, int passes, int at)
{
	for (int i = 0; i < passes * t->seats; i++, at++) {
		struct place *place = &places(t)[at];
		int seat = (t->dealer + 1 + i) % t->seats;

		if (zone == ZONE_HAND) {
			into_hand(t, place, seat);
			continue;
		}
		place->zone = (uint8_t)zone;
		place->owner = (uint8_t)seat;
		place->slot = (uint8_t)(i / t->seats);
		place->shown = zone == ZONE_UP ? AUDIENCE_ALL : AUDIENCE_NONE;
	}
	return at;
}

static void chance(void *memory, enum chance_kind kind, const uint8_t *order, int n)
{
	struct pig_pile_tracker *t = memory;
	bool up;

	assert(t->orders < ORDERS_MAX);
	t->orders++;
	for (int i = 0; i < n; i++)
		places(t)[i].face = order[i];
	if (kind == CHANCE_FIRST) {
		t->dealer = order[0];
		places(t)[0].shown = AUDIENCE_ALL;
		return;
	}
	t->moves = 0;
	t->pile_count = 0;
	t->stock_next = deal_batch(t, ZONE_SLOP, 3, 0);
	up = t->deal == PIG_PILE_DEALT || (t->deal == PIG_PILE_GREASED && !t->rounds);
	if (up)
		t->stock_next = deal_batch(t, ZONE_UP, 3, t->stock_next);
	t->stock_next = deal_batch(t, ZONE_HAND, up ? 4 : 7, t->stock_next);
	t->stock_end = n;
	t->rounds++;
	t->dealer = (t->dealer + 1) % t->seats;
}

/* A card of that face in a zone of the seat; ANY_FACE: any card. */
#define ANY_FACE (-1)
static struct place *find(struct pig_pile_tracker *t, enum zone zone, int seat, int face)
{
	struct place *best = NULL;

	for (int i = 0; i < t->stock_end; i++) {
		struct place *p = &places(t)[i];
		bool known = p->shown == AUDIENCE_ALL;

		if (p->zone != zone || p->owner != seat ||
			(face != ANY_FACE && p->face != face))
			continue;
		if (!best || known > (best->shown == AUDIENCE_ALL) ||
			(known == (best->shown == AUDIENCE_ALL) &&
				p->since < best->since))
			best = p;
	}
	return best;
}

static void onto_pile(struct pig_pile_tracker *t, struct place *place)
{
	assert(place);
	place->zone = ZONE_PILE;
	place->shown = AUDIENCE_ALL;
	t->pile[t->pile_count++] = (uint8_t)(place - places(t));
}

static void take_pile(struct pig_pile_tracker *t, int seat)
{
	while (t->pile_count)
		into_hand(t, &places(t)[t->pile[--t->pile_count]], seat);
}

static int pile_face(const struct pig_pile_tracker *t, int from_top)
{
	return t->place[t->orders - 1][t->pile[t->pile_count - 1 - from_top]].face;
}

static bool fits(const struct pig_pile_tracker *t, int face)
{
	int top = t->pile_count ? pile_face(t, 0) : PIG_PILE_WILD;

	return top == PIG_PILE_WILD || face == PIG_PILE_WILD || face >= top ||
	       (t->wash_any && face == PIG_PILE_EIGHT);
}

static bool washes(const struct pig_pile_tracker *t)
{
	int top = pile_face(t, 0);

	return top == PIG_PILE_EIGHT ||
	       (t->pile_count >= 3 && pile_face(t, 1) == top && pile_face(t, 2) == top);
}

static void after_play(struct pig_pile_tracker *t, int seat)
{
	if (washes(t)) {
		while (t->pile_count)
			places(t)[t->pile[--t->pile_count]].zone = ZONE_WASHED;
		if (find(t, ZONE_HAND, seat, ANY_FACE))
			return;
	}
	if (t->stock_next < t->stock_end)
		into_hand(t, &places(t)[t->stock_next++], seat);
}

static void choose(struct pig_pile_tracker *t, int seat, const struct action *a)
{
	for (int i = 0; i < PIG_PILE_SLOP; i++)
		t->chosen[seat][i] = a->arg[i];
	if (++t->chosen_count < t->seats)
		return;
	t->chosen_count = 0;
	for (int s = 0; s < t->seats; s++)
		for (int i = 0; i < PIG_PILE_SLOP; i++) {
			struct place *place = find(t, ZONE_HAND, s, t->chosen[s][i]);

			assert(place);
			place->zone = ZONE_UP;
			place->shown = AUDIENCE_ALL;
		}
}

static void play(struct pig_pile_tracker *t, int seat, const struct action *a)
{
	enum zone zone = find(t, ZONE_HAND, seat, ANY_FACE) ? ZONE_HAND : ZONE_UP;

	for (int i = 0; i < a->count; i++)
		onto_pile(t, find(t, zone, seat, a->arg[i]));
	after_play(t, seat);
}

static void turn_slop(struct pig_pile_tracker *t, int seat, int slot)
{
	for (int i = 0; i < t->stock_end; i++) {
		struct place *p = &places(t)[i];

		if (p->zone == ZONE_SLOP && p->owner == seat && p->slot == slot) {
			bool plays = fits(t, p->face);

			onto_pile(t, p);
			if (plays)
				after_play(t, seat);
			else
				take_pile(t, seat);
			return;
		}
	}
	assert(!"the slop card is there");
}

static void action(void *memory, int seat, const struct action *a)
{
	struct pig_pile_tracker *t = memory;

	switch (a->verb) {
	case PIG_PILE_VERB_FACE:
		choose(t, seat, a);
		break;
	case PIG_PILE_VERB_PLAY:
		play(t, seat, a);
		break;
	case PIG_PILE_VERB_TAKE:
		for (int i = 0; i < a->count; i++)
			into_hand(t, find(t, ZONE_UP, seat, a->arg[i]), seat);
		take_pile(t, seat);
		break;
	default:
		turn_slop(t, seat, a->arg[0]);
	}
}

static uint16_t shown(const void *memory, int order, int position)
{
	const struct pig_pile_tracker *t = memory;

	return t->place[order][position].shown;
}

const struct tracker pig_pile_tracker = {
	.game = "pig_pile",
	.size = sizeof(struct pig_pile_tracker),
	.start = start,
	.chance = chance,
	.action = action,
	.shown = shown,
};
