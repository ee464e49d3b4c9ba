/*
 * Pig It Hog It: a dealt card is shown to the seat that gets it, a card given in a pig
 * to the partner once both have chosen, a played one to everybody. Cards turned in the
 * draw for partners are shown to everybody, the rest of that deck to nobody.
 */
#include "tests/unit/tracker.h"
#include "games/pig_it_hog_it/pig_it_hog_it.h"

#define ORDERS_MAX 10000 /* nine games of a thousand deals, and draws for partners */

struct pihi_tracker {
	bool redeal;  /* who throws in deals again */
	int table[4]; /* position -> seat */
	int dealer;   /* of the next deal; -1 before the draw */
	int passes;   /* in this round */
	int gift[4];  /* place of the card a seat has chosen to give, or -1 */
	int orders;
	uint8_t face[PIHI_CARDS]; /* by place in the last order */
	uint16_t shown[ORDERS_MAX][PIHI_CARDS];
};

static void start(void *memory, int seats, const int16_t *option)
{
	struct pihi_tracker *t = memory;

	t->redeal = option[PIHI_ALL_PASS] == PIHI_ALL_PASS_REDEAL;
	t->dealer = option[PIHI_FIRST_DEALER];
	for (int seat = 0; seat < seats; seat++) {
		t->table[seat] = seat;
		t->gift[seat] = -1;
	}
}

static int to_the_left(const struct pihi_tracker *t, int seat, int steps)
{
	int at = 0;

	while (t->table[at] != seat)
		at++;
	return t->table[(at + steps) % 4];
}

/* The first jack stays, its partner goes opposite, the others keep their order. */
static void seat_partners(struct pihi_tracker *t, int first, int partner)
{
	int others[2], n = 0;

	for (int step = 1; step < 4; step++)
		if ((first + step) % 4 != partner)
			others[n++] = (first + step) % 4;
	t->table[first] = first;
	t->table[(first + 1) % 4] = others[0];
	t->table[(first + 2) % 4] = partner;
	t->table[(first + 3) % 4] = others[1];
	t->dealer = first;
}

static void turn_jacks(struct pihi_tracker *t, const uint8_t *order)
{
	int first = -1, jacks = 0;

	for (int i = 0; jacks < 4; i++) {
		t->shown[t->orders][i] = AUDIENCE_ALL;
		if (order[i] % 6 != 2)
			continue;
		jacks++;
		if (first >= 0 && i % 4 != first) {
			seat_partners(t, first, i % 4);
			return;
		}
		first = i % 4;
	}
}

/* Packets of three, twice round, from the dealer's left. */
static void deal(struct pihi_tracker *t, const uint8_t *order)
{
	for (int i = 0; i < PIHI_CARDS; i++) {
		int seat = to_the_left(t, t->dealer, 1 + i / 3 % 4);

		t->face[i] = order[i];
		t->shown[t->orders][i] = AUDIENCE_SEAT(seat);
	}
	t->passes = 0;
	t->dealer = to_the_left(t, t->dealer, 1);
}

static void chance(void *memory, enum chance_kind kind, const uint8_t *order, int n)
{
	struct pihi_tracker *t = memory;

	(void)n;
	if (kind == CHANCE_FIRST) {
		t->dealer = order[0];
		t->shown[t->orders][0] = AUDIENCE_ALL;
	} else if (kind == CHANCE_PARTNERS) {
		turn_jacks(t, order);
	} else {
		deal(t, order);
	}
	t->orders++;
}

static int place_of(const struct pihi_tracker *t, int face)
{
	int i = 0;

	while (t->face[i] != face)
		i++;
	return i;
}

static void give(struct pihi_tracker *t, int seat, int face)
{
	int partner = to_the_left(t, seat, 2);
	int pair[2] = {seat, partner};

	t->gift[seat] = place_of(t, face);
	if (t->gift[partner] < 0)
		return;
	for (int i = 0; i < 2; i++) {
		int place = t->gift[pair[i]];

		t->shown[t->orders - 1][place] |= AUDIENCE_SEAT(pair[!i]);
		t->gift[pair[i]] = -1;
	}
}

static void action(void *memory, int seat, const struct action *a)
{
	struct pihi_tracker *t = memory;

	if (a->verb == PIHI_PLAY)
		t->shown[t->orders - 1][place_of(t, a->arg[0])] = AUDIENCE_ALL;
	else if (a->verb == PIHI_GIVE)
		give(t, seat, a->arg[0]);
	else if (a->verb == PIHI_PASS && ++t->passes == 4 && t->redeal)
		t->dealer = to_the_left(t, t->dealer, 3);
}

static uint16_t shown(const void *memory, int order, int position)
{
	const struct pihi_tracker *t = memory;

	return t->shown[order][position];
}

const struct tracker pig_it_hog_it_tracker = {
	.game = "pig_it_hog_it",
	.size = sizeof(struct pihi_tracker),
	.start = start,
	.chance = chance,
	.action = action,
	.shown = shown,
};
