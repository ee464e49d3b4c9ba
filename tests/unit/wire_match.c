/* A match whose bots, sockets, clock and cards are the test. */
#include "tests/unit/wire_match.h"
#include "protocol/json.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { REFUSED_PERCENT = 15, PROBE_TRIES = 30 };

static int steps_done(const struct wire_match *m)
{
	return (int)m->match.actions + m->orders;
}

static struct step *add_step(struct wire_match *m)
{
	cr_assert_lt(m->count, WIRE_STEPS_ROOM);
	memset(&m->step[m->count], 0, sizeof(m->step[0]));
	return &m->step[m->count++];
}

static void neutral_action(const struct wire_match *m, int seat, struct action *action)
{
	struct table view;

	game_observe(m->game, m->state.bytes, seat, view.bytes);
	m->game->fallback(view.bytes, action);
}

/* The seats that are asked together act in their order, or, if none is asked, those
 * whose action is forced. */
static int next_seat(struct wire_match *m)
{
	m->acting &= game_head(m->state.bytes)->pending;
	if (!m->acting) {
		m->acting = game_to_ask(m->game, m->state.bytes);
		m->forced = !m->acting;
		if (m->forced)
			m->acting = game_head(m->state.bytes)->pending;
	}
	return __builtin_ctz(m->acting);
}

static void follow_action(struct wire_match *m)
{
	int seat = next_seat(m);
	struct step *step = add_step(m);

	m->acting &= (uint16_t)(m->acting - 1);
	step->what = STEP_ACTION;
	step->seat = (uint8_t)seat;
	if (m->forced)
		game_forced(m->game, m->state.bytes, seat, &step->action);
	else if (game_seat_in(m->match.faulted, seat))
		neutral_action(m, seat, &step->action);
	else
		step->action = m->held[seat];
	step_apply(m->game, m->state.bytes, step, NULL);
}

/* Brings steps and state up to where the match is. */
static void follow(struct wire_match *m)
{
	while (m->count < steps_done(m))
		follow_action(m);
}

static bool same_tokens(const struct chance *request, const uint8_t *order)
{
	int count[256] = {0};

	for (int i = 0; i < request->n; i++) {
		count[request->token[i]]++;
		count[order[i]]--;
	}
	for (int i = 0; i < 256; i++)
		if (count[i])
			return false;
	return true;
}

/* The order of the first match, or of the world; false if it does not fit here. */
static bool recall_order(
	struct wire_match *m, const struct chance *request, uint8_t *order)
{
	const struct step *step = &m->first->step[m->count];
	const uint8_t *cards = step->order;

	if (m->count >= m->first->count || step->what != STEP_CHANCE ||
		step->kind != request->kind || step->n != request->n)
		return false;
	if (m->world && m->world->order == m->orders)
		cards = m->world->cards;
	memcpy(order, cards, request->n);
	return same_tokens(request, order);
}

static void on_order(void *context, const struct chance *request, uint8_t *order)
{
	struct wire_match *m = context;
	struct game_random random = {dice_next, &m->dice};
	struct step *step;

	follow(m);
	if (!m->first || !recall_order(m, request, order)) {
		m->stuck |= m->first != NULL;
		memcpy(order, request->token, request->n);
		game_random_shuffle(&random, order, request->n);
	}
	step = add_step(m);
	step->what = STEP_CHANCE;
	step->kind = request->kind;
	step->n = request->n;
	memcpy(step->order, order, request->n);
	step_apply(m->game, m->state.bytes, step, NULL);
	m->orders++;
}

static void on_send(void *context, int seat, struct blob message)
{
	struct wire_match *m = context;
	struct mailbox *box = &m->box[seat];
	struct letter *letter;

	if (box->count == box->room) {
		box->room = box->room ? 2 * box->room : 64;
		box->letter =
			realloc(box->letter, (size_t)box->room * sizeof(*box->letter));
	}
	letter = &box->letter[box->count++];
	*letter = (struct letter){steps_done(m), message.size, malloc(message.size)};
	memcpy(letter->bytes, message.bytes, message.size);
}

static void on_ask(void *context, int seat)
{
	struct wire_match *m = context;

	match_asked(&m->match, seat, m->now);
}

static void on_answered(void *context, int seat)
{
	(void)context;
	(void)seat;
}

static void on_faulted(void *context, int seat, const struct fault *fault)
{
	(void)context;
	(void)seat;
	(void)fault;
}

static void on_finished(void *context)
{
	(void)context;
}

/* Whoever watches thinks as long in both worlds; for all others it is chance. */
static int64_t think_ns(struct wire_match *m, int seat)
{
	uint32_t turn = m->match.seat[seat].turn;

	if (m->world && m->world->viewer != seat)
		return (1 + dice_below(&m->dice, 300)) * NS_PER_MS;
	return (1 + (turn * 7919 + (uint32_t)seat * 271) % 97) * NS_PER_MS;
}

