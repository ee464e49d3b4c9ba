/*
 * Tennessee Pig as tables: options, verbs, events, fields, and the functions behind them.
 * Clauses TP-… are those of specs/games/tennessee_pig.md.
 */
#include "games/tennessee_pig/internal.h"

#define SUIT(s)                                                                          \
	"2" s, "3" s, "4" s, "5" s, "6" s, "7" s, "8" s, "9" s, "T" s, "J" s, "Q" s,     \
		"K" s, "A" s

static const game_token faces[TENNESSEE_CARDS] = {
	SUIT("S"), SUIT("H"), SUIT("D"), SUIT("C"), "JK"};
static const char *const phases[] = {
	"draw", "deal", "cut", "bid", "trump", "fill", "burn", "play", "over", NULL};
static const char *const suit_words[] = {"S", "H", "D", "C", NULL};
static const char *const trump_words[] = {"none", "S", "H", "D", "C", NULL};
static const char *const winner_words[] = {"none", "team_0", "team_1", "draw", NULL};
const char *const tennessee_end_words[] = {"none", "target", "minus", "guard", NULL};
static const struct game_word cut_words[] = {
	{"auto", TENNESSEE_CUT_AUTO}, {"ask", TENNESSEE_CUT_ASK}, {NULL, 0}};
static const struct game_word lookback_words[] = {{"catcher", TENNESSEE_LOOKBACK_CATCHER},
	{"all", TENNESSEE_LOOKBACK_ALL}, {NULL, 0}};

static const struct game_option options[TENNESSEE_OPTIONS] = {
	GAME_COMMON_OPTIONS,
	[TENNESSEE_OPTION_TARGET] = {"target",
		"a game is won with this many points and lost with as many below zero",
		52, 1, 500, NULL},
	[TENNESSEE_OPTION_CUT] = {"cut",
		"the seat to the dealer's right cuts the deck (ask) or nobody does (auto)",
		TENNESSEE_CUT_AUTO, 1, 0, cut_words},
	[TENNESSEE_OPTION_LOOKBACK] = {"lookback",
		"whose views hold the cards of a finished trick until the hand is over",
		TENNESSEE_LOOKBACK_CATCHER, 1, 0, lookback_words},
	[TENNESSEE_OPTION_GAMES] = {"games", "a match is the best of this many games", 1,
		1, 99, NULL},
	[TENNESSEE_OPTION_MAX_HANDS] = {"max_hands",
		"a game ends after this many hands; the higher score wins", 200, 1, 10000,
		NULL},
};

static const struct game_verb verbs[TENNESSEE_VERBS] = {
	[TENNESSEE_VERB_CUT] = {"cut",
		{{.key = "n", .type = ARG_INT, .max = TENNESSEE_CARDS - 1}}},
	[TENNESSEE_VERB_BID] = {"bid",
		{{.key = "n", .type = ARG_INT, .max = TENNESSEE_BID_MAX}}},
	[TENNESSEE_VERB_PASS] = {"pass", {{.type = ARG_END}}},
	[TENNESSEE_VERB_TRUMP] = {"trump",
		{{.key = "suit", .type = ARG_WORD, .words = suit_words}}},
	[TENNESSEE_VERB_BURN] = {"burn",
		{{.key = "card", .type = ARG_CARD},
			{.key = "tell", .type = ARG_TRUE, .optional = true}}},
	[TENNESSEE_VERB_PLAY] = {"play", {{.key = "card", .type = ARG_CARD}}},
	[TENNESSEE_VERB_FOLD] = {"fold", {{.type = ARG_END}}},
};

#define EVENT_OF_SEAT                                                                    \
	{                                                                                \
		"seat", EVENT_SEAT, NULL                                                 \
	}
#define EVENT_OF_N                                                                       \
	{                                                                                \
		"n", EVENT_INT, NULL                                                     \
	}
#define EVENT_OF_TEAM                                                                    \
	{                                                                                \
		"team", EVENT_INT, NULL                                                  \
	}

