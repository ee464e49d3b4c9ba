/*
 * Pig Pile as tables: options, verbs, events, fields, and the functions behind them.
 * Clauses PP-... are those of specs/games/pig_pile.md.
 */
#include "games/pig_pile/internal.h"

static const game_token faces[PIG_PILE_FACES] = {
	"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "W"};
static const char *const phases[] = {"first", "deal", "face", "turn", "over", NULL};
static const char *const direction_words[] = {"clockwise", "counterclockwise", NULL};
static const char *const zone_words[] = {"hand", "up", "slop", NULL};
static const char *const position_words[] = {"0", "1", "2", NULL};
static const char *const reason_words[] = {"rounds", "pigs", NULL};
static const struct game_word deal_words[] = {{"choose", PIG_PILE_CHOOSE},
	{"dealt", PIG_PILE_DEALT}, {"greased", PIG_PILE_GREASED}, {NULL, 0}};
static const struct game_word round_words[] = {
	{"players", PIG_PILE_ROUNDS_PLAYERS}, {NULL, 0}};

static const struct game_option options[PIG_PILE_OPTIONS] = {
	GAME_COMMON_OPTIONS,
	[PIG_PILE_OPTION_DEAL] = {"deal",
		"choose: seven cards, three of them are turned up; dealt: three "
		"up and four in hand; greased: the first round dealt, then choose",
		PIG_PILE_CHOOSE, 1, 0, deal_words},
	[PIG_PILE_OPTION_ROUNDS] = {"rounds", "rounds of a match, or players: one a seat",
		5, 1, 100, round_words},
	[PIG_PILE_OPTION_THIRD_PIG] = {"third_pig",
		"with three seats the last one always gets a pig", 1, 1, 0, game_switch},
	[PIG_PILE_OPTION_WASH_ANY] = {"wash_any",
		"an 8 may be played on any card, as W may", 0, 1, 0, game_switch},
	[PIG_PILE_OPTION_FIRST_DEALER] = {"first_dealer",
		"seat that deals the first round (counted round the table), or random", 0,
		0, GAME_SEATS_MAX - 1, game_random_seat},
	[PIG_PILE_OPTION_MAX_TURNS] = {"max_turns",
		"a round is stopped after so many turns", 2000, 1, 30000, NULL},
};

static const struct game_verb verbs[PIG_PILE_VERBS] = {
	[PIG_PILE_VERB_FACE] = {"face",
		{{.key = "cards", .type = ARG_CARDS, .max = PIG_PILE_SLOP}}},
	[PIG_PILE_VERB_PLAY] = {"play",
		{{.key = "cards", .type = ARG_CARDS, .max = PIG_PILE_PLAYS_MAX}}},
	[PIG_PILE_VERB_TAKE] = {"take", {{.key = "cards",
						.type = ARG_CARDS,
						.optional = true,
						.max = PIG_PILE_SLOP}}},
	[PIG_PILE_VERB_SLOP] = {"slop",
		{{.key = "i", .type = ARG_INT, .max = PIG_PILE_SLOP - 1}}},
};

#define SEAT_ARG                                                                         \
	{                                                                                \
		"seat", EVENT_SEAT, NULL                                                 \
	}

static const struct game_event_kind event_kinds[PIG_PILE_EVENTS] = {
	[PIG_PILE_EVENT_ROUND] = {"round",
		{{"n", EVENT_INT, NULL}, {"dealer", EVENT_SEAT, NULL}}, NULL},
	[PIG_PILE_EVENT_DEAL] = {"deal", {SEAT_ARG, {"zone", EVENT_WORD, zone_words}},
		"cards"},
	[PIG_PILE_EVENT_FACE] = {"face", {SEAT_ARG}, "cards"},
	[PIG_PILE_EVENT_TURN] = {"turn", {SEAT_ARG}, NULL},
	[PIG_PILE_EVENT_PLAY] = {"play", {SEAT_ARG, {"zone", EVENT_WORD, zone_words}},
		"cards"},
	[PIG_PILE_EVENT_SLOP] = {"slop", {SEAT_ARG, {"i", EVENT_INT, NULL}}, "cards"},
	[PIG_PILE_EVENT_TAKE] = {"take", {SEAT_ARG, {"up", EVENT_INT, NULL}}, "cards"},
	[PIG_PILE_EVENT_WASH] = {"wash", {SEAT_ARG, {"n", EVENT_INT, NULL}}, NULL},
	[PIG_PILE_EVENT_DRAW] = {"draw", {SEAT_ARG}, "cards"},
	[PIG_PILE_EVENT_OUT] = {"out", {SEAT_ARG, {"place", EVENT_INT, NULL}}, NULL},
	[PIG_PILE_EVENT_REVERSE] = {"reverse",
		{{"direction", EVENT_WORD, direction_words}}, NULL},
	[PIG_PILE_EVENT_SKIP] = {"skip", {SEAT_ARG}, NULL},
	[PIG_PILE_EVENT_GUARD] = {"guard", {{"turns", EVENT_INT, NULL}}, NULL},
	[PIG_PILE_EVENT_SCORE] = {"score",
		{SEAT_ARG, {"left", EVENT_INT, NULL}, {"pigs", EVENT_INT, NULL},
			{"total", EVENT_INT, NULL}},
		NULL},
	[PIG_PILE_EVENT_MATCH] = {"match", {{"reason", EVENT_WORD, reason_words}}, NULL},
};

#define FIELD(member)      GAME_FIELD(struct pig_pile_state, member), .size = 1
#define COUNTS(member)     GAME_FIELD(struct pig_pile_state, member), .size = PIG_PILE_FACES
#define LIST(counter, max) .dim = {DIM_COUNT(max, struct pig_pile_state, counter)}
#define PER_SEAT           .dim = {DIM_SEATS}
#define PER_SLOP           .dim = {DIM_SEATS, DIM_FIXED(PIG_PILE_SLOP)}

static const struct game_field fields[] = {
	{FIELD(dealer), .type = FIELD_SEAT, .see = SEE_ALL},
	{FIELD(round), .type = FIELD_UINT, .see = SEE_ALL},
	{FIELD(direction), .type = FIELD_WORD, .see = SEE_ALL, .words = direction_words},
	{FIELD(pen), .type = FIELD_UINT, .see = SEE_ALL},
	{GAME_FIELD(struct pig_pile_state, turns), .size = 2, .type = FIELD_UINT,
		.see = SEE_ALL},
	{FIELD(out_count), .type = FIELD_UINT, .see = SEE_ALL},
	{FIELD(out), .type = FIELD_SEAT, .see = SEE_ALL,
		LIST(out_count, PIG_PILE_OUT_MAX)},
	{FIELD(pigs), .type = FIELD_UINT, .see = SEE_ALL, PER_SEAT},
	{FIELD(stock_count), .type = FIELD_UINT, .see = SEE_ALL},
	{FIELD(pile_count), .type = FIELD_UINT, .see = SEE_ALL},
	{FIELD(pile), .type = FIELD_CARD, .see = SEE_ALL,
		LIST(pile_count, PIG_PILE_DECK_MAX)},
	{COUNTS(washed), .type = FIELD_COUNTS, .see = SEE_ALL},
	{COUNTS(up), .type = FIELD_COUNTS, .see = SEE_ALL, PER_SEAT},
	{FIELD(slop_left), .type = FIELD_FLAGS, .see = SEE_ALL, PER_SEAT,
		.words = position_words},
	{FIELD(hand_count), .type = FIELD_UINT, .see = SEE_ALL, PER_SEAT},
	{COUNTS(known), .type = FIELD_COUNTS, .see = SEE_ALL, PER_SEAT},
	{COUNTS(limit), .type = FIELD_COUNTS, .see = SEE_ALL, PER_SEAT},
	{COUNTS(hand), .type = FIELD_COUNTS, .see = SEE_OWNER, PER_SEAT},
	{FIELD(chosen), .type = FIELD_CARD, .see = SEE_OWNER, PER_SLOP}, /* PP-2.6 */
	{FIELD(slop), .type = FIELD_CARD, .see = SEE_NONE, PER_SLOP},    /* PP-2.7 */
	{FIELD(stock), .type = FIELD_CARD, .see = SEE_NONE,              /* PP-2.7 */
		LIST(stock_count, PIG_PILE_DECK_MAX)},
};

#define COUNT_OF(table) ((int)(sizeof(table) / sizeof((table)[0])))

const struct game pig_pile_game = {
	.id = "pig_pile",
	.title = "Pig Pile",
	.summary =
		"Get rid of your hand, then of your three face-up cards, then of three "
		"face-down ones that nobody has seen. Each play must be as high as the "
		"top of the pile; who cannot play picks the pile up. An 8 or three equal "
		"cards in a row wash the pile away, 4s tie up the next seats, 11s turn "
		"the direction, wild cards fit anywhere. First out wins three pigs, "
		"second two; most pigs after five rounds wins.",
	GAME_PREFIX("PP"),
	.rules_version = 1,
	.seats_min = 3,
	.seats_max = GAME_SEATS_MAX,
	.teams = 0,
	.options = options,
	.option_count = PIG_PILE_OPTIONS,
	.faces = faces,
	.face_count = PIG_PILE_FACES,
	.phases = phases,
	.verbs = verbs,
	.verb_count = PIG_PILE_VERBS,
	.events = event_kinds,
	.event_count = PIG_PILE_EVENTS,
	.fields = fields,
	.field_count = COUNT_OF(fields),
	.state_size = sizeof(struct pig_pile_state),
	.start = pig_pile_start,
	.chance = pig_pile_chance,
	.apply_chance = pig_pile_apply_chance,
	.legal = pig_pile_legal,
	.check = pig_pile_check,
	.offence = NULL,
	.apply = pig_pile_apply,
	.sample = pig_pile_sample,
	.fallback = pig_pile_fallback,
	.result = pig_pile_result,
	.teams_of = pig_pile_teams_of,
	.complete = pig_pile_complete,
	.invariants = pig_pile_invariants,
};
