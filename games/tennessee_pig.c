/*
 * Tennessee Pig. Clauses TP-… are those of specs/games/tennessee_pig.md.
 *
 *   start ──► DRAW ──► DEAL ──► [CUT] ──► BID… ──► TRUMP ──► [FILL] ──► [BURN…] ──► PLAY…
 *          (chance)  (chance)                              (chance)                  │
 *              ▲        ▲                                                            │
 *              │        └───────────────────── next hand ────────────────────────────┤
 *              └────────────────────────────── next game ────────────────────────────┤
 *                                                                          OVER ◄────┘
 *
 *   DRAW   who deals first; again while seats tie       draw_dealer
 *   DEAL   an order of all cards                        begin_hand
 *   CUT    only with cut=ask: dealer's right            apply_cut → deal_nine
 *   BID    clockwise, the dealer last                   apply_bid
 *   TRUMP  the bidder                                   apply_trump → fill
 *   FILL   only if the stock runs out: the discards     reshuffle → fill
 *          are shuffled
 *   BURN   all seats over six at once, card by card     apply_burn → end_burn
 *   PLAY   up to six tricks                             tennessee_play, tennessee_fold
 *
 * Behind every PLAY, and behind a slam or a penalty, end_hand scores and chooses the
 * way back. Only BURN asks several seats; elsewhere acting and pending are equal.
 */
#include "games/tennessee_pig_internal.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

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
static const char *const end_words[] = {"none", "target", "minus", "guard", NULL};
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
		"the seat to the dealer's right cuts the deck (ask) or nobody does "
		"(auto)",
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

#ifdef PLANT_tennessee_pig_discards
#define DISCARDS_SEE SEE_ALL
#else
#define DISCARDS_SEE SEE_OWNER
#endif
#ifdef PLANT_tennessee_pig_burning
#define BURNING_SEE SEE_ALL
#else
#define BURNING_SEE SEE_OWNER
#endif
#ifdef PLANT_tennessee_pig_stock
#define STOCK_SEE SEE_ALL
#else
#define STOCK_SEE SEE_NONE
#endif

static const struct game_field fields[] = {
	{MATCH_FIELD(draws), .type = FIELD_UINT, .see = SEE_ALL},
	{MATCH_FIELD(deals), .type = FIELD_UINT, .see = SEE_ALL},
	{MATCH_FIELD(shuffles), .type = FIELD_UINT, .see = SEE_ALL},
	{MATCH_FIELD(hands), .type = FIELD_UINT, .see = SEE_ALL},
	{MATCH_LIST(score), .type = FIELD_INT, .see = SEE_ALL, PER_TEAM},
	{MATCH_LIST(games_won), .type = FIELD_UINT, .see = SEE_ALL, PER_TEAM},
	{MATCH_FIELD(games_played), .type = FIELD_UINT, .see = SEE_ALL},
	{MATCH_FIELD(winner), .type = FIELD_WORD, .see = SEE_ALL, .words = winner_words},
	{MATCH_FIELD(ended), .type = FIELD_WORD, .see = SEE_ALL, .words = end_words},
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
	{HAND_LIST(discards), .type = FIELD_SET, .see = DISCARDS_SEE, PER_SEAT},
	{HAND_LIST(burning), .type = FIELD_SET, .see = BURNING_SEE, PER_SEAT},
	{HAND_LIST(silent), .type = FIELD_BOOL, .see = SEE_OWNER, PER_SEAT},
	{HAND_LIST(stock), .type = FIELD_CARD, .see = STOCK_SEE,
		.dim = {DIM_COUNT(
			TENNESSEE_CARDS, struct tennessee_pig, now.stock_count)}},
};

static struct action action_of(int verb, int argument)
{
	return (struct action){(uint8_t)verb, 1, {(uint8_t)argument}};
}

