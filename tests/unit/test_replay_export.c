/*
 * Exports: the JSON of a match, and the log of one seat, which must be complete enough to
 * send the same bytes again and hold nothing that the seat was not sent.
 */
#include "tests/unit/each_game.h"
#include "tests/unit/json_action.h"
#include "tests/unit/replay_maker.h"
#include "arbiter/tools/export.h"
#include "arbiter/replay/json_parts.h"
#include "arbiter/tools/seat_log.h"
#include "arbiter/table/notation.h"
#include "arbiter/tools/show.h"

#include <limits.h>
#include <sodium.h>
#include <stdlib.h>

static char *export_text(const char *path, struct export_options options)
{
	struct why why;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	cr_assert_eq(
		replay_export(path, &options, out, &why), PLAYBACK_DONE, "%s", why.text);
	fclose(out);
	return text;
}

/* The log of a world whose cards were exchanged is complete too, though it cannot be
 * proved in the end. */
static void take_log(struct seat_log *log, const char *path, int seat)
{
	struct why why = {""};
	enum playback_status status = seat_log_from_replay(log, path, seat, &why);

	cr_assert(status == PLAYBACK_DONE ||
			  strstr(why.text, "does not follow from the seed"),
		"%s", why.text);
}

/* Not inlined, as gcc 12 would then take the stream's buffer for a local variable. */
static __attribute__((noinline)) char *seat_text(const char *path, int seat)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct seat_log log;

	take_log(&log, path, seat);
	seat_log_write_json(&log, out);
	seat_log_release(&log);
	fclose(out);
	return text;
}

static const struct variant *variant_of(const struct game *game)
{
	for (const struct variant *v = variants; v->game; v++)
		if (!strcmp(v->game, game->id))
			return v;
	return NULL;
}

static void make_file(
	const char *path, const struct replay_plan *plan, struct replay_made *made)
{
	replay_make(plan, made);
	replay_write(path, made->bytes, made->size);
}

static json_t *load(const char *text)
{
	json_error_t error;
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	cr_assert(json, "line %d: %s", error.line, error.text);
	return json;
}

static void play_order(const struct game *game, void *state, const json_t *step)
{
	const json_t *order = json_object_get(step, "order"), *token;
	char text[NOTATION_MAX] = "";
	uint8_t tokens[GAME_ORDER_MAX];
	struct chance request;
	struct why why;
	size_t i, used = 0;

	json_array_foreach(order, i, token) used += (size_t)snprintf(
		text + used, sizeof(text) - used, "%s ", json_string_value(token));
	cr_assert_eq(game_head(state)->need, NEED_CHANCE);
	game->chance(state, &request);
	cr_assert_str_eq(json_string_value(json_object_get(step, "chance")),
		game_chance_names[request.kind]);
	cr_assert_eq(notation_parse_order(game, request.kind, text, tokens, &why),
		request.n, "%s", text);
	game->apply_chance(state, tokens, request.n, NULL);
}

static void play_action(const struct game *game, void *state, const json_t *step)
{
	char *text = json_dumps(json_object_get(step, "action"), 0);
	int seat = (int)json_integer_value(json_object_get(step, "seat"));
	struct refusal why = {"", ""};
	struct action action;
	msgpack_object object;
	msgpack_zone zone;

	msgpack_zone_init(&zone, 1024);
	cr_assert(json_to_object(text, &zone, &object) &&
			  game_read_action(game, game_head(state)->seats, &object,
				  &action, &why) &&
			  game->check(state, seat, &action, &why),
		"%s of seat %d: %s", text, seat, why.clause);
	game->apply(state, seat, &action, NULL);
	msgpack_zone_destroy(&zone);
	free(text);
}

static void expect_result(const struct game *game, const void *state, const json_t *json)
{
	const json_t *exported = json_object_get(json, "result");
	const json_t *scores = json_object_get(exported, "scores");
	const json_t *ranks = json_object_get(exported, "ranks");
	struct game_result result = {0};

	cr_assert_eq(game_head(state)->need, NEED_NOTHING);
	cr_assert_eq(json_array_size(scores), game_head(state)->seats);
	cr_assert_eq(json_array_size(ranks), game_head(state)->seats);
	game->result(state, &result);
	for (size_t i = 0; i < game_head(state)->seats; i++) {
		cr_assert_eq(
			json_integer_value(json_array_get(scores, i)), result.score[i]);
		cr_assert_eq(
			json_integer_value(json_array_get(ranks, i)), result.rank[i]);
	}
}

