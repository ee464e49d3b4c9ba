/*
 * Random matches of every variant: what must hold after every step, and what must
 * hold of the whole match.
 */
#include "tests/unit/each_game.h"
#include "tests/unit/playout.h"
#include "tests/unit/wire.h"
#include "arbiter/table/notation.h"

#include <stdlib.h>

enum {
	MATCHES = 20,       /* of each variant */
	ASIDE_MAX = 8,      /* no match is over so soon */
	DEEP_CHECKS = 60,   /* decisions of a match that are looked at from all sides */
	STEPS_MAX = 200000, /* a match that is longer does not end */
	SPACE_ORDER_MAX_DEEP = 5 /* orders of five cards are tried in full */
};

/* What has been seen in any match of the game. */
struct coverage {
	bool verb[64], phase[64], event[64];
};

struct run {
	struct playout match;
	struct coverage *seen;
	struct action *space;
	int space_count;
	int chance_last[8]; /* greatest index of each kind so far */
	char name[256];
};

#define demand(run_, condition, ...)                                                     \
	do {                                                                             \
		if (!(condition)) {                                                      \
			fprintf(stderr, "%s, step %d: ", (run_)->name,                   \
				(run_)->match.count);                                    \
			fprintf(stderr, __VA_ARGS__);                                    \
			fputc('\n', stderr);                                             \
			notation_print_state(                                            \
				(run_)->match.game, (run_)->match.state.bytes, stderr);  \
			cr_assert_fail("%s, step %d: see above", (run_)->name,           \
				(run_)->match.count);                                    \
		}                                                                        \
	} while (0)

static void check_head(struct run *r)
{
	const struct game_head *head = game_head(r->match.state.bytes);
	const char *broken = r->match.game->invariants(r->match.state.bytes);

	demand(r, !broken, "invariant broken: %s", broken);
	demand(r, head->viewer == OMNISCIENT, "the viewer changed");
	demand(r, head->seats == r->match.seats, "the number of seats changed");
	demand(r, !memcmp(head->option, r->match.option, sizeof(head->option)),
		"the options changed");
	demand(r, (head->pending & ~head->acting) == 0, "pending seats that do not act");
	demand(r, (head->need == NEED_ANSWERS) == (head->pending != 0),
		"need %d with pending %x", head->need, head->pending);
	r->seen->phase[head->phase] = true;
}

/* The list is sorted, unique, the same on the seat's own view, and empty exactly when
 * the seat is not pending. */
static int check_legal(struct run *r, int seat, struct action *legal)
{
	const struct game *game = r->match.game;
	const void *state = r->match.state.bytes;
	struct action on_view[GAME_LEGAL_MAX], fallback;
	struct table view;
	struct refusal why = {"", ""};
	bool pending = game_seat_in(game_head(state)->pending, seat);
	int n = game->legal(state, seat, legal), m;

	game_observe(game, state, seat, view.bytes);
	m = game->legal(view.bytes, seat, on_view);
	demand(r, n >= 0 && n <= GAME_LEGAL_MAX, "%d legal actions", n);
	demand(r, (n > 0) == pending, "seat %d: pending %d, %d legal", seat, pending, n);
	demand(r, n == m && !memcmp(legal, on_view, (size_t)n * sizeof(*legal)),
		"seat %d: legal differs on its view", seat);
	for (int i = 1; i < n; i++)
		demand(r, action_compare(&legal[i - 1], &legal[i]) < 0,
			"seat %d: legal is not sorted at %d", seat, i);
	if (pending) {
		memset(&fallback, 0xee, sizeof(fallback));
		game->fallback(view.bytes, &fallback);
		demand(r, game->check(state, seat, &fallback, &why),
			"seat %d: the fallback is refused: %s %s", seat, why.clause,
			why.why);
	}
	return n;
}

