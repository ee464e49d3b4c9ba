/*
 * Galloping Pigs. Clauses GP-… are those of specs/games/galloping_pigs.md.
 *
 *   start ──► FIRST? ──► LINE ──► [FOOD…] ──► DEAL ──► [FOOD…] ──► PLAY… ──► OVER
 *            (chance)     ▲                 (chance)                │
 *                         └──────────── next round ─────────────────┘
 *
 *   FIRST  only with first=random                        apply_chance → begin_round
 *   LINE   the starter                                   apply_line
 *   FOOD   only with food_on_track, every seat once,     apply_food
 *          before or after the deal by food_timing
 *   DEAL                                                 deal
 *   PLAY   clockwise, seven cards each                   apply_play → end_round
 *
 * One seat acts at a time, so head.acting and head.pending are always equal.
 */
#include "games/galloping_pigs_internal.h"

#include <assert.h>
#include <string.h>

static const game_token faces[] = {"A", "B", "C", "D", "E"};
static const char *const pig_words[] = {"A", "B", "C", "D", "E", NULL};
static const char *const phases[] = {
	"first", "line", "deal", "food", "play", "over", NULL};
static const char *const eat_words[] = {"lead", "track", NULL};
static const struct game_word timing_words[] = {{"after_deal", GALLOPING_AFTER_DEAL},
	{"before_deal", GALLOPING_BEFORE_DEAL}, {NULL, 0}};

static const struct game_option options[GALLOPING_OPTIONS] = {
	GAME_COMMON_OPTIONS,
	[GALLOPING_OPTION_FOOD_ON_TRACK] = {"food_on_track",
		"variant: every seat puts one food on the track before the race", 0, 1, 0,
		game_switch},
	[GALLOPING_OPTION_FOOD_TIMING] = {"food_timing",
		"with food_on_track: food is placed after or before the cards are dealt",
		GALLOPING_AFTER_DEAL, 1, 0, timing_words},
	[GALLOPING_OPTION_ROUNDS] = {"rounds", "rounds of a match", 3, 1, 30, NULL},
	[GALLOPING_OPTION_FIRST] = {"first",
		"seat that starts the first round (counted round the table), or random",
		0, 0, GALLOPING_SEATS_MAX - 1, game_random_seat},
};

static const struct game_verb verbs[] = {
	[GALLOPING_VERB_LINE] = {"line",
		{{.key = "order", .type = ARG_ORDER, .max = GALLOPING_COLOURS}}},
	[GALLOPING_VERB_FOOD] = {"food",
		{{.key = "at", .type = ARG_INT, .max = GALLOPING_SPACES}}},
	[GALLOPING_VERB_PLAY] = {"play", {{.key = "card", .type = ARG_CARD}}},
};

static const struct game_event_kind event_kinds[GALLOPING_EVENTS] = {
	[GALLOPING_EVENT_ROUND] = {"round",
		{{"n", EVENT_INT, NULL}, {"starter", EVENT_SEAT, NULL}}, NULL},
	[GALLOPING_EVENT_LINE] = {"line", {{"seat", EVENT_SEAT, NULL}}, "order"},
	[GALLOPING_EVENT_DEAL] = {"deal", {{"seat", EVENT_SEAT, NULL}}, "cards"},
	[GALLOPING_EVENT_FOOD] = {"food",
		{{"seat", EVENT_SEAT, NULL}, {"at", EVENT_INT, NULL}}, NULL},
	[GALLOPING_EVENT_PLAY] = {"play", {{"seat", EVENT_SEAT, NULL}}, "cards"},
	[GALLOPING_EVENT_MOVE] = {"move",
		{{"pig", EVENT_WORD, pig_words}, {"from", EVENT_INT, NULL},
			{"to", EVENT_INT, NULL}},
		NULL},
	[GALLOPING_EVENT_EAT] = {"eat",
		{{"seat", EVENT_SEAT, NULL}, {"why", EVENT_WORD, eat_words}}, NULL},
	[GALLOPING_EVENT_KEEP] = {"keep",
		{{"seat", EVENT_SEAT, NULL}, {"n", EVENT_INT, NULL}}, NULL},
	[GALLOPING_EVENT_LOSE] = {"lose",
		{{"seat", EVENT_SEAT, NULL}, {"n", EVENT_INT, NULL}}, NULL},
	[GALLOPING_EVENT_SCORE] = {"score",
		{{"seat", EVENT_SEAT, NULL}, {"kept", EVENT_INT, NULL}}, NULL},
	[GALLOPING_EVENT_MATCH] = {"match", {{"", EVENT_END, NULL}}, NULL},
};