/* An independent reader plays the exported steps by the rules and gets the result. */
static void play_export(
	const struct game *game, const struct variant *variant, const json_t *json)
{
	const json_t *steps = json_object_get(json, "steps"), *step;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	int16_t option[GAME_OPTIONS_MAX];
	size_t i, actions = 0, legal_found = 0;

	cr_assert(variant_options(game, variant, option));
	game_start(game, variant->seats, option, state);
	json_array_foreach(steps, i, step)
	{
		const json_t *legal = json_object_get(step, "legal"), *one;
		const json_t *action = json_object_get(step, "action");
		size_t k;

		if (!action) {
			cr_assert(json_object_get(step, "chance"));
			cr_assert(json_array_size(json_object_get(step, "order")) > 0);
			play_order(game, state, step);
			continue;
		}
		actions++;
		cr_assert(json_object_get(step, "view"));
		json_array_foreach(legal, k, one) legal_found += json_equal(one, action);
		play_action(game, state, step);
	}
	cr_assert_gt(actions, 5);
	cr_assert_eq(legal_found, actions, "%s: every action stands in its legal list",
		game->id);
	expect_result(game, state, json);
}

static void run_shape(const struct game *game)
{
	static const char *const keys[] = {"format", "game", "rules", "options", "seats",
		"players", "match", "steps", "faults", "result", "seed", "nonce",
		"commit"};
	struct replay_plan plan = {
		.game = game, .variant = variant_of(game), .note_percent = 20};
	struct replay_made made;
	char path[128], *text;
	json_t *json;

	snprintf(path, sizeof(path), "%s", replay_file("shape.replay"));
	make_file(path, &plan, &made);
	text = export_text(path, (struct export_options){.full = true});
	json = load(text);
	cr_assert_eq(json_object_size(json), sizeof(keys) / sizeof(keys[0]));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		cr_assert(json_object_get(json, keys[i]), "%s", keys[i]);
	cr_assert_str_eq(
		json_string_value(json_object_get(json, "format")), "pigpen-replay/1");
	play_export(game, plan.variant, json);
	json_decref(json);
	free(text);
	replay_made_release(&made);
}
EACH_GAME(shape, run_shape)

/* Other times, other ids, another nonce: the canonical form does not show it. */
static void run_canonical(const struct game *game)
{
	struct replay_plan a = replay_plan_rich(game, variant_of(game), 4), b;
	struct replay_made made_a, made_b;
	char path_a[128], path_b[128], *text_a, *text_b;

	b = a;
	b.match_id = 77;
	b.slowness_us = 1234;
	b.nonce = 9;
	snprintf(path_a, sizeof(path_a), "%s", replay_file("a.replay"));
	snprintf(path_b, sizeof(path_b), "%s", replay_file("b.replay"));
	make_file(path_a, &a, &made_a);
	make_file(path_b, &b, &made_b);
	text_a = export_text(path_a, (struct export_options){.canonical = true});
	text_b = export_text(path_b, (struct export_options){.canonical = true});
	cr_assert_str_eq(text_a, text_b);
	cr_assert_not(strstr(text_a, "\"ms\""));
	cr_assert_not(strstr(text_a, "\"nonce\""));
	free(text_a);
	free(text_b);
	text_a = export_text(path_a, (struct export_options){0});
	text_b = export_text(path_b, (struct export_options){0});
	cr_assert_str_neq(text_a, text_b);
	free(text_a);
	free(text_b);
	replay_made_release(&made_a);
	replay_made_release(&made_b);
}
EACH_GAME(canonical, run_canonical)

static void same_entry(const struct seat_entry *a, const struct seat_entry *b)
{
	cr_assert_eq(a->kind, b->kind);
	cr_assert_eq(a->turn, b->turn);
	cr_assert_eq(a->size, b->size);
	cr_assert(!a->size || !memcmp(a->bytes, b->bytes, a->size));
	cr_assert_eq(a->by, b->by);
	cr_assert_eq(a->choice, b->choice);
	cr_assert_eq(a->think_us, b->think_us);
	cr_assert_str_eq(a->offence, b->offence);
	cr_assert(action_equal(&a->action, &b->action));
	cr_assert((!a->note && !b->note) || json_equal(a->note, b->note));
}

