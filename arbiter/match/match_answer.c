/* Judging an answer: is it for the open question, in time, within the rules? */
#include "arbiter/match/match_internal.h"
#include "protocol/utf8.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

uint32_t match_dropped(const struct match *match, int seat)
{
	uint32_t dropped = 0;

	for (int fate = 0; fate < MATCH_FATES; fate++)
		dropped += match->seat[seat].dropped[fate];
	return dropped;
}

static enum match_fate drop(struct match *match, int seat, enum match_fate fate)
{
	match->seat[seat].dropped[fate]++;
	return fate;
}

void match_stop_waiting(struct match *match, int seat)
{
	match->waiting &= (uint16_t)~seat_bit(seat);
	match->effects.answered(match->effects.context, seat);
}

enum match_fate match_ready(struct match *match, int seat, mono_ns now)
{
	if (match->phase != PHASE_READY || !match_awaits(match, seat))
		return drop(match, seat, FATE_DUPLICATE);
	match_stop_waiting(match, seat);
	if (!match->waiting)
		match_begin_play(match, now);
	return FATE_ACCEPTED;
}

void match_resumed(struct match *match, int seat, mono_ns now)
{
	if (match->phase == PHASE_READY && match_awaits(match, seat))
		match_ready(match, seat, now);
}

enum match_fate match_foreign(struct match *match, int seat)
{
	return drop(match, seat, FATE_FOREIGN);
}

/* Reads an answer's action. False: *why says what is wrong with it. */
static bool read_answer(const struct match *match, int seat,
	const struct match_answer *answer, struct action *action, struct refusal *why)
{
	const struct game *game = match_game(match);
	struct action legal[GAME_LEGAL_MAX];
	msgpack_object object;
	msgpack_zone zone;
	bool ok;

	if (answer->choice >= 0) {
		int n = game->legal(match->composer.state, seat, legal);

		if (answer->choice >= n)
			return refuse(
				why, "choice", "there are not as many legal actions");
		*action = legal[answer->choice];
		return true;
	}
	msgpack_zone_init(&zone, 1024);
	ok = blob_unpack(answer->action, &zone, &object);
	assert(ok);
	ok = game_read_action(game, match->config.setup.seats, &object, action, why);
	msgpack_zone_destroy(&zone);
	return ok;
}

/* Does the rule book punish this action instead of refusing it? */
static bool is_offence(const struct match *match, int seat, const struct action *action)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];

	if (!match_game(match)->offence || !match_head(match)->option[OPTION_FAULTS])
		return false;
	memcpy(state, match->composer.state, match_game(match)->state_size);
	return match_game(match)->offence(state, seat, action, NULL);
}

static void collect(struct match *match, int seat, const struct match_answer *answer,
	const struct action *action, const char *offence)
{
	struct match_seat *s = &match->seat[seat];

	assert(answer->note.size <= sizeof(s->note));
	s->action = *action;
	if (answer->note.size)
		memcpy(s->note, answer->note.bytes, answer->note.size);
	s->decision = (struct replay_decision){
		.seat = seat,
		.by = offence ? BY_PENALTY : BY_BOT,
		.action = &s->action,
		.turn = s->turn,
		.choice = (int)answer->choice,
		.sent_us = match_time_us(match, s->asked),
		.received_us = match_time_us(match, answer->received),
		.bank_us = s->bank_ns / NS_PER_US,
		.cpu_us = answer->cpu_ns / NS_PER_US,
		.lag_us = answer->lag_ns / NS_PER_US,
		.note = {s->note, answer->note.size},
		.offence = offence,
	};
	s->decisions++;
	match->collected |= seat_bit(seat);
	match_settle(match);
	match_advance(match, answer->received);
}

/* A refused answer has used up time: the next question gets what is left. */
static void ask_again(struct match *match, int seat, const struct match_answer *answer,
	int64_t spent_ns, const struct refusal *why)
{
	struct match_seat *s = &match->seat[seat];

	if (match->replay)
		replay_refusal(match->replay, seat, s->turn, why,
			match_time_us(match, answer->received), answer->bytes.bytes,
			answer->bytes.size);
	match_send(match, seat, SENT_REFUSE,
		compose_refuse(&match->composer, s->turn, why->clause, why->why), NULL,
		NULL);
	s->refusals++;
	if (match->config.setup.clock.bank_ns)
		s->bank_ns -= spent_ns;
	match_ask(match, seat, s->budget_ns - spent_ns);
}

