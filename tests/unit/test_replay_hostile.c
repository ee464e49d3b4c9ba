/*
 * Whatever the writer writes, the reader accepts: every kind of record with texts and
 * numbers that no honest bot or clock would give, and whole matches with them.
 */
#include "tests/unit/each_game.h"
#include "tests/unit/replay_maker.h"
#include "arbiter/replay/playback.h"
#include "arbiter/replay/reader.h"
#include "arbiter/replay/records.h"
#include "protocol/utf8.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 400

static const int64_t extremes[] = {0, 1, -1, INT64_MIN, INT64_MAX, INT64_MIN + 1,
	INTEGER_MAX, INTEGER_MAX + 1, -INTEGER_MAX, INT32_MIN, INT32_MAX, UINT32_MAX};

static int64_t number(struct dice *dice)
{
	if (dice_below(dice, 3) == 0)
		return (int64_t)dice_next(dice);
	return extremes[dice_below(dice, sizeof(extremes) / sizeof(extremes[0]))];
}

/* Pieces of which texts are made: controls, overrides, halves of characters. */
static const char *const pieces[] = {"a", "\n", "\r", "\x1b[2J", "\x7f", "\t", "\x01",
	"é", "♣", "🐖", "\xc2\x9b", "\xe2\x80\xae", "\xff", "\xc3", "\xe2\x99",
	"\xf0\x9f\x90", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80", "\x80"};

/* A string of exactly `size` bytes, whose last character may be cut. */
static void hostile_text(struct dice *dice, char *text, size_t size)
{
	size_t used = 0;

	while (used < size) {
		const char *piece =
			pieces[dice_below(dice, sizeof(pieces) / sizeof(pieces[0]))];

		while (*piece && used < size)
			text[used++] = *piece++;
	}
	text[used] = 0;
}

/* A text of any length up to 70,000 bytes, or NULL; the caller frees it. */
static char *any_text(struct dice *dice)
{
	static const size_t most[] = {0, 20, 600, 5000, 70000};
	size_t size = dice_below(dice, (uint32_t)most[dice_below(dice, 5)] + 1);
	char *text = malloc(size + 1);

	if (dice_below(dice, 8) == 0) {
		free(text);
		return NULL;
	}
	hostile_text(dice, text, size);
	return text;
}

struct memory {
	uint8_t *bytes;
	size_t size;
};

static int keep(void *context, const void *bytes, size_t size)
{
	struct memory *memory = context;

	memory->bytes = realloc(memory->bytes, memory->size + size);
	memcpy(memory->bytes + memory->size, bytes, size);
	memory->size += size;
	return 0;
}

static struct compose_setup some_setup(struct dice *dice)
{
	struct compose_setup setup = {.game = game_list[0],
		.seats = game_list[0]->seats_min,
		.match_id = number(dice),
		.clock = {.bank_ns = number(dice),
			.increment_ns = number(dice),
			.move_ns_max = number(dice),
			.wall_ns_max = number(dice)}};

	game_defaults(setup.game, setup.option);
	return setup;
}

static void put_header(struct replay_writer *writer, struct dice *dice)
{
	static struct replay_player players[GAME_SEATS_MAX];
	struct compose_setup setup = some_setup(dice);
	char *policy = any_text(dice);

	for (int i = 0; i < GAME_SEATS_MAX; i++) {
		hostile_text(dice, players[i].name, sizeof(players[i].name) - 1);
		hostile_text(dice, players[i].version, sizeof(players[i].version) - 1);
		hostile_text(dice, players[i].hash, sizeof(players[i].hash) - 1);
		hostile_text(dice, players[i].language, sizeof(players[i].language) - 1);
	}
	replay_header(writer, &(struct replay_header){.setup = &setup,
				      .players = players,
				      .policy = policy,
				      .retries = (int)number(dice),
				      .ready_ns_max = number(dice),
				      .ponder_off = dice_below(dice, 2),
				      .start_unix_s = number(dice)});
	free(policy);
}

static void put_sent(struct replay_writer *writer, struct dice *dice)
{
	static const uint8_t rng[CHANCE_RNG_SIZE];
	struct compose_question question = {.turn = 1 + dice_below(dice, UINT32_MAX),
		.bank_us = number(dice),
		.budget_us = number(dice)};
	struct blob message = {(const uint8_t *)"x", 1};

	replay_sent(writer, SENT_MATCH, 0, message, rng, NULL);
	replay_sent(writer, SENT_ACT, 1, message, NULL, &question);
	replay_sent(writer, SENT_RESUME, 0, message, rng, &question);
}

static void put_action(struct replay_writer *writer, struct dice *dice)
{
	const struct game *game = game_list[0];
	char *offence = any_text(dice);
	struct action *space;

	action_space(game, game->seats_min, 1, &space);
	replay_action(writer, game,
		&(struct replay_decision){.seat = 1,
			.by = BY_BOT,
			.action = &space[0],
			.turn = 1 + dice_below(dice, UINT32_MAX),
			.choice = -1,
			.sent_us = number(dice),
			.received_us = number(dice),
			.bank_us = number(dice),
			.cpu_us = number(dice),
			.lag_us = number(dice),
			.offence = offence});
	free(offence);
	free(space);
}

static void put_refusal(struct replay_writer *writer, struct dice *dice)
{
	char *clause = any_text(dice), *why = any_text(dice), *answer = any_text(dice);

	replay_refusal(writer, 0, 1 + dice_below(dice, UINT32_MAX),
		&(struct refusal){clause, why}, number(dice), answer,
		answer ? strlen(answer) : 0);
	free(clause);
	free(why);
	free(answer);
}

static void put_fault(struct replay_writer *writer, struct dice *dice)
{
	char *text[6];

	for (int i = 0; i < 6; i++)
		text[i] = any_text(dice);
	replay_fault(writer, &(struct replay_fault){.seat = 1,
				     .class_name = text[0],
				     .phase = text[1],
				     .verdict = text[2],
				     .turn = (uint32_t)number(dice),
				     .time_us = number(dice),
				     .why = text[3],
				     .clause = text[4],
				     .bytes = text[5],
				     .bytes_size = text[5] ? strlen(text[5]) : 0,
				     .exit_status = (int)number(dice),
				     .budget_us = number(dice),
				     .overrun_us = number(dice),
				     .lag_us = number(dice),
				     .stderr_tail = text[3]});
	for (int i = 0; i < 6; i++)
		free(text[i]);
}

static void put_result(struct replay_writer *writer, struct dice *dice)
{
	uint32_t counts[GAME_SEATS_MAX];
	char *reason = any_text(dice);

	for (int i = 0; i < GAME_SEATS_MAX; i++)
		counts[i] = (uint32_t)number(dice);
	replay_result(writer, game_list[0],
		&(struct replay_outcome){.seats = game_list[0]->seats_min,
			.void_reason = reason,
			.faulted = 3,
			.decisions = counts,
			.dropped = counts,
			.time_us = number(dice)});
	free(reason);
}

static void put_all(struct replay_writer *writer, struct dice *dice)
{
	static const uint8_t zeros[CHANCE_SEED_SIZE];
	struct chance request = {.kind = CHANCE_DEAL, .n = 3, .index = UINT16_MAX};

	put_header(writer, dice);
	put_sent(writer, dice);
	replay_chance(writer, &request, (const uint8_t[]){2, 0, 1});
	put_action(writer, dice);
	put_refusal(writer, dice);
	replay_link(writer, 0, number(dice), dice_below(dice, 2));
	put_fault(writer, dice);
	put_result(writer, dice);
	replay_seal(writer, zeros, zeros);
	replay_writer_flush(writer);
}

static const char *parse_sent(struct blob payload, int seats)
{
	struct replay_messages messages;
	struct replay_message message;
	const char *wrong = replay_messages_begin(payload, seats, &messages);

	while (!wrong && replay_messages_next(&messages, &message, &wrong))
		;
	return wrong;
}

/* Parses a record by itself, as playing back does; NULL if it is accepted. */
static const char *parse(
	const struct replay_record *record, struct replay_info *info, msgpack_zone *zone)
{
	static struct playback_step step;
	int seats = game_list[0]->seats_min;

	switch (record->type) {
	case REPLAY_HEADER:
		return replay_parse_header(record->payload, info);
	case REPLAY_SENT:
		return parse_sent(record->payload, seats);
	case REPLAY_CHANCE:
		return replay_parse_chance(
			record->payload, seats, game_list[0], &step.chance);
	case REPLAY_ACTION:
		return replay_parse_action(record->payload, info, zone, &step.move);
	case REPLAY_REFUSAL:
		return replay_parse_refusal(record->payload, seats, &step.refused);
	case REPLAY_LINK:
		return replay_parse_link(record->payload, seats, &step.linked);
	case REPLAY_FAULT:
		return replay_parse_fault(record->payload, seats, &step.faulted);
	case REPLAY_RESULT:
		return replay_parse_result(record->payload, seats, &step.ended);
	case REPLAY_SEAL:
		return replay_parse_seal(record->payload, &step.sealed);
	}
	return "no such record";
}

Test(replay_hostile, every_record_that_is_written_is_read)
{
	const char *path = replay_file("hostile.replay");
	struct replay_info info;
	struct why why;
	msgpack_zone zone;

	msgpack_zone_init(&zone, 2048);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct dice dice = dice_named("hostile records", round);
		struct memory memory = {0};
		struct replay_writer writer;
		struct replay_reader *reader;
		struct replay_record record;
		unsigned types = 0;

		replay_writer_init(&writer, (struct replay_sink){keep, &memory});
		put_all(&writer, &dice);
		replay_write(path, memory.bytes, memory.size);
		reader = replay_reader_open(path, &why);
		while (replay_reader_next(reader, &record) == REPLAY_RECORD) {
			const char *wrong = parse(&record, &info, &zone);

			cr_assert_null(wrong, "round %u, record type %d: %s", round,
				(int)record.type, wrong);
			types |= 1u << record.type;
		}
		cr_assert_eq(types, 0x3fe, "all nine types");
		replay_reader_free(&reader);
		replay_writer_release(&writer);
		free(memory.bytes);
	}
	msgpack_zone_destroy(&zone);
}