/* The log that is read back is the log that was written. */
static void run_round_trip(const struct game *game)
{
	struct replay_plan plan = replay_plan_rich(game, variant_of(game), 5);
	struct replay_made made;
	struct why why = {""};
	char path[128], json[128], *text;

	plan.fault_at = 0;
	snprintf(path, sizeof(path), "%s", replay_file("trip.replay"));
	snprintf(json, sizeof(json), "%s", replay_file("trip.json"));
	make_file(path, &plan, &made);
	for (int seat = 0; seat < plan.variant->seats; seat++) {
		struct seat_log a, b;
		size_t decisions = 0;

		text = seat_text(path, seat);
		replay_write(json, (const uint8_t *)text, strlen(text));
		free(text);
		cr_assert(seat_log_is_json(json));
		cr_assert_not(seat_log_is_json(path));
		cr_assert_eq(seat_log_from_replay(&a, path, seat, &why), PLAYBACK_DONE);
		cr_assert(seat_log_from_json(&b, json, &why), "%s", why.text);
		cr_assert_eq(a.game, b.game);
		cr_assert_eq(a.seat, b.seat);
		cr_assert_eq(a.count, b.count);
		cr_assert_eq(a.entry[0].kind, SENT_MATCH);
		cr_assert_eq(a.entry[a.count - 1].kind, SENT_END);
		for (size_t i = 0; i < a.count; i++) {
			same_entry(&a.entry[i], &b.entry[i]);
			decisions += a.entry[i].kind == SEAT_DECISION;
		}
		cr_assert_gt(decisions, 2);
		seat_log_release(&a);
		seat_log_release(&b);
	}
	replay_made_release(&made);
}
EACH_GAME(round_trip, run_round_trip)

/* Raw, as hex, and as base64 in its three alignments is more than anybody writes; raw
 * and hex are what this program could. */
static void assert_absent(
	const char *text, const void *bytes, size_t size, const char *what)
{
	char hex[512];

	sodium_bin2hex(hex, sizeof(hex), bytes, size);
	cr_assert_not(strstr(text, hex), "%s", what);
	hex[16] = 0;
	cr_assert_not(strstr(text, hex), "the beginning of %s", what);
	cr_assert_not(memmem(text, strlen(text), bytes, size), "%s", what);
}

static void assert_no_foreign_notes(const char *path, const char *text, int seat)
{
	enum playback_status status;
	struct why why;
	struct playback *p = playback_open(path, NULL, &status, &why);
	struct playback_step step;
	int notes = 0;

	while (playback_next(p, &step) == PLAYBACK_STEP) {
		char note[128];
		bool found;

		if (step.type != REPLAY_ACTION || !step.move.note.size ||
			step.move.note_is_bytes)
			continue;
		/* The number in a note is one of a million. */
		text_copy(step.move.note, note, sizeof(note));
		*strchr(note + 7, ' ') = 0;
		found = strstr(text, note);
		cr_assert_eq(found, step.move.seat == seat, "seat %d, note %s of %d",
			seat, note, step.move.seat);
		notes++;
	}
	cr_assert_gt(notes, 5);
	playback_free(&p);
}

static void run_secrets(const struct game *game)
{
	struct replay_plan plan = replay_plan_rich(game, variant_of(game), 6);
	struct replay_made made;
	char path[128], name[32];

	plan.fault_at = 0;
	plan.note_percent = 60;
	snprintf(path, sizeof(path), "%s", replay_file("secret.replay"));
	make_file(path, &plan, &made);
	for (int seat = 0; seat < plan.variant->seats; seat++) {
		char *text = seat_text(path, seat);

		assert_absent(text, made.seed, sizeof(made.seed), "the seed");
		assert_absent(text, made.nonce, sizeof(made.nonce), "the nonce");
		for (int other = 0; other < plan.variant->seats; other++) {
			snprintf(name, sizeof(name), "player %c", 'A' + other);
			cr_assert_eq(strstr(text, name) != NULL, other == seat);
			if (other != seat)
				assert_absent(text, made.rng[other], CHANCE_RNG_SIZE,
					"another seat's seed");
		}
		assert_no_foreign_notes(path, text, seat);
		free(text);
	}
	replay_made_release(&made);
}
EACH_GAME(secrets, run_secrets)