static void answer(struct wire_match *m, int seat, const struct action *action)
{
	msgpack_sbuffer buffer;
	msgpack_packer packer;
	struct match_answer given = {
		.turn = m->match.seat[seat].turn,
		.choice = -1,
		.received = m->match.seat[seat].asked + think_ns(m, seat),
	};

	msgpack_sbuffer_init(&buffer);
	msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
	game_write_action(m->game, action, &packer);
	given.action = (struct blob){(uint8_t *)buffer.data, (uint32_t)buffer.size};
	if (given.received > m->now)
		m->now = given.received;
	follow(m);
	m->held[seat] = *action;
	match_answer(&m->match, seat, &given);
	msgpack_sbuffer_destroy(&buffer);
}

/* Refused, and not punished with points instead. */
static bool is_refused(const struct wire_match *m, int seat, const struct action *action)
{
	struct table copy;

	if (m->game->check(m->match.composer.state, seat, action, NULL))
		return false;
	if (!m->game->offence)
		return true;
	memcpy(&copy, m->match.composer.state, sizeof(copy));
	return !m->game->offence(copy.bytes, seat, action, NULL);
}

static bool draw_refused(struct wire_match *m, int seat, struct action *action)
{
	if (!m->space || dice_below(&m->dice, 100) >= REFUSED_PERCENT)
		return false;
	for (int i = 0; i < PROBE_TRIES; i++) {
		*action = m->space[dice_below(&m->dice, (uint32_t)m->space_size)];
		if (is_refused(m, seat, action))
			return true;
	}
	return false;
}

static bool recall_refused(struct wire_match *m, int seat, struct action *action)
{
	for (int i = 0; i < m->first->refusals; i++) {
		const struct wire_refusal *refusal = &m->first->refusal[i];

		if (refusal->seat != seat || refusal->step != steps_done(m))
			continue;
		*action = refusal->action;
		m->stuck |= !is_refused(m, seat, action);
		return !m->stuck;
	}
	return false;
}

/* Gives an answer that is refused, at most once for a question. */
static bool answer_wrongly(struct wire_match *m, int seat)
{
	struct action action;

	if (m->refused_at[seat] == steps_done(m) || seat == m->neutral)
		return false;
	m->refused_at[seat] = steps_done(m);
	if (!(m->first ? recall_refused : draw_refused)(m, seat, &action))
		return false;
	cr_assert_lt(m->refusals, WIRE_STEPS_ROOM);
	m->refusal[m->refusals++] = (struct wire_refusal){seat, steps_done(m), action};
	answer(m, seat, &action);
	return true;
}

/* What the seat did in the first match; false if that is not possible here. */
static bool recall_action(const struct wire_match *m, int seat, struct action *action)
{
	const struct wire_match *first = m->first;

	for (int i = steps_done(m); i < first->count; i++) {
		if (first->step[i].what == STEP_CHANCE)
			return false;
		if (first->step[i].seat != seat)
			continue;
		*action = first->step[i].action;
		return m->game->check(m->match.composer.state, seat, action, NULL);
	}
	return false;
}

static void draw_action(struct wire_match *m, int seat, struct action *action)
{
	struct action legal[GAME_LEGAL_MAX];
	int n = m->game->legal(m->match.composer.state, seat, legal);

	*action = legal[dice_below(&m->dice, (uint32_t)n)];
	follow(m);
	if (seat == m->neutral)
		neutral_action(m, seat, action);
}

static void crash(struct wire_match *m, int seat)
{
	match_fault(&m->match, seat,
		&(struct fault){.class = FAULT_CRASH, .at = m->now, .exit_status = 0});
}

static void answer_one(struct wire_match *m)
{
	uint16_t waiting = m->match.waiting;
	struct action action;
	int skip = (int)dice_below(&m->dice, (uint32_t)__builtin_popcount(waiting)), seat;

	while (skip-- > 0)
		waiting &= (uint16_t)(waiting - 1);
	seat = __builtin_ctz(waiting);
	if (seat == m->crash) {
		crash(m, seat);
		return;
	}
	if (answer_wrongly(m, seat) || m->stuck)
		return;
	if (!m->first)
		draw_action(m, seat, &action);
	else
		m->stuck = !recall_action(m, seat, &action);
	if (!m->stuck)
		answer(m, seat, &action);
}

static struct match_config config_of(
	struct wire_match *m, const struct wire_settings *settings)
{
	struct match_config config = {
		.setup = {.game = m->game,
			.seats = settings->variant->seats,
			.match_id = 77,
			.clock = {.kind = CLOCK_KIND_WALL, .bank_ns = 3600 * NS_PER_S}},
		.policy = POLICY_SUBSTITUTE,
		.retries = 1,
		.ready_ns_max = NS_PER_S,
	};