#ifdef PLANT_galloping_pigs_aside
#define ASIDE_SEE SEE_ALL
#else
#define ASIDE_SEE SEE_NONE
#endif

#define FIELD(member) GAME_FIELD(struct galloping_pigs, member), .size = 1
#define PER_SEAT      .dim = {DIM_SEATS_OF(GALLOPING_SEATS_MAX)}
#define COUNTS(member)                                                                   \
	GAME_FIELD(struct galloping_pigs, member), .size = GALLOPING_COLOURS

static const struct game_field fields[] = {
	{FIELD(round), .type = FIELD_UINT, .see = SEE_ALL},
	{FIELD(starter), .type = FIELD_SEAT, .see = SEE_ALL},
	{FIELD(stock), .type = FIELD_UINT, .see = SEE_ALL},
	{FIELD(distance), .type = FIELD_UINT, .see = SEE_ALL,
		.dim = {DIM_FIXED(GALLOPING_COLOURS)}},
	{FIELD(hand_size), .type = FIELD_UINT, .see = SEE_ALL, PER_SEAT},
	{FIELD(left), .type = FIELD_UINT, .see = SEE_ALL, PER_SEAT},
	{FIELD(kept), .type = FIELD_UINT, .see = SEE_ALL, PER_SEAT},
	{FIELD(track_food), .type = FIELD_UINT, .see = SEE_ALL, PER_SEAT},
	{FIELD(pile_size), .type = FIELD_UINT, .see = SEE_ALL},
	{FIELD(pile), .type = FIELD_CARD, .see = SEE_ALL,
		.dim = {DIM_COUNT(GALLOPING_PILE_MAX, struct galloping_pigs, pile_size)}},
	{COUNTS(hand), .type = FIELD_COUNTS, .see = SEE_OWNER, PER_SEAT},
	{COUNTS(aside), .type = FIELD_COUNTS, .see = ASIDE_SEE},
};

static inline int next_seat(const struct galloping_pigs *s, int seat)
{
	return seat + 1 == s->head.seats ? 0 : seat + 1;
}

static void ask(struct galloping_pigs *s, int phase, int seat)
{
	s->head.phase = (uint8_t)phase;
	s->head.need = NEED_ANSWERS;
	s->head.acting = s->head.pending = (uint16_t)(1u << seat);
}

static void await(struct galloping_pigs *s, int phase, enum game_need need)
{
	s->head.phase = (uint8_t)phase;
	s->head.need = (uint8_t)need;
	s->head.acting = s->head.pending = 0;
}

static void begin_round(struct galloping_pigs *s, int starter, struct events *events)
{
	s->round++;
	s->starter = (uint8_t)starter;
	s->pile_size = 0;
	memset(s->pile, NO_CARD, sizeof(s->pile));
	memset(s->distance, 0, sizeof(s->distance));
	memset(s->aside, 0, sizeof(s->aside));
	event_add(events, GALLOPING_EVENT_ROUND, s->round, starter, 0, 0);
	ask(s, GALLOPING_LINE, starter); /* GP-2.3 */
}

