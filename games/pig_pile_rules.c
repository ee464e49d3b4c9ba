/*
 * The transitions of Pig Pile.
 *
 *   FIRST --apply_chance--> DEAL          only with first_dealer=random
 *   DEAL  --apply_chance--> FACE          a round in which seats choose
 *                      `--> TURN          a round dealt face up
 *   FACE  --apply (last of all)--> TURN   the dealer begins
 *   TURN  --apply--> TURN                 the same seat after a wash, or the next
 *               `--> DEAL | OVER          the round ended (end_round)
 *
 * A turn: apply_play, apply_take and apply_slop move the cards; after_play washes and
 * draws; end_turn lets a seat go out, obeys the top of the pile and passes the turn on.
 */
#include "games/pig_pile_internal.h"

#include <assert.h>
#include <string.h>

static void note(struct events *events, int kind, int a0, int a1)
{
	if (events)
		event_add(events, kind, a0, a1, 0, 0);
}

static void note_cards(struct events *events, int kind, int seat, int a1,
	uint16_t audience, const uint8_t *card, int count)
{
	struct event *event;

	if (!events)
		return;
	event = event_add(events, kind, seat, a1, 0, 0);
	event_audience(event, audience);
	for (int i = 0; i < count; i++)
		event_card(event, card[i]);
}

static void ask(struct pig_pile_state *s, uint16_t seats)
{
	s->head.need = NEED_ANSWERS;
	s->head.acting = seats;
	s->head.pending = seats;
}

static void ask_nobody(struct pig_pile_state *s, int phase, int need)
{
	s->head.phase = (uint8_t)phase;
	s->head.need = (uint8_t)need;
	s->head.acting = 0;
	s->head.pending = 0;
}

static void begin_turn(struct pig_pile_state *s, int seat, struct events *events)
{
	ask(s, AUDIENCE_SEAT(seat));
	note(events, PIG_PILE_EVENT_TURN, seat, 0);
}

/* PP-1.4 */
void pig_pile_start(void *state)
{
	struct pig_pile_state *s = state;
	int first = s->head.option[PIG_PILE_OPTION_FIRST_DEALER];

	s->pen = (uint8_t)pig_pile_pen(s->head.seats);
	ask_nobody(s, first < 0 ? PIG_PILE_FIRST : PIG_PILE_DEAL, NEED_CHANCE);
	if (first >= 0)
		s->dealer = (uint8_t)(first % s->head.seats);
}

/* PP-1.2, PP-1.4 */
void pig_pile_chance(const void *state, struct chance *request)
{
	const struct pig_pile_state *s = state;
	int seats = s->head.seats;

	request->n = 0;
	request->index = s->round;
	if (s->head.phase == PIG_PILE_FIRST) {
		request->kind = CHANCE_FIRST;
		for (int seat = 0; seat < seats; seat++)
			request->token[request->n++] = (uint8_t)seat;
		return;
	}
	request->kind = CHANCE_DEAL;
	for (int face = 0; face < PIG_PILE_FACES; face++)
		for (int i = pig_pile_deck(seats, face); i > 0; i--)
			request->token[request->n++] = (uint8_t)face;
}

static void clear_table(struct pig_pile_state *s)
{
	s->direction = PIG_PILE_CLOCKWISE; /* PP-2.8 */
	s->turns = 0;
	s->out_count = 0;
	s->pile_count = 0;
	memset(s->out, NO_SEAT, sizeof(s->out));
	memset(s->hand_count, 0, sizeof(s->hand_count));
	memset(s->slop_left, 0, sizeof(s->slop_left));
	memset(s->hand, 0, sizeof(s->hand));
	memset(s->known, 0, sizeof(s->known));
	memset(s->limit, 0, sizeof(s->limit));
	memset(s->up, 0, sizeof(s->up));
	memset(s->washed, 0, sizeof(s->washed));
	memset(s->pile, NO_CARD, sizeof(s->pile));
	memset(s->stock, NO_CARD, sizeof(s->stock));
	memset(s->slop, NO_CARD, sizeof(s->slop));
}

/*
 * PP-2.1: `passes` cards to each seat, one at a time from the dealer's left. Returns
 * what is left of the order.
 */
