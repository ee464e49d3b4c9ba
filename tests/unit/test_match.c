/* The match without sockets, processes or clocks: the test is all of them. */
#include <criterion/criterion.h>
#include <errno.h>
#include "arbiter/match/match.h"
#include "protocol/codec.h"

#define START    (100 * NS_PER_S)
#define SENT_MAX 40000

/* What a seat has been sent: types in order, and the last question and end. */
struct inbox {
	int count;
	enum message_type type[SENT_MAX];
	int64_t turn;
	int64_t legal;
	int64_t bank_ms, move_ms;
	bool has_result;
};

struct table_fake {
	struct match match;
	struct compose_scratch *scratch;
	struct replay_writer replay;
	uint8_t *bytes; /* of the replay */
	size_t size;
	int write_error;
	mono_ns now;
	uint16_t asked; /* seats whose time is to be started */
	uint16_t faulted;
	struct fault fault[GAME_SEATS_MAX];
	bool finished;
	struct inbox inbox[GAME_SEATS_MAX];
};

static void on_send(void *context, int seat, struct blob bytes)
{
	struct table_fake *t = context;
	struct inbox *inbox = &t->inbox[seat];
	struct message message;
	struct why why = {""};
	enum err err =
		codec_decode(FROM_ARBITER, bytes.bytes, bytes.size, &message, &why);

	cr_assert_eq(err, ERR_OK, "%s", why.text);
	cr_assert_lt(inbox->count, SENT_MAX);
	inbox->type[inbox->count++] = message.type;
	if (message.type == MESSAGE_ACT) {
		inbox->turn = message.act.turn;
		inbox->legal = blob_count(message.act.legal);
		inbox->bank_ms = message.act.clock.bank_ms;
		inbox->move_ms = message.act.clock.move_ms;
	}
	if (message.type == MESSAGE_END)
		inbox->has_result = blob_count(message.end.result) > 0;
}

static void on_flush(void *context)
{
	struct table_fake *t = context;

	replay_writer_flush(&t->replay);
}

static void on_ask(void *context, int seat)
{
	struct table_fake *t = context;

	t->asked |= (uint16_t)(1u << seat);
}

static void on_answered(void *context, int seat)
{
	struct table_fake *t = context;

	t->asked &= (uint16_t) ~(1u << seat);
}

static void on_faulted(void *context, int seat, const struct fault *fault)
{
	struct table_fake *t = context;

	t->faulted |= (uint16_t)(1u << seat);
	t->fault[seat] = *fault;
}

static void on_finished(void *context)
{
	((struct table_fake *)context)->finished = true;
}

static int on_write(void *context, const void *bytes, size_t size)
{
	struct table_fake *t = context;

	if (t->write_error)
		return t->write_error;
	t->bytes = realloc(t->bytes, t->size + size);
	memcpy(t->bytes + t->size, bytes, size);
	t->size += size;
	return 0;
}

static struct match_config config_of(const char *game, int seats)
{
	struct match_config config = {
		.setup = {.game = game_find(game), .seats = seats, .match_id = 77},
		.ready_ns_max = 10 * NS_PER_S,
	};
	struct why why;

	clock_rules_parse("bank=10s,inc=1s,move=2s", &config.setup.clock, &why);
	game_defaults(config.setup.game, config.setup.option);
	return config;
}

static struct table_fake *table_new(const struct match_config *config)
{
	static const struct match_effects effects = {.send = on_send,
		.flush = on_flush,
		.ask = on_ask,
		.answered = on_answered,
		.faulted = on_faulted,
		.finished = on_finished};
	struct table_fake *t = calloc(1, sizeof(*t));
	struct match_effects mine = effects;

	mine.context = t;
	t->now = START;
	t->scratch = compose_scratch_new();
	replay_writer_init(&t->replay, (struct replay_sink){on_write, t});
	match_init(&t->match, config, &mine, t->scratch, &t->replay);
	return t;
}

static void table_free(struct table_fake *t)
{
	match_release(&t->match);
	replay_writer_release(&t->replay);
	compose_scratch_free(&t->scratch);
	free(t->bytes);
	free(t);
}

/* All that was sent has left: the clocks of those asked start. */
static uint16_t flush(struct table_fake *t)
{
	uint16_t asked = t->asked;

	for (int seat = 0; seat < GAME_SEATS_MAX; seat++)
		if (game_seat_in(asked, seat))
			match_asked(&t->match, seat, t->now);
	return asked;
}

