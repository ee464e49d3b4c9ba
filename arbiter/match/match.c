/*
 * The course of a match.
 *
 *     START ── match_start() ──► READY ── all seats ready ──► PLAY ── result ──► OVER
 *       │                          │                           │                 ▲
 *       └── too few seats came ────┴── fault, policy forfeit ──┴─ match_abort() ─┘
 *
 * In PLAY the match goes round (match_advance):
 *
 *     NEED_CHANCE   draw the order, log it, apply it
 *     NEED_ANSWERS  nobody has a choice: log and apply the forced actions
 *                   else send `act` to every seat that has one, and wait
 *     NEED_NOTHING  finish
 *
 * While it waits, `waiting` is the set of seats that owe an answer and `collected` the
 * set whose answers are held. Answers are applied when no seat is waited for any more, in
 * the order of the seats, so that the course of a match does not depend on which bot was
 * faster. For a seat that faults while it is waited for, the game's fallback is
 * collected. Every action is logged before it is applied.
 */
#include "arbiter/match/match_internal.h"
#include "protocol/utf8.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The time limit for an answer that will be replaced anyway. */
#define SCRIPTED_NS_MAX (600 * NS_PER_S)

bool match_over(const struct match *match)
{
	return match->phase == PHASE_OVER;
}

bool match_awaits(const struct match *match, int seat)
{
	return game_seat_in(match->waiting, seat);
}

void match_init(struct match *match, const struct match_config *config,
	const struct match_effects *effects, struct compose_scratch *scratch,
	struct replay_writer *replay)
{
	struct compose_setup *setup = &match->config.setup;
	char id[24];

	memset(match, 0, sizeof(*match));
	match->config = *config;
	match->effects = *effects;
	match->replay = replay;
	if (config->policy == POLICY_AUTO)
		match->config.policy = game_sides(setup->game, setup->seats) == 2
					       ? POLICY_FORFEIT
					       : POLICY_SUBSTITUTE;
	snprintf(id, sizeof(id), "%lld", (long long)setup->match_id);
	chance_commit(config->nonce, id, config->seed, setup->commit);
	for (int seat = 0; seat < setup->seats; seat++) {
		match->seat[seat].bank_ns = setup->clock.bank_ns;
		chance_rng(config->seed, seat, match->seat[seat].rng);
	}
	composer_init(&match->composer, setup, scratch);
	if (config->position)
		match_place(match);
	if (replay)
		replay_header(
			replay, &(struct replay_header){
					.setup = setup,
					.players = config->player,
					.policy = policy_names[match->config.policy],
					.retries = config->retries,
					.ready_ns_max = config->ready_ns_max,
					.ponder_off = config->ponder_off,
					.start_unix_s = config->start_unix_s,
				});
}

void match_release(struct match *match)
{
	composer_release(&match->composer);
}

void match_flush(struct match *match)
{
	if (match->replay && match->effects.flush)
		match->effects.flush(match->effects.context);
}

void match_send(struct match *match, int seat, enum replay_sent kind, struct blob message,
	const uint8_t *rng, const struct compose_question *question)
{
	if (match->replay)
		replay_sent(match->replay, kind, seat, message, rng, question);
	match->effects.send(match->effects.context, seat, message);
}

static void send_match(struct match *match, int seat)
{
	const uint8_t *rng = match->seat[seat].rng;

	match_send(match, seat, SENT_MATCH, compose_match(&match->composer, seat, rng),
		rng, NULL);
	match->told |= seat_bit(seat);
	match->waiting |= seat_bit(seat);
	match->seat[seat].budget_ns = match->config.ready_ns_max;
	match->effects.ask(match->effects.context, seat);
}

void match_start(struct match *match, mono_ns now)
{
	const int seats = match->config.setup.seats;

	assert(match->phase == PHASE_START);
	match->started = now;
	match->phase = PHASE_READY;
	if (__builtin_popcount(match->faulted) == seats ||
		(match->faulted && match->config.policy == POLICY_FORFEIT)) {
		match_finish(match, now);
		return;
	}
	if (match->config.position) {
		match_start_in_position(match, now);
		return;
	}
	for (int seat = 0; seat < seats; seat++)
		if (!game_seat_in(match->faulted, seat))
			send_match(match, seat);
}