/* Two matches with the same seed, ids and answers, but with two cards of the deal
 * swapped that lie in other places than the seat's. */
struct swap {
	const uint8_t *seed;
	int a, b; /* places in the first deal */
};

static void swapped_order(void *context, const struct chance *request, uint8_t *order)
{
	const struct swap *swap = context;
	uint8_t kept;

	chance_order(swap->seed, request, order);
	if (request->kind != CHANCE_DEAL || request->index != 0)
		return;
	kept = order[swap->a];
	order[swap->a] = order[swap->b];
	order[swap->b] = kept;
}

static int first_choice(void *context, int seat, int answer, int legal)
{
	(void)context, (void)seat, (void)answer, (void)legal;
	return 0;
}

/* How many entries of the two logs are the same. */
static size_t common(const struct seat_log *a, const struct seat_log *b)
{
	size_t i = 0;

	while (i < a->count && i < b->count && a->entry[i].kind == b->entry[i].kind &&
		a->entry[i].size == b->entry[i].size &&
		!memcmp(a->entry[i].bytes ? a->entry[i].bytes : (const uint8_t *)"",
			b->entry[i].bytes ? b->entry[i].bytes : (const uint8_t *)"",
			a->entry[i].size) &&
		action_equal(&a->entry[i].action, &b->entry[i].action))
		i++;
	return i;
}

/* The exports' text up to the end of the n-th entry. */
static size_t text_until(const char *text, size_t entries)
{
	const char *at = strstr(text, "\"log\":[\n") + 8;

	for (size_t i = 0; i < entries; i++)
		at = strchr(at, '\n') + 1;
	return (size_t)(at - text);
}

/* Returns how many entries the two worlds have in common. */
static size_t compare_seat(const char *path_a, const char *path_b, int seat)
{
	struct seat_log x, y;
	size_t same;
	char *a, *b;

	take_log(&x, path_a, seat);
	take_log(&y, path_b, seat);
	same = common(&x, &y);
	seat_log_release(&x);
	seat_log_release(&y);
	a = seat_text(path_a, seat);
	b = seat_text(path_b, seat);
	cr_assert_eq(text_until(a, same), text_until(b, same), "seat %d", seat);
	/* Without the comma that the last entry does not have. */
	cr_assert_eq(memcmp(a, b, text_until(a, same) - 2), 0, "seat %d", seat);
	free(a);
	free(b);
	return same;
}

/*
 * As long as the seat is sent the same messages, its export is the same text, whatever
 * lies in the others' hands. (That the messages themselves tell nothing is proved by
 * test_two_worlds.)
 */
static void run_two_worlds(const struct game *game)
{
	struct replay_plan plan = {.game = game,
		.variant = variant_of(game),
		.number = 3,
		.events = true,
		.steady = true,
		.choose = first_choice};
	struct replay_made truth, world;
	char path_a[128], path_b[128];
	struct swap swap;
	size_t compared = 0;

	snprintf(path_a, sizeof(path_a), "%s", replay_file("true.replay"));
	snprintf(path_b, sizeof(path_b), "%s", replay_file("other.replay"));
	make_file(path_a, &plan, &truth);
	swap.seed = truth.seed;
	plan.order = swapped_order;
	plan.context = &swap;
	for (int pair = 0; pair < 12; pair++) {
		swap.a = pair;
		swap.b = pair + 7;
		make_file(path_b, &plan, &world);
		for (int seat = 0; seat < plan.variant->seats; seat++)
			compared += compare_seat(path_a, path_b, seat);
		replay_made_release(&world);
	}
	cr_assert_gt(compared, 24);
	replay_made_release(&truth);
}
EACH_GAME(two_worlds, run_two_worlds)

static char *show_seat(const char *path, int seat, bool json)
{
	struct show_options options = {
		.viewer = seat, .to = INT_MAX, .events = true, .json = json};
	struct why why;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	cr_assert_eq(replay_show(path, &options, out, &why), PLAYBACK_DONE);
	fclose(out);
	return text;
}