static void all_ready(struct table_fake *t)
{
	uint16_t asked = flush(t);

	for (int seat = 0; seat < GAME_SEATS_MAX; seat++)
		if (game_seat_in(asked, seat))
			match_ready(&t->match, seat, t->now);
	flush(t);
}

static enum match_fate answer(
	struct table_fake *t, int seat, int64_t turn, int64_t choice)
{
	enum match_fate fate = match_answer(&t->match, seat,
		&(struct match_answer){
			.turn = turn, .choice = choice, .received = t->now});

	flush(t);
	return fate;
}

static int first_asked(const struct table_fake *t)
{
	cr_assert_neq(t->asked, 0);
	return __builtin_ctz(t->asked);
}

static void start(struct table_fake *t)
{
	match_start(&t->match, t->now);
	all_ready(t);
}

/* Every question is answered with one of its choices, 1 ms later. */
static void play_out(struct table_fake *t)
{
	while (!t->finished) {
		int seat = first_asked(t);

		t->now += NS_PER_MS;
		answer(t, seat, t->inbox[seat].turn,
			(t->inbox[seat].turn * 7) % t->inbox[seat].legal);
	}
}

static int count_type(const struct inbox *inbox, enum message_type type)
{
	int n = 0;

	for (int i = 0; i < inbox->count; i++)
		n += inbox->type[i] == type;
	return n;
}

Test(match, nobody_is_asked_before_all_are_ready)
{
	struct match_config config = config_of("dirty_pig", 2);
	struct table_fake *t = table_new(&config);

	match_start(&t->match, t->now);
	cr_assert_eq(t->asked, 3);
	flush(t);
	match_ready(&t->match, 1, t->now);
	cr_assert_eq(t->inbox[0].count, 1);
	cr_assert_eq(t->inbox[0].type[0], MESSAGE_MATCH);
	match_ready(&t->match, 0, t->now);
	cr_assert_eq(t->match.phase, PHASE_PLAY);
	cr_assert_eq(count_type(&t->inbox[first_asked(t)], MESSAGE_ACT), 1);
	table_free(t);
}

Test(match, every_game_is_played_to_its_end)
{
	for (int i = 0; game_list[i]; i++) {
		struct match_config config =
			config_of(game_list[i]->id, game_list[i]->seats_min);
		struct table_fake *t = table_new(&config);

		start(t);
		play_out(t);
		cr_assert(!t->match.is_void);
		for (int seat = 0; seat < config.setup.seats; seat++) {
			cr_assert_eq(count_type(&t->inbox[seat], MESSAGE_END), 1);
			cr_assert(t->inbox[seat].has_result);
			cr_assert_eq(count_type(&t->inbox[seat], MESSAGE_EVENT), 0);
		}
		table_free(t);
	}
}

Test(match, a_seat_that_asked_for_events_gets_them_as_they_happen)
{
	struct match_config config = config_of("dirty_pig", 2);
	struct table_fake *t;

	config.setup.wants_events[1] = true;
	t = table_new(&config);
	start(t);
	play_out(t);
	cr_assert_eq(count_type(&t->inbox[0], MESSAGE_EVENT), 0);
	cr_assert_geq(count_type(&t->inbox[1], MESSAGE_EVENT), (int)t->match.actions);
	table_free(t);
}

Test(match, answers_to_other_turns_are_counted_and_dropped)
{
	struct match_config config = config_of("dirty_pig", 2);
	struct table_fake *t = table_new(&config);
	int seat, other;
	uint32_t actions;

	start(t);
	seat = first_asked(t);
	other = 1 - seat;
	actions = t->match.actions;
	cr_assert_eq(answer(t, seat, t->inbox[seat].turn + 1, 0), FATE_EARLY);
	cr_assert_eq(answer(t, seat, t->inbox[seat].turn - 1, 0), FATE_LATE);
	cr_assert_eq(answer(t, other, 1, 0), FATE_EARLY);
	cr_assert_eq(match_dropped(&t->match, seat), 2);
	cr_assert_eq(match_dropped(&t->match, other), 1);
	cr_assert_eq(t->match.actions, actions);
	cr_assert_eq(answer(t, seat, t->inbox[seat].turn, 0), FATE_ACCEPTED);
	cr_assert_gt(t->match.actions, actions);
	cr_assert_eq(answer(t, seat, 1, 0), FATE_DUPLICATE);
	cr_assert_eq(match_dropped(&t->match, seat), 3);
	cr_assert_eq(match_foreign(&t->match, seat), FATE_FOREIGN);
	cr_assert_eq(match_dropped(&t->match, seat), 4);
	cr_assert_eq(t->match.seat[seat].dropped[FATE_EARLY], 1);
	cr_assert_eq(t->match.seat[seat].dropped[FATE_LATE], 1);
	cr_assert_eq(t->match.seat[seat].dropped[FATE_DUPLICATE], 1);
	cr_assert_eq(t->match.seat[seat].dropped[FATE_FOREIGN], 1);
	table_free(t);
}