/* Bids 7..16, 28, 30 and 32 that are higher than the last; 0 is the lowest. */
static int legal_bids(const struct tennessee_pig *s, int seat, struct action *out)
{
	int n = 0, bid = s->now.bid;

	if (bid == TENNESSEE_BID_MAX)
		bid = seat == s->dealer ? TENNESSEE_BID_MAX - 1 : TENNESSEE_BID_MAX;
	for (int x = TENNESSEE_BID_MIN; x <= TENNESSEE_BID_SINGLE_MAX; x++)
		if (x > bid)
			out[n++] = action_of(TENNESSEE_VERB_BID, x);
	for (int x = 28; x <= TENNESSEE_BID_MAX; x += 2)
		if (x > bid)
			out[n++] = action_of(TENNESSEE_VERB_BID, x);
	if (bid > 0 || seat != s->dealer)
		out[n++] = (struct action){TENNESSEE_VERB_PASS, 0, {0}};
	return n;
}

static int legal_burns(const struct tennessee_pig *s, int seat, struct action *out)
{
	uint64_t cards = s->now.hand[seat] & ~fixed_cards(s->now.trump);
	uint64_t told = s->head.option[OPTION_FAULTS] ? trump_cards(s->now.trump) : 0;
	int n = 0;

	while (cards) {
		int card = set_pop(&cards);
		uint8_t tell = told & card_bit(card) ? 1 : ABSENT;

		out[n++] = (struct action){TENNESSEE_VERB_BURN, 2, {(uint8_t)card, tell}};
	}
	return n;
}

static int legal_plays(const struct tennessee_pig *s, int seat, struct action *out)
{
	uint64_t hand = s->now.hand[seat];
	uint64_t trumps = hand & trump_cards(s->now.trump);
	uint64_t cards = trump_is_led(&s->now) ? trumps : hand;
	bool may_fold = !trumps;
	int n = 0;

#ifdef PLANT_tennessee_pig_legal
	may_fold &= !cards || !(s->now.hand[seat ^ 2] &
				      card_bit(card_of(s->now.trump - 1, TENNESSEE_ACE)));
#endif
	while (cards)
		out[n++] = action_of(TENNESSEE_VERB_PLAY, set_pop(&cards));
	if (may_fold)
		out[n++] = (struct action){TENNESSEE_VERB_FOLD, 0, {0}};
	return n;
}

static int legal(const void *state, int seat, struct action *out)
{
	const struct tennessee_pig *s = state;
	int n;

	if (!game_seat_in(s->head.pending, seat))
		return 0;
	switch (s->head.phase) {
	case TENNESSEE_PLAY:
		return legal_plays(s, seat, out);
	case TENNESSEE_BURN:
		return legal_burns(s, seat, out);
	case TENNESSEE_BID:
		return legal_bids(s, seat, out);
	case TENNESSEE_TRUMP:
		for (n = 0; n < TENNESSEE_SUITS; n++)
			out[n] = action_of(TENNESSEE_VERB_TRUMP, n);
		return n;
	case TENNESSEE_CUT:
		for (n = 0; n < TENNESSEE_CARDS; n++)
			out[n] = action_of(TENNESSEE_VERB_CUT, n);
		return n;
	default:
		return 0;
	}
}

static bool check_bid(const struct tennessee_pig *s, int seat, int n, struct refusal *why)
{
	bool single = n >= 7 && n <= 16;

	if (!single && n != 28 && n != 30 && n != 32)
		return refuse(why, "TP-3.2", "a bid is 7 to 16, 28, 30 or 32");
	if (n == 32 && s->now.bid == 32 && seat == s->dealer)
		return true; /* TP-3.5 */
	if (n <= s->now.bid)
		return refuse(why, "TP-3.3", "the bid must be higher than the last one");
	return true;
}