/* Events of the match whose cards the seat may not see. */
static int count_hidden(const char *path, int seat)
{
	enum playback_status status;
	struct why why;
	struct playback *p = playback_open(path, NULL, &status, &why);
	struct playback_step step;
	int hidden = 0;

	while (playback_next(p, &step) == PLAYBACK_STEP) {
		const struct events *events = playback_events(p);

		playback_apply(p);
		if (step.type != REPLAY_CHANCE && step.type != REPLAY_ACTION)
			continue;
		for (int i = 0; i < events->count; i++)
			hidden += events->list[i].count &&
				  !event_seen_by(&events->list[i], seat);
	}
	playback_free(&p);
	return hidden;
}

/* Of these a line says how many, "(3 cards)" or 3, where it would name them. */
static int count_shown_as_numbers(const struct game *game, const char *text)
{
	char needle[64];
	int n = 0;

	for (const char *at = text; (at = strchr(at, '(')); at++) {
		int cards, used = 0;

		if (sscanf(at, "(%d card%n", &cards, &used) == 1 && used)
			n++;
	}
	for (int k = 0; k < game->event_count; k++) {
		const struct game_event_kind *kind = &game->events[k];

		snprintf(needle, sizeof(needle), "{\"e\":\"%s\"", kind->name);
		for (const char *at = text; kind->cards && (at = strstr(at, needle));
			at++) {
			char key[64];
			const char *value;

			snprintf(key, sizeof(key), "\"%s\":", kind->cards);
			value = strstr(at, key) + strlen(key);
			n += *value != '[' && *value != '0';
		}
	}
	return n;
}

/* `show --seat` keeps the same secrets. */
static void run_show_secrets(const struct game *game)
{
	struct replay_plan plan = replay_plan_rich(game, variant_of(game), 6);
	struct replay_made made;
	char path[128];

	plan.fault_at = 0;
	plan.note_percent = 60;
	snprintf(path, sizeof(path), "%s", replay_file("shown.replay"));
	make_file(path, &plan, &made);
	for (int seat = 0; seat < plan.variant->seats; seat++)
		for (int json = 0; json < 2; json++) {
			char *text = show_seat(path, seat, json);
			int hidden = count_hidden(path, seat);

			assert_absent(text, made.seed, sizeof(made.seed), "the seed");
			assert_no_foreign_notes(path, text, seat);
			cr_assert_not(strstr(text, "\"chance\":\"deal\",\"order\""));
			cr_assert_eq(count_shown_as_numbers(game, text), hidden,
				"seat %d, %d events with hidden cards", seat, hidden);
			cr_assert_gt(hidden, 0);
			free(text);
		}
	replay_made_release(&made);
}
EACH_GAME(show_secrets, run_show_secrets)

Test(export, gives_a_whole_document_for_half_a_file)
{
	const struct game *game = game_find("dirty_pig");
	struct replay_plan plan = {.game = game, .variant = variant_of(game)};
	struct export_options options = {0};
	struct replay_made made;
	struct why why;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *json;

	replay_make(&plan, &made);
	replay_write(replay_file("half.replay"), made.bytes, made.size / 2);
	cr_assert_eq(replay_export(replay_file("half.replay"), &options, out, &why),
		PLAYBACK_CUT);
	fclose(out);
	json = load(text);
	cr_assert_gt(json_array_size(json_object_get(json, "steps")), 5);
	cr_assert(json_is_null(json_object_get(json, "result")));
	cr_assert_not(json_object_get(json, "seed"));
	json_decref(json);
	free(text);
	replay_made_release(&made);
}

Test(export, reads_no_seat_log_where_there_is_none)
{
	static const char *const texts[] = {"", "{", "{}", "[]",
		"{\"format\":\"pigpen-seat/1\"}",
		"{\"format\":\"pigpen-seat/1\",\"game\":\"dirty_pig\",\"rules\":1,"
		"\"seats\":3,\"seat\":3}",
		"{\"format\":\"pigpen-seat/1\",\"game\":\"dirty_pig\",\"rules\":99}"};
	struct seat_log log;
	struct why why;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		replay_write(replay_file("bad.json"), (const uint8_t *)texts[i],
			strlen(texts[i]));
		*why.text = 0;
		cr_assert_not(seat_log_from_json(&log, replay_file("bad.json"), &why));
		cr_assert_neq(*why.text, 0);
	}
}