/* One seat of each answers its next open turn. */
static void next_turn(struct table_fake *t, int seat)
{
	int64_t turn = t->inbox[seat].turn;

	while (!t->finished && t->inbox[seat].turn == turn) {
		int asked = first_asked(t);

		answer(t, asked, t->inbox[asked].turn, 0);
	}
	cr_assert(!t->finished);
}

Test(match, an_answer_to_the_open_turn_is_taken_once)
{
	struct match_config config = config_of("dirty_pig", 2);
	struct table_fake *t = table_new(&config);
	int64_t turn;
	int seat;

	start(t);
	seat = first_asked(t);
	turn = t->inbox[seat].turn;
	cr_assert_eq(answer(t, seat, turn, 0), FATE_ACCEPTED);
	cr_assert_eq(answer(t, seat, turn, 0), FATE_DUPLICATE);
	while (first_asked(t) != seat)
		answer(t, 1 - seat, t->inbox[1 - seat].turn, 0);
	cr_assert_eq(t->inbox[seat].turn, turn + 1);
	cr_assert_eq(answer(t, seat, turn, 0), FATE_DUPLICATE, "and while it is asked");
	cr_assert_eq(answer(t, seat, turn + (INT64_C(1) << 32), 0), FATE_EARLY);
	cr_assert_eq(answer(t, seat, turn + 1, 0), FATE_ACCEPTED);
	next_turn(t, seat);
	cr_assert_eq(answer(t, seat, turn, 0), FATE_LATE, "of long ago");
	cr_assert_eq(t->match.seat[seat].dropped[FATE_DUPLICATE], 2);
	cr_assert_eq(t->match.seat[seat].decisions, t->inbox[seat].turn - 1);
	table_free(t);
}

Test(match, a_question_that_is_withdrawn_is_over)
{
	struct match_config config = config_of("pig_pile", 3);
	struct table_fake *t = table_new(&config);
	int64_t turn;
	int seat;

	start(t);
	seat = first_asked(t);
	turn = t->inbox[seat].turn;
	t->now += 3 * NS_PER_S;
	match_timeout(&t->match, seat, t->now, 0);
	cr_assert(!match_awaits(&t->match, seat));
	cr_assert_eq(answer(t, seat, turn, 0), FATE_LATE);
	cr_assert_eq(answer(t, seat, turn + 1, 0), FATE_EARLY);
	table_free(t);
}

Test(match, ready_counts_once)
{
	struct match_config config = config_of("dirty_pig", 2);
	struct table_fake *t = table_new(&config);

	match_start(&t->match, t->now);
	cr_assert_eq(answer(t, 1, 1, 0), FATE_EARLY, "before anything was asked");
	cr_assert_eq(answer(t, 1, 0, 0), FATE_LATE, "there is no such turn");
	cr_assert_eq(match_ready(&t->match, 1, t->now), FATE_ACCEPTED);
	cr_assert_eq(match_ready(&t->match, 1, t->now), FATE_DUPLICATE);
	match_resumed(&t->match, 1, t->now);
	cr_assert_eq(t->match.seat[1].dropped[FATE_DUPLICATE], 1, "no second ready");
	cr_assert_eq(t->match.phase, PHASE_READY);
	match_resumed(&t->match, 0, t->now);
	cr_assert_eq(t->match.phase, PHASE_PLAY);
	cr_assert_eq(match_ready(&t->match, 0, t->now), FATE_DUPLICATE);
	cr_assert_eq(match_dropped(&t->match, 0), 1);
	table_free(t);
}