/* Exactly the legal actions of the whole space are allowed by check(). */
static void check_space(struct run *r, int seat, const struct action *legal, int n)
{
	const struct game *game = r->match.game;
	struct table before = r->match.state;
	char text[NOTATION_MAX];
	int found = 0;

	for (int i = 0; i < r->space_count; i++) {
		const struct action *action = &r->space[i];
		struct refusal why = {NULL, NULL};
		bool allowed = game->check(r->match.state.bytes, seat, action, &why);
		bool listed = found < n && action_equal(&legal[found], action);

		found += listed;
		if (allowed == listed && (allowed || (why.clause && why.why)))
			continue;
		notation_action(game, action, text, sizeof(text));
		demand(r, allowed == listed,
			"seat %d: '%s' is %s legal, but check says %s", seat, text,
			listed ? "in" : "not in", allowed ? "yes" : why.clause);
		demand(r, false, "seat %d: '%s' is refused without a clause", seat, text);
	}
	demand(r, found == n,
		"seat %d: %d of %d legal actions are not in the action space", seat,
		n - found, n);
	demand(r, !memcmp(&before, &r->match.state, game->state_size),
		"check changed the state");
}

static void check_views(struct run *r)
{
	const struct game *game = r->match.game;
	struct wire wire;
	struct table view, back;
	const char *wrong;

	wire_init(&wire);
	for (int viewer = OMNISCIENT; viewer < r->match.seats; viewer++) {
		wire_clear(&wire);
		game_observe(game, r->match.state.bytes, viewer, view.bytes);
		wire_view(&wire, game, r->match.state.bytes, viewer);
		wrong = wire_read_view(&wire, game, back.bytes);
		demand(r, !wrong, "viewer %d: the view cannot be read back: %s", viewer,
			wrong);
		demand(r, !memcmp(&view, &back, game->state_size),
			"viewer %d: the view read back differs", viewer);
		if (viewer == OMNISCIENT)
			demand(r, !memcmp(&view, &r->match.state, game->state_size),
				"the omniscient view is not the state");
	}
	wire_release(&wire);
}

static void check_actions_on_wire(struct run *r, const struct action *legal, int n)
{
	const struct game *game = r->match.game;
	struct action back;
	struct wire wire;
	msgpack_zone zone;
	msgpack_object object;
	char text[NOTATION_MAX];
	struct why why;

	wire_init(&wire);
	msgpack_zone_init(&zone, 4096);
	for (int i = 0; i < n; i++) {
		wire_clear(&wire);
		game_write_action(game, &legal[i], &wire.packer);
		msgpack_unpack(wire.buffer.data, wire.buffer.size, NULL, &zone, &object);
		demand(r,
			game_read_action(game, r->match.seats, &object, &back, NULL) &&
				action_equal(&back, &legal[i]),
			"action %d changes on the wire", i);
		notation_action(game, &legal[i], text, sizeof(text));
		demand(r,
			notation_parse_action(game, text, &back, &why) &&
				action_equal(&back, &legal[i]),
			"action '%s' changes as text", text);
	}
	msgpack_zone_destroy(&zone);
	wire_release(&wire);
}

static void check_deep(struct run *r)
{
	struct action legal[GAME_LEGAL_MAX];

	for (int seat = 0; seat < r->match.seats; seat++) {
		int n = check_legal(r, seat, legal);

		check_space(r, seat, legal, n);
		check_actions_on_wire(r, legal, n);
	}
	check_views(r);
}

static void check_request(struct run *r)
{
	struct chance request;

	if (game_head(r->match.state.bytes)->need != NEED_CHANCE)
		return;
	r->match.game->chance(r->match.state.bytes, &request);
	demand(r, request.n > 0 && request.n <= GAME_ORDER_MAX, "order of %d", request.n);
	for (int i = 1; i < request.n; i++)
		demand(r, request.token[i - 1] <= request.token[i],
			"tokens are not sorted");
	demand(r, request.index > r->chance_last[request.kind],
		"%s number %d asked for twice", game_chance_names[request.kind],
		request.index);
	r->chance_last[request.kind] = request.index;
}

