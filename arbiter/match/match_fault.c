/* What a fault of a seat's bot does to the match: log, policy, ranks. */
#include "arbiter/match/match_internal.h"
#include "protocol/utf8.h"

#include <stdio.h>
#include <string.h>

static void log_fault(struct match *match, int seat, const struct fault *fault)
{
	const char *verdict = fault->class == FAULT_ARBITER
				      ? "void"
				      : policy_names[match->config.policy];

	if (!match->replay)
		return;
	replay_fault(match->replay,
		&(struct replay_fault){
			.seat = seat,
			.class_name = fault_names[fault->class],
			.phase = match_phase_names[fault->phase],
			.verdict = verdict,
			.turn = fault->turn,
			.time_us = match->started ? match_time_us(match, fault->at) : 0,
			.why = fault->why,
			.clause = fault->clause[0] ? fault->clause : NULL,
			.bytes = fault->bytes_size ? fault->bytes : NULL,
			.bytes_size = fault->bytes_size,
			.exit_status = fault->exit_status,
			.budget_us = fault->budget_ns / NS_PER_US,
			.overrun_us = fault->overrun_ns / NS_PER_US,
			.lag_us = fault->lag_ns / NS_PER_US,
			.stderr_tail = fault->stderr_tail[0] ? fault->stderr_tail : NULL,
		});
	match_flush(match);
}

/* The match goes on without the seat. */
static void substitute(struct match *match, int seat, bool was_asked, mono_ns now)
{
	if (match->phase == PHASE_READY) {
		if (!match->waiting)
			match_begin_play(match, now);
		return;
	}
	if (!was_asked)
		return;
	match_collect_fallback(match, seat);
	match_settle(match);
	match_advance(match, now);
}

void match_fault(struct match *match, int seat, const struct fault *given)
{
	struct fault fault = *given;
	bool was_asked = match_awaits(match, seat);
	const int seats = match->config.setup.seats;
	bool held = game_seat_in(match->collected, seat);

	if (match->phase == PHASE_OVER || game_seat_in(match->faulted, seat))
		return;
	/* An illegal answer has already been taken off the waiting set. */
	was_asked |= fault.class == FAULT_ILLEGAL && !held;
	fault.phase = match->phase;
	if (fault.phase != PHASE_START)
		utf8_format(fault.why, sizeof(fault.why), "%s: %s",
			match_phase_names[fault.phase], given->why);
	fault.turn = was_asked && match->phase == PHASE_PLAY ? match->seat[seat].turn : 0;
	if (match->effects.evidence)
		match->effects.evidence(match->effects.context, seat, &fault);
	log_fault(match, seat, &fault);
	match->faulted |= seat_bit(seat);
	match->seat[seat].fault = fault.class;
	if (match_awaits(match, seat))
		match_stop_waiting(match, seat);
	match->effects.faulted(match->effects.context, seat, &fault);
	if (fault.class == FAULT_ARBITER)
		match_abort(match, fault.at, VOID_STARVED, fault.why);
	else if (match->phase == PHASE_START)
		return;
	else if (match->config.policy == POLICY_FORFEIT ||
		 __builtin_popcount(match->faulted) == seats)
		match_finish(match, fault.at);
	else
		substitute(match, seat, was_asked, fault.at);
}

/* A bot that names a wrong turn looks silent, because its answers are only counted. */
static void mention_dropped(struct fault *fault, uint32_t dropped)
{
	size_t n = strlen(fault->why);

	if (dropped)
		utf8_format(fault->why + n, sizeof(fault->why) - n,
			"; %u of its messages answered no open question", dropped);
}

void match_timeout(struct match *match, int seat, mono_ns now, int64_t lag_ns)
{
	const struct match_seat *s = &match->seat[seat];
	const struct clock_rules *clock = &match->config.setup.clock;
	bool capped =
		clock->kind == CLOCK_KIND_CPU && now - s->asked >= clock->wall_ns_max;
	struct fault fault = {
		.class = FAULT_TIMEOUT,
		.at = now,
		.exit_status = -1,
		.budget_ns = s->budget_ns,
		.lag_ns = lag_ns,
	};

	if (match->phase == PHASE_READY ||
		match->config.setup.clock.kind == CLOCK_KIND_WALL)
		fault.overrun_ns = now - s->asked - s->budget_ns;

	if (!match_awaits(match, seat))
		return;
	if (match->phase == PHASE_READY)
		utf8_format(fault.why, sizeof(fault.why), "no `ready` within %lld ms",
			(long long)(s->budget_ns / NS_PER_MS));
	else if (capped)
		utf8_format(fault.why, sizeof(fault.why),
			"no answer to turn %u within the %lld "
			"ms of wall time that cap its cpu time",
			s->turn, (long long)(clock->wall_ns_max / NS_PER_MS));
	else
		utf8_format(fault.why, sizeof(fault.why),
			"no answer to turn %u within its %lld ms of %s time", s->turn,
			(long long)(s->budget_ns / NS_PER_MS),
			clock_kind_names[clock->kind]);
	mention_dropped(&fault, match_dropped(match, seat));
	match_fault(match, seat, &fault);
}