static bool check_pass(const struct tennessee_pig *s, int seat, struct refusal *why)
{
	unsigned others = TENNESSEE_ALL_SEATS & ~(1u << s->dealer);

	if (seat == s->dealer && (s->now.passed & others) == others)
		return refuse(
			why, "TP-3.4", "all others have passed: the dealer must bid");
	return true;
}

/* The cards of the suit of the trump's colour that count as trumps are found by their
 * own look-up here, not by the sets that `legal` works with. */
static bool card_is_trump(const struct tennessee_pig *s, int card)
{
	static const uint8_t same_colour[] = {3, 2, 1, 0};
	int suit = s->now.trump - 1, rank = card % TENNESSEE_RANKS;

	if (card == TENNESSEE_JOKER || card / TENNESSEE_RANKS == suit)
		return true;
	return card / TENNESSEE_RANKS == same_colour[suit] &&
	       (rank == TENNESSEE_FIVE || rank == TENNESSEE_JACK);
}

static bool card_is_protected(const struct tennessee_pig *s, int card)
{
	int rank = card % TENNESSEE_RANKS;

	if (!card_is_trump(s, card))
		return false;
	return card == TENNESSEE_JOKER || rank == TENNESSEE_ACE ||
	       rank == TENNESSEE_JACK || rank == TENNESSEE_TEN || rank == TENNESSEE_FIVE;
}

static bool holds(const struct tennessee_pig *s, int seat, int card)
{
	return s->now.hand[seat] >> card & 1;
}

static bool holds_trump(const struct tennessee_pig *s, int seat)
{
	for (int card = 0; card < TENNESSEE_CARDS; card++)
		if (holds(s, seat, card) && card_is_trump(s, card))
			return true;
	return false;
}

static bool check_burn(const struct tennessee_pig *s, int seat,
	const struct action *action, struct refusal *why)
{
	int card = action->arg[0];
	bool tells = action->arg[1] != ABSENT;
	bool penalty = s->head.option[OPTION_FAULTS] != 0;

	if (tells && (!penalty || !card_is_trump(s, card)))
		return refuse(why, "TP-0.2",
			"`tell` belongs only to a burned trump with faults=penalty");
	if (!holds(s, seat, card))
		return refuse(why, "TP-5.2", "the card is not in your hand");
	if (card_is_protected(s, card))
		return refuse(why, "TP-5.3", "this point card may not be burned");
	if (penalty && card_is_trump(s, card) && !tells)
		return refuse(why, "TP-5.6", "a burned trump must be told: `tell`: true");
	return true;
}

static bool check_play(
	const struct tennessee_pig *s, int seat, int card, struct refusal *why)
{
	int led = s->now.trick[s->now.leader];

	if (!holds(s, seat, card))
		return refuse(why, "TP-6.2", "the card is not in your hand");
	if (led == NO_CARD || !card_is_trump(s, led) || card_is_trump(s, card))
		return true; /* TP-6.3 */
	if (holds_trump(s, seat))
		return refuse(why, "TP-6.4", "a trump was led: play a trump");
	return refuse(why, "TP-6.5", "a trump was led and you hold none: fold");
}

static bool check(
	const void *state, int seat, const struct action *action, struct refusal *why)
{
	static const uint8_t phase_of[TENNESSEE_VERBS] = {
		[TENNESSEE_VERB_CUT] = TENNESSEE_CUT,
		[TENNESSEE_VERB_BID] = TENNESSEE_BID,
		[TENNESSEE_VERB_PASS] = TENNESSEE_BID,
		[TENNESSEE_VERB_TRUMP] = TENNESSEE_TRUMP,
		[TENNESSEE_VERB_BURN] = TENNESSEE_BURN,
		[TENNESSEE_VERB_PLAY] = TENNESSEE_PLAY,
		[TENNESSEE_VERB_FOLD] = TENNESSEE_PLAY};
	const struct tennessee_pig *s = state;

	if (s->head.need != NEED_ANSWERS || !game_seat_in(s->head.pending, seat))
		return refuse(why, "TP-1.7", "it is not your turn");
	if (phase_of[action->verb] != s->head.phase)
		return refuse(why, "TP-1.7", "this is not what is being asked now");
	switch (action->verb) {
	case TENNESSEE_VERB_BID:
		return check_bid(s, seat, action->arg[0], why);
	case TENNESSEE_VERB_PASS:
		return check_pass(s, seat, why);
	case TENNESSEE_VERB_BURN:
		return check_burn(s, seat, action, why);
	case TENNESSEE_VERB_PLAY:
		return check_play(s, seat, action->arg[0], why);
	case TENNESSEE_VERB_FOLD:
		if (holds_trump(s, seat))
			return refuse(why, "TP-6.6", "only a hand without trumps folds");
		return true;
	default:
		return true; /* TP-2.5, TP-4.1: any number, any suit */
	}
}