static void illegal(struct match *match, int seat, const struct match_answer *answer,
	const struct refusal *why)
{
	struct fault fault = {
		.class = FAULT_ILLEGAL,
		.at = answer->received,
		.exit_status = -1,
		.bytes_size = answer->bytes.size < sizeof(fault.bytes)
				      ? answer->bytes.size
				      : sizeof(fault.bytes),
	};
	char choice[64] = "";

	if (answer->choice >= 0)
		snprintf(choice, sizeof(choice), " (%lld, counted from 0)",
			(long long)answer->choice);
	utf8_format(fault.why, sizeof(fault.why), "answered turn %u against %s: %s%s",
		match->seat[seat].turn, why->clause, why->why, choice);
	utf8_format(fault.clause, sizeof(fault.clause), "%s", why->clause);
	if (answer->bytes.size)
		memcpy(fault.bytes, answer->bytes.bytes, fault.bytes_size);
	match_fault(match, seat, &fault);
}

/* Thinking time. An overrun within the arbiter's own lateness is not charged. */
static int64_t spent_ns(const struct match *match, int seat, const struct match_answer *a)
{
	const struct match_seat *s = &match->seat[seat];
	int64_t spent = match->config.setup.clock.kind == CLOCK_KIND_CPU
				? a->cpu_ns
				: a->received - s->asked;

	if (spent > s->budget_ns && spent - a->lag_ns <= s->budget_ns)
		spent = s->budget_ns;
	return spent > 0 ? spent : 0;
}

/* What an answer is worth. */
enum worth { WORTH_LEGAL, WORTH_PENALTY, WORTH_NOTHING };

static enum worth judge(const struct match *match, int seat,
	const struct match_answer *answer, struct action *action, struct refusal *why)
{
	if (!read_answer(match, seat, answer, action, why))
		return WORTH_NOTHING;
	if (match_game(match)->check(match->composer.state, seat, action, why))
		return WORTH_LEGAL;
	return is_offence(match, seat, action) ? WORTH_PENALTY : WORTH_NOTHING;
}

static void take_scripted(struct match *match, int seat, const struct match_answer *given,
	const struct match_scripted *scripted)
{
	struct match_answer answer = *given;

	answer.choice = -1;
	answer.note.size = 0;
	if (scripted->budget_ns)
		match->seat[seat].bank_ns = scripted->bank_after_ns;
	collect(match, seat, &answer, &scripted->action, scripted->offence);
}

static enum match_fate take_own(
	struct match *match, int seat, const struct match_answer *answer, int64_t spent)
{
	struct match_seat *s = &match->seat[seat];
	struct refusal why = {NULL, NULL};
	struct action action;
	enum worth worth = judge(match, seat, answer, &action, &why);

	if (worth == WORTH_NOTHING && s->refusals >= match->config.retries) {
		illegal(match, seat, answer, &why);
		return FATE_FAULT;
	}
	if (worth == WORTH_NOTHING) {
		ask_again(match, seat, answer, spent, &why);
		return FATE_REFUSED;
	}
	clock_charge(&match->config.setup.clock, &s->bank_ns, spent);
	if (!s->opened)
		s->opening = action;
	s->opened = true;
	collect(match, seat, answer, &action, worth == WORTH_PENALTY ? why.clause : NULL);
	return FATE_ACCEPTED;
}

/* FATE_ACCEPTED if it answers the open question. */
static enum match_fate fate_of_turn(const struct match *match, int seat, int64_t turn)
{
	const struct match_seat *s = &match->seat[seat];

	if (turn > s->turn)
		return FATE_EARLY;
	if (turn == s->answered && turn)
		return FATE_DUPLICATE;
	if (turn < s->turn || match->phase != PHASE_PLAY || !match_awaits(match, seat))
		return FATE_LATE;
	return FATE_ACCEPTED;
}

enum match_fate match_answer(
	struct match *match, int seat, const struct match_answer *answer)
{
	const struct match_scripted *scripted = match_scripted(match, seat);
	struct match_seat *s = &match->seat[seat];
	enum match_fate fate = fate_of_turn(match, seat, answer->turn);
	int64_t spent;

	if (fate != FATE_ACCEPTED)
		return drop(match, seat, fate);
	s->answered = s->turn;
	spent = spent_ns(match, seat, answer);
	if (spent > s->budget_ns) {
		match_timeout(match, seat, answer->received, answer->lag_ns);
		return FATE_FAULT;
	}
	match_stop_waiting(match, seat);
	s->think_ns += spent;
	if (spent > s->think_ns_max)
		s->think_ns_max = spent;
	if (!scripted)
		return take_own(match, seat, answer, spent);
	take_scripted(match, seat, answer, scripted);
	return FATE_ACCEPTED;
}