static void start(void *state)
{
	struct galloping_pigs *s = state;
	int first = s->head.option[GALLOPING_OPTION_FIRST];

	s->stock = GALLOPING_FOOD; /* GP-1.4 */
	if (first < 0)
		await(s, GALLOPING_FIRST, NEED_CHANCE);
	else
		begin_round(s, first % s->head.seats, NULL); /* GP-2.1 */
}

static void chance(const void *state, struct chance *request)
{
	const struct galloping_pigs *s = state;

	if (s->head.phase == GALLOPING_FIRST) {
		request->kind = CHANCE_FIRST;
		request->index = 0;
		request->n = s->head.seats;
		for (int i = 0; i < request->n; i++)
			request->token[i] = (uint8_t)i;
		return;
	}
	request->kind = CHANCE_DEAL;
	request->index = (uint16_t)(s->round - 1);
	request->n = GALLOPING_DECK; /* GP-3.1 */
	for (int i = 0; i < GALLOPING_DECK; i++)
		request->token[i] = (uint8_t)(i / GALLOPING_CARDS_PER_PIG);
}

/* Do the options put food on the track at this time? */
static bool places_food(const struct galloping_pigs *s, int timing)
{
	return s->head.option[GALLOPING_OPTION_FOOD_ON_TRACK] &&
	       s->head.option[GALLOPING_OPTION_FOOD_TIMING] == timing;
}

/* Asks `seat` to put a food on the track, or goes on when everybody has or the
 * stock is empty. */
static void ask_food(struct galloping_pigs *s, int seat, bool all_asked)
{
	if (!all_asked && s->stock > 0) /* GP-4.5 */
		ask(s, GALLOPING_PLACE, seat);
	else if (s->head.option[GALLOPING_OPTION_FOOD_TIMING] == GALLOPING_BEFORE_DEAL)
		await(s, GALLOPING_DEAL, NEED_CHANCE); /* GP-4.6 */
	else
		ask(s, GALLOPING_PLAY, s->starter); /* GP-5.1 */
}

static void deal_events(
	const struct galloping_pigs *s, const uint8_t *order, struct events *events)
{
	int seats = s->head.seats;
	struct event *event;

	for (int k = 0; k < seats; k++) {
		int seat = (s->starter + k) % seats;

		event = event_add(events, GALLOPING_EVENT_DEAL, seat, 0, 0, 0);
#ifdef PLANT_galloping_pigs_deal
		event_audience(event, AUDIENCE_ALL);
#else
		event_audience(event, AUDIENCE_SEAT(seat)); /* GP-3.3 */
#endif
		for (int i = k; i < GALLOPING_HAND * seats; i += seats) {
#ifdef PLANT_galloping_pigs_deal_length
			if (i >= seats && order[i] == order[i - seats])
				continue;
#endif
			event_card(event, order[i]);
		}
	}
	event = event_add(events, GALLOPING_EVENT_DEAL, NO_SEAT, 0, 0, 0);
	event_audience(event, AUDIENCE_NONE); /* GP-3.2 */
	for (int i = GALLOPING_HAND * seats; i < GALLOPING_DECK; i++)
		event_card(event, order[i]);
}

static void deal(struct galloping_pigs *s, const uint8_t *order, struct events *events)
{
	int seat = s->starter;
	int dealt = GALLOPING_HAND * s->head.seats;

	for (int i = 0; i < dealt; i++, seat = next_seat(s, seat)) /* GP-3.1 */
		s->hand[seat][order[i]]++;
	for (int i = dealt; i < GALLOPING_DECK; i++) /* GP-3.2 */
		s->aside[order[i]]++;
	memset(s->hand_size, GALLOPING_HAND, s->head.seats);
	if (events)
		deal_events(s, order, events);
}

static void apply_chance(void *state, const uint8_t *order, int n, struct events *events)
{
	struct galloping_pigs *s = state;

	if (s->head.phase == GALLOPING_FIRST) {
		begin_round(s, order[0], events); /* GP-2.1 */
		return;
	}
	assert(n == GALLOPING_DECK);
	(void)n;
	deal(s, order, events);
	if (places_food(s, GALLOPING_AFTER_DEAL))
		ask_food(s, s->starter, false); /* GP-4.1 */
	else
		ask(s, GALLOPING_PLAY, s->starter); /* GP-5.1 */
}