static const uint8_t *deal_batch(struct pig_pile_state *s, int zone, int passes,
	const uint8_t *order, struct events *events)
{
	int seats = s->head.seats;

	for (int i = 1; i <= seats; i++) {
		int seat = (s->dealer + i) % seats;
		uint16_t audience = zone == PIG_PILE_ZONE_UP     ? AUDIENCE_ALL
				    : zone == PIG_PILE_ZONE_HAND ? AUDIENCE_SEAT(seat)
								 : AUDIENCE_NONE;
		uint8_t card[7];

#ifdef PLANT_pig_pile_slop_event
		if (zone == PIG_PILE_ZONE_SLOP)
			audience = AUDIENCE_SEAT(seat);
#endif
		for (int pass = 0; pass < passes; pass++) {
			card[pass] = order[pass * seats + i - 1];
			if (zone == PIG_PILE_ZONE_SLOP)
				s->slop[seat][pass] = card[pass];
			else if (zone == PIG_PILE_ZONE_UP)
				s->up[seat][card[pass]]++;
			else
				s->hand[seat][card[pass]]++;
		}
		note_cards(
			events, PIG_PILE_EVENT_DEAL, seat, zone, audience, card, passes);
	}
	return order + passes * seats;
}

/* PP-2.3 */
static bool round_is_dealt_up(const struct pig_pile_state *s)
{
	int deal = s->head.option[PIG_PILE_OPTION_DEAL];

	return deal == PIG_PILE_DEALT || (deal == PIG_PILE_GREASED && s->round == 1);
}

static void deal_round(
	struct pig_pile_state *s, const uint8_t *order, int n, struct events *events)
{
	const uint8_t *end = order + n;
	int seats = s->head.seats, hand;
	bool up;

	clear_table(s);
	s->round++;
	up = round_is_dealt_up(s);
	hand = up ? 4 : 7; /* PP-2.2, PP-2.3 */
	note(events, PIG_PILE_EVENT_ROUND, s->round, s->dealer);
	order = deal_batch(s, PIG_PILE_ZONE_SLOP, PIG_PILE_SLOP, order, events);
	if (up)
		order = deal_batch(s, PIG_PILE_ZONE_UP, PIG_PILE_SLOP, order, events);
	order = deal_batch(s, PIG_PILE_ZONE_HAND, hand, order, events);
	for (int seat = 0; seat < seats; seat++) {
		s->slop_left[seat] = (1 << PIG_PILE_SLOP) - 1;
		s->hand_count[seat] = (uint8_t)hand;
		s->limit[seat][PIG_PILE_WILD] = (uint8_t)hand;
	}
	s->stock_count = (uint8_t)(end - order);
	for (int i = 0; order < end; i++)
		s->stock[i] = *--end;
	s->head.phase = up ? PIG_PILE_TURN : PIG_PILE_FACE;
	if (up)
		begin_turn(s, s->dealer, events); /* PP-2.8 */
	else
		ask(s, (uint16_t)((1 << seats) - 1)); /* PP-2.6 */
}

void pig_pile_apply_chance(
	void *state, const uint8_t *order, int n, struct events *events)
{
	struct pig_pile_state *s = state;

	if (s->head.phase == PIG_PILE_DEAL) {
		deal_round(s, order, n, events);
		return;
	}
	s->dealer = order[0];
	ask_nobody(s, PIG_PILE_DEAL, NEED_CHANCE);
}

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
		note_cards(events, PIG_PILE_EVENT_FACE, seat, 0, AUDIENCE_ALL, chosen,
			PIG_PILE_SLOP);
	}
	memset(s->chosen, NO_CARD, sizeof(s->chosen));
	s->head.phase = PIG_PILE_TURN;
	begin_turn(s, s->dealer, events); /* PP-2.8 */
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
	uint16_t audience = AUDIENCE_SEAT(seat);

	if (!s->stock_count)
		return;
	card = s->stock[--s->stock_count];
	s->stock[s->stock_count] = NO_CARD;
	s->hand[seat][card]++;
	s->hand_count[seat]++;
	s->limit[seat][PIG_PILE_WILD]++;
#ifdef PLANT_pig_pile_draw
	audience = AUDIENCE_ALL;
#endif
	note_cards(events, PIG_PILE_EVENT_DRAW, seat, 0, audience, &card, 1);
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

int pig_pile_round_limit(const struct pig_pile_state *s)
{
	int rounds = s->head.option[PIG_PILE_OPTION_ROUNDS];

	return rounds == PIG_PILE_ROUNDS_PLAYERS ? s->head.seats : rounds;
}

/* PP-8.3 to PP-8.5, PP-8.7: what each seat should get. */
static void awards(const struct pig_pile_state *s, uint8_t award[GAME_SEATS_MAX])
{
	int seats = s->head.seats, most = 0;
	bool third = seats == 3 && s->out_count == 2 &&
		     s->head.option[PIG_PILE_OPTION_THIRD_PIG];

	for (int seat = 0; seat < seats; seat++) {
		int left = pig_pile_cards_left(s, seat);
		most = left > most ? left : most;
	}
	for (int seat = 0; seat < seats; seat++)
		award[seat] = third || pig_pile_cards_left(s, seat) < most;
	for (int i = 0; i < s->out_count; i++)
		award[s->out[i]] = (uint8_t)(3 - i);
}

