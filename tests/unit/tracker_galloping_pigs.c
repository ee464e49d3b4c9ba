/*
 * Galloping Pigs: a dealt card is shown to the seat that gets it, a played one to
 * everybody, and a card put aside to nobody, ever.
 */
#include "tests/unit/tracker.h"
#include "games/galloping_pigs/galloping_pigs.h"

#define ORDERS_MAX 32 /* one for the starter, one for each of thirty rounds */

struct place {
	uint8_t face;
	uint8_t owner; /* NO_SEAT: aside */
	uint16_t shown;
};

struct galloping_tracker {
	int seats;
	int starter; /* of the round to be dealt next */
	int orders;
	struct place place[ORDERS_MAX][GALLOPING_DECK];
};

static void start(void *memory, int seats, const int16_t *option)
{
	struct galloping_tracker *t = memory;

	t->seats = seats;
	t->starter = option[GALLOPING_OPTION_FIRST] % seats;
}

/* The lot that names the starter: its first token is public, the others mean
 * nothing. */
static void draw_starter(struct galloping_tracker *t, const uint8_t *order)
{
	t->starter = order[0];
	t->place[t->orders++][0].shown = AUDIENCE_ALL;
}

static void chance(void *memory, enum chance_kind kind, const uint8_t *order, int n)
{
	struct galloping_tracker *t = memory;

	if (kind == CHANCE_FIRST) {
		draw_starter(t, order);
		return;
	}
	for (int i = 0; i < n; i++) {
		struct place *place = &t->place[t->orders][i];
		int seat = (t->starter + i) % t->seats;
		bool aside = i >= GALLOPING_HAND * t->seats;

		place->face = order[i];
		place->owner = aside ? NO_SEAT : (uint8_t)seat;
		place->shown = aside ? AUDIENCE_NONE : AUDIENCE_SEAT(seat);
	}
	t->orders++;
	t->starter = (t->starter + 1) % t->seats;
}

static void action(void *memory, int seat, const struct action *a)
{
	struct galloping_tracker *t = memory;

	if (a->verb != GALLOPING_VERB_PLAY)
		return;
	for (int i = 0; i < GALLOPING_DECK; i++) {
		struct place *place = &t->place[t->orders - 1][i];

		if (place->owner == seat && place->face == a->arg[0] &&
			place->shown != AUDIENCE_ALL) {
			place->shown = AUDIENCE_ALL;
			return;
		}
	}
}

static uint16_t shown(const void *memory, int order, int position)
{
	const struct galloping_tracker *t = memory;

	return t->place[order][position].shown;
}

const struct tracker galloping_pigs_tracker = {
	.game = "galloping_pigs",
	.size = sizeof(struct galloping_tracker),
	.start = start,
	.chance = chance,
	.action = action,
	.shown = shown,
};