mono_ns match_asked(struct match *match, int seat, mono_ns now)
{
	const struct clock_rules *clock = &match->config.setup.clock;
	int64_t limit_ns = match->seat[seat].budget_ns;

	match->seat[seat].asked = now;
	if (match->phase == PHASE_PLAY && clock->kind == CLOCK_KIND_CPU &&
		clock->wall_ns_max < limit_ns)
		limit_ns = clock->wall_ns_max;
	return now + limit_ns;
}

void match_begin_play(struct match *match, mono_ns now)
{
	match->phase = PHASE_PLAY;
	match_advance(match, now);
}

/* Called after every transition, so that each has its own messages. */
static void send_events(struct match *match)
{
	for (int seat = 0; seat < match->config.setup.seats; seat++)
		if (!game_seat_in(match->faulted, seat) &&
			compose_event_due(&match->composer, seat))
			match_send(match, seat, SENT_EVENT,
				compose_event(&match->composer, seat), NULL, NULL);
}

static void take_chance(struct match *match)
{
	struct chance request;
	uint8_t order[GAME_ORDER_MAX];

	match_game(match)->chance(match->composer.state, &request);
	if (match->effects.order)
		match->effects.order(match->effects.context, &request, order);
	else
		chance_order(match->config.seed, &request, order);
	if (match->replay)
		replay_chance(match->replay, &request, order);
	composer_chance(&match->composer, order, request.n);
	send_events(match);
}

static void apply(struct match *match, const struct replay_decision *decision)
{
	if (match->replay)
		replay_action(match->replay, match_game(match), decision);
	if (decision->turn)
		match_flush(match);
	if (decision->by == BY_PENALTY)
		composer_offence(&match->composer, decision->seat, decision->action);
	else
		composer_apply(&match->composer, decision->seat, decision->action);
	match->actions++;
	send_events(match);
}

static void apply_forced(struct match *match)
{
	const uint16_t pending = match_head(match)->pending;

	for (int seat = 0; seat < match->config.setup.seats; seat++) {
		struct action action;

		if (!game_seat_in(pending & match_head(match)->pending, seat))
			continue;
		game_forced(match_game(match), match->composer.state, seat, &action);
		apply(match, &(struct replay_decision){
				     .seat = seat, .by = BY_FORCED, .action = &action});
	}
}

/* Questions and replays carry no negative times. */
static int64_t left_us(int64_t ns)
{
	return ns > 0 ? ns / NS_PER_US : 0;
}

void match_ask(struct match *match, int seat, int64_t budget_ns)
{
	const struct match_scripted *scripted = match_scripted(match, seat);
	struct match_seat *s = &match->seat[seat];
	struct compose_question question;

	if (scripted && scripted->budget_ns) {
		s->bank_ns = scripted->bank_ns;
		budget_ns = scripted->budget_ns;
	}
	question = (struct compose_question){
		.turn = ++s->turn,
		.bank_us = left_us(s->bank_ns),
		.budget_us = left_us(budget_ns),
	};
	s->budget_ns = scripted ? SCRIPTED_NS_MAX : budget_ns;
	if (match->config.followed)
		match_flush(match);
	match_send(match, seat, SENT_ACT, compose_act(&match->composer, seat, &question),
		NULL, &question);
	match->waiting |= seat_bit(seat);
	match->effects.ask(match->effects.context, seat);
}

static void ask_seats(struct match *match, uint16_t seats)
{
	for (int seat = 0; seat < match->config.setup.seats; seat++) {
		struct match_seat *s = &match->seat[seat];

		if (!game_seat_in(seats, seat))
			continue;
		s->refusals = 0;
		if (game_seat_in(match->faulted, seat))
			match_collect_fallback(match, seat);
		else
			match_ask(match, seat,
				clock_budget(&match->config.setup.clock, s->bank_ns));
	}
	match_settle(match);
}

void match_collect_fallback(struct match *match, int seat)
{
	struct match_seat *s = &match->seat[seat];
	_Alignas(16) uint8_t view[GAME_STATE_MAX];

	game_observe(match_game(match), match->composer.state, seat, view);
	match_game(match)->fallback(view, &s->action);
	s->decision = (struct replay_decision){
		.seat = seat, .by = BY_FALLBACK, .action = &s->action};
	match->collected |= seat_bit(seat);
}

void match_settle(struct match *match)
{
	const uint16_t collected = match->collected;

	if (match->waiting)
		return;
	match->collected = 0;
	for (int seat = 0; seat < match->config.setup.seats; seat++)
		/* A penalty may have ended the phase for later seats. */
		if (game_seat_in(collected & match_head(match)->pending, seat))
			apply(match, &match->seat[seat].decision);
}

