/* Pig Pile from the choice of the face-up cards to the end of a turn. */
#include "games/pig_pile/internal.h"

#include <assert.h>
#include <string.h>

/* PP-2.6: all choices are in; they are shown together. */
static void reveal_faces(struct pig_pile_state *s, struct events *events)
{
	for (int seat = 0; seat < s->head.seats; seat++) {
		uint8_t *chosen = s->chosen[seat];
		for (int i = 0; i < PIG_PILE_SLOP; i++) {
			s->hand[seat][chosen[i]]--;
			s->up[seat][chosen[i]]++;
		}
		s->hand_count[seat] -= PIG_PILE_SLOP;
		s->limit[seat][PIG_PILE_WILD] -= PIG_PILE_SLOP;
		pig_pile_note_cards(events, PIG_PILE_EVENT_FACE, seat, 0, AUDIENCE_ALL,
			chosen, PIG_PILE_SLOP);
	}
	memset(s->chosen, NO_CARD, sizeof(s->chosen));
	s->head.phase = PIG_PILE_TURN;
	pig_pile_begin_turn(s, s->dealer, events); /* PP-2.8 */
}

static void apply_face(struct pig_pile_state *s, int seat, const struct action *action,
	struct events *events)
{
	memcpy(s->chosen[seat], action->arg, PIG_PILE_SLOP);
	s->head.pending &= (uint16_t)~AUDIENCE_SEAT(seat);
	if (!s->head.pending)
		reveal_faces(s, events);
}

/* PP-3.8 */
static void draw(struct pig_pile_state *s, int seat, struct events *events)
{
	uint8_t card;

	if (!s->stock_count)
		return;
	card = s->stock[--s->stock_count];
	s->stock[s->stock_count] = NO_CARD;
	s->hand[seat][card]++;
	s->hand_count[seat]++;
	s->limit[seat][PIG_PILE_WILD]++;
	pig_pile_note_cards(
		events, PIG_PILE_EVENT_DRAW, seat, 0, AUDIENCE_SEAT(seat), &card, 1);
}

/*
 * PP-4.4: played cards were known ones as far as there are any. Each of the others
 * uses up the tightest limit that allows it, so that no hand that is still possible
 * gets lost.
 */
static void leave_hand(struct pig_pile_state *s, int seat, int face, int count)
{
	uint8_t *known = &s->known[seat][face];
	int hidden = count > *known ? count - *known : 0;

	s->hand[seat][face] -= (uint8_t)count;
	s->hand_count[seat] -= (uint8_t)count;
	*known -= (uint8_t)(count - hidden);
	for (int f = pig_pile_strength(s, face); hidden; f++) {
		uint8_t *limit = &s->limit[seat][f];
		int used = hidden < *limit ? hidden : *limit;

		assert(f < PIG_PILE_FACES);
		*limit -= (uint8_t)used;
		hidden -= used;
	}
}

static void pick_up(struct pig_pile_state *s, int seat, int face, int count)
{
	s->hand[seat][face] += (uint8_t)count;
	s->known[seat][face] += (uint8_t)count;
	s->hand_count[seat] += (uint8_t)count;
}

static void clear_pile(struct pig_pile_state *s)
{
	memset(s->pile, NO_CARD, s->pile_count);
	s->pile_count = 0;
}

/* Equal tokens on top of the pile. */
static int top_run(const struct pig_pile_state *s)
{
	int run = 0;

	while (run < s->pile_count &&
		s->pile[s->pile_count - 1 - run] == s->pile[s->pile_count - 1])
		run++;
	return run;
}

static int next_active(const struct pig_pile_state *s, int seat)
{
	do {
		if (s->direction == PIG_PILE_CLOCKWISE)
			seat = seat + 1 == s->head.seats ? 0 : seat + 1;
		else
			seat = seat ? seat - 1 : s->head.seats - 1;
	} while (pig_pile_is_out(s, seat));
	return seat;
}

/* PP-7.1 to PP-7.5 */
static void pass_turn(struct pig_pile_state *s, int seat, struct events *events)
{
	int top = s->pile_count ? s->pile[s->pile_count - 1] : NO_CARD;
	int skips = top == PIG_PILE_FOUR ? top_run(s) : 0;

	if (top == PIG_PILE_ELEVEN) {
		s->direction ^= 1;
		pig_pile_note(events, PIG_PILE_EVENT_REVERSE, s->direction, 0);
	}
	for (; skips; skips--) {
		seat = next_active(s, seat);
		pig_pile_note(events, PIG_PILE_EVENT_SKIP, seat, 0);
	}
	pig_pile_begin_turn(s, next_active(s, seat), events);
}

static bool has_cards(const struct pig_pile_state *s, int seat)
{
	return s->hand_count[seat] || s->slop_left[seat] || pig_pile_sum(s->up[seat]);
}

