/*
 * Nobody is told what they may not know.
 *
 * A match is recorded. Then, for one viewer, a second world is made without any code
 * under test: cards of one chance order that the viewer has not been shown up to step
 * T (a tracker says so, written from the spec) change places, and all recorded actions
 * are played again. A world in which one of them is illegal is thrown away. In every
 * other one, every byte to the viewer (view, legal list, events, refusals of a fixed
 * set of actions, whether it is asked) must be the same after every step, until the
 * trackers of the two worlds differ in what the viewer has been shown.
 *
 * Where seats choose at once there are two more demands: an answer that is not the last
 * one changes nothing for anybody else, and the order of the answers does not matter.
 * There also worlds are made in which another seat chose something else.
 */
#include "tests/unit/each_game.h"
#include "tests/unit/playout.h"
#include "tests/unit/wire.h"
#include "tests/unit/worlds.h"

#include <stdlib.h>

enum {
	MATCHES = 4,      /* of each variant */
	WORLDS = 120,     /* for all viewers of a match */
	STEPS_MAX = 300,  /* of a match */
	BEYOND = 40,      /* steps after T that are compared too */
	PROBES = 24,      /* actions whose refusals are compared */
	KEPT_PERCENT = 30 /* worlds that must not be thrown away */
};

/* What one viewer got in one step. */
struct digest {
	uint64_t hash;
	size_t size;
};

struct record {
	const struct game *game;
	struct playout match;
	struct course course; /* of the match */
	char name[256];
	struct action probe[PROBES];
	struct digest sent[STEPS_MAX + 1][WORLD_VIEWERS_MAX]; /* after `index` steps */
	uint64_t state_hash[STEPS_MAX + 1];
	bool together[STEPS_MAX]; /* the step answers a question to several seats */
};

/* A world whose states never differ from the first one's proves nothing and is not
 * counted: two cards of one unordered heap changed places. */
struct share {
	int made, kept, compared;
};

static uint64_t hash_bytes(const void *bytes, size_t n)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
	return hash;
}

static void pack_text(msgpack_packer *pk, const char *text)
{
	msgpack_pack_str_with_body(pk, text, strlen(text));
}

/* Everything that the viewer can learn from the state and the events of a step. */
static void write_sent(const struct record *r, const void *state,
	const struct events *events, int viewer, struct wire *wire)
{
	const struct game *game = r->game;
	struct action legal[GAME_LEGAL_MAX];
	bool asked;
	int n;

	wire_clear(wire);
	wire_view(wire, game, state, viewer);
	msgpack_pack_array(&wire->packer, (size_t)events->count);
	for (int i = 0; i < events->count; i++)
		game_write_event(game, &events->list[i], viewer, &wire->packer);
	if (viewer == SPECTATOR)
		return;
	n = game->legal(state, viewer, legal);
	msgpack_pack_array(&wire->packer, (size_t)n);
	for (int i = 0; i < n; i++)
		game_write_action(game, &legal[i], &wire->packer);
	asked = game_head(state)->need == NEED_ANSWERS &&
		game_seat_in(game_to_ask(game, state), viewer);
	msgpack_pack_int(&wire->packer, asked);
	for (int i = 0; i < PROBES; i++) {
		struct refusal why = {"", ""};

		game->check(state, viewer, &r->probe[i], &why);
		pack_text(&wire->packer, why.clause);
		pack_text(&wire->packer, why.why);
	}
}

static struct digest digest_sent(const struct record *r, const void *state,
	const struct events *events, int viewer, struct wire *wire)
{
	write_sent(r, state, events, viewer, wire);
	return (struct digest){
		hash_bytes(wire->buffer.data, wire->buffer.size), wire->buffer.size};
}

static bool several(unsigned set)
{
	return (set & (set - 1)) != 0;
}

/* An answer among several that is not the last one is silent for all others. */
static void check_silence(const struct record *r, const struct table *before,
	const struct step *step, const struct events *events)
{
	const struct game_head *old = game_head(before->bytes);
	static struct events none;
	struct wire was, is;

	if (step->what == STEP_CHANCE || !several(old->pending))
		return;
	cr_assert_eq(events->count, 0, "%s, step %d: an answer is told before all are in",
		r->name, r->match.count);
	wire_init(&was);
	wire_init(&is);
	for (int v = SPECTATOR; v < r->match.seats; v++) {
		if (v == step->seat)
			continue;
		write_sent(r, before->bytes, &none, v, &was);
		write_sent(r, r->match.state.bytes, &none, v, &is);
		cr_assert(wire_equal(&was, &is),
			"%s, step %d: viewer %d learns that seat %d has answered",
			r->name, r->match.count, v, step->seat);
	}
	wire_release(&was);
	wire_release(&is);
}

static struct record *record_new(const struct game *game, const struct variant *variant)
{
	struct record *r = calloc(1, sizeof(*r));
	struct action *space;
	struct dice dice;
	int n = action_space(game, variant->seats, 2, &space);

