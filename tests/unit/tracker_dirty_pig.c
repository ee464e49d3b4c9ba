/*
 * Dirty Pig: a card that is dealt or drawn is shown to its seat; one that is played,
 * discarded or swapped is shown to everybody; nobody sees into the stack. Cards that go
 * back into the stack are new cards of a new order.
 *
 * The pigs are followed only as far as is needed to see a win, after which no card is
 * drawn any more.
 */
#include "tests/unit/tracker.h"
#include "games/dirty_pig/dirty_pig.h"

#include <assert.h>

enum {
	HAND_MAX = 4,
	ORDERS_MAX = 4096, /* thousands of turns: at least ten come before a shuffle */
	EVERYBODY = 0xff   /* in `shown`: the spectator too */
};

struct place {
	int order, position;
	uint8_t face;
};

struct hand {
	int count;
	struct place card[HAND_MAX]; /* longest held first */
};

struct dirty_pig_tracker {
	int seats, hand_size;
	int turn;
	int orders;    /* drawn so far; the stack is the last one */
	int stack_at;  /* the next card of the stack */
	int stack_end; /* its cards */
	bool over;
	unsigned dirty[DIRTY_PIG_SEATS_MAX], barn[DIRTY_PIG_SEATS_MAX]; /* sets of pigs */
	struct hand hand[DIRTY_PIG_SEATS_MAX];
	uint8_t stack[DIRTY_PIG_CARDS];
	uint8_t shown[ORDERS_MAX][DIRTY_PIG_CARDS]; /* sets of seats */
};

static void start(void *memory, int seats, const int16_t *option)
{
	struct dirty_pig_tracker *t = memory;

	t->seats = seats;
	t->hand_size = option[DIRTY_PIG_OPTION_HAND];
	if (option[DIRTY_PIG_OPTION_FIRST] >= 0)
		t->turn = option[DIRTY_PIG_OPTION_FIRST] % seats;
}

static void draw(struct dirty_pig_tracker *t, int seat)
{
	struct hand *hand = &t->hand[seat];

	hand->card[hand->count++] =
		(struct place){t->orders - 1, t->stack_at, t->stack[t->stack_at]};
	t->shown[t->orders - 1][t->stack_at] |= (uint8_t)(1u << seat);
	t->stack_at++;
}

/* Fills the hand of the seat whose turn it is. With the stack empty, the turn waits for
 * the shuffle. */
static void refill(struct dirty_pig_tracker *t)
{
	while (t->stack_at < t->stack_end && t->hand[t->turn].count < t->hand_size)
		draw(t, t->turn);
	if (t->stack_at < t->stack_end)
		t->turn = (t->turn + 1) % t->seats;
}

static void chance(void *memory, enum chance_kind kind, const uint8_t *order, int n)
{
	struct dirty_pig_tracker *t = memory;

	assert(t->orders < ORDERS_MAX);
	t->orders++;
	if (kind == CHANCE_FIRST) {
		t->turn = order[0];
		t->shown[t->orders - 1][0] = EVERYBODY;
		return;
	}
	for (int i = 0; i < n; i++)
		t->stack[i] = order[i];
	t->stack_at = 0;
	t->stack_end = n;
	if (kind == CHANCE_SHUFFLE) {
		refill(t);
		return;
	}
	for (int i = 0; i < t->hand_size * t->seats; i++)
		draw(t, (t->turn + i) % t->seats);
}

static void show_and_drop(struct dirty_pig_tracker *t, int seat, int index)
{
	struct hand *hand = &t->hand[seat];
	struct place *card = &hand->card[index];

	t->shown[card->order][card->position] = EVERYBODY;
	hand->count--;
	for (int i = index; i < hand->count; i++)
		hand->card[i] = hand->card[i + 1];
}

static void drop_face(struct dirty_pig_tracker *t, int seat, uint8_t face)
{
	for (int i = 0; i < t->hand[seat].count; i++)
		if (t->hand[seat].card[i].face == face) {
			show_and_drop(t, seat, i);
			return;
		}
	assert(!"a card was put down that the tracker does not know in this hand");
}

/* What matters for a win: dirt, and barns against rain. */
static void play(struct dirty_pig_tracker *t, int seat, const struct action *a)
{
	static const unsigned all_pigs[] = {0, 0, 0x1f, 0xf, 0x7};
	int to = a->arg[1];
	unsigned pig = a->arg[2] == ABSENT ? 0 : 1u << a->arg[2];

	switch (a->arg[0]) {
	case DIRTY_PIG_MUD:
		t->dirty[seat] |= pig;
		t->over = t->dirty[seat] == all_pigs[t->seats];
		break;
	case DIRTY_PIG_RAIN:
		for (int i = 0; i < t->seats; i++)
			t->dirty[i] &= t->barn[i];
		break;
	case DIRTY_PIG_BARN:
		t->barn[seat] |= pig;
		break;
	case DIRTY_PIG_BOLT:
		t->barn[to] &= ~pig;
		break;
	case DIRTY_PIG_FARMER:
		t->dirty[to] &= ~pig;
		break;
	default:
		break;
	}
}

static void action(void *memory, int seat, const struct action *a)
{
	struct dirty_pig_tracker *t = memory;

	if (a->verb == DIRTY_PIG_SWAP)
		while (t->hand[seat].count)
			show_and_drop(t, seat, 0);
	else
		drop_face(t, seat, a->arg[0]);
	if (a->verb == DIRTY_PIG_PLAY)
		play(t, seat, a);
	if (!t->over)
		refill(t);
}

static uint16_t shown(const void *memory, int order, int position)
{
	const struct dirty_pig_tracker *t = memory;
	uint8_t set = t->shown[order][position];

	if (set == EVERYBODY)
		return AUDIENCE_ALL;
	return set;
}

const struct tracker dirty_pig_tracker = {
	.game = "dirty_pig",
	.size = sizeof(struct dirty_pig_tracker),
	.start = start,
	.chance = chance,
	.action = action,
	.shown = shown,
};