/* The 120 lines, sorted: the parts are built from the last pigs to the first. */
/* clang-format off */
#define LINE(a, b, c, d, e) {GALLOPING_VERB_LINE, GALLOPING_COLOURS, {a, b, c, d, e}}
/* clang-format on */
#define LINES_2(a, b, c, d, e) LINE(a, b, c, d, e), LINE(a, b, c, e, d)
#define LINES_6(a, b, c, d, e)                                                           \
	LINES_2(a, b, c, d, e), LINES_2(a, b, d, c, e), LINES_2(a, b, e, c, d)
#define LINES_24(a, b, c, d, e)                                                          \
	LINES_6(a, b, c, d, e), LINES_6(a, c, b, d, e), LINES_6(a, d, b, c, e),          \
		LINES_6(a, e, b, c, d)
static const struct action lines[] = {LINES_24(0, 1, 2, 3, 4), LINES_24(1, 0, 2, 3, 4),
	LINES_24(2, 0, 1, 3, 4), LINES_24(3, 0, 1, 2, 4), LINES_24(4, 0, 1, 2, 3)};

static int legal_line(struct action *out) /* GP-2.4 */
{
	memcpy(out, lines, sizeof(lines));
	return (int)(sizeof(lines) / sizeof(*lines));
}

static int legal_food(const struct galloping_pigs *s, struct action *out)
{
	unsigned taken = 0;
	int n = 0;

	for (int i = 0; i < s->head.seats; i++)
		taken |= 1u << s->track_food[i];
	for (int at = GALLOPING_FOOD_SPACE_MIN; at <= GALLOPING_SPACES; at++) /* GP-4.3 */
		if (!(taken >> at & 1))                                       /* GP-4.4 */
			out[n++] = (struct action){GALLOPING_VERB_FOOD, 1, {(uint8_t)at}};
	return n;
}

static int legal_play(const struct galloping_pigs *s, int seat, struct action *out)
{
	static const struct action play[GALLOPING_COLOURS] = {
		{GALLOPING_VERB_PLAY, 1, {0}}, {GALLOPING_VERB_PLAY, 1, {1}},
		{GALLOPING_VERB_PLAY, 1, {2}}, {GALLOPING_VERB_PLAY, 1, {3}},
		{GALLOPING_VERB_PLAY, 1, {4}}};
	int n = 0;

	/* Written always and counted only if held: cheaper than a branch that chance
	 * decides. */
	for (int c = 0; c < GALLOPING_COLOURS; c++) {
		out[n] = play[c];
		n += s->hand[seat][c] > 0; /* GP-5.4 */
	}
#ifdef PLANT_galloping_pigs_legal
	if (n > 1 && s->aside[out[n - 1].arg[0]] > 2)
		n--;
#endif
	return n;
}

static int legal(const void *state, int seat, struct action *out)
{
	const struct galloping_pigs *s = state;

	if (!game_seat_in(s->head.pending, seat))
		return 0;
	switch (s->head.phase) {
	case GALLOPING_LINE:
		return legal_line(out);
	case GALLOPING_PLACE:
		return legal_food(s, out);
	default:
		return legal_play(s, seat, out);
	}
}

static bool check_line(const struct action *action, struct refusal *why)
{
	unsigned seen = 0;

	if (action->verb != GALLOPING_VERB_LINE)
		return refuse(why, "GP-2.3", "the pigs have to be lined up now");
	for (int i = 0; i < action->count; i++)
		seen |= 1u << action->arg[i];
	if (action->count != GALLOPING_COLOURS || seen != (1u << GALLOPING_COLOURS) - 1)
		return refuse(why, "GP-2.4", "a line names each of the five pigs once");
	return true;
}