Test(match, thinking_time_is_charged_and_the_increment_earned)
{
	struct match_config config = config_of("dirty_pig", 2);
	struct table_fake *t = table_new(&config);
	int seat;

	start(t);
	seat = first_asked(t);
	cr_assert_eq(t->inbox[seat].bank_ms, 10000);
	cr_assert_eq(t->inbox[seat].move_ms, 2000);
	t->now += 1500 * NS_PER_MS;
	answer(t, seat, t->inbox[seat].turn, 0);
	cr_assert_eq(t->match.seat[seat].bank_ns, 9500 * NS_PER_MS);
	cr_assert_eq(t->match.seat[seat].think_ns_max, 1500 * NS_PER_MS);
	cr_assert_eq(t->match.seat[1 - seat].bank_ns, 10 * NS_PER_S);
	table_free(t);
}

Test(match, an_answer_after_its_time_forfeits_with_two_sides)
{
	struct match_config config = config_of("dirty_pig", 2);
	struct table_fake *t = table_new(&config);
	int seat;

	start(t);
	seat = first_asked(t);
	t->now += 2 * NS_PER_S + 1;
	answer(t, seat, t->inbox[seat].turn, 0);
	cr_assert(t->finished);
	cr_assert_eq(t->fault[seat].class, FAULT_TIMEOUT);
	cr_assert_eq(t->fault[seat].overrun_ns, 1);
	cr_assert_eq(t->match.result.rank[seat], 2);
	cr_assert_eq(t->match.result.rank[1 - seat], 1);
	cr_assert_str_eq(t->match.result.reason, "forfeit");
	cr_assert_eq(count_type(&t->inbox[1 - seat], MESSAGE_END), 1);
	cr_assert_eq(count_type(&t->inbox[seat], MESSAGE_END), 0);
	table_free(t);
}

Test(match, an_overrun_within_the_arbiters_lateness_is_credited)
{
	struct match_config config = config_of("dirty_pig", 2);
	struct table_fake *t = table_new(&config);
	int seat;

	start(t);
	seat = first_asked(t);
	t->now += 2300 * NS_PER_MS;
	match_answer(&t->match, seat,
		&(struct match_answer){.turn = 1,
			.choice = 0,
			.received = t->now,
			.lag_ns = 300 * NS_PER_MS});
	cr_assert_eq(t->faulted, 0);
	cr_assert_eq(t->match.seat[seat].bank_ns, 9 * NS_PER_S);
	table_free(t);
}

Test(match, a_cpu_clock_charges_cpu_time)
{
	struct match_config config = config_of("dirty_pig", 2);
	struct table_fake *t;
	int seat;

	config.setup.clock.kind = CLOCK_KIND_CPU;
	t = table_new(&config);
	start(t);
	seat = first_asked(t);
	t->now += 15 * NS_PER_S;
	match_answer(&t->match, seat,
		&(struct match_answer){.turn = 1,
			.choice = 0,
			.received = t->now,
			.cpu_ns = 500 * NS_PER_MS});
	cr_assert_eq(t->faulted, 0);
	cr_assert_eq(t->match.seat[seat].bank_ns, 10500 * NS_PER_MS);
	flush(t);
	seat = first_asked(t);
	match_answer(&t->match, seat,
		&(struct match_answer){.turn = 1,
			.choice = 0,
			.received = t->now,
			.cpu_ns = 2001 * NS_PER_MS});
	cr_assert_eq(t->fault[seat].class, FAULT_TIMEOUT);
	table_free(t);
}

Test(match, with_three_sides_the_fallback_plays_on_and_the_others_are_ranked)
{
	struct match_config config = config_of("dirty_pig", 3);
	struct table_fake *t = table_new(&config);
	int seat, before;

	start(t);
	seat = first_asked(t);
	before = t->inbox[seat].count;
	t->now += 3 * NS_PER_S;
	match_timeout(&t->match, seat, t->now, 0);
	flush(t);
	cr_assert(!t->finished);
	play_out(t);
	cr_assert_eq(t->inbox[seat].count, before);
	cr_assert_eq(t->match.result.rank[seat], 3);
	for (int other = 0; other < 3; other++)
		if (other != seat)
			cr_assert_leq(t->match.result.rank[other], 2);
	cr_assert_str_neq(t->match.result.reason, "forfeit");
	table_free(t);
}

