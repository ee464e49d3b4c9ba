/*
 * Pig It Hog It as tables: options, verbs, events, fields, and the functions behind them.
 * Clauses PIHI-… are those of specs/games/pig_it_hog_it.md.
 */
#include "games/pig_it_hog_it/internal.h"

_Static_assert(sizeof(struct pig_it_hog_it) == 132, "padding would break memcmp");

static const game_token faces[] = {"9S", "TS", "JS", "QS", "KS", "AS", "9H", "TH", "JH",
	"QH", "KH", "AH", "9D", "TD", "JD", "QD", "KD", "AD", "9C", "TC", "JC", "QC",
	"KC", "AC"};
static const char *const phases[] = {
	"first", "partners", "deal", "bid", "declare", "exchange", "play", "over", NULL};
static const char *const suits[] = {"S", "H", "D", "C", NULL};
static const char *const modes[] = {"none", "high", "low", "S", "H", "D", "C", NULL};
static const char *const calls[] = {
	"none", "pass", "high", "low", "suit", "S", "H", "D", "C", "pig", "hog", NULL};

static const struct game_word partners_words[] = {
	{"fixed", PIHI_PARTNERS_FIXED}, {"jacks", PIHI_PARTNERS_JACKS}, {NULL, 0}};
static const struct game_word all_pass_words[] = {{"next", PIHI_ALL_PASS_NEXT},
	{"redeal", PIHI_ALL_PASS_REDEAL}, {"dealer", PIHI_ALL_PASS_DEALER}, {NULL, 0}};
static const struct game_word hog_partner_words[] = {
	{"out", PIHI_HOG_PARTNER_OUT}, {"plays", PIHI_HOG_PARTNER_PLAYS}, {NULL, 0}};

static const struct game_option options[] = {
	GAME_COMMON_OPTIONS,
	[PIHI_PARTNERS] = {"partners",
		"seats 0+2 against 1+3 (fixed), or drawn by the first jacks (jacks)", 0,
		1, 0, partners_words},
	[PIHI_FIRST_DEALER] = {"first_dealer",
		"who deals first when partners are fixed; with jacks the first jack deals",
		0, 0, 3, game_random_seat},
	[PIHI_TARGET] = {"target", "points that win a game", 50, 1, 500, NULL},
	[PIHI_GAMES] = {"games", "the match is the best of so many games", 3, 1, 9, NULL},
	[PIHI_ALL_PASS] = {"all_pass",
		"when nobody bids: the next seat deals (next), the same seat deals again "
		"(redeal), or the dealer may not pass (dealer)",
		0, 1, 0, all_pass_words},
	[PIHI_SUIT_IN_BID] = {"suit_in_bid", "a suit bid names its suit", 0, 1, 0,
		game_switch},
	[PIHI_HOG_PARTNER] = {"hog_partner",
		"the partner of a hog bidder sits out (out) or plays along (plays)", 0, 1,
		0, hog_partner_words},
	[PIHI_DEFENDERS_SCORE] = {"defenders_score",
		"defenders get a point for each trick", 1, 1, 0, game_switch},
	[PIHI_REVOKE_SETS] = {"revoke_sets",
		"with faults=penalty a revoke by the bidding side also costs it the bid",
		0, 1, 0, game_switch},
	[PIHI_MAX_ROUNDS] = {"max_rounds",
		"deals after which a game ends with whatever the score is", 200, 1, 1000,
		NULL},
};

static const struct game_verb verbs[] = {
	[PIHI_BID] = {"bid",
		{{.key = "k", .type = ARG_WORD, .words = calls + PIHI_CALL_KIND},
			{.key = "n", .type = ARG_INT, .optional = true, .max = 6}}},
	[PIHI_PASS] = {"pass", {{""}}},
	[PIHI_DECLARE] = {"declare",
		{{.key = "m", .type = ARG_WORD, .words = modes + PIHI_HIGH}}},
	[PIHI_GIVE] = {"give", {{.key = "card", .type = ARG_CARD}}},
	[PIHI_PLAY] = {"play", {{.key = "card", .type = ARG_CARD}}},
};

static const struct game_event_kind events_table[] = {
	[PIHI_EVENT_DRAW] = {"draw", {{"seat", EVENT_SEAT, NULL}}, "cards"},
	[PIHI_EVENT_MOVE] = {"move",
		{{"seat", EVENT_SEAT, NULL}, {"at", EVENT_INT, NULL}}, NULL},
	[PIHI_EVENT_ROUND] = {"round",
		{{"game", EVENT_INT, NULL}, {"n", EVENT_INT, NULL},
			{"dealer", EVENT_SEAT, NULL}},
		NULL},
	[PIHI_EVENT_DEAL] = {"deal", {{"seat", EVENT_SEAT, NULL}}, "cards"},
	[PIHI_EVENT_BID] = {"bid",
		{{"seat", EVENT_SEAT, NULL}, {"k", EVENT_WORD, calls + PIHI_CALL_PASS},
			{"n", EVENT_INT, NULL}},
		NULL},
	[PIHI_EVENT_DECLARE] = {"declare",
		{{"seat", EVENT_SEAT, NULL}, {"m", EVENT_WORD, modes + PIHI_HIGH}}, NULL},
	[PIHI_EVENT_GIVE] = {"give",
		{{"seat", EVENT_SEAT, NULL}, {"to", EVENT_SEAT, NULL}}, "cards"},
	[PIHI_EVENT_PLAY] = {"play", {{"seat", EVENT_SEAT, NULL}}, "cards"},
	[PIHI_EVENT_TRICK] = {"trick", {{"seat", EVENT_SEAT, NULL}}, NULL},
	[PIHI_EVENT_PENALTY] = {"penalty", {{"seat", EVENT_SEAT, NULL}}, NULL},
	[PIHI_EVENT_SCORE] = {"score",
		{{"team", EVENT_INT, NULL}, {"points", EVENT_INT, NULL},
			{"total", EVENT_INT, NULL}},
		NULL},
	[PIHI_EVENT_GUARD] = {"guard", {{"rounds", EVENT_INT, NULL}}, NULL},
	[PIHI_EVENT_GAME] = {"game",
		{{"n", EVENT_INT, NULL}, {"winner", EVENT_INT, NULL}}, NULL},
	[PIHI_EVENT_MATCH] = {"match", {{"winner", EVENT_INT, NULL}}, NULL},
};