static void twist_config(void *context, struct match_config *config)
{
	for (int i = 0; i < config->setup.seats; i++) {
		struct replay_player *player = &config->player[i];

		hostile_text(context, player->version, sizeof(player->version) - 1);
		hostile_text(context, player->language, sizeof(player->language) - 1);
	}
	config->start_unix_s = number(context);
	config->ready_ns_max = number(context) >> 4;
}

/* A CPU time that fell, an answer that is charged to a moment before its question or
 * before the match, a loop that counts its lateness backwards. */
static void twist_answer(void *context, struct match_answer *answer)
{
	answer->cpu_ns = number(context) >> 2;
	answer->received -= dice_below(context, 3) * NS_PER_S;
	answer->lag_ns = number(context) >> 4;
}

static void twist_fault(void *context, struct fault *fault)
{
	hostile_text(context, fault->why, sizeof(fault->why) - 1);
	hostile_text(context, fault->clause, sizeof(fault->clause) - 1);
	hostile_text(context, fault->stderr_tail, sizeof(fault->stderr_tail) - 1);
	hostile_text(context, (char *)fault->bytes, sizeof(fault->bytes) - 1);
	fault->bytes_size = sizeof(fault->bytes);
	fault->at = dice_below(context, 2) ? fault->at : number(context) >> 2;
	fault->budget_ns = number(context);
	fault->overrun_ns = number(context);
	fault->lag_ns = number(context);
	fault->exit_status = (int)number(context);
}