	cr_assert(variant_options(m->game, settings->variant, config.setup.option));
	for (int seat = 0; seat < config.setup.seats; seat++) {
		bool watches = !m->world || m->world->viewer == seat;

		config.setup.wants_events[seat] =
			watches ? (seat + (int)settings->number) % 2 == 0
				: dice_below(&m->dice, 2) == 0;
	}
	return config;
}

static struct wire_match *wire_match_new(const struct wire_settings *settings)
{
	struct wire_match *m = calloc(1, sizeof(*m));
	const struct match_effects effects = {.send = on_send,
		.ask = on_ask,
		.answered = on_answered,
		.faulted = on_faulted,
		.finished = on_finished,
		.order = on_order,
		.context = m};
	struct match_config config;
	char name[256];

	m->game = settings->game;
	m->first = settings->first;
	m->world = settings->world;
	m->space = settings->space;
	m->space_size = settings->space_size;
	m->neutral = settings->neutral;
	m->crash = settings->crash;
	m->now = 1000 * NS_PER_S;
	memset(m->refused_at, 0xff, sizeof(m->refused_at));
	variant_name(settings->variant, name, sizeof(name));
	m->dice = dice_named(name, settings->number + (m->first ? 5000 : 0));
	config = config_of(m, settings);
	game_start(m->game, config.setup.seats, config.setup.option, m->state.bytes);
	m->scratch = compose_scratch_new();
	match_init(&m->match, &config, &effects, m->scratch, NULL);
	return m;
}

struct wire_match *wire_match_play(const struct wire_settings *settings, int steps_max)
{
	struct wire_match *m = wire_match_new(settings);

	match_start(&m->match, m->now);
	for (int seat = 0; seat < settings->variant->seats; seat++)
		match_ready(&m->match, seat, m->now);
	while (!match_over(&m->match) && steps_done(m) < steps_max && !m->stuck)
		answer_one(m);
	follow(m);
	cr_assert_eq(memcmp(m->state.bytes, m->match.composer.state, m->game->state_size),
		0, "%s: the test has lost the match", m->game->id);
	return m;
}

void wire_match_free(struct wire_match **match)
{
	struct wire_match *m = *match;

	*match = NULL;
	for (int seat = 0; seat < GAME_SEATS_MAX; seat++) {
		for (int i = 0; i < m->box[seat].count; i++)
			free(m->box[seat].letter[i].bytes);
		free(m->box[seat].letter);
	}
	match_release(&m->match);
	compose_scratch_free(&m->scratch);
	free(m);
}

bool wire_same_step(const struct wire_match *second, int i)
{
	const struct step *a = &second->first->step[i], *b = &second->step[i];
	int order = 0;

	if (a->what != b->what)
		return false;
	if (a->what != STEP_CHANCE)
		return a->seat == b->seat && action_compare(&a->action, &b->action) == 0;
	for (int k = 0; k < i; k++)
		order += second->step[k].what == STEP_CHANCE;
	return a->kind == b->kind && a->n == b->n &&
	       !memcmp(b->order,
		       second->world && second->world->order == order
			       ? second->world->cards
			       : a->order,
		       a->n);
}

/* Letters after `step` steps: *from is the first one, the number is returned. */
static int letters_at(const struct mailbox *box, int step, int *from)
{
	int n = 0;

	*from = 0;
	while (*from < box->count && box->letter[*from].step < step)
		(*from)++;
	while (*from + n < box->count && box->letter[*from + n].step == step)
		n++;
	return n;
}

static void print_letters(const char *which, const struct mailbox *box, int step)
{
	int from, n = letters_at(box, step, &from);

	fprintf(stderr, "%s match, %d letters\n", which, n);
	for (int i = from; i < from + n; i++) {
		char *line = json_line((struct blob){box->letter[i].bytes,
					       (uint32_t)box->letter[i].size},
			NULL);

		fprintf(stderr, "%s\n", line ? line : "(not JSON)");
		free(line);
	}
}

static bool same_letter(const struct letter *a, const struct letter *b)
{
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

int wire_compare(const struct wire_match *second, int seat, int step)
{
	const struct mailbox *a = &second->first->box[seat], *b = &second->box[seat];
	int from_a, from_b, n = letters_at(a, step, &from_a);
	bool same = n == letters_at(b, step, &from_b);

	for (int i = 0; i < n && same; i++)
		same = same_letter(&a->letter[from_a + i], &b->letter[from_b + i]);
	if (same)
		return n;
	print_letters("first", a, step);
	print_letters("second", b, step);
	cr_assert_fail("%s: seat %d can tell two matches apart after step %d",
		second->game->id, seat, step);
	return n;
}
