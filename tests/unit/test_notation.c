/* States, actions, events and orders as text and back, on a made-up game with every
 * kind of field and argument. */
#include "arbiter/table/notation.h"

#include <criterion/criterion.h>

struct toy {
	struct game_head head;
	int16_t score;
	bool open;
	uint8_t mood, marks, leader, top;
	uint16_t out;
	uint8_t heap[4];
	uint64_t set;
	uint8_t pile_count, pile[6];
	uint8_t hand_count[3], hand[3][4];
	uint8_t slots[3];
	uint16_t pair[2];
	uint8_t trick_count, trick[4][3];
};

static const game_token faces[] = {"1", "2", "W", "mud"};
static const char *const moods[] = {"calm", "wild", NULL};
static const char *const marks[] = {"dirty", "barn", "rod", NULL};
static const char *const phases[] = {"deal", "turn", "over", NULL};
static const char *const kinds[] = {"high", "low", NULL};

#define FIELD(member) GAME_FIELD(struct toy, member)
static const struct game_field fields[] = {
	{FIELD(score), .type = FIELD_INT, .size = 2},
	{FIELD(open), .type = FIELD_BOOL, .size = 1},
	{FIELD(mood), .type = FIELD_WORD, .size = 1, .words = moods},
	{FIELD(marks), .type = FIELD_FLAGS, .size = 1, .words = marks},
	{FIELD(leader), .type = FIELD_SEAT, .size = 1},
	{FIELD(top), .type = FIELD_CARD, .size = 1},
	{FIELD(out), .type = FIELD_SEATS, .size = 2},
	{FIELD(heap), .type = FIELD_COUNTS, .size = 4},
	{FIELD(set), .type = FIELD_SET, .size = 8},
	{FIELD(pile), .type = FIELD_CARD, .size = 1,
		.dim = {DIM_COUNT(6, struct toy, pile_count)}},
	{FIELD(hand), .type = FIELD_CARD, .see = SEE_OWNER, .size = 1,
		.dim = {DIM_SEATS_OF(3), DIM_COUNT(4, struct toy, hand_count)}},
	{FIELD(slots), .type = FIELD_CARD, .size = 1, .dim = {DIM_FIXED(3)}},
	{FIELD(pair), .type = FIELD_UINT, .size = 2, .dim = {DIM_FIXED(2)}},
	{FIELD(trick), .type = FIELD_CARD, .size = 1,
		.dim = {DIM_COUNT(4, struct toy, trick_count), DIM_FIXED(3)}},
};
static const struct game_verb verbs[] = {
	{"pass", {{"", ARG_END, false, 0, NULL}}},
	{"play", {{"cards", ARG_CARDS, false, 5, NULL}}},
	{"throw", {{"card", ARG_CARD, false, 0, NULL}, {"to", ARG_SEAT, true, 0, NULL},
			  {"pig", ARG_INT, true, 4, NULL}}},
	{"bid", {{"k", ARG_WORD, false, 0, kinds}, {"n", ARG_INT, true, 6, NULL},
			{"tell", ARG_TRUE, true, 0, NULL}}},
	{"line", {{"order", ARG_ORDER, false, 4, NULL}}},
};
static const struct game_event_kind events[] = {
	{"turn", {{"seat", EVENT_SEAT, NULL}}, NULL},
	{"play",
		{{"seat", EVENT_SEAT, NULL}, {"k", EVENT_WORD, kinds},
			{"n", EVENT_INT, NULL}},
		"cards"},
};
static const struct game toy = {
	.id = "toy",
	.seats_min = 3,
	.seats_max = 3,
	.faces = faces,
	.face_count = 4,
	.phases = phases,
	.verbs = verbs,
	.verb_count = 5,
	.events = events,
	.event_count = 2,
	.fields = fields,
	.field_count = sizeof(fields) / sizeof(fields[0]),
	.state_size = sizeof(struct toy),
};

static struct toy blank(void)
{
	int16_t option[GAME_OPTIONS_MAX] = {0};
	struct toy state;

	game_blank(&toy, 3, option, &state);
	return state;
}

/* Parses the text into a field and writes it again. */
static void same(const char *name, int outer, const char *text)
{
	struct toy state = blank(), again = blank();
	struct why why = {""};
	char buffer[NOTATION_MAX];

	cr_assert(notation_parse_field(&toy, &state, name, outer, text, &why), "%s: %s",
		name, why.text);
	notation_field(&toy, &state, name, outer, buffer, sizeof(buffer));
	cr_expect_str_eq(buffer, text);
	cr_assert(notation_parse_field(&toy, &again, name, outer, buffer, &why));
	cr_expect(notation_field_equal(&toy, &state, &again, name, outer));
	cr_expect_eq(memcmp(&state, &again, sizeof(state)), 0);
}

Test(notation, fields_come_back_as_written)
{
	same("score", -1, "-12");
	same("open", -1, "true");
	same("mood", -1, "wild");
	same("marks", -1, "dirty+rod");
	same("marks", -1, "-");
	same("leader", -1, "2");
	same("leader", -1, "-");
	same("top", -1, "mud");
	same("out", -1, "0 2");
	same("heap", -1, "1 1 W");
	same("heap", -1, "-");
	same("set", -1, "2 mud");
	same("pile", -1, "W 1 1");
	same("pile", -1, "-");
	same("hand", 1, "1 mud");
	same("hand", -1, "1 | - | W W");
	same("slots", -1, "1 - W");
	same("pair", -1, "3 0");
	same("trick", -1, "1 2 - | W - -");
	same("phase", -1, "turn");
	same("need", -1, "chance");
	same("act", -1, "0 1");
	same("pending", -1, "1");
}