static const struct game_event_kind event_kinds[TENNESSEE_EVENTS] = {
	[TENNESSEE_EVENT_DRAW] = {"draw", {EVENT_OF_SEAT}, "cards"},
	[TENNESSEE_EVENT_DEAL] = {"deal", {EVENT_OF_SEAT}, "cards"},
	[TENNESSEE_EVENT_CUT] = {"cut", {EVENT_OF_SEAT, EVENT_OF_N}, NULL},
	[TENNESSEE_EVENT_BID] = {"bid", {EVENT_OF_SEAT, EVENT_OF_N}, NULL},
	[TENNESSEE_EVENT_SKIP] = {"skip", {EVENT_OF_SEAT}, NULL},
	[TENNESSEE_EVENT_TRUMP] = {"trump",
		{EVENT_OF_SEAT, {"suit", EVENT_WORD, suit_words}}, NULL},
	[TENNESSEE_EVENT_LOSE] = {"lose", {EVENT_OF_SEAT}, "cards"},
	[TENNESSEE_EVENT_SHUFFLE] = {"shuffle", {EVENT_OF_N}, NULL},
	[TENNESSEE_EVENT_TAKE] = {"take", {EVENT_OF_SEAT}, "cards"},
	[TENNESSEE_EVENT_DECLARE] = {"declare", {EVENT_OF_SEAT}, "cards"},
	[TENNESSEE_EVENT_BURN] = {"burn", {EVENT_OF_SEAT, {"trash", EVENT_INT, NULL}},
		"cards"},
	[TENNESSEE_EVENT_PLAY] = {"play", {EVENT_OF_SEAT}, "cards"},
	[TENNESSEE_EVENT_FOLD] = {"fold", {EVENT_OF_SEAT}, "cards"},
	[TENNESSEE_EVENT_TRICK] = {"trick", {EVENT_OF_SEAT, EVENT_OF_N}, "cards"},
	[TENNESSEE_EVENT_PENALTY] = {"penalty", {EVENT_OF_SEAT, EVENT_OF_N}, "cards"},
	[TENNESSEE_EVENT_SCORE] = {"score",
		{EVENT_OF_TEAM, EVENT_OF_N, {"total", EVENT_INT, NULL}}, NULL},
	[TENNESSEE_EVENT_ROUND] = {"round", {EVENT_OF_N, {"dealer", EVENT_SEAT, NULL}},
		NULL},
	[TENNESSEE_EVENT_GUARD] = {"guard", {EVENT_OF_N}, NULL},
	[TENNESSEE_EVENT_GAME] = {"game", {EVENT_OF_N, EVENT_OF_TEAM}, NULL},
	[TENNESSEE_EVENT_MATCH] = {"match", {EVENT_OF_TEAM}, NULL},
};

static bool past_is_open(const void *state, int viewer, int trick) /* TP-6.13 */
{
	const struct tennessee_pig *s = state;

	return s->head.phase != TENNESSEE_PLAY || s->now.catcher[trick] == viewer ||
	       s->head.option[TENNESSEE_OPTION_LOOKBACK] == TENNESSEE_LOOKBACK_ALL;
}

#define MATCH_FIELD(member_)                                                             \
	.name = #member_, .offset = offsetof(struct tennessee_pig, member_),             \
	.size = sizeof(((struct tennessee_pig *)0)->member_)
/* Members of arrays: the size is that of one element. */
#define MATCH_LIST(member_)                                                              \
	.name = #member_, .offset = offsetof(struct tennessee_pig, member_),             \
	.size = sizeof(*((struct tennessee_pig *)0)->member_)
#define HAND_FIELD(member_)                                                              \
	.name = #member_, .offset = offsetof(struct tennessee_pig, now.member_),         \
	.size = sizeof(((struct tennessee_pig *)0)->now.member_)
#define HAND_LIST(member_)                                                               \
	.name = #member_, .offset = offsetof(struct tennessee_pig, now.member_),         \
	.size = sizeof(*((struct tennessee_pig *)0)->now.member_)
#define PER_SEAT .dim = {DIM_SEATS_OF(TENNESSEE_SEATS)}
#define PER_TEAM .dim = {DIM_FIXED(TENNESSEE_TEAMS)}