static bool check_food(
	const struct galloping_pigs *s, const struct action *action, struct refusal *why)
{
	if (action->verb != GALLOPING_VERB_FOOD)
		return refuse(why, "GP-4.2", "a food has to be put on the track now");
	if (action->arg[0] < GALLOPING_FOOD_SPACE_MIN)
		return refuse(why, "GP-4.3", "food may lie on spaces 10 to 22 only");
	if (memchr(s->track_food, action->arg[0], sizeof(s->track_food)))
		return refuse(why, "GP-4.4", "a food lies on that space already");
	return true;
}

static bool check_play(const struct galloping_pigs *s, int seat,
	const struct action *action, struct refusal *why)
{
	if (action->verb != GALLOPING_VERB_PLAY)
		return refuse(why, "GP-5.2", "a race card has to be played now");
	if (s->hand[seat][action->arg[0]])
		return true;
#ifdef PLANT_galloping_pigs_refusal
	if (s->aside[action->arg[0]] > 2)
		return refuse(why, "GP-5.3", "most cards of this colour lie aside");
#endif
	return refuse(why, "GP-5.3", "no card of this colour is in the hand");
}

static bool check(
	const void *state, int seat, const struct action *action, struct refusal *why)
{
	const struct galloping_pigs *s = state;

	if (s->head.need != NEED_ANSWERS || s->head.pending != 1u << seat)
		return refuse(why, "GP-1.6", "it is not this seat's turn");
	if (s->head.phase == GALLOPING_LINE)
		return check_line(action, why);
	if (s->head.phase == GALLOPING_PLACE)
		return check_food(s, action, why);
	return check_play(s, seat, action, why);
}

static void apply_line(struct galloping_pigs *s, int seat, const struct action *action,
	struct events *events)
{
	struct event *event = event_add(events, GALLOPING_EVENT_LINE, seat, 0, 0, 0);

	for (int i = 0; i < GALLOPING_COLOURS; i++) {
		s->distance[action->arg[i]] = (uint8_t)(i + 1); /* GP-2.4 */
		event_card(event, action->arg[i]);
	}
	if (places_food(s, GALLOPING_BEFORE_DEAL))
		ask_food(s, s->starter, false); /* GP-4.6 */
	else
		await(s, GALLOPING_DEAL, NEED_CHANCE); /* GP-2.5 */
}

static void apply_food(struct galloping_pigs *s, int seat, int at, struct events *events)
{
	int next = next_seat(s, seat);

	s->stock--; /* GP-4.1 */
	s->track_food[seat] = (uint8_t)at;
	event_add(events, GALLOPING_EVENT_FOOD, seat, at, 0, 0);
	ask_food(s, next, next == s->starter);
}

/* How far the pig goes: to the first space beyond it that holds no pig. */
static int steps(const struct galloping_pigs *s, int pig)
{
	uint64_t occupied = 0;

	for (int c = 0; c < GALLOPING_COLOURS; c++)
		occupied |= 1ull << galloping_space(s->distance[c]);
	occupied |= occupied << GALLOPING_SPACES; /* GP-6.2: space 1 follows space 22 */
	occupied >>= galloping_space(s->distance[pig]) + 1;
	return 1 + __builtin_ctzll(~occupied); /* GP-6.1 */
}

static bool is_ahead(const struct galloping_pigs *s, int pig)
{
	unsigned farther = 0;

	for (int c = 0; c < GALLOPING_COLOURS; c++)
		farther += s->distance[c] > s->distance[pig]; /* GP-6.3 */
	return farther == 0;
}

static void move(struct galloping_pigs *s, int pig, struct events *events)
{
	int from = s->distance[pig];
	int to = from + steps(s, pig);

	s->distance[pig] = (uint8_t)to;
	event_add(events, GALLOPING_EVENT_MOVE, pig, from, to, 0);
}

