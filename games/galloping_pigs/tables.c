/*
 * Galloping Pigs as tables: options, verbs, events, fields, and the functions behind
 * them. Clauses GP-… are those of specs/games/galloping_pigs.md.
 */
#include "games/galloping_pigs/internal.h"

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
	{COUNTS(aside), .type = FIELD_COUNTS, .see = SEE_NONE},
};

const struct game galloping_pigs_game = {
	.id = "galloping_pigs",
	.title = "Galloping Pigs",
	.summary =
		"Five pigs that belong to nobody race round a loop of 22 spaces. Each "
		"of the two to four players holds seven race cards; a card moves the "
		"pig of its colour to the next space without a pig. Whoever moves a pig "
		"ahead of all others takes a food, but keeps the food of the round only "
		"if the seventh card leads as well. Most food after three rounds wins.",
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
	.start = galloping_start,
	.chance = galloping_chance,
	.apply_chance = galloping_apply_chance,
	.legal = galloping_legal,
	.check = galloping_check,
	.offence = NULL, /* GP-9.4 */
	.apply = galloping_apply,
	.sample = galloping_sample,
	.fallback = galloping_fallback,
	.result = galloping_result,
	.teams_of = galloping_teams_of,
	.complete = galloping_complete,
	.invariants = galloping_invariants,
};
