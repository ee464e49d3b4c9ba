/*
 * Tennessee Pig: a card is shown to the seat that is dealt it, whether it is kept,
 * thrown away or burned. Shown to everybody are the cards drawn for the deal, burned
 * trumps once all are down to six, played and folded cards, the trumps of the last seat
 * that is still in, the fixed point cards of a slam, and the card of a punished play.
 * Nobody sees the stock. Thrown cards that are shuffled again are cards of a new order.
 */
#include "tests/unit/tracker.h"
#include "games/tennessee_pig/tennessee_pig.h"

#include <assert.h>

enum { ORDERS_MAX = 4096, SEATS = 4, CARDS = 53, HAND = 6, DEALT = 9, HAND_MAX = 16 };

struct place {
	int order, position;
	uint8_t face;
};

struct heap {
	int count;
	struct place card[HAND_MAX];
};

struct tennessee_tracker {
	bool cut; /* somebody cuts before the deal */
	int dealer;
	bool drawn; /* the dealer comes from a draw, not from the hand before */
	unsigned drawing;
	int bidder;
	int trump; /* suit */
	unsigned live;
	struct heap hand[SEATS];
	struct heap burning[SEATS];
	int orders;
	/* What is left to deal: places of the last order, from `next` to `end`, counted
	 * from `first`, where the deck was cut. */
	int first, next, end;
	uint8_t face[CARDS];
	uint16_t shown[ORDERS_MAX][CARDS];
};

static void start(void *memory, int seats, const int16_t *option)
{
	struct tennessee_tracker *t = memory;

	(void)seats;
	t->cut = option[TENNESSEE_OPTION_CUT] == TENNESSEE_CUT_ASK;
}

static bool is_trump(const struct tennessee_tracker *t, int face)
{
	static const char sister[] = {3, 2, 1, 0};
	int suit = face / 13, rank = face % 13;

	if (face == 52 || suit == t->trump)
		return true;
	return suit == sister[t->trump] && (rank == 3 || rank == 9); /* 5 and J */
}

/* A, J, T and 5, the off cards and the joker. */
static bool is_fixed(const struct tennessee_tracker *t, int face)
{
	int rank = face % 13;

	return is_trump(t, face) &&
	       (face == 52 || rank == 12 || rank == 9 || rank == 8 || rank == 3);
}

static void show(struct tennessee_tracker *t, const struct place *card, uint16_t audience)
{
	t->shown[card->order][card->position] |= audience;
}

static void show_heap(struct tennessee_tracker *t, const struct heap *heap,
	bool (*which)(const struct tennessee_tracker *, int))
{
	for (int i = 0; i < heap->count; i++)
		if (!which || which(t, heap->card[i].face))
			show(t, &heap->card[i], AUDIENCE_ALL);
}

static struct place take(struct heap *heap, int face)
{
	struct place card;
	int i = 0;

	while (i < heap->count && heap->card[i].face != face)
		i++;
	assert(i < heap->count);
	card = heap->card[i];
	heap->card[i] = heap->card[--heap->count];
	return card;
}

static void put(struct heap *heap, struct place card)
{
	assert(heap->count < HAND_MAX);
	heap->card[heap->count++] = card;
}

static void lay_deck(struct tennessee_tracker *t, const uint8_t *order, int n)
{
	t->first = t->next = 0;
	t->end = n;
	for (int i = 0; i < n; i++)
		t->face[i] = order[i];
}

static void deal_card(struct tennessee_tracker *t, int seat)
{
	int position = (t->first + t->next++) % CARDS;
	struct place card = {t->orders - 1, position, t->face[position]};

	put(&t->hand[seat], card);
	show(t, &card, AUDIENCE_SEAT(seat));
}

static int draw_height(int face)
{
	return face == 52 ? 17 : 2 * (face % 13); /* the joker under the jacks, 18 */
}

/* Rows of one card for each seat that draws, until one has the highest. */
static void draw_dealer(struct tennessee_tracker *t, const uint8_t *order, int n)
{
	int at = 0;

	if (!t->drawing)
		t->drawing = 0xf;
	while (t->drawing & (t->drawing - 1)) {
		unsigned best = 0;
		int height = -1;

		if (n - at < __builtin_popcount(t->drawing))
			return;
		for (int seat = 0; seat < SEATS; seat++) {
			if (!(t->drawing >> seat & 1))
				continue;
			t->shown[t->orders - 1][at] = AUDIENCE_ALL;
			int here = draw_height(order[at++]);

			if (here > height)
				best = 0;
			if (here >= height)
				best |= 1u << seat;
			height = here > height ? here : height;
		}
		t->drawing = best;
	}
	t->dealer = __builtin_ctz(t->drawing);
	t->drawing = 0;
	t->drawn = true;
}