Test(match, when_all_seats_are_out_the_match_ends)
{
	struct match_config config = config_of("dirty_pig", 3);
	struct table_fake *t = table_new(&config);
	struct fault crash = {.class = FAULT_CRASH, .why = "killed", .exit_status = 9};

	start(t);
	for (int seat = 0; seat < 3; seat++) {
		cr_assert(!t->finished);
		crash.at = t->now;
		match_fault(&t->match, seat, &crash);
		flush(t);
	}
	cr_assert(t->finished);
	for (int seat = 0; seat < 3; seat++)
		cr_assert_eq(t->match.result.rank[seat], 1, "all have lost alike");
	cr_assert_str_eq(t->fault[1].why, "play: killed");
	table_free(t);
}

Test(match, a_seat_that_is_not_asked_may_crash_and_the_others_play_on)
{
	struct match_config config = config_of("dirty_pig", 4);
	struct table_fake *t = table_new(&config);
	struct fault crash = {.class = FAULT_CRASH, .at = START, .exit_status = 9};
	int seat, victim;

	start(t);
	seat = first_asked(t);
	victim = (seat + 2) % 4;
	match_fault(&t->match, victim, &crash);
	cr_assert_eq(t->asked, 1u << seat);
	play_out(t);
	cr_assert_eq(t->match.result.rank[victim], 4);
	table_free(t);
}

Test(match, a_bot_that_never_came_forfeits_without_a_word_to_the_others)
{
	struct match_config config = config_of("dirty_pig", 2);
	struct table_fake *t = table_new(&config);
	struct fault fault = {.class = FAULT_STARTUP, .at = START, .exit_status = -1};

	match_fault(&t->match, 1, &fault);
	cr_assert(!t->finished);
	match_start(&t->match, t->now);
	cr_assert(t->finished);
	cr_assert_eq(t->inbox[0].count, 0);
	cr_assert_eq(t->match.result.rank[0], 1);
	cr_assert_eq(t->match.result.rank[1], 2);
	table_free(t);
}

Test(match, a_bot_that_never_came_is_substituted_at_a_larger_table)
{
	struct match_config config = config_of("dirty_pig", 3);
	struct table_fake *t = table_new(&config);
	struct fault fault = {.class = FAULT_STARTUP, .at = START, .exit_status = -1};

	match_fault(&t->match, 0, &fault);
	start(t);
	play_out(t);
	cr_assert_eq(t->inbox[0].count, 0);
	cr_assert_eq(t->match.result.rank[0], 3);
	table_free(t);
}

Test(match, a_refused_answer_is_asked_again_within_the_time_that_is_left)
{
	struct match_config config = config_of("dirty_pig", 2);
	struct table_fake *t;
	int seat;

	config.retries = 1;
	t = table_new(&config);
	start(t);
	seat = first_asked(t);
	t->now += 500 * NS_PER_MS;
	answer(t, seat, 1, 4000);
	cr_assert_eq(count_type(&t->inbox[seat], MESSAGE_REFUSE), 1);
	cr_assert_eq(t->inbox[seat].turn, 2);
	cr_assert_eq(t->inbox[seat].move_ms, 1500);
	cr_assert_eq(t->inbox[seat].bank_ms, 9500);
	answer(t, seat, 2, 4000);
	cr_assert_eq(t->fault[seat].class, FAULT_ILLEGAL);
	cr_assert_eq(t->fault[seat].turn, 2);
	cr_assert(t->finished);
	table_free(t);
}

Test(match, retries_are_counted_for_each_decision)
{
	struct match_config config = config_of("dirty_pig", 2);
	struct table_fake *t;

	config.retries = 1;
	t = table_new(&config);
	start(t);
	for (int i = 0; i < 4; i++) {
		int seat = first_asked(t);

		answer(t, seat, t->inbox[seat].turn, 4000);
		answer(t, seat, t->inbox[seat].turn, 0);
	}
	cr_assert_eq(t->faulted, 0);
	table_free(t);
}

static void answer_action(struct table_fake *t, int seat, const struct action *action)
{
	uint8_t bytes[256];
	struct buffer buffer = buffer_on(bytes, sizeof(bytes));
	msgpack_packer packer = buffer_packer(&buffer);

	game_write_action(t->match.config.setup.game, action, &packer);
	match_answer(&t->match, seat,
		&(struct match_answer){.turn = (uint32_t)t->inbox[seat].turn,
			.choice = -1,
			.action = blob_since(&buffer, 0),
			.bytes = blob_since(&buffer, 0),
			.received = t->now});
	flush(t);
}