	r->game = game;
	variant_name(variant, r->name, sizeof(r->name));
	dice = dice_named(r->name, 4711);
	for (int i = 0; i < PROBES; i++)
		r->probe[i] = space[dice_below(&dice, (uint32_t)n)];
	free(space);
	return r;
}

/* Plays and records one match with what every viewer gets. */
static void record_match(struct record *r, const struct variant *variant, unsigned number)
{
	static struct events events;
	void *memory;
	const struct step *step = NULL;
	struct table before;
	struct wire wire;

	wire_init(&wire);
	cr_assert(playout_init(&r->match, r->game, variant, number));
	memory = course_begin(&r->course, r->game, r->match.seats, r->match.option);
	events.count = 0;
	for (int i = 0;; i++) {
		for (int v = SPECTATOR; v < r->match.seats; v++)
			r->sent[i][viewer_slot(v)] =
				digest_sent(r, r->match.state.bytes, &events, v, &wire);
		r->state_hash[i] = hash_bytes(r->match.state.bytes, r->game->state_size);
		before = r->match.state;
		events.count = 0;
		if (i == STEPS_MAX || !(step = playout_step(&r->match, &events)))
			break;
		r->together[i] = step->what != STEP_CHANCE &&
				 several(game_head(before.bytes)->acting);
		course_note(&r->course, memory, r->match.step, i);
		check_silence(r, &before, step, &events);
	}
	wire_release(&wire);
	free(memory);
}

/* Another seat chooses something else where several choose at once. */
static bool draw_choice_world(const struct record *r, struct world *w, struct dice *dice)
{
	int at = (int)dice_below(dice, (uint32_t)r->match.count);

	for (int i = 0; i < r->match.count; i++, at = (at + 1) % r->match.count)
		if (r->together[at] && r->match.step[at].seat != w->viewer) {
			w->choice = at;
			w->until = at + 1;
			return true;
		}
	return false;
}

static bool same_tokens(const struct chance *request, const uint8_t *order, int n)
{
	int count[256] = {0};

	for (int i = 0; i < n; i++) {
		count[request->token[i]]++;
		count[order[i]]--;
	}
	for (int i = 0; i < 256; i++)
		if (count[i])
			return false;
	return true;
}

/* The recorded step as it happens in the second world; false if it cannot. */
static bool step_in_world(const struct record *r, const struct world *w, int i,
	const struct table *state, struct dice *dice, struct step *step)
{
	const struct game_head *head = game_head(state->bytes);
	struct action legal[GAME_LEGAL_MAX];
	struct chance request;

	*step = r->match.step[i];
	if (step->what == STEP_CHANCE) {
		if (head->need != NEED_CHANCE)
			return false;
		r->game->chance(state->bytes, &request);
		if (w->order >= 0 && r->course.order[w->order].step == i)
			memcpy(step->order, w->cards, step->n);
		return request.kind == step->kind && request.n == step->n &&
		       same_tokens(&request, step->order, step->n);
	}
	if (head->need != NEED_ANSWERS || !game_seat_in(head->pending, step->seat))
		return false;
	if (i == w->choice) {
		int n = r->game->legal(state->bytes, step->seat, legal);

		step->action = legal[dice_below(dice, (uint32_t)n)];
	}
	return r->game->check(state->bytes, step->seat, &step->action, NULL);
}

static void print_sent(const struct record *r, const void *state,
	const struct events *events, int viewer)
{
	struct wire wire;
	msgpack_unpacked value;
	size_t at = 0;

	wire_init(&wire);
	write_sent(r, state, events, viewer, &wire);
	msgpack_unpacked_init(&value);
	while (msgpack_unpack_next(&value, wire.buffer.data, wire.buffer.size, &at) ==
		MSGPACK_UNPACK_SUCCESS) {
		msgpack_object_print(stderr, value.data);
		fputc('\n', stderr);
		if (value.data.type == MSGPACK_OBJECT_POSITIVE_INTEGER)
			break;
	}
	msgpack_unpacked_destroy(&value);
	wire_release(&wire);
}

static void fail_with_both(const struct record *r, const struct world *w, int i,
	const struct table *state, const struct events *events)
{
	static struct events first_events;
	struct table first;

	game_start(r->game, r->match.seats, r->match.option, first.bytes);
	for (int k = 0; k <= i; k++) {
		first_events.count = 0;
		step_apply(r->game, first.bytes, &r->match.step[k], &first_events);
	}
	fprintf(stderr,
		"%s: viewer %d, step %d (T %d, order %d, choice %d)\nfirst world:\n",
		r->name, w->viewer, i, w->until, w->order, w->choice);
	print_sent(r, first.bytes, &first_events, w->viewer);
	fprintf(stderr, "second world:\n");
	print_sent(r, state->bytes, events, w->viewer);
	cr_assert_fail("%s: viewer %d can tell two worlds apart at step %d", r->name,
		w->viewer, i);
}