static void check_events(struct run *r, const struct events *events)
{
	const struct game *game = r->match.game;

	demand(r, events->count <= GAME_EVENTS_MAX, "%d events", events->count);
	for (int i = 0; i < events->count; i++) {
		const struct event *e = &events->list[i];

		demand(r, e->kind < game->event_count, "event kind %d", e->kind);
		demand(r, game->events[e->kind].cards || !e->count,
			"cards of %s are not sent", game->events[e->kind].name);
		for (int k = 0; k < e->count; k++)
			demand(r, e->card[k] < game->face_count, "card %d", e->card[k]);
		r->seen->event[e->kind] = true;
	}
}

/* An action that is refused and not punished must leave the state alone. */
static void check_no_offence(struct run *r)
{
	const struct game *game = r->match.game;
	struct table copy = r->match.state;
	const struct action *action =
		&r->space[dice_below(&r->match.dice, (uint32_t)r->space_count)];
	int seat = (int)dice_below(&r->match.dice, (uint32_t)r->match.seats);

	if (!game->offence || game->check(copy.bytes, seat, action, NULL))
		return;
	if (!game->offence(copy.bytes, seat, action, NULL))
		demand(r, !memcmp(&copy, &r->match.state, game->state_size),
			"an offence that was not punished changed the state");
	else
		demand(r, game_head(copy.bytes)->option[OPTION_FAULTS],
			"an offence was punished without faults=penalty");
}

static void check_result(struct run *r)
{
	const struct game *game = r->match.game;
	struct game_result result;
	bool first = false;

	memset(&result, 0, sizeof(result));
	game->result(r->match.state.bytes, &result);
	demand(r, result.reason && *result.reason, "no reason");
	for (int s = 0; s < r->match.seats; s++) {
		int better = 0;

		for (int o = 0; o < r->match.seats; o++) {
			better += result.rank[o] < result.rank[s];
			if (game->teams && result.team[o] == result.team[s])
				demand(r, result.rank[o] == result.rank[s],
					"partners %d and %d have different ranks", o, s);
		}
		demand(r, result.rank[s] == better + 1,
			"seat %d has rank %d, %d are better", s, result.rank[s], better);
		demand(r,
			game->teams ? result.team[s] >= 0 && result.team[s] < game->teams
				    : result.team[s] == -1,
			"seat %d has team %d", s, result.team[s]);
		first |= result.rank[s] == 1;
	}
	demand(r, first, "nobody is first");
}

/* Playing the record again, from the start and from a copy kept aside, without asking
 * for events, ends in the same bytes. */
static void check_replay(struct run *r, const struct table *aside, int aside_at)
{
	struct table again, rest = *aside;

	game_start(r->match.game, r->match.seats, r->match.option, again.bytes);
	for (int i = 0; i < r->match.count; i++) {
		if (i == aside_at)
			demand(r, !memcmp(&again, &rest, r->match.game->state_size),
				"the copy kept aside at step %d changed", i);
		step_apply(r->match.game, again.bytes, &r->match.step[i], NULL);
		if (i >= aside_at)
			step_apply(r->match.game, rest.bytes, &r->match.step[i], NULL);
	}
	demand(r, !memcmp(&again, &r->match.state, r->match.game->state_size),
		"the record played again ends in another state");
	demand(r, !memcmp(&rest, &r->match.state, r->match.game->state_size),
		"a copy played on ends in another state");
}