Test(match, an_action_may_be_spelled_out)
{
	struct match_config config = config_of("dirty_pig", 2);
	struct table_fake *t = table_new(&config);
	struct action legal[GAME_LEGAL_MAX];
	int seat;

	start(t);
	seat = first_asked(t);
	config.setup.game->legal(t->match.composer.state, seat, legal);
	answer_action(t, seat, &legal[0]);
	cr_assert_eq(t->faulted, 0);
	cr_assert_eq(t->match.seat[seat].decisions, 1);
	table_free(t);
}

/* A card that the rule book punishes with points, if the seat holds one now. */
static bool find_offence(const struct table_fake *t, int seat, struct action *offence)
{
	const struct game *game = t->match.config.setup.game;
	struct action legal[GAME_LEGAL_MAX];
	_Alignas(16) uint8_t state[GAME_STATE_MAX];

	game->legal(t->match.composer.state, seat, legal);
	for (int face = 0; face < game->face_count; face++) {
		*offence = legal[0];
		if (offence->count != 1)
			return false;
		offence->arg[0] = (uint8_t)face;
		memcpy(state, t->match.composer.state, game->state_size);
		if (!game->check(state, seat, offence, NULL) &&
			game->offence(state, seat, offence, NULL))
			return true;
	}
	return false;
}

Test(match, a_rule_books_own_penalty_is_applied_instead_of_a_refusal)
{
	struct match_config config = config_of("pig_it_hog_it", 4);
	struct table_fake *t;
	struct action offence;
	bool found = false;

	config.setup.option[OPTION_FAULTS] = 1;
	t = table_new(&config);
	start(t);
	while (!t->finished && !found) {
		int seat = first_asked(t);

		found = find_offence(t, seat, &offence);
		if (found) {
			answer_action(t, seat, &offence);
			cr_assert_eq(t->faulted, 0);
			cr_assert_eq(t->match.seat[seat].decision.by, BY_PENALTY);
		} else {
			answer(t, seat, t->inbox[seat].turn, 0);
		}
	}
	cr_assert(found);
	table_free(t);
}

/* Plays the simultaneous choice of Pig Pile, first to last seat or the other way. */
static void choose_faces(struct table_fake *t, bool backwards)
{
	uint16_t asked = t->asked;

	for (int i = 0; i < 3; i++) {
		int seat = backwards ? 2 - i : i;

		cr_assert(game_seat_in(asked, seat));
		cr_assert_eq(t->match.actions, 0);
		answer(t, seat, 1, seat);
	}
	cr_assert_geq(t->match.actions, 3);
}

Test(match, who_is_quicker_in_a_simultaneous_phase_makes_no_difference)
{
	struct match_config config = config_of("pig_pile", 3);
	struct table_fake *a = table_new(&config), *b = table_new(&config);

	start(a);
	start(b);
	choose_faces(a, false);
	choose_faces(b, true);
	replay_writer_flush(&a->replay);
	replay_writer_flush(&b->replay);
	cr_assert_eq(a->size, b->size);
	cr_assert_arr_eq(a->bytes, b->bytes, a->size);
	cr_assert_arr_eq(a->match.composer.state, b->match.composer.state,
		config.setup.game->state_size);
	table_free(a);
	table_free(b);
}

Test(match, an_answer_given_before_a_crash_stands)
{
	struct match_config config = config_of("pig_pile", 3);
	struct table_fake *t = table_new(&config);
	struct fault crash = {.class = FAULT_CRASH, .at = START, .exit_status = 9};

	start(t);
	answer(t, 1, 1, 3);
	match_fault(&t->match, 1, &crash);
	answer(t, 0, 1, 0);
	cr_assert_eq(t->match.actions, 0);
	answer(t, 2, 1, 0);
	cr_assert_eq(t->match.seat[1].decision.by, BY_BOT);
	play_out(t);
	cr_assert_eq(t->match.result.rank[1], 3);
	table_free(t);
}

Test(match, a_seat_put_out_in_a_simultaneous_phase_is_played_by_the_fallback)
{
	struct match_config config = config_of("pig_pile", 3);
	struct table_fake *t = table_new(&config);

	start(t);
	answer(t, 0, 1, 0);
	answer(t, 2, 1, 0);
	match_timeout(&t->match, 1, t->now + 3 * NS_PER_S, 0);
	flush(t);
	cr_assert_geq(t->match.actions, 3);
	play_out(t);
	table_free(t);
}