Test(notation, a_list_sets_its_counter_and_blanks_the_rest)
{
	struct toy state = blank();
	struct why why;

	cr_assert(notation_parse_field(&toy, &state, "pile", -1, "1 2 W", &why));
	cr_assert(notation_parse_field(&toy, &state, "pile", -1, "mud", &why));
	cr_expect_eq(state.pile_count, 1);
	cr_expect_eq(state.pile[1], NO_CARD);
	cr_assert(notation_parse_field(&toy, &state, "hand", 2, "1 2", &why));
	cr_expect_eq(state.hand_count[2], 2);
	cr_assert(notation_parse_field(&toy, &state, "act", -1, "0 2", &why));
	cr_expect_eq(state.head.pending, 5);
}

Test(notation, what_does_not_fit_a_field_is_an_error)
{
	static const char *const bad[][2] = {{"nothing", "1"}, {"score", "x"},
		{"score", "40000"}, {"open", "maybe"}, {"mood", "angry"},
		{"marks", "dirty+x"}, {"leader", "9x"}, {"top", "3"}, {"heap", "1 7"},
		{"set", "1 1"}, {"out", "a"}, {"pile", "1 1 1 1 1 1 1"},
		{"slots", "1 1 1 1"}, {"phase", "x"}, {"act", "44"}};
	struct toy state = blank();

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct why why = {""};

		cr_expect(!notation_parse_field(
				  &toy, &state, bad[i][0], -1, bad[i][1], &why),
			"%s: %s", bad[i][0], bad[i][1]);
		cr_expect_neq(why.text[0], 0);
	}
}

static void same_action(const char *text, int count)
{
	struct why why = {""};
	char buffer[NOTATION_MAX];
	struct action action;

	cr_assert(notation_parse_action(&toy, text, &action, &why), "%s: %s", text,
		why.text);
	notation_action(&toy, &action, buffer, sizeof(buffer));
	cr_expect_str_eq(buffer, text);
	cr_expect_eq(action.count, count, "%s: %d", text, action.count);
}

Test(notation, actions_come_back_as_written)
{
	same_action("pass", 0);
	same_action("play 1 1 W", 3);
	same_action("throw mud to=1 pig=0", 3);
	same_action("throw mud pig=4", 3);
	same_action("bid high n=3", 3);
	same_action("bid low tell", 3);
	same_action("line W 1 mud 2", 4);
}

Test(notation, cards_are_sorted_but_orders_are_not)
{
	struct why why;
	char buffer[NOTATION_MAX];
	struct action action;

	cr_assert(notation_parse_action(&toy, "  play   W 1", &action, &why));
	notation_action(&toy, &action, buffer, sizeof(buffer));
	cr_expect_str_eq(buffer, "play 1 W");
}

Test(notation, what_is_not_an_action_is_an_error)
{
	static const char *const bad[] = {"", "jump", "play 9", "throw", "throw mud at=1",
		"throw mud to=x", "bid n=3", "bid high n=", "pass 1", "line 1 2 3 x"};
	struct action action;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct why why = {""};

		cr_expect(!notation_parse_action(&toy, bad[i], &action, &why), "%s",
			bad[i]);
		cr_expect_neq(why.text[0], 0);
	}
}

Test(notation, an_event_shows_cards_to_its_audience_only)
{
	struct event event = {.kind = 1,
		.count = 2,
		.audience = AUDIENCE_SEAT(1),
		.arg = {NO_SEAT, 1, -4},
		.card = {2, 0}};
	char buffer[NOTATION_MAX];

	notation_event(&toy, &event, 1, buffer, sizeof(buffer));
	cr_expect_str_eq(buffer, "play seat=- k=low n=-4 W 1");
	notation_event(&toy, &event, 0, buffer, sizeof(buffer));
	cr_expect_str_eq(buffer, "play seat=- k=low n=-4 (2 cards)");
	event.count = 1;
	notation_event(&toy, &event, SPECTATOR, buffer, sizeof(buffer));
	cr_expect_str_eq(buffer, "play seat=- k=low n=-4 (1 card)");
}

Test(notation, a_short_buffer_is_cut_and_the_full_length_returned)
{
	struct action action;
	struct why why;
	char buffer[6];

	cr_assert(notation_parse_action(&toy, "throw mud to=1", &action, &why));
	cr_expect_eq(notation_action(&toy, &action, buffer, sizeof(buffer)), 14);
	cr_expect_str_eq(buffer, "throw");
}

Test(notation, orders_of_seats_and_of_cards)
{
	uint8_t token[GAME_ORDER_MAX];
	struct why why;
	char buffer[NOTATION_MAX];

	cr_assert_eq(notation_parse_order(&toy, CHANCE_FIRST, "2 0 1", token, &why), 3);
	notation_order(&toy, CHANCE_FIRST, token, 3, buffer, sizeof(buffer));
	cr_expect_str_eq(buffer, "2 0 1");
	cr_assert_eq(notation_parse_order(&toy, CHANCE_DEAL, "mud W", token, &why), 2);
	notation_order(&toy, CHANCE_DEAL, token, 2, buffer, sizeof(buffer));
	cr_expect_str_eq(buffer, "mud W");
	cr_expect_eq(notation_parse_order(&toy, CHANCE_DEAL, "mud 5", token, &why), -1);
}