#define FIELD(member_, type_, see_, ...)                                                 \
	{                                                                                \
		GAME_FIELD(struct pig_it_hog_it, member_), .type = (type_),              \
							   .see = (see_), __VA_ARGS__    \
	}
#define ONE(bytes)      .size = (bytes)
#define BY_SEAT(bytes)  .size = (bytes), .dim = {DIM_SEATS_OF(4)}
#define BY_TEAM(bytes)  .size = (bytes), .dim = {DIM_FIXED(2)}
#define BY_PLACE(bytes) .size = (bytes), .dim = {DIM_FIXED(4)}

static const struct game_field fields[] = {
	FIELD(hand, FIELD_SET, SEE_OWNER, BY_SEAT(4)),
	FIELD(given, FIELD_CARD, SEE_OWNER, BY_SEAT(1)),
	FIELD(received, FIELD_CARD, SEE_OWNER, BY_SEAT(1)),
	FIELD(order, FIELD_SEAT, SEE_ALL, BY_PLACE(1)),
	FIELD(position, FIELD_UINT, SEE_ALL, BY_SEAT(1)),
	FIELD(games_won, FIELD_UINT, SEE_ALL, BY_TEAM(1)),
	FIELD(games_played, FIELD_UINT, SEE_ALL, ONE(1)),
	FIELD(aggregate, FIELD_INT, SEE_ALL, BY_TEAM(4)),
	FIELD(score, FIELD_INT, SEE_ALL, BY_TEAM(2)),
	FIELD(deals, FIELD_UINT, SEE_ALL, ONE(2)),
	FIELD(round, FIELD_UINT, SEE_ALL, ONE(2)),
	FIELD(draws, FIELD_UINT, SEE_ALL, ONE(2)),
	FIELD(thrown_in, FIELD_UINT, SEE_ALL, ONE(1)),
	FIELD(dealer, FIELD_SEAT, SEE_ALL, ONE(1)),
	FIELD(call, FIELD_WORD, SEE_ALL, BY_SEAT(1), .words = calls),
	FIELD(call_n, FIELD_UINT, SEE_ALL, BY_SEAT(1)),
	FIELD(bidder, FIELD_SEAT, SEE_ALL, ONE(1)),
	FIELD(level, FIELD_UINT, SEE_ALL, ONE(1)),
	FIELD(declared, FIELD_WORD, SEE_ALL, ONE(1), .words = modes),
	FIELD(leader, FIELD_SEAT, SEE_ALL, ONE(1)),
	FIELD(trick, FIELD_CARD, SEE_ALL, BY_SEAT(1)),
	FIELD(winning, FIELD_SEAT, SEE_ALL, ONE(1)),
	FIELD(tricks, FIELD_UINT, SEE_ALL, BY_SEAT(1)),
	FIELD(hand_count, FIELD_UINT, SEE_ALL, BY_SEAT(1)),
	FIELD(played, FIELD_SET, SEE_ALL, BY_SEAT(4)),
	FIELD(voids, FIELD_FLAGS, SEE_ALL, BY_SEAT(1), .words = suits),
};

const struct game pig_it_hog_it_game = {
	.id = "pig_it_hog_it",
	.title = "Pig It Hog It",
	.summary = "Two partnerships bid for the tricks of a 24-card deck, in high, "
		   "low or a trump suit with bowers. A pig promises all six tricks "
		   "after a swap of one card with the partner, a hog all six alone. "
		   "First to 50 points wins a game, the best of three games the match.",
	GAME_PREFIX("PIHI"),
	.rules_version = 1,
	.seats_min = PIHI_SEATS,
	.seats_max = PIHI_SEATS,
	.teams = 2,
	.options = options,
	.option_count = PIHI_OPTIONS,
	.faces = faces,
	.face_count = PIHI_CARDS,
	.phases = phases,
	.verbs = verbs,
	.verb_count = PIHI_VERBS,
	.events = events_table,
	.event_count = PIHI_EVENTS,
	.fields = fields,
	.field_count = sizeof(fields) / sizeof(fields[0]),
	.state_size = sizeof(struct pig_it_hog_it),
	.start = pihi_start,
	.chance = pihi_chance,
	.apply_chance = pihi_apply_chance,
	.legal = pihi_legal,
	.check = pihi_check,
	.offence = pihi_offence,
	.apply = pihi_apply,
	.sample = pihi_sample,
	.fallback = pihi_fallback,
	.result = pihi_result,
	.teams_of = pihi_teams_of,
	.complete = pihi_complete,
	.invariants = pihi_invariants,
};
