/*
 * Dirty Pig as tables: the deck, options, verbs, events, fields, and the functions behind
 * them. Clauses DP-… are those of specs/games/dirty_pig.md.
 */
#include "games/dirty_pig/internal.h"

static const game_token face_names[] = {
	"mud", "rain", "barn", "bolt", "rod", "farmer", "lock"};
const uint8_t dirty_pig_deck[DIRTY_PIG_FACES] = {21, 4, 9, 4, 4, 8, 4}; /* DP-1.2 */

static const char *const phases[] = {"first", "deal", "turn", "shuffle", "over", NULL};

static const struct game_option options[] = {
	GAME_COMMON_OPTIONS,
	[DIRTY_PIG_OPTION_HAND] = {"hand", "cards in a hand; 4 is the faster game", 3, 3,
		4, NULL},
	[DIRTY_PIG_OPTION_FIRST] = {"first",
		"the seat that begins (counted round the table if there are fewer), or random",
		0, 0, DIRTY_PIG_SEATS_MAX - 1, game_random_seat},
	[DIRTY_PIG_OPTION_MAX_TURNS] = {"max_turns",
		"turns after which the match is stopped and ranked by dirty pigs", 1000,
		1, 30000, NULL},
};

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
	{FIELD(hand), .type = FIELD_COUNTS, .see = SEE_OWNER, .size = DIRTY_PIG_FACES,
		.dim = {PER_SEAT}},
	{FIELD(held), .type = FIELD_COUNTS, .see = SEE_OWNER, .size = DIRTY_PIG_FACES,
		.dim = {PER_SEAT}},
	{FIELD(stack), .type = FIELD_CARD, .see = SEE_NONE, .size = 1,
		.dim = {DIM_COUNT(DIRTY_PIG_CARDS, struct dirty_pig, stack_size)}},
};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

const struct game dirty_pig_game = {
	.id = "dirty_pig",
	.title = "Dirty Pig",
	.summary = "Every seat has a few clean pigs and wants all of them dirty. "
		   "Mud dirties an own pig; rain washes every pig that is not in a "
		   "barn, the farmer washes one of somebody else's. A barn keeps "
		   "the rain off, a rod keeps lightning off the barn, a lock keeps "
		   "the farmer out. One card is played or discarded each turn and "
		   "another drawn; the first seat with only dirty pigs wins.",
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
	.start = dirty_pig_start,
	.chance = dirty_pig_chance,
	.apply_chance = dirty_pig_apply_chance,
	.legal = dirty_pig_legal,
	.check = dirty_pig_check,
	.apply = dirty_pig_apply,
	.sample = dirty_pig_sample,
	.fallback = dirty_pig_fallback,
	.result = dirty_pig_result,
	.teams_of = dirty_pig_teams_of,
	.complete = dirty_pig_complete,
	.invariants = dirty_pig_invariants,
};