static void deal_nine(struct tennessee_tracker *t)
{
	for (int i = 0; i < DEALT * SEATS; i++)
		deal_card(t, (t->dealer + 1 + i) % SEATS);
}

static void begin_hand(struct tennessee_tracker *t, const uint8_t *order)
{
	if (!t->drawn)
		t->dealer = (t->dealer + 1) % SEATS;
	t->drawn = false;
	t->live = 0xf;
	for (int seat = 0; seat < SEATS; seat++)
		t->hand[seat].count = t->burning[seat].count = 0;
	lay_deck(t, order, CARDS);
	if (!t->cut)
		deal_nine(t);
}

static void show_slam(struct tennessee_tracker *t)
{
	for (int seat = 0; seat < SEATS; seat++) {
		int fixed = 0;

		for (int i = 0; i < t->hand[seat].count; i++)
			fixed += is_fixed(t, t->hand[seat].card[i].face);
		if (fixed == 7)
			show_heap(t, &t->hand[seat], is_fixed);
	}
}

/* Up to six for each hand, the rest to the bidder unless it is trash dealt again. */
static void fill(struct tennessee_tracker *t, bool again)
{
	for (int i = 1; i <= SEATS; i++) {
		int seat = (t->dealer + i) % SEATS;

		while (t->hand[seat].count < HAND) {
			if (t->next == t->end)
				return;
			deal_card(t, seat);
		}
	}
	while (!again && t->next < t->end)
		deal_card(t, t->bidder);
	show_slam(t);
}

static void chance(void *memory, enum chance_kind kind, const uint8_t *order, int n)
{
	struct tennessee_tracker *t = memory;

	assert(t->orders < ORDERS_MAX);
	t->orders++;
	if (kind == CHANCE_DRAW) {
		draw_dealer(t, order, n);
	} else if (kind == CHANCE_DEAL) {
		begin_hand(t, order);
	} else {
		lay_deck(t, order, n);
		fill(t, true);
	}
}

static void throw_trash(struct tennessee_tracker *t)
{
	for (int seat = 0; seat < SEATS; seat++) {
		struct heap *hand = &t->hand[seat];
		int kept = 0;

		for (int i = 0; i < hand->count; i++)
			if (is_trump(t, hand->card[i].face))
				hand->card[kept++] = hand->card[i];
		hand->count = kept;
	}
}

static void burn(struct tennessee_tracker *t, int seat, int face)
{
	put(&t->burning[seat], take(&t->hand[seat], face));
	for (int other = 0; other < SEATS; other++)
		if (t->hand[other].count > HAND)
			return;
	for (int other = 0; other < SEATS; other++)
		show_heap(t, &t->burning[other], is_trump);
}

static void play(struct tennessee_tracker *t, int seat, int face)
{
	struct place card = take(&t->hand[seat], face);

	show(t, &card, AUDIENCE_ALL);
}

static void fold(struct tennessee_tracker *t, int seat)
{
	show_heap(t, &t->hand[seat], NULL);
	t->hand[seat].count = 0;
	t->live &= ~(1u << seat);
	/* The one that is left is or becomes the leader, and catches the rest at once. */
	if (!(t->live & (t->live - 1)))
		show_heap(t, &t->hand[__builtin_ctz(t->live)], is_trump);
}

static void action(void *memory, int seat, const struct action *a)
{
	struct tennessee_tracker *t = memory;

	switch ((enum tennessee_verb)a->verb) {
	case TENNESSEE_VERB_CUT:
		t->first = a->arg[0];
		deal_nine(t);
		break;
	case TENNESSEE_VERB_BID:
		t->bidder = seat;
		break;
	case TENNESSEE_VERB_TRUMP:
		t->trump = a->arg[0];
		throw_trash(t);
		fill(t, false);
		break;
	case TENNESSEE_VERB_BURN:
		burn(t, seat, a->arg[0]);
		break;
	case TENNESSEE_VERB_PLAY:
		play(t, seat, a->arg[0]);
		break;
	case TENNESSEE_VERB_FOLD:
		fold(t, seat);
		break;
	case TENNESSEE_VERB_PASS:
	case TENNESSEE_VERBS:
		break;
	}
}

static uint16_t shown(const void *memory, int order, int position)
{
	const struct tennessee_tracker *t = memory;

	return t->shown[order][position];
}

const struct tracker tennessee_pig_tracker = {
	.game = "tennessee_pig",
	.size = sizeof(struct tennessee_tracker),
	.start = start,
	.chance = chance,
	.action = action,
	.shown = shown,
};