/* The lowest card, trash before trumps; to fold only if nothing else is legal. */
static void lowest_card(const struct tennessee_pig *s, const struct action *list, int n,
	struct action *out)
{
	int lowest = INT_MAX;

	*out = list[0];
	for (int i = 0; i < n; i++) {
		int rank = list[i].count
				   ? tennessee_strength(s->now.trump, list[i].arg[0])
				   : INT_MAX;

		if (rank < lowest) {
			lowest = rank;
			*out = list[i];
		}
	}
}

static void fallback(const void *view, struct action *out)
{
	const struct tennessee_pig *s = view;
	struct action list[GAME_LEGAL_MAX];
	int n = legal(view, s->head.viewer, list);

	assert(n > 0);
	switch (s->head.phase) {
	case TENNESSEE_BID:
		*out = list[n - 1].verb == TENNESSEE_VERB_PASS ? list[n - 1] : list[0];
		break;
	case TENNESSEE_BURN:
	case TENNESSEE_PLAY:
		lowest_card(s, list, n, out);
		break;
	default:
		*out = list[0];
	}
}

static void teams_of(const void *state, int8_t team[GAME_SEATS_MAX]) /* TP-1.1 */
{
	const struct tennessee_pig *s = state;

	memset(team, -1, GAME_SEATS_MAX);
	for (int seat = 0; seat < s->head.seats; seat++)
		team[seat] = (int8_t)(seat % TENNESSEE_TEAMS);
}

static void result(const void *state, struct game_result *out) /* TP-7.10 */
{
	const struct tennessee_pig *s = state;
	bool one_game = s->head.option[TENNESSEE_OPTION_GAMES] == 1;

	assert(s->head.need == NEED_NOTHING);
	memset(out, 0, sizeof(*out));
	teams_of(state, out->team);
	for (int seat = 0; seat < TENNESSEE_SEATS; seat++) {
		int team = seat % TENNESSEE_TEAMS;
		bool lost = s->winner != TENNESSEE_DRAWN && s->winner != 1 + team;

		out->score[seat] = one_game ? s->score[team] : s->games_won[team];
		out->rank[seat] = lost ? 3 : 1;
	}
	out->reason = one_game ? end_words[s->ended] : "games";
}

const struct game tennessee_pig_game = {
	.id = "tennessee_pig",
	.title = "Tennessee Pig",
	.summary = "Two partnerships bid for the right to name trumps. Trash is thrown "
		   "away, "
		   "hands are filled to six, and six tricks are played for the sixteen "
		   "points in the trumps, ten of them on the two fives, the pigs. The "
		   "bidders score what they catch if they catch what they bid, and lose "
		   "the bid if not. First to 52 wins, minus 52 loses.",
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
	.legal = legal,
	.check = check,
	.offence = tennessee_offence,
	.apply = tennessee_apply,
	.sample = tennessee_sample,
	.fallback = fallback,
	.result = result,
	.teams_of = teams_of,
	.complete = tennessee_complete,
	.invariants = tennessee_invariants,
};