/*
 * PP-8.6: the order in which seats are paid: those that are out, then the others by
 * cards left, equal ones clockwise from the seat left of the first that went out, or
 * from the dealer if none did.
 */
static void payment_order(const struct pig_pile_state *s, uint8_t order[GAME_SEATS_MAX])
{
	int seats = s->head.seats, n = 0;
	int from = s->out_count ? s->out[0] + 1 : s->dealer;

	for (int i = 0; i < s->out_count; i++)
		order[n++] = s->out[i];
	for (int i = 0; i < seats; i++) {
		int seat = (from + i) % seats, at = n;
		if (pig_pile_is_out(s, seat))
			continue;
		while (at > s->out_count && pig_pile_cards_left(s, order[at - 1]) >
						    pig_pile_cards_left(s, seat)) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = (uint8_t)seat;
		n++;
	}
}

static void pay(struct pig_pile_state *s, struct events *events)
{
	uint8_t award[GAME_SEATS_MAX], order[GAME_SEATS_MAX];

	awards(s, award);
	payment_order(s, order);
	for (int i = 0; i < s->head.seats; i++) {
		int seat = order[i];
		if (award[seat] > s->pen)
			award[seat] = s->pen;
		s->pen -= award[seat];
		s->pigs[seat] += award[seat];
	}
	if (!events)
		return;
	for (int seat = 0; seat < s->head.seats; seat++)
		event_add(events, PIG_PILE_EVENT_SCORE, seat,
			pig_pile_cards_left(s, seat), award[seat], s->pigs[seat]);
}

static int match_reason(const struct pig_pile_state *s)
{
	return s->round == pig_pile_round_limit(s) ? PIG_PILE_REASON_ROUNDS
						   : PIG_PILE_REASON_PIGS;
}

static void end_round(struct pig_pile_state *s, struct events *events)
{
	pay(s, events);
	if (s->round == pig_pile_round_limit(s) || !s->pen) { /* PP-9.2, PP-9.3 */
		ask_nobody(s, PIG_PILE_OVER, NEED_NOTHING);
		note(events, PIG_PILE_EVENT_MATCH, match_reason(s), 0);
		return;
	}
	s->dealer = (uint8_t)((s->dealer + 1) % s->head.seats); /* PP-9.1 */
	ask_nobody(s, PIG_PILE_DEAL, NEED_CHANCE);
}

/* PP-7.1 to PP-7.5 */
static void pass_turn(struct pig_pile_state *s, int seat, struct events *events)
{
	int top = s->pile_count ? s->pile[s->pile_count - 1] : NO_CARD;
	int skips = top == PIG_PILE_FOUR ? top_run(s) : 0;

	if (top == PIG_PILE_ELEVEN) {
		s->direction ^= 1;
		note(events, PIG_PILE_EVENT_REVERSE, s->direction, 0);
	}
	for (; skips; skips--) {
		seat = next_active(s, seat);
		note(events, PIG_PILE_EVENT_SKIP, seat, 0);
	}
	begin_turn(s, next_active(s, seat), events);
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
		note(events, PIG_PILE_EVENT_OUT, seat, s->out_count);
	}
	if (s->out_count == PIG_PILE_OUT_MAX) { /* PP-8.2 */
		end_round(s, events);
	} else if (s->turns >= s->head.option[PIG_PILE_OPTION_MAX_TURNS]) { /* PP-7.6 */
		note(events, PIG_PILE_EVENT_GUARD, s->turns, 0);
		end_round(s, events);
	} else {
		pass_turn(s, seat, events);
	}
}

/* PP-6.3 */
static void wash(struct pig_pile_state *s, int seat, struct events *events)
{
	for (int i = 0; i < s->pile_count; i++)
		s->washed[s->pile[i]]++;
	note(events, PIG_PILE_EVENT_WASH, seat, s->pile_count);
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
	note_cards(events, PIG_PILE_EVENT_PLAY, seat, zone, AUDIENCE_ALL, action->arg,
		count);
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
	note_cards(events, PIG_PILE_EVENT_SLOP, seat, i, AUDIENCE_ALL, &card, 1);
	if (plays) {
		after_play(s, seat, events);
		return;
	}
	note_cards(events, PIG_PILE_EVENT_TAKE, seat, 0, AUDIENCE_ALL, s->pile,
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

/* PP-9.4 */
void pig_pile_result(const void *state, struct game_result *result)
{
	const struct pig_pile_state *s = state;

	for (int seat = 0; seat < s->head.seats; seat++) {
		result->score[seat] = s->pigs[seat];
		result->team[seat] = -1;
	}
	game_rank_by_score(result, s->head.seats);
	result->reason = match_reason(s) == PIG_PILE_REASON_ROUNDS ? "rounds" : "pigs";
}