static void run_matches(const struct game *game)
{
	const char *path = replay_file("hostile-match.replay");
	const struct variant *variant = variants;

	while (strcmp(variant->game, game->id) != 0)
		variant++;
	for (unsigned i = 0; i < 6; i++) {
		struct dice dice = dice_named("hostile matches", i);
		struct replay_plan plan = replay_plan_rich(game, variant, 300 + i);
		struct playback_options options = {.prove = true};
		enum playback_status status;
		struct playback_step step;
		struct replay_made made;
		struct playback *p;
		struct why why;

		plan.names_shown = false;
		plan.fault = FAULT_CRASH;
		plan.fault_at = 5 + 4 * (int)i;
		plan.context = &dice;
		plan.twist_config = twist_config;
		plan.twist_answer = twist_answer;
		plan.twist_fault = twist_fault;
		replay_make(&plan, &made);
		replay_write(path, made.bytes, made.size);
		p = playback_open(path, &options, &status, &why);
		cr_assert(p, "match %u: %s", i, why.text);
		while ((status = playback_next(p, &step)) == PLAYBACK_STEP)
			;
		cr_assert_eq(status, PLAYBACK_DONE, "match %u: %s", i, playback_why(p));
		playback_free(&p);
		replay_made_release(&made);
	}
}
EACH_GAME(hostile_matches, run_matches)

Test(replay_hostile, what_is_wrong_comes_with_its_place)
{
	const char *path = replay_file("place.replay");
	struct replay_plan plan = {.game = game_list[0], .variant = variants};
	struct playback_options options = {.prove = true};
	enum playback_status status;
	struct playback_step step;
	struct replay_made made;
	struct playback *p;
	struct why why;

	while (strcmp(plan.variant->game, plan.game->id) != 0)
		plan.variant++;
	replay_make(&plan, &made);
	made.bytes[made.size - REPLAY_CHAIN_SIZE - 1] ^= 1;
	cr_assert(replay_rechain(made.bytes, made.size));
	replay_write(path, made.bytes, made.size);
	p = playback_open(path, &options, &status, &why);
	while ((status = playback_next(p, &step)) == PLAYBACK_STEP)
		;
	cr_assert_eq(status, PLAYBACK_WRONG);
	cr_assert(!strncmp(playback_why(p), "record ", 7), "%s", playback_why(p));
	playback_free(&p);
	replay_made_release(&made);
}
