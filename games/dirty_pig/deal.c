/* Dirty Pig: how a match begins, the deal and the new stack. */
#include "games/dirty_pig/internal.h"

#include <assert.h>
#include <string.h>

void dirty_pig_start(void *state)
{
	struct dirty_pig *s = state;
	int first = s->head.option[DIRTY_PIG_OPTION_FIRST];

	memset(s->pig_count, dirty_pig_pigs_each(s), s->head.seats); /* DP-1.1 */
	if (first >= 0)                                              /* DP-1.4 */
		s->turn = (uint8_t)(first % s->head.seats);
	dirty_pig_need_chance(s, first < 0 ? DIRTY_PIG_FIRST : DIRTY_PIG_DEAL);
}

void dirty_pig_chance(const void *state, struct chance *request)
{
	const struct dirty_pig *s = state;
	const uint8_t *count = dirty_pig_deck;

	memset(request, 0, sizeof(*request));
	request->kind = CHANCE_DEAL;
	if (s->head.phase == DIRTY_PIG_FIRST) {
		request->kind = CHANCE_FIRST;
		for (; request->n < s->head.seats; request->n++)
			request->token[request->n] = request->n;
		return;
	}
	if (s->head.phase == DIRTY_PIG_SHUFFLE) {
		request->kind = CHANCE_SHUFFLE;
		request->index = s->shuffles;
		count = s->discard;
	}
	for (int face = 0; face < DIRTY_PIG_FACES; face++)
		for (int i = 0; i < count[face]; i++)
			request->token[request->n++] = (uint8_t)face;
}

/* DP-1.3: one card at a time, clockwise from the seat that begins. */
static void deal(struct dirty_pig *s, struct events *events)
{
	int seats = s->head.seats, size = s->head.option[DIRTY_PIG_OPTION_HAND];
	uint8_t got[DIRTY_PIG_SEATS_MAX][4];

	for (int i = 0; i < size; i++)
		for (int k = 0; k < seats; k++)
			got[k][i] = dirty_pig_draw(s, (s->turn + k) % seats);
	for (int k = 0; events && k < seats; k++) {
		int seat = (s->turn + k) % seats;
		struct event *e = event_add(events, DIRTY_PIG_EVENT_DEAL, seat, 0, 0, 0);

		event_audience(e, AUDIENCE_SEAT(seat));
		for (int i = 0; i < size; i++)
			event_card(e, got[k][i]);
	}
}

/* With the stack gone, each seat can count what the others hold. */
static void count_hands(struct dirty_pig *s)
{
	for (int seat = 0; seat < s->head.seats; seat++)
		for (int face = 0; face < DIRTY_PIG_FACES; face++) {
			int n = 0;

			for (int other = 0; other < s->head.seats; other++)
				n += other == seat ? 0 : s->hand[other][face];
			s->held[seat][face] = (uint8_t)n;
		}
}

void dirty_pig_apply_chance(
	void *state, const uint8_t *order, int n, struct events *events)
{
	struct dirty_pig *s = state;

	switch (s->head.phase) {
	case DIRTY_PIG_FIRST:
		s->turn = order[0];
		event_add(events, DIRTY_PIG_EVENT_TURN, s->turn, 0, 0, 0);
		dirty_pig_need_chance(s, DIRTY_PIG_DEAL);
		return;
	case DIRTY_PIG_DEAL:
		dirty_pig_lay_stack(s, order, n);
		deal(s, events);
		dirty_pig_ask(s, s->turn);
		return;
	default:
		assert(s->head.phase == DIRTY_PIG_SHUFFLE);
		dirty_pig_lay_stack(s, order, n);
		memset(s->discard, 0, sizeof(s->discard));
		s->shuffles++;
		count_hands(s);
		event_add(events, DIRTY_PIG_EVENT_SHUFFLE, n, 0, 0, 0);
		dirty_pig_refill(s, events);
	}
}
