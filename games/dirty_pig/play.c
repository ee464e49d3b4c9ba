/* A turn of Dirty Pig, from the action to the refill. */
#include "games/dirty_pig/internal.h"

static void end_turn(struct dirty_pig *s, struct events *events)
{
	int next = s->turn + 1;

	s->turns++;
	if (s->turns >= s->head.option[DIRTY_PIG_OPTION_MAX_TURNS]) { /* DP-5.3 */
		event_add(events, DIRTY_PIG_EVENT_GUARD, s->turns, 0, 0, 0);
		dirty_pig_finish(s, NO_SEAT, events);
		return;
	}
	dirty_pig_ask(s, next == s->head.seats ? 0 : next); /* DP-2.1 */
}

/* DP-2.6, and DP-2.7 once the last card of the stack is drawn. */
void dirty_pig_refill(struct dirty_pig *s, struct events *events)
{
	int seat = s->turn, size = s->head.option[DIRTY_PIG_OPTION_HAND];
	struct event *e = NULL;

	if (events && s->hand_size[seat] < size) {
		e = event_add(events, DIRTY_PIG_EVENT_DRAW, seat, 0, 0, 0);
		event_audience(e, AUDIENCE_SEAT(seat));
	}
	while (s->hand_size[seat] < size) {
		event_card(e, dirty_pig_draw(s, seat));
		if (s->stack_size == 0) {
			dirty_pig_need_chance(s, DIRTY_PIG_SHUFFLE);
			return;
		}
	}
	end_turn(s, events);
}

/* The card leaves the hand; whoever counted on it being held knows it no more. */
static void put_down(struct dirty_pig *s, int seat, int face)
{
	s->hand[seat][face]--;
	s->hand_size[seat]--;
	for (int other = 0; other < s->head.seats; other++)
		if (other != seat)
			s->held[other][face] -= s->held[other][face] > 0;
}

static void wash(struct dirty_pig *s, int seat, int pig, struct events *events)
{
	s->pigs[seat][pig] &= (uint8_t)~IS_DIRTY;
	event_add(events, DIRTY_PIG_EVENT_WASH, seat, pig, 0, 0);
}

static void play_rain(struct dirty_pig *s, struct events *events)
{
	for (int seat = 0; seat < s->head.seats; seat++) /* DP-4.2 */
		for (int pig = 0; pig < s->pig_count[seat]; pig++)
			if ((s->pigs[seat][pig] & (IS_DIRTY | HAS_BARN)) == IS_DIRTY)
				wash(s, seat, pig, events);
}

static void play_bolt(struct dirty_pig *s, int to, int pig, struct events *events)
{
	struct event *e = event_add(events, DIRTY_PIG_EVENT_LOSE, to, pig, 0, 0);
	uint8_t *struck = &s->pigs[to][pig];

	event_card(e, DIRTY_PIG_BARN);
	s->discard[DIRTY_PIG_BARN]++; /* DP-4.6 */
	if (*struck & HAS_LOCK) {
		event_card(e, DIRTY_PIG_LOCK);
		s->discard[DIRTY_PIG_LOCK]++;
	}
	*struck &= IS_DIRTY;
}

static void play_mud(struct dirty_pig *s, int seat, int pig, struct events *events)
{
	s->pigs[seat][pig] |= IS_DIRTY; /* DP-4.1 */
	if (dirty_pig_count_dirty(s, seat) == s->pig_count[seat]) {
		s->turns++; /* DP-5.1 */
		dirty_pig_finish(s, seat, events);
	}
}

static void play(
	struct dirty_pig *s, int seat, const struct action *action, struct events *events)
{
	static const uint8_t flag[DIRTY_PIG_FACES] = {[DIRTY_PIG_BARN] = HAS_BARN,
		[DIRTY_PIG_ROD] = HAS_ROD,
		[DIRTY_PIG_LOCK] = HAS_LOCK};
	int face = action->arg[0], to = action->arg[1], pig = action->arg[2];

	event_card(event_add(events, DIRTY_PIG_EVENT_PLAY, seat, to,
			   pig == ABSENT ? -1 : pig, 0),
		(uint8_t)face);
	if (flag[face]) { /* DP-4.3, DP-4.4, DP-4.5 */
		s->pigs[seat][pig] |= flag[face];
		return;
	}
	s->discard[face]++; /* DP-2.5 */
	switch (face) {
	case DIRTY_PIG_MUD:
		play_mud(s, seat, pig, events);
		break;
	case DIRTY_PIG_RAIN:
		play_rain(s, events);
		break;
	case DIRTY_PIG_BOLT:
		play_bolt(s, to, pig, events);
		break;
	default:
		wash(s, to, pig, events); /* DP-4.7 */
	}
}

/* DP-2.4 */
static void swap(struct dirty_pig *s, int seat, struct events *events)
{
	struct event *e = event_add(events, DIRTY_PIG_EVENT_SWAP, seat, 0, 0, 0);

	for (int face = 0; face < DIRTY_PIG_FACES; face++)
		while (s->hand[seat][face]) {
			put_down(s, seat, face);
			s->discard[face]++;
			event_card(e, (uint8_t)face);
		}
}

void dirty_pig_apply(
	void *state, int seat, const struct action *action, struct events *events)
{
	struct dirty_pig *s = state;
	uint8_t face = action->arg[0];

	switch (action->verb) {
	case DIRTY_PIG_PLAY:
		put_down(s, seat, face);
		play(s, seat, action, events);
		if (s->head.need == NEED_NOTHING) /* DP-5.1 */
			return;
		break;
	case DIRTY_PIG_DISCARD:
		put_down(s, seat, face);
		s->discard[face]++;
		event_card(
			event_add(events, DIRTY_PIG_EVENT_DISCARD, seat, 0, 0, 0), face);
		break;
	default:
		swap(s, seat, events);
	}
	dirty_pig_refill(s, events);
}