/* Plays the record in the second world and compares. */
static void play_world(const struct record *r, const struct world *w, struct dice *dice,
	struct share *share)
{
	static struct events events;
	const struct tracker *tracker = r->course.tracker;
	void *memory = calloc(1, tracker->size);
	bool differed = false;
	struct table state;
	struct step step;
	struct wire wire;
	int i;

	wire_init(&wire);
	game_start(r->game, r->match.seats, r->match.option, state.bytes);
	tracker->start(memory, r->match.seats, r->match.option);
	for (i = 0; i < r->match.count && i < w->until + BEYOND; i++) {
		struct digest digest;

		if (!step_in_world(r, w, i, &state, dice, &step))
			break;
		events.count = 0;
		step_apply(r->game, state.bytes, &step, &events);
		course_track(&r->course, memory, &step);
		if (!world_shown_the_same(&r->course, w, memory, i))
			break;
		if (hash_bytes(state.bytes, r->game->state_size) == r->state_hash[i + 1])
			continue;
		differed = true;
		digest = digest_sent(r, state.bytes, &events, w->viewer, &wire);
		share->compared++;
		if (digest.hash != r->sent[i + 1][viewer_slot(w->viewer)].hash ||
			digest.size != r->sent[i + 1][viewer_slot(w->viewer)].size)
			fail_with_both(r, w, i, &state, &events);
	}
	share->made += differed || i < w->until;
	share->kept += differed && i >= w->until;
	wire_release(&wire);
	free(memory);
}

static void play_worlds(const struct record *r, unsigned number, struct share *cards,
	struct share *choices)
{
	struct dice dice = dice_named(r->name, 1000 + number);

	int worlds = WORLDS / (r->match.seats + 1);

	for (int viewer = SPECTATOR; viewer < r->match.seats; viewer++)
		for (int i = 0; i < worlds; i++) {
			struct world w = {.viewer = viewer, .order = -1, .choice = -1};

			if (world_draw(&r->course, &w, &dice))
				play_world(r, &w, &dice, cards);
			w = (struct world){.viewer = viewer, .order = -1, .choice = -1};
			if (i < 6 && draw_choice_world(r, &w, &dice))
				play_world(r, &w, &dice, choices);
		}
}

/* The answers to one question to several seats in any order: the same state. */
static void check_answer_order(const struct record *r, struct dice *dice)
{
	struct table state, begin, other;
	int first = -1;

	game_start(r->game, r->match.seats, r->match.option, state.bytes);
	for (int i = 0; i < r->match.count; i++) {
		bool last = !(i + 1 < r->match.count && r->together[i + 1]);
		int seat_order = 1 + (int)dice_below(dice, 1000);

		if (r->together[i] && first < 0) {
			first = i;
			begin = state;
		}
		step_apply(r->game, state.bytes, &r->match.step[i], NULL);
		if (first < 0 || !last)
			continue;
		other = begin;
		for (int turn = 0; turn < r->match.seats; turn++)
			for (int k = first; k <= i; k++)
				if (r->match.step[k].seat ==
					(turn + seat_order) % r->match.seats)
					step_apply(r->game, other.bytes,
						&r->match.step[k], NULL);
		cr_assert_eq(memcmp(&state, &other, r->game->state_size), 0,
			"%s, step %d: the order of the answers matters", r->name, i);
		first = -1;
	}
}

static int percent(const struct share *share)
{
	return share->made ? 100 * share->kept / share->made : 0;
}

/* Returns the share of the worlds kept, in percent. */
static int run_variant(const struct game *game, const struct variant *variant)
{
	struct record *r = record_new(game, variant);
	struct share cards = {0}, choices = {0};
	struct dice dice = dice_named(r->name, 5);

	for (int i = 0; i < MATCHES * each_game_scale(); i++) {
		record_match(r, variant, 100 + (unsigned)i);
		play_worlds(r, (unsigned)i, &cards, &choices);
		check_answer_order(r, &dice);
		playout_release(&r->match);
	}
	fprintf(stderr,
		"%s: %d worlds, %d %% kept, %d views compared; "
		"%d other choices, %d %% kept\n",
		r->name, cards.made, percent(&cards), cards.compared, choices.made,
		percent(&choices));
	cr_expect_geq(percent(&cards), KEPT_PERCENT,
		"%s: too many worlds are thrown away", r->name);
	free(r);
	return percent(&cards);
}

static void run(const struct game *game)
{
	int least = 100;

	for (const struct variant *v = variants; v->game; v++)
		if (!strcmp(v->game, game->id)) {
			int kept = run_variant(game, v);

			least = kept < least ? kept : least;
		}
	fprintf(stderr,
		"note: %s: at least %d %% of the second worlds kept in each variant\n",
		game->id, least);
}

EACH_GAME(two_worlds, run)