static void step(struct match *match, mono_ns now)
{
	uint16_t seats;

	switch ((enum game_need)match_head(match)->need) {
	case NEED_CHANCE:
		take_chance(match);
		break;
	case NEED_ANSWERS:
		seats = game_to_ask(match_game(match), match->composer.state);
		if (seats)
			ask_seats(match, seats);
		else
			apply_forced(match);
		break;
	case NEED_NOTHING:
		match_finish(match, now);
		break;
	}
}

void match_advance(struct match *match, mono_ns now)
{
	while (match->phase == PHASE_PLAY && !match->waiting) {
		int err = match->replay ? replay_writer_error(match->replay) : 0;

		if (err) {
			struct why why;

			why_set(&why, "the replay cannot be written: %s", strerror(err));
			match_abort(match, now, VOID_REPLAY, why.text);
			return;
		}
		step(match, now);
	}
}

void match_resume(struct match *match, int seat, mono_ns now)
{
	struct match_seat *s = &match->seat[seat];
	int64_t elapsed = now - s->asked;
	struct compose_question question = {
		.turn = s->turn,
		.bank_us = left_us(s->bank_ns - elapsed),
		.budget_us = left_us(s->budget_ns - elapsed),
	};
	bool open = match->phase == PHASE_PLAY && game_seat_in(match->waiting, seat);
	const struct compose_question *asked = open ? &question : NULL;

	match_send(match, seat, SENT_RESUME,
		compose_resume(&match->composer, seat, s->rng, asked), s->rng, asked);
}

void match_link(struct match *match, int seat, mono_ns now, bool back)
{
	if (match->phase == PHASE_OVER || game_seat_in(match->faulted, seat))
		return;
	if (match->replay)
		replay_link(match->replay, seat, match_time_us(match, now), back);
	if (back)
		match_resume(match, seat, now);
}

static void log_outcome(struct match *match, mono_ns now)
{
	uint32_t decisions[GAME_SEATS_MAX], dropped[GAME_SEATS_MAX];

	if (!match->replay)
		return;
	for (int seat = 0; seat < match->config.setup.seats; seat++) {
		decisions[seat] = match->seat[seat].decisions;
		dropped[seat] = match_dropped(match, seat);
	}
	replay_result(match->replay, match_game(match),
		&(struct replay_outcome){
			.result = match->is_void ? NULL : &match->result,
			.seats = match->config.setup.seats,
			.void_reason = match->is_void ? match->void_reason : NULL,
			.faulted = match->faulted,
			.decisions = decisions,
			.dropped = dropped,
			.time_us = match_time_us(match, now),
		});
}

static void fill_result(struct match *match)
{
	const struct game *game = match_game(match);
	bool finished = match_head(match)->need == NEED_NOTHING;

	if (finished) {
		game->result(match->composer.state, &match->result);
	} else {
		match->result.reason = "forfeit";
		game->teams_of(match->composer.state, match->result.team);
	}
	if (match->faulted)
		fault_rank(game, &match->result, match->config.setup.seats,
			match->faulted, finished);
}

void match_finish(struct match *match, mono_ns now)
{
	const struct game_result *result = match->is_void ? NULL : &match->result;

	if (!match->is_void)
		fill_result(match);
	for (int seat = 0; seat < match->config.setup.seats; seat++)
		if (game_seat_in(match->waiting, seat))
			match->effects.answered(match->effects.context, seat);
	match->waiting = match->collected = 0;
	match->phase = PHASE_OVER;
	log_outcome(match, now);
	for (int seat = 0; seat < match->config.setup.seats; seat++)
		if (game_seat_in(match->told & ~match->faulted, seat))
			match_send(match, seat, SENT_END,
				compose_end(&match->composer, seat, result), NULL, NULL);
	if (match->replay)
		replay_seal(match->replay, match->config.nonce, match->config.seed);
	match_flush(match);
	match->effects.finished(match->effects.context);
}

void match_abort(
	struct match *match, mono_ns now, enum void_cause cause, const char *reason)
{
	if (match->phase == PHASE_OVER)
		return;
	match->is_void = true;
	match->void_cause = cause;
	utf8_format(match->void_reason, sizeof(match->void_reason), "%s", reason);
	match_finish(match, now);
}