static const struct game_field fields[] = {
	{MATCH_FIELD(draws), .type = FIELD_UINT, .see = SEE_ALL},
	{MATCH_FIELD(deals), .type = FIELD_UINT, .see = SEE_ALL},
	{MATCH_FIELD(shuffles), .type = FIELD_UINT, .see = SEE_ALL},
	{MATCH_FIELD(hands), .type = FIELD_UINT, .see = SEE_ALL},
	{MATCH_LIST(score), .type = FIELD_INT, .see = SEE_ALL, PER_TEAM},
	{MATCH_LIST(games_won), .type = FIELD_UINT, .see = SEE_ALL, PER_TEAM},
	{MATCH_FIELD(games_played), .type = FIELD_UINT, .see = SEE_ALL},
	{MATCH_FIELD(winner), .type = FIELD_WORD, .see = SEE_ALL, .words = winner_words},
	{MATCH_FIELD(ended), .type = FIELD_WORD, .see = SEE_ALL,
		.words = tennessee_end_words},
	{MATCH_FIELD(dealer), .type = FIELD_SEAT, .see = SEE_ALL},
	{MATCH_FIELD(drawing), .type = FIELD_SEATS, .see = SEE_ALL},
	{HAND_LIST(bids), .type = FIELD_UINT, .see = SEE_ALL, PER_SEAT},
	{HAND_FIELD(passed), .type = FIELD_SEATS, .see = SEE_ALL},
	{HAND_FIELD(bid), .type = FIELD_UINT, .see = SEE_ALL},
	{HAND_FIELD(bidder), .type = FIELD_SEAT, .see = SEE_ALL},
	{HAND_FIELD(trump), .type = FIELD_WORD, .see = SEE_ALL, .words = trump_words},
	{HAND_FIELD(point), .type = FIELD_CARD, .see = SEE_ALL},
	{HAND_LIST(hand_count), .type = FIELD_UINT, .see = SEE_ALL, PER_SEAT},
	{HAND_LIST(thrown), .type = FIELD_UINT, .see = SEE_ALL, PER_SEAT},
	{HAND_LIST(filled), .type = FIELD_UINT, .see = SEE_ALL, PER_SEAT},
	{HAND_FIELD(leftover), .type = FIELD_UINT, .see = SEE_ALL},
	{HAND_FIELD(reshuffled), .type = FIELD_BOOL, .see = SEE_ALL},
	{HAND_LIST(burned), .type = FIELD_SET, .see = SEE_ALL, PER_SEAT},
	{HAND_LIST(burned_trash), .type = FIELD_UINT, .see = SEE_ALL, PER_SEAT},
	{HAND_LIST(sure_trumps), .type = FIELD_UINT, .see = SEE_ALL, PER_SEAT},
	{HAND_LIST(sure_trash), .type = FIELD_UINT, .see = SEE_ALL, PER_SEAT},
	{HAND_FIELD(live), .type = FIELD_SEATS, .see = SEE_ALL},
	{HAND_FIELD(leader), .type = FIELD_SEAT, .see = SEE_ALL},
	{HAND_LIST(trick), .type = FIELD_CARD, .see = SEE_ALL, PER_SEAT},
	{HAND_FIELD(played), .type = FIELD_SET, .see = SEE_ALL},
	{HAND_LIST(folded), .type = FIELD_SET, .see = SEE_ALL, PER_SEAT},
	{HAND_LIST(caught), .type = FIELD_UINT, .see = SEE_ALL, PER_TEAM},
	{HAND_FIELD(tricks), .type = FIELD_UINT, .see = SEE_ALL},
	{HAND_LIST(catcher), .type = FIELD_SEAT, .see = SEE_ALL,
		.dim = {DIM_COUNT(TENNESSEE_TRICKS, struct tennessee_pig, now.tricks)}},
	{.name = "past",
		.offset = offsetof(struct tennessee_pig, now.past),
		.size = 1,
		.type = FIELD_CARD,
		.see = SEE_ALL,
		.dim = {DIM_COUNT(TENNESSEE_TRICKS, struct tennessee_pig, now.tricks),
			DIM_SEATS_OF(TENNESSEE_SEATS)},
		.visible = past_is_open},
	{HAND_FIELD(stock_count), .type = FIELD_UINT, .see = SEE_ALL},
	{HAND_LIST(hand), .type = FIELD_SET, .see = SEE_OWNER, PER_SEAT},
	{HAND_LIST(received), .type = FIELD_SET, .see = SEE_OWNER, PER_SEAT},
	{HAND_LIST(discards), .type = FIELD_SET, .see = SEE_OWNER, PER_SEAT},
	{HAND_LIST(burning), .type = FIELD_SET, .see = SEE_OWNER, PER_SEAT},
	{HAND_LIST(silent), .type = FIELD_BOOL, .see = SEE_OWNER, PER_SEAT},
	{HAND_LIST(stock), .type = FIELD_CARD, .see = SEE_NONE,
		.dim = {DIM_COUNT(
			TENNESSEE_CARDS, struct tennessee_pig, now.stock_count)}},
};

const struct game tennessee_pig_game = {
	.id = "tennessee_pig",
	.title = "Tennessee Pig",
	.summary = "Two partnerships bid for the right to name trumps. Trash is thrown "
		   "away, hands are filled to six, and six tricks are played for the "
		   "sixteen points in the trumps, ten of them on the two fives, the "
		   "pigs. The bidders score what they catch if they catch what they "
		   "bid, and lose the bid if not. First to 52 wins, minus 52 loses.",
	GAME_PREFIX("TP"),
	.rules_version = 1,
	.seats_min = TENNESSEE_SEATS,
	.seats_max = TENNESSEE_SEATS,
	.teams = TENNESSEE_TEAMS,
	.options = options,
	.option_count = TENNESSEE_OPTIONS,
	.faces = faces,
	.face_count = TENNESSEE_CARDS,
	.phases = phases,
	.verbs = verbs,
	.verb_count = TENNESSEE_VERBS,
	.events = event_kinds,
	.event_count = TENNESSEE_EVENTS,
	.fields = fields,
	.field_count = sizeof(fields) / sizeof(*fields),
	.state_size = sizeof(struct tennessee_pig),
	.start = tennessee_start,
	.chance = tennessee_chance,
	.apply_chance = tennessee_apply_chance,
	.legal = tennessee_legal,
	.check = tennessee_check,
	.offence = tennessee_offence,
	.apply = tennessee_apply,
	.sample = tennessee_sample,
	.fallback = tennessee_fallback,
	.result = tennessee_result,
	.teams_of = tennessee_teams_of,
	.complete = tennessee_complete,
	.invariants = tennessee_invariants,
};