Test(match, an_abort_voids_the_match)
{
	struct match_config config = config_of("dirty_pig", 2);
	struct table_fake *t = table_new(&config);

	start(t);
	match_abort(&t->match, t->now, VOID_STOPPED, "interrupted");
	cr_assert(t->finished && t->match.is_void);
	cr_assert_eq(t->match.void_cause, VOID_STOPPED);
	for (int seat = 0; seat < 2; seat++) {
		cr_assert_eq(count_type(&t->inbox[seat], MESSAGE_END), 1);
		cr_assert(!t->inbox[seat].has_result);
	}
	cr_assert_eq(t->faulted, 0);
	table_free(t);
}

Test(match, a_fault_of_the_arbiter_voids_the_match)
{
	struct match_config config = config_of("dirty_pig", 2);
	struct table_fake *t = table_new(&config);
	struct fault ours = {.class = FAULT_ARBITER, .at = START, .exit_status = -1};

	start(t);
	match_fault(&t->match, 0, &ours);
	cr_assert(t->finished && t->match.is_void);
	table_free(t);
}

Test(match, a_replay_that_cannot_be_written_voids_the_match)
{
	struct match_config config = config_of("dirty_pig", 2);
	struct table_fake *t = table_new(&config);
	int seat;

	start(t);
	t->write_error = ENOSPC;
	seat = first_asked(t);
	answer(t, seat, 1, 0);
	cr_assert(t->finished && t->match.is_void);
	cr_assert_eq(t->match.void_cause, VOID_REPLAY);
	cr_assert(strstr(t->match.void_reason, strerror(ENOSPC)));
	table_free(t);
}

Test(match, after_a_reconnect_the_seat_gets_its_open_question)
{
	struct match_config config = config_of("dirty_pig", 2);
	struct table_fake *t = table_new(&config);
	int seat;

	start(t);
	seat = first_asked(t);
	match_link(&t->match, seat, t->now, false);
	t->now += 700 * NS_PER_MS;
	match_link(&t->match, seat, t->now, true);
	cr_assert_eq(count_type(&t->inbox[seat], MESSAGE_RESUME), 1);
	t->now += 1301 * NS_PER_MS;
	answer(t, seat, 1, 0);
	cr_assert_eq(t->fault[seat].class, FAULT_TIMEOUT);
	table_free(t);
}

Test(match, ready_has_a_deadline)
{
	struct match_config config = config_of("dirty_pig", 2);
	struct table_fake *t = table_new(&config);

	match_start(&t->match, t->now);
	cr_assert_eq(match_asked(&t->match, 0, t->now), t->now + 10 * NS_PER_S);
	match_timeout(&t->match, 0, t->now + 11 * NS_PER_S, 0);
	cr_assert_eq(t->fault[0].class, FAULT_TIMEOUT);
	cr_assert_eq(t->fault[0].phase, PHASE_READY);
	cr_assert(t->finished);
	table_free(t);
}

static void check_ranks(const char *id, int seats, uint16_t faulted, bool finished,
	const int *before, const int *after)
{
	struct game_result result = {.reason = "test"};

	for (int seat = 0; seat < seats; seat++) {
		result.rank[seat] = (uint8_t)before[seat];
		result.team[seat] = game_find(id)->teams ? (int8_t)(seat % 2) : -1;
	}
	fault_rank(game_find(id), &result, seats, faulted, finished);
	for (int seat = 0; seat < seats; seat++)
		cr_assert_eq(result.rank[seat], after[seat], "seat %d: %d", seat,
			result.rank[seat]);
}

Test(match, ranks_after_forfeits)
{
	check_ranks("dirty_pig", 4, 1, true, (int[]){1, 2, 3, 4}, (int[]){4, 1, 2, 3});
	check_ranks("dirty_pig", 4, 3, true, (int[]){1, 2, 3, 3}, (int[]){3, 3, 1, 1});
	check_ranks("dirty_pig", 4, 4, false, (int[]){0, 0, 0, 0}, (int[]){1, 1, 4, 1});
	check_ranks(
		"pig_it_hog_it", 4, 1, false, (int[]){0, 0, 0, 0}, (int[]){3, 1, 3, 1});
	check_ranks("dirty_pig", 3, 7, true, (int[]){1, 2, 2}, (int[]){1, 1, 1});
}