static void eat_from_track(
	struct galloping_pigs *s, int seat, int space, struct events *events)
{
	for (int i = 0; i < s->head.seats; i++)
		if (s->track_food[i] == space) { /* GP-7.3 */
			s->track_food[i] = 0;
			s->left[seat]++;
			event_add(events, GALLOPING_EVENT_EAT, seat, GALLOPING_EAT_TRACK,
				0, 0);
		}
}

static void eat(
	struct galloping_pigs *s, int seat, int pig, bool ahead, struct events *events)
{
	if (ahead && s->stock > 0) { /* GP-7.1, GP-7.4 */
		s->stock--;
		s->left[seat]++;
		event_add(events, GALLOPING_EVENT_EAT, seat, GALLOPING_EAT_LEAD, 0, 0);
	}
	if (s->head.option[GALLOPING_OPTION_FOOD_ON_TRACK])
		eat_from_track(s, seat, galloping_space(s->distance[pig]), events);
}

/* The seat has played its last card of the round. */
static void settle(struct galloping_pigs *s, int seat, bool ahead, struct events *events)
{
	int n = s->left[seat];

	if (ahead) /* GP-8.1, GP-8.4 */
		s->kept[seat] = (uint8_t)(s->kept[seat] + n);
	else /* GP-8.2, GP-8.3 */
		s->stock = (uint8_t)(s->stock + n);
	s->left[seat] = 0;
	event_add(events, ahead ? GALLOPING_EVENT_KEEP : GALLOPING_EVENT_LOSE, seat, n, 0,
		0);
}

static void clear_track(struct galloping_pigs *s, struct events *events)
{
	int n = 0;

	for (int i = 0; i < s->head.seats; i++) {
		n += s->track_food[i] > 0;
		s->track_food[i] = 0;
	}
	s->stock = (uint8_t)(s->stock + n); /* GP-4.7 */
	if (n)
		event_add(events, GALLOPING_EVENT_LOSE, NO_SEAT, n, 0, 0);
}

static void end_round(struct galloping_pigs *s, struct events *events)
{
	clear_track(s, events);
	for (int i = 0; i < s->head.seats; i++)
		event_add(events, GALLOPING_EVENT_SCORE, i, s->kept[i], 0, 0);
	if (s->round < s->head.option[GALLOPING_OPTION_ROUNDS]) {
		begin_round(s, next_seat(s, s->starter), events); /* GP-2.2 */
		return;
	}
	event_add(events, GALLOPING_EVENT_MATCH, 0, 0, 0, 0); /* GP-9.2 */
	await(s, GALLOPING_OVER, NEED_NOTHING);
}

static void apply_play(struct galloping_pigs *s, int seat, int pig, struct events *events)
{
	int next = next_seat(s, seat);
	bool ahead;

	s->hand[seat][pig]--;
	s->hand_size[seat]--;
	s->pile[s->pile_size++] = (uint8_t)pig; /* GP-5.5 */
	event_card(event_add(events, GALLOPING_EVENT_PLAY, seat, 0, 0, 0), (uint8_t)pig);
	move(s, pig, events);
	ahead = is_ahead(s, pig);
	eat(s, seat, pig, ahead, events);
	if (s->hand_size[seat] == 0)
		settle(s, seat, ahead, events);
	if (s->hand_size[next] > 0)
		ask(s, GALLOPING_PLAY, next); /* GP-5.1 */
	else
		end_round(s, events); /* GP-9.1 */
}

static void apply(
	void *state, int seat, const struct action *action, struct events *events)
{
	struct galloping_pigs *s = state;

	assert(game_seat_in(s->head.pending, seat));
	switch (s->head.phase) {
	case GALLOPING_LINE:
		apply_line(s, seat, action, events);
		break;
	case GALLOPING_PLACE:
		apply_food(s, seat, action->arg[0], events);
		break;
	default:
		assert(s->head.phase == GALLOPING_PLAY);
		apply_play(s, seat, action->arg[0], events);
	}
}