static void end_turn(struct pig_pile_state *s, int seat, struct events *events)
{
	s->turns++;
	if (!has_cards(s, seat)) { /* PP-8.1 */
		s->out[s->out_count++] = (uint8_t)seat;
		pig_pile_note(events, PIG_PILE_EVENT_OUT, seat, s->out_count);
	}
	if (s->out_count == PIG_PILE_OUT_MAX) { /* PP-8.2 */
		pig_pile_end_round(s, events);
	} else if (s->turns >= s->head.option[PIG_PILE_OPTION_MAX_TURNS]) { /* PP-7.6 */
		pig_pile_note(events, PIG_PILE_EVENT_GUARD, s->turns, 0);
		pig_pile_end_round(s, events);
	} else {
		pass_turn(s, seat, events);
	}
}

/* PP-6.3 */
static void wash(struct pig_pile_state *s, int seat, struct events *events)
{
	for (int i = 0; i < s->pile_count; i++)
		s->washed[s->pile[i]]++;
	pig_pile_note(events, PIG_PILE_EVENT_WASH, seat, s->pile_count);
	clear_pile(s);
}

/* The seat's cards lie on the pile. */
static void after_play(struct pig_pile_state *s, int seat, struct events *events)
{
	bool washes = s->pile[s->pile_count - 1] == PIG_PILE_EIGHT || /* PP-6.1 */
		      top_run(s) >= 3;                                /* PP-6.2 */

	if (washes) {
		wash(s, seat, events);
		/* PP-6.4 to PP-6.6: with a card to play, the turn goes on; an emptied
		 * hand is not replaced by face-up cards while there is a stock. */
		if (s->hand_count[seat] || (!s->stock_count && has_cards(s, seat)))
			return;
	}
	draw(s, seat, events);
	end_turn(s, seat, events);
}

static void apply_play(struct pig_pile_state *s, int seat, const struct action *action,
	struct events *events)
{
	int face = action->arg[0], count = action->count;
	int zone = s->hand_count[seat] ? PIG_PILE_ZONE_HAND : PIG_PILE_ZONE_UP;

	if (zone == PIG_PILE_ZONE_HAND)
		leave_hand(s, seat, face, count);
	else
		s->up[seat][face] -= (uint8_t)count;
	memset(s->pile + s->pile_count, face, (size_t)count);
	s->pile_count += (uint8_t)count;
	pig_pile_note_cards(events, PIG_PILE_EVENT_PLAY, seat, zone, AUDIENCE_ALL,
		action->arg, count);
	after_play(s, seat, events);
}

/* PP-4.3, PP-4.4 */
static void take_pile(struct pig_pile_state *s, int seat)
{
	for (int i = 0; i < s->pile_count; i++)
		pick_up(s, seat, s->pile[i], 1);
	clear_pile(s);
}

/* PP-4.1, PP-4.2 */
static void apply_take(struct pig_pile_state *s, int seat, const struct action *action,
	struct events *events)
{
	uint8_t *limit = s->limit[seat];
	int floor = pig_pile_floor(s);

	if (events) {
		struct event *event =
			event_add(events, PIG_PILE_EVENT_TAKE, seat, action->count, 0, 0);
		for (int i = 0; i < s->pile_count; i++)
			event_card(event, s->pile[i]);
		for (int i = 0; i < action->count; i++)
			event_card(event, action->arg[i]);
	}
	/* None of the cards in the hand fits on the pile, and now everybody knows. */
	for (int f = floor; f < PIG_PILE_FACES; f++) {
		limit[floor - 1] += limit[f];
		limit[f] = 0;
	}
	if (action->count) {
		s->up[seat][action->arg[0]] -= action->count;
		pick_up(s, seat, action->arg[0], action->count);
	}
	take_pile(s, seat);
	end_turn(s, seat, events);
}

/* PP-5.1, PP-5.3, PP-5.4 */
static void apply_slop(struct pig_pile_state *s, int seat, int i, struct events *events)
{
	uint8_t card = s->slop[seat][i];
	bool plays = pig_pile_strength(s, card) >= pig_pile_floor(s);

	s->slop[seat][i] = NO_CARD;
	s->slop_left[seat] &= (uint8_t) ~(1 << i);
	s->pile[s->pile_count++] = card;
	pig_pile_note_cards(events, PIG_PILE_EVENT_SLOP, seat, i, AUDIENCE_ALL, &card, 1);
	if (plays) {
		after_play(s, seat, events);
		return;
	}
	pig_pile_note_cards(events, PIG_PILE_EVENT_TAKE, seat, 0, AUDIENCE_ALL, s->pile,
		s->pile_count);
	take_pile(s, seat);
	end_turn(s, seat, events);
}

void pig_pile_apply(
	void *state, int seat, const struct action *action, struct events *events)
{
	struct pig_pile_state *s = state;

	switch (action->verb) {
	case PIG_PILE_VERB_FACE:
		apply_face(s, seat, action, events);
		break;
	case PIG_PILE_VERB_PLAY:
		apply_play(s, seat, action, events);
		break;
	case PIG_PILE_VERB_TAKE:
		apply_take(s, seat, action, events);
		break;
	default:
		apply_slop(s, seat, action->arg[0], events);
	}
}
