/*
 * Bad input: whatever a bot or a file says, the answer is a refusal with a clause or a
 * sentence; nothing crashes and no state changes.
 */
#include "tests/unit/each_game.h"
#include "tests/unit/json_action.h"
#include "tests/unit/playout.h"
#include "tests/unit/wire.h"
#include "protocol/scan.h"

#include <stdlib.h>

/* A table in the middle of a match. */
static void some_table(const struct game *game, struct playout *p)
{
	struct variant variant = {game->id, game->seats_min, ""};

	cr_assert(playout_init(p, game, &variant, 1));
	while (p->count < 12)
		playout_step(p, NULL);
}

/* Reads packed bytes as an action; what is well-formed goes on to check(). */
static bool refused(const struct game *game, struct playout *p, const struct wire *wire,
	struct refusal *why)
{
	struct table before = p->state;
	msgpack_unpacked value;
	struct action action;
	bool ok;

	why->clause = why->why = NULL;
	msgpack_unpacked_init(&value);
	cr_assert_eq(
		msgpack_unpack_next(&value, wire->buffer.data, wire->buffer.size, NULL),
		MSGPACK_UNPACK_SUCCESS);
	ok = game_read_action(game, p->seats, &value.data, &action, why);
	if (ok)
		for (int seat = 0; seat < p->seats; seat++)
			game->check(p->state.bytes, seat, &action, NULL);
	else
		cr_assert(why->clause && why->why && *why->why);
	cr_assert_eq(memcmp(&before, &p->state, game->state_size), 0);
	msgpack_unpacked_destroy(&value);
	return !ok;
}

static void refuse_json(
	const struct game *game, struct playout *p, const char *json, const char *section)
{
	struct wire wire;
	msgpack_zone zone;
	msgpack_object object;
	struct refusal why;
	char clause[32];

	msgpack_zone_init(&zone, 1024);
	wire_init(&wire);
	cr_assert(json_to_object(json, &zone, &object), "%s", json);
	msgpack_pack_object(&wire.packer, object);
	snprintf(clause, sizeof(clause), "%s-0.%s", game->prefix, section);
	cr_expect(refused(game, p, &wire, &why), "%s: %s is accepted", game->id, json);
	if (why.clause)
		cr_expect_str_eq(why.clause, clause, "%s: %s is refused by %s", game->id,
			json, why.clause);
	wire_release(&wire);
	msgpack_zone_destroy(&zone);
}

static void run_shapes(const struct game *game)
{
	static const char *const not_an_action[] = {"null", "true", "5", "-1.5",
		"\"play\"", "[]", "[1,2]", "{}", "{\"b\":1}", "{\"a\":null}", "{\"a\":1}",
		"{\"a\":[\"play\"]}", "{\"a\":{\"a\":\"play\"}}", "{\"a\":\"\"}",
		"{\"a\":\"PLAY\"}", "{\"a\":\"play \"}", "{\"a\":\"no such verb\"}"};
	struct playout p;

	some_table(game, &p);
	for (size_t i = 0; i < sizeof(not_an_action) / sizeof(not_an_action[0]); i++)
		refuse_json(game, &p, not_an_action[i], "1");
	for (int v = 0; v < game->verb_count; v++) {
		const struct game_verb *verb = &game->verbs[v];
		char json[256];

		snprintf(json, sizeof(json), "{\"a\":\"%s\",\"zz\":1}", verb->name);
		refuse_json(game, &p, json, "2");
		for (int i = 0; i < 4 && verb->args[i].type != ARG_END; i++) {
			static const char *const junk[] = {"null", "-1", "1e3",
				"99999999999", "{}", "[[]]", "[null]", "\"\"",
				"\"no such token\"", "false",
				"{\"x\":{\"y\":[[[[[[1]]]]]]}}"};

			for (size_t k = 0; k < sizeof(junk) / sizeof(junk[0]); k++) {
				snprintf(json, sizeof(json), "{\"a\":\"%s\",\"%s\":%s}",
					verb->name, verb->args[i].key, junk[k]);
				refuse_json(game, &p, json, "3");
			}
		}
	}
	playout_release(&p);
}

EACH_GAME(input_shapes, run_shapes)

static void pack_text(struct wire *wire, const char *text)
{
	msgpack_pack_str_with_body(&wire->packer, text, strlen(text));
}

/* Packs a value that fits the argument. */
static void pack_good(
	struct wire *wire, const struct game *game, const struct game_arg *arg)
{
	switch ((enum arg_type)arg->type) {
	case ARG_CARD:
		pack_text(wire, game->faces[0]);
		break;
	case ARG_CARDS:
	case ARG_ORDER:
		msgpack_pack_array(&wire->packer, 1);
		pack_text(wire, game->faces[0]);
		break;
	case ARG_WORD:
		pack_text(wire, arg->words[0]);
		break;
	case ARG_TRUE:
		msgpack_pack_true(&wire->packer);
		break;
	default:
		msgpack_pack_int(&wire->packer, 0);
	}
}

static void run_double_keys(const struct game *game)
{
	struct refusal why;
	struct playout p;
	struct wire wire;
	char clause[32];

	some_table(game, &p);
	wire_init(&wire);
	snprintf(clause, sizeof(clause), "%s-0.2", game->prefix);
	for (int v = 0; v < game->verb_count; v++) {
		wire_clear(&wire);
		msgpack_pack_map(&wire.packer, 2);
		pack_text(&wire, "a");
		pack_text(&wire, game->verbs[v].name);
		pack_text(&wire, "a");
		pack_text(&wire, game->verbs[v].name);
		cr_expect(refused(game, &p, &wire, &why));
		cr_expect_str_eq(why.clause, clause);
		if (game->verbs[v].args[0].type == ARG_END)
			continue;
		wire_clear(&wire);
		msgpack_pack_map(&wire.packer, 3);
		pack_text(&wire, "a");
		pack_text(&wire, game->verbs[v].name);
		for (int twice = 0; twice < 2; twice++) {
			pack_text(&wire, game->verbs[v].args[0].key);
			pack_good(&wire, game, &game->verbs[v].args[0]);
		}
		cr_expect(refused(game, &p, &wire, &why));
		cr_expect_str_eq(why.clause, clause);
	}
	wire_release(&wire);
	playout_release(&p);
}