static void one_match(struct run *r)
{
	static struct events events;
	struct dice dice = dice_named(r->name, 77);
	int aside_at = (int)dice_below(&dice, ASIDE_MAX);
	struct table aside = r->match.state;
	int deep_left = DEEP_CHECKS;

	do {
		check_head(r);
		check_request(r);
		if (deep_left && (r->match.count < 12 || !dice_below(&dice, 4))) {
			check_deep(r);
			deep_left--;
		}
		check_no_offence(r);
		if (r->match.count == aside_at)
			aside = r->match.state;
		events.count = 0;
		const struct step *step = playout_step(&r->match, &events);

		if (!step)
			break;
		check_events(r, &events);
		if (step->what != STEP_CHANCE)
			r->seen->verb[step->action.verb] = true;
		demand(r, r->match.count < STEPS_MAX, "the match does not end");
	} while (true);
	check_result(r);
	check_replay(r, &aside, aside_at);
}

static void run_variant(
	const struct game *game, const struct variant *variant, struct coverage *seen)
{
	struct run r = {.seen = seen};

	variant_name(variant, r.name, sizeof(r.name));
	r.space_count =
		action_space(game, variant->seats, SPACE_ORDER_MAX_DEEP, &r.space);
	for (int i = 0; i < MATCHES * each_game_scale(); i++) {
		memset(r.chance_last, 0xff, sizeof(r.chance_last));
		cr_assert(playout_init(&r.match, game, variant, (unsigned)i),
			"%s: an option is not allowed", r.name);
		r.match.offence_percent = 2;
		one_match(&r);
		playout_release(&r.match);
	}
	free(r.space);
}

/* What is too rare for random play must stand in a scenario. */
static bool in_scenarios(const struct game *game, const char *word)
{
	char command[256];

	snprintf(command, sizeof(command), "grep -qwr -e %s tests/rules/%s", word,
		game->id);
	return system(command) == 0;
}

static void run(const struct game *game)
{
	struct coverage seen = {0};

	for (const struct variant *v = variants; v->game; v++)
		if (!strcmp(v->game, game->id))
			run_variant(game, v, &seen);
	for (int i = 0; i < game->verb_count; i++)
		cr_expect(seen.verb[i], "%s: nobody ever did %s", game->id,
			game->verbs[i].name);
	for (int i = 0; game->phases[i]; i++)
		cr_expect(seen.phase[i], "%s: phase %s never came", game->id,
			game->phases[i]);
	for (int i = 0; i < game->event_count; i++)
		cr_expect(seen.event[i] || in_scenarios(game, game->events[i].name),
			"%s: event %s never came", game->id, game->events[i].name);
}

EACH_GAME(playthrough, run)

static bool has_value(const struct game *game, int option, int16_t value)
{
	int16_t values[GAME_OPTIONS_MAX];

	for (const struct variant *v = variants; v->game; v++)
		if (!strcmp(v->game, game->id) && variant_options(game, v, values) &&
			values[option] == value)
			return true;
	return false;
}

/* Of a number: the default and some other one. */
static bool has_other_value(const struct game *game, int option)
{
	const struct game_option *o = &game->options[option];
	int16_t values[GAME_OPTIONS_MAX];

	for (const struct variant *v = variants; v->game; v++)
		if (!strcmp(v->game, game->id) && variant_options(game, v, values) &&
			values[option] != o->default_value && values[option] >= o->min &&
			values[option] <= o->max)
			return true;
	return false;
}

static void run_variants_complete(const struct game *game)
{
	for (int seats = game->seats_min; seats <= game->seats_max; seats++) {
		bool found = false;

		for (const struct variant *v = variants; v->game; v++)
			found |= !strcmp(v->game, game->id) && v->seats == seats;
		cr_expect(found, "%s: no variant has %d seats", game->id, seats);
	}
	for (int i = 0; i < game->option_count; i++) {
		const struct game_option *o = &game->options[i];

		for (const struct game_word *w = o->words; w && w->name; w++)
			cr_expect(has_value(game, i, w->value),
				"%s: no variant has %s=%s", game->id, o->name, w->name);
		if (o->min < o->max)
			cr_expect(has_other_value(game, i), "%s: no variant changes %s",
				game->id, o->name);
	}
}

EACH_GAME(variants_complete, run_variants_complete)