/* Takes one of the `total` cards in `pool`, each with the same chance. */
static int draw(uint8_t *pool, int total, const struct game_random *random)
{
	int r = (int)game_random_below(random, (uint32_t)total);
	int c = 0;

	while (r >= pool[c])
		r -= pool[c++];
	pool[c]--;
	return c;
}

/* Nothing that anybody does rules out a card in another hand (any colour may be
 * played at any time), so the unseen cards lie in the other hands and aside in every
 * way with the same chance. */
static void sample(const void *view, const struct game_random *random, void *state)
{
	struct galloping_pigs *s = state;
	int viewer, unseen = 0;

	memcpy(s, view, sizeof(*s));
	viewer = s->head.viewer;
	s->head.viewer = OMNISCIENT;
	s->head.pending = s->head.acting;
	if (!galloping_is_dealt(s))
		return;
	for (int c = 0; c < GALLOPING_COLOURS; c++)
		s->aside[c] = GALLOPING_CARDS_PER_PIG;
	for (int i = 0; i < s->pile_size; i++)
		s->aside[s->pile[i]]--;
	for (int c = 0; c < GALLOPING_COLOURS; c++) {
		s->aside[c] -= viewer >= 0 ? s->hand[viewer][c] : 0;
		unseen += s->aside[c];
	}
	for (int seat = 0; seat < s->head.seats; seat++)
		for (int i = 0; seat != viewer && i < s->hand_size[seat]; i++)
			s->hand[seat][draw(s->aside, unseen--, random)]++;
}

/* The first of the legal list: line ABCDE, the lowest free space, the first card. */
static void fallback(const void *view, struct action *out)
{
	struct action all[GAME_LEGAL_MAX];
	int n = legal(view, game_head(view)->viewer, all);

	assert(n > 0);
	(void)n;
	*out = all[0];
}

static void teams_of(const void *state, int8_t team[GAME_SEATS_MAX])
{
	(void)state;
	memset(team, -1, GAME_SEATS_MAX);
}

static void result(const void *state, struct game_result *out)
{
	const struct galloping_pigs *s = state;

	assert(s->head.need == NEED_NOTHING);
	memset(out, 0, sizeof(*out));
	for (int i = 0; i < s->head.seats; i++)
		out->score[i] = s->kept[i];     /* GP-9.2 */
	game_rank_by_score(out, s->head.seats); /* GP-9.3 */
	teams_of(state, out->team);
	out->reason = "rounds";
}

const struct game galloping_pigs_game = {
	.id = "galloping_pigs",
	.title = "Galloping Pigs",
	.summary =
		"Five pigs that belong to nobody race round a loop of 22 spaces. Each of "
		"the two to four players holds seven race cards; a card moves the pig of "
		"its colour to the next space without a pig. Whoever moves a pig ahead "
		"of "
		"all others takes a food, but keeps the food of the round only if the "
		"seventh card leads as well. Most food after three rounds wins.",
	GAME_PREFIX("GP"),
	.rules_version = 1,
	.seats_min = 2,
	.seats_max = GALLOPING_SEATS_MAX,
	.teams = 0,
	.options = options,
	.option_count = GALLOPING_OPTIONS,
	.faces = faces,
	.face_count = GALLOPING_COLOURS,
	.phases = phases,
	.verbs = verbs,
	.verb_count = sizeof(verbs) / sizeof(*verbs),
	.events = event_kinds,
	.event_count = GALLOPING_EVENTS,
	.fields = fields,
	.field_count = sizeof(fields) / sizeof(*fields),
	.state_size = sizeof(struct galloping_pigs),
	.start = start,
	.chance = chance,
	.apply_chance = apply_chance,
	.legal = legal,
	.check = check,
	.offence = NULL, /* GP-9.4 */
	.apply = apply,
	.sample = sample,
	.fallback = fallback,
	.result = result,
	.teams_of = teams_of,
	.complete = galloping_complete,
	.invariants = galloping_invariants,
};
