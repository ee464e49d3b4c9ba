/*
 * Dirty Pig.
 *
 *   start --> FIRST --> DEAL --> TURN ------> OVER
 *     |                  ^       |  ^          ^
 *     +------------------+       v  |          |
 *                             SHUFFLE ---------+
 *
 *   start           first=random goes to FIRST, a fixed seat straight to DEAL
 *   FIRST, DEAL     chance (apply_chance)
 *   TURN -> TURN    an action and the refill (refill, end_turn)
 *   TURN -> SHUFFLE the refill took the last card of the stack (refill)
 *   SHUFFLE -> TURN the new stack lies, the refill goes on and the turn ends
 *   ... -> OVER     the last clean pig was muddied (play_mud), or the guard (end_turn)
 */
#include "games/dirty_pig_internal.h"

#include <assert.h>
#include <string.h>

static const game_token face_names[] = {
	"mud", "rain", "barn", "bolt", "rod", "farmer", "lock"};
const uint8_t dirty_pig_deck[DIRTY_PIG_FACES] = {21, 4, 9, 4, 4, 8, 4}; /* DP-1.2 */

static void ask(struct dirty_pig *s, int seat)
{
	s->turn = (uint8_t)seat;
	s->head.phase = DIRTY_PIG_TURN;
	s->head.need = NEED_ANSWERS;
	s->head.acting = s->head.pending = (uint16_t)(1u << seat);
}

static void need_chance(struct dirty_pig *s, int phase)
{
	s->head.phase = (uint8_t)phase;
	s->head.need = NEED_CHANCE;
	s->head.acting = s->head.pending = 0;
}

static void finish(struct dirty_pig *s, int winner, struct events *events)
{
	s->winner = (uint8_t)winner;
	s->head.phase = DIRTY_PIG_OVER;
	s->head.need = NEED_NOTHING;
	s->head.acting = s->head.pending = 0;
	for (int seat = 0; events && seat < s->head.seats; seat++)
		event_add(events, DIRTY_PIG_EVENT_SCORE, seat,
			dirty_pig_count_dirty(s, seat), 0, 0);
	event_add(events, DIRTY_PIG_EVENT_MATCH, winner, 0, 0, 0);
}

static void start(void *state)
{
	struct dirty_pig *s = state;
	int first = s->head.option[DIRTY_PIG_OPTION_FIRST];

	memset(s->pig_count, dirty_pig_pigs_each(s), s->head.seats); /* DP-1.1 */
	if (first >= 0)                                              /* DP-1.4 */
		s->turn = (uint8_t)(first % s->head.seats);
	need_chance(s, first < 0 ? DIRTY_PIG_FIRST : DIRTY_PIG_DEAL);
}

static void chance(const void *state, struct chance *request)
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

static uint8_t draw(struct dirty_pig *s, int seat)
{
	uint8_t card = s->stack[--s->stack_size];

	s->stack[s->stack_size] = NO_CARD;
	s->hand[seat][card]++;
	s->hand_size[seat]++;
	return card;
}

/* DP-1.3: one card at a time, clockwise from the seat that begins. */
static void deal(struct dirty_pig *s, struct events *events)
{
	int seats = s->head.seats, size = s->head.option[DIRTY_PIG_OPTION_HAND];
	uint8_t got[DIRTY_PIG_SEATS_MAX][4];

	for (int i = 0; i < size; i++)
		for (int k = 0; k < seats; k++)
			got[k][i] = draw(s, (s->turn + k) % seats);
	for (int k = 0; events && k < seats; k++) {
		int seat = (s->turn + k) % seats;
		struct event *e = event_add(events, DIRTY_PIG_EVENT_DEAL, seat, 0, 0, 0);

		event_audience(e, AUDIENCE_SEAT(seat));
		for (int i = 0; i < size; i++)
			event_card(e, got[k][i]);
	}
}

static void end_turn(struct dirty_pig *s, struct events *events)
{
	int next = s->turn + 1;

	s->turns++;
	if (s->turns >= s->head.option[DIRTY_PIG_OPTION_MAX_TURNS]) { /* DP-5.3 */
		event_add(events, DIRTY_PIG_EVENT_GUARD, s->turns, 0, 0, 0);
		finish(s, NO_SEAT, events);
		return;
	}
	ask(s, next == s->head.seats ? 0 : next); /* DP-2.1 */
}