EACH_GAME(input_double_keys, run_double_keys)

/* A megabyte where a token, a list, a key or a verb should stand. */
static void run_big(const struct game *game)
{
	enum { SIZE = 1 << 20 };
	char *text = malloc(SIZE);
	struct refusal why;
	struct playout p;
	struct wire wire;

	memset(text, 'x', SIZE);
	some_table(game, &p);
	wire_init(&wire);
	for (int shape = 0; shape < 4; shape++) {
		const struct game_verb *verb = &game->verbs[game->verb_count - 1];
		const char *key =
			verb->args[0].type == ARG_END ? "zz" : verb->args[0].key;

		wire_clear(&wire);
		msgpack_pack_map(&wire.packer, shape == 3 ? 1 : 2);
		pack_text(&wire, "a");
		if (shape == 3) {
			msgpack_pack_str_with_body(&wire.packer, text, SIZE);
		} else {
			pack_text(&wire, verb->name);
			if (shape == 2)
				msgpack_pack_bin_with_body(&wire.packer, text, SIZE);
			else
				pack_text(&wire, key);
			if (shape == 0)
				msgpack_pack_str_with_body(&wire.packer, text, SIZE);
			if (shape == 2)
				msgpack_pack_nil(&wire.packer);
			if (shape == 1) {
				msgpack_pack_array(&wire.packer, SIZE / 2);
				for (int i = 0; i < SIZE / 2; i++)
					pack_text(&wire, game->faces[0]);
			}
		}
		cr_expect(
			refused(game, &p, &wire, &why), "%s: shape %d", game->id, shape);
	}
	wire_release(&wire);
	playout_release(&p);
	free(text);
}

EACH_GAME(input_big, run_big)

/* msgpack-c allocates what a length claims, so bytes are looked through first, as the
 * arbiter does. */
static bool unpack(const struct wire *wire, msgpack_unpacked *value)
{
	struct blob blob = {
		(const uint8_t *)wire->buffer.data, (uint32_t)wire->buffer.size};
	struct scan scan = scan_on(blob);

	return scan_skip(&scan, 32, NULL) == ERR_OK &&
	       msgpack_unpack_next(value, wire->buffer.data, wire->buffer.size, NULL) ==
		       MSGPACK_UNPACK_SUCCESS;
}

/* Bytes of true actions and views with some of them changed. */
static void run_mangled(const struct game *game)
{
	struct dice dice = dice_named(game->id, 3);
	struct table view, before;
	struct wire wire;
	struct playout p;
	int read = 0, wrong = 0;

	some_table(game, &p);
	before = p.state;
	wire_init(&wire);
	for (int i = 0; i < 3000 * each_game_scale(); i++) {
		int viewer = (int)dice_below(&dice, (uint32_t)p.seats + 2) - 2;
		msgpack_unpacked value;
		struct action action;

		wire_clear(&wire);
		wire_view(&wire, game, p.state.bytes, viewer);
		for (unsigned n = 1 + dice_below(&dice, 4); n > 0; n--)
			wire.buffer.data[dice_below(&dice, (uint32_t)wire.buffer.size)] =
				(char)dice_next(&dice);
		msgpack_unpacked_init(&value);
		if (unpack(&wire, &value)) {
			const char *why = game_read_view(game, &value.data, view.bytes);

			read += !why;
			wrong += why != NULL;
			cr_assert(!why || *why);
			game_read_action(game, p.seats, &value.data, &action, NULL);
		}
		msgpack_unpacked_destroy(&value);
	}
	cr_expect_gt(read, 0);
	cr_expect_gt(wrong, 0);
	cr_expect_eq(memcmp(&before, &p.state, game->state_size), 0);
	wire_release(&wire);
	playout_release(&p);
}

EACH_GAME(input_mangled, run_mangled)

static void run_options(const struct game *game)
{
	static const char *const junk[] = {"", " ", "x", "-", "--1", "1x", "99999",
		"-99999", "123456789012345678901234567890", "true false", "TRUE",
		"\xff\xfe"};

	for (int i = 0; i < game->option_count; i++) {
		const struct game_option *option = &game->options[i];
		char text[16];
		int16_t value = 77;

		for (size_t k = 0; k < sizeof(junk) / sizeof(junk[0]); k++)
			cr_expect(!game_option_parse(option, junk[k], &value),
				"%s: %s='%s' is accepted", game->id, option->name,
				junk[k]);
		cr_expect_eq(value, 77, "%s: %s is changed by a value not allowed",
			game->id, option->name);
		if (option->min > option->max)
			continue;
		snprintf(text, sizeof(text), "%d", option->max);
		cr_expect(
			game_option_parse(option, text, &value) && value == option->max);
		snprintf(text, sizeof(text), "%d", option->max + 1);
		cr_expect(!game_option_parse(option, text, &value));
		snprintf(text, sizeof(text), "%d", option->min - 1);
		cr_expect(!game_option_parse(option, text, &value));
	}
	cr_expect_eq(game_option_find(game, "no such option"), -1);
	cr_expect_eq(game_option_find(game, ""), -1);
}

EACH_GAME(input_options, run_options)