/* DP-2.6, and DP-2.7 once the last card of the stack is drawn. */
static void refill(struct dirty_pig *s, struct events *events)
{
	int seat = s->turn, size = s->head.option[DIRTY_PIG_OPTION_HAND];
	struct event *e = NULL;

	if (events && s->hand_size[seat] < size) {
		e = event_add(events, DIRTY_PIG_EVENT_DRAW, seat, 0, 0, 0);
		event_audience(e, AUDIENCE_SEAT(seat));
#ifdef PLANT_dirty_pig_draw
		event_audience(e, AUDIENCE_ALL);
#endif
	}
	while (s->hand_size[seat] < size) {
		event_card(e, draw(s, seat));
		if (s->stack_size == 0) {
			need_chance(s, DIRTY_PIG_SHUFFLE);
			return;
		}
	}
	end_turn(s, events);
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

static void apply_chance(void *state, const uint8_t *order, int n, struct events *events)
{
	struct dirty_pig *s = state;

	switch (s->head.phase) {
	case DIRTY_PIG_FIRST:
		s->turn = order[0];
		event_add(events, DIRTY_PIG_EVENT_TURN, s->turn, 0, 0, 0);
		need_chance(s, DIRTY_PIG_DEAL);
		return;
	case DIRTY_PIG_DEAL:
		dirty_pig_lay_stack(s, order, n);
		deal(s, events);
		ask(s, s->turn);
		return;
	default:
		assert(s->head.phase == DIRTY_PIG_SHUFFLE);
		dirty_pig_lay_stack(s, order, n);
		memset(s->discard, 0, sizeof(s->discard));
		s->shuffles++;
		count_hands(s);
#ifdef PLANT_dirty_pig_shuffle
		n = order[0];
#endif
		event_add(events, DIRTY_PIG_EVENT_SHUFFLE, n, 0, 0, 0);
		refill(s, events);
	}
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
		finish(s, seat, events);
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

static void apply(
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
	refill(s, events);
}

/* Neutral: the first card of the hand, in the order of the faces, is discarded. */
static void fallback(const void *view, struct action *out)
{
	const struct dirty_pig *s = view;
	uint8_t face = 0;

	while (!s->hand[s->turn][face])
		face++;
	*out = (struct action){DIRTY_PIG_DISCARD, 1, {face}};
}

static void result(const void *state, struct game_result *r)
{
	const struct dirty_pig *s = state;

	memset(r, 0, sizeof(*r));
	memset(r->team, -1, sizeof(r->team));
	for (int seat = 0; seat < s->head.seats; seat++)
		r->score[seat] = (int16_t)dirty_pig_count_dirty(s, seat); /* DP-5.2 */
	r->reason = "guard";
	game_rank_by_score(r, s->head.seats); /* DP-5.3 */
	if (s->winner == NO_SEAT)
		return;
	r->reason = "all_dirty";
	for (int seat = 0; seat < s->head.seats; seat++) /* DP-5.2 */
		r->rank[seat] = seat == s->winner ? 1 : 2;
}

static void teams_of(const void *state, int8_t team[GAME_SEATS_MAX])
{
	(void)state;
	memset(team, -1, GAME_SEATS_MAX);
}

static const struct game_option options[] = {
	GAME_COMMON_OPTIONS,
	[DIRTY_PIG_OPTION_HAND] = {"hand", "cards in a hand; 4 is the faster game", 3, 3,
		4, NULL},
	[DIRTY_PIG_OPTION_FIRST] = {"first",
		"the seat that begins (counted round the table if there are fewer), or "
		"random",
		0, 0, DIRTY_PIG_SEATS_MAX - 1, game_random_seat},
	[DIRTY_PIG_OPTION_MAX_TURNS] = {"max_turns",
		"turns after which the match is stopped and ranked by dirty pigs", 1000,
		1, 30000, NULL},
};

static const char *const phases[] = {"first", "deal", "turn", "shuffle", "over", NULL};

static const struct game_verb verbs[] = {
	[DIRTY_PIG_PLAY] = {"play",
		{{"card", ARG_CARD, false, 0, NULL}, {"to", ARG_SEAT, true, 0, NULL},
			{"pig", ARG_INT, true, DIRTY_PIG_PIGS_MAX - 1, NULL}}},
	[DIRTY_PIG_DISCARD] = {"discard", {{"card", ARG_CARD, false, 0, NULL}}},
	[DIRTY_PIG_SWAP] = {"swap", {{"", ARG_END, false, 0, NULL}}},
};

static const struct game_event_kind event_kinds[] = {
	[DIRTY_PIG_EVENT_TURN] = {"turn", {{"seat", EVENT_SEAT, NULL}}, NULL},
	[DIRTY_PIG_EVENT_DEAL] = {"deal", {{"seat", EVENT_SEAT, NULL}}, "cards"},
	[DIRTY_PIG_EVENT_PLAY] = {"play",
		{{"seat", EVENT_SEAT, NULL}, {"to", EVENT_SEAT, NULL},
			{"pig", EVENT_INT, NULL}},
		"cards"},
	[DIRTY_PIG_EVENT_WASH] = {"wash",
		{{"seat", EVENT_SEAT, NULL}, {"pig", EVENT_INT, NULL}}, NULL},
	[DIRTY_PIG_EVENT_LOSE] = {"lose",
		{{"seat", EVENT_SEAT, NULL}, {"pig", EVENT_INT, NULL}}, "cards"},
	[DIRTY_PIG_EVENT_DISCARD] = {"discard", {{"seat", EVENT_SEAT, NULL}}, "cards"},
	[DIRTY_PIG_EVENT_SWAP] = {"swap", {{"seat", EVENT_SEAT, NULL}}, "cards"},
	[DIRTY_PIG_EVENT_DRAW] = {"draw", {{"seat", EVENT_SEAT, NULL}}, "cards"},
	[DIRTY_PIG_EVENT_SHUFFLE] = {"shuffle", {{"n", EVENT_INT, NULL}}, NULL},
	[DIRTY_PIG_EVENT_GUARD] = {"guard", {{"n", EVENT_INT, NULL}}, NULL},
	[DIRTY_PIG_EVENT_SCORE] = {"score",
		{{"seat", EVENT_SEAT, NULL}, {"n", EVENT_INT, NULL}}, NULL},
	[DIRTY_PIG_EVENT_MATCH] = {"match", {{"seat", EVENT_SEAT, NULL}}, NULL},
};

#ifdef PLANT_dirty_pig_stack
#define SEE_STACK SEE_ALL
#else
#define SEE_STACK SEE_NONE
#endif
#ifdef PLANT_dirty_pig_hand
#define SEE_HAND SEE_ALL
#else
#define SEE_HAND SEE_OWNER
#endif

#define FIELD(member) GAME_FIELD(struct dirty_pig, member)
#define PER_SEAT      DIM_SEATS_OF(DIRTY_PIG_SEATS_MAX)

static const char *const flag_words[] = {"dirty", "barn", "rod", "lock", NULL};
static const struct game_field fields[] = {
	{FIELD(turn), .type = FIELD_SEAT, .see = SEE_ALL, .size = 1},
	{FIELD(turns), .type = FIELD_UINT, .see = SEE_ALL, .size = 2},
	{FIELD(shuffles), .type = FIELD_UINT, .see = SEE_ALL, .size = 2},
	{FIELD(winner), .type = FIELD_SEAT, .see = SEE_ALL, .size = 1},
	{FIELD(pig_count), .type = FIELD_UINT, .see = SEE_ALL, .size = 1,
		.dim = {PER_SEAT}},
	{FIELD(pigs), .type = FIELD_FLAGS, .see = SEE_ALL, .size = 1,
		.dim = {PER_SEAT,
			DIM_COUNT(DIRTY_PIG_PIGS_MAX, struct dirty_pig, pig_count)},
		.words = flag_words},
	{FIELD(hand_size), .type = FIELD_UINT, .see = SEE_ALL, .size = 1,
		.dim = {PER_SEAT}},
	{FIELD(stack_size), .type = FIELD_UINT, .see = SEE_ALL, .size = 1},
	{FIELD(discard), .type = FIELD_COUNTS, .see = SEE_ALL, .size = DIRTY_PIG_FACES},
	{FIELD(hand), .type = FIELD_COUNTS, .see = SEE_HAND, .size = DIRTY_PIG_FACES,
		.dim = {PER_SEAT}},
	{FIELD(held), .type = FIELD_COUNTS, .see = SEE_OWNER, .size = DIRTY_PIG_FACES,
		.dim = {PER_SEAT}},
	{FIELD(stack), .type = FIELD_CARD, .see = SEE_STACK, .size = 1,
		.dim = {DIM_COUNT(DIRTY_PIG_CARDS, struct dirty_pig, stack_size)}},
};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

const struct game dirty_pig_game = {
	.id = "dirty_pig",
	.title = "Dirty Pig",
	.summary =
		"Every seat has a few clean pigs and wants all of them dirty. Mud "
		"dirties "
		"an own pig; rain washes every pig that is not in a barn, the farmer "
		"washes one of somebody else's. A barn keeps the rain off, a rod keeps "
		"lightning off the barn, a lock keeps the farmer out. One card is played "
		"or discarded each turn and another drawn; the first seat with only "
		"dirty "
		"pigs wins.",
	GAME_PREFIX("DP"),
	.rules_version = 1,
	.seats_min = 2,
	.seats_max = DIRTY_PIG_SEATS_MAX,
	.options = options,
	.option_count = DIRTY_PIG_OPTIONS,
	.faces = face_names,
	.face_count = DIRTY_PIG_FACES,
	.phases = phases,
	.verbs = verbs,
	.verb_count = COUNT(verbs),
	.events = event_kinds,
	.event_count = DIRTY_PIG_EVENTS,
	.fields = fields,
	.field_count = COUNT(fields),
	.state_size = sizeof(struct dirty_pig),
	.start = start,
	.chance = chance,
	.apply_chance = apply_chance,
	.legal = dirty_pig_legal,
	.check = dirty_pig_check,
	.apply = apply,
	.sample = dirty_pig_sample,
	.fallback = fallback,
	.result = result,
	.teams_of = teams_of,
	.complete = dirty_pig_complete,
	.invariants = dirty_pig_invariants,
};
