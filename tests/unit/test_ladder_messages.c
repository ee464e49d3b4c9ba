/*
 * specs/ladder.md against the code: every message between coordinator and worker has an
 * example there, which is decoded, encoded again and compared; wrong lines are refused
 * with a reason. Run from the root of the repository.
 */
#include "arbiter/ladder/workers/messages.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPEC "specs/ladder.md"

static char *read_spec(void)
{
	FILE *file = fopen(SPEC, "r");
	char *text = NULL;
	size_t capacity = 0;

	cr_assert(file, "cannot open " SPEC "; run this from the root of the repository");
	cr_assert_gt(getdelim(&text, &capacity, 0, file), 0);
	fclose(file);
	return text;
}

/* The next json block as one line, as it is on the wire; NULL: there is none. */
static char *next_example(const char **at)
{
	static const char fence[] = "```json\n";
	const char *start = strstr(*at, fence), *end;
	char *line;
	size_t used = 0;

	if (!start)
		return NULL;
	start += strlen(fence);
	end = strstr(start, "\n```\n");
	cr_assert(end, "a block is not closed");
	*at = end;
	line = calloc(1, (size_t)(end - start) + 1);
	for (const char *c = start; c < end; c++)
		if (*c != '\n')
			line[used++] = *c;
	return line;
}

static bool decode(const char *text, struct worker_message *message, struct why *why)
{
	json_error_t error;
	json_t *line = json_loads(text, 0, &error);
	bool ok;

	cr_assert(line, "%s: %s", text, error.text);
	ok = worker_message_read(message, line, why);
	json_decref(line);
	return ok;
}

static char *encode(const struct worker_message *message)
{
	json_t *line = worker_message_write(message);
	char *text = json_dumps(line, JSON_COMPACT);

	json_decref(line);
	return text;
}

Test(ladder_messages, every_example_is_exact_and_every_message_has_one)
{
	static struct worker_message message;
	int seen[WORKER_MESSAGES] = {0};
	char *spec = read_spec(), *example, *again;
	const char *at = spec;
	struct why why;

	while ((example = next_example(&at))) {
		cr_assert(decode(example, &message, &why), "%s: %s", example, why.text);
		again = encode(&message);
		cr_assert_str_eq(again, example);
		seen[message.type]++;
		free(again);
		free(example);
	}
	for (int type = 0; type < WORKER_MESSAGES; type++)
		cr_assert_gt(
			seen[type], 0, "no example of %s", worker_message_names[type]);
	free(spec);
}

Test(ladder_messages, every_cause_of_a_void_match_is_in_the_spec)
{
	char *spec = read_spec(), row[64];

	for (int cause = VOID_NONE + 1; void_cause_names[cause]; cause++) {
		snprintf(row, sizeof(row), "\n| `%s` |", void_cause_names[cause]);
		cr_assert(strstr(spec, row), "no row \"%s\"", row + 1);
	}
	free(spec);
}

Test(ladder_messages, what_may_be_left_out_has_its_default)
{
	static struct worker_message message;
	struct why why;

	/* Whatever stood there before. */
	memset(&message, 0x55, sizeof(message));
	cr_assert(decode("{\"t\":\"rules\",\"game\":\"dirty_pig\"}", &message, &why),
		"%s", why.text);
	cr_expect_eq(message.rules.at_once, 1);
	cr_expect_eq(message.rules.processes, WORKER_PROCESSES_DEFAULT);
	cr_expect_str_empty(message.rules.logs);
	cr_expect_str_empty(message.rules.listen);
	memset(&message, 0x55, sizeof(message));
	cr_assert(decode("{\"t\":\"play\",\"job\":1,\"rotation\":0,\"seats\":[7,9],"
			 "\"seed\":"
			 "\"ababababababababababababababababababababababababababababababa"
			 "bab"
			 "\"}",
			  &message, &why),
		"%s", why.text);
	cr_expect_eq(message.play.seats, 2);
	cr_expect_eq(message.play.bot[1], 9);
	cr_expect_eq(message.play.seed[31], 0xab);
	cr_expect_eq(message.play.barred, 0);
	cr_expect_not(message.play.has_excuses);
	cr_expect_str_empty(message.play.replay);
}

#define SEED                                                                             \
	"\"seed\":\"abababababababababababababababababababababababababababababababab\""
#define PLAY "{\"t\":\"play\",\"job\":1,\"rotation\":0,"
#define SEAT                                                                             \
	"{\"score\":1,\"rank\":1,\"team\":-1,\"decisions\":1,\"dropped\":0,\"think_"     \
	"us\":1,"                                                                        \
	"\"think_us_max\":1,\"fault\":null}"
#define DONE                                                                             \
	"{\"t\":\"done\",\"job\":1,\"match\":5,\"start\":1,\"seconds\":1,\"reason\":"    \
	"null,"                                                                          \
	"\"replay\":null,\"chain\":null,"

Test(ladder_messages, wrong_lines_are_refused_with_a_reason)
{
	static const struct {
		const char *line, *reason;
	} wrong[] = {
		{"{}", "\"t\" must be one of rules, bot, play"},
		{"{\"t\":7}", "\"t\" must be one of"},
		{"{\"t\":\"dance\"}", "\"t\" must be one of"},
		{"{\"t\":\"alive\",\"at\":1}", "alive: \"at\" is not a field"},
		{"{\"t\":\"rules\",\"game\":\"chess\"}", "rules: \"game\" must be"},
		{"{\"t\":\"rules\",\"game\":\"dirty_pig\",\"at_once\":0}", "\"at_once\""},
		{"{\"t\":\"rules\",\"game\":\"dirty_pig\",\"at_once\":1.5}",
			"\"at_once\""},
		{"{\"t\":\"rules\",\"game\":\"dirty_pig\",\"listen\":\"tcp://*:1\"}",
			"rules: \"key\" must be"},
		{"{\"t\":\"bot\",\"id\":\"1\",\"folder\":\"\",\"name\":\"a\",\"hash\":"
		 "\"\"}",
			"bot: \"id\" must be an integer"},
		{"{\"t\":\"bot\",\"id\":1,\"folder\":null,\"name\":\"a\",\"hash\":\"\"}",
			"bot: \"folder\" must be a string"},
		{"{\"t\":\"play\",\"job\":1}", "play: \"rotation\" must be"},
		{PLAY "\"seed\":\"ab\",\"seats\":[1,2]}",
			"play: \"seed\" must be a string of "
			"64 hex digits"},
		{PLAY SEED ",\"seats\":[]}", "play: \"seats\" must be a list"},
		{PLAY SEED ",\"seats\":[1,null]}",
			"play: \"seats\" must be a list of ids"},
		{PLAY SEED ",\"seats\":[1,2],\"barred\":[2]}", "play: \"barred\""},
		{PLAY SEED ",\"seats\":[1,2],\"excuses\":[1]}", "play: \"excuses\""},
		{PLAY SEED ",\"seats\":[1,2],\"excuses\":[1,-1]}", "play: \"excuses\""},
		{PLAY SEED ",\"seats\":[1,2],\"compress\":1}", "play: \"compress\""},
		{"{\"t\":\"online\",\"id\":1}",
			"online: \"online\" must be true or false"},
		{"{\"t\":\"handshakes\",\"opened\":-1,\"admitted\":0,\"unknown\":0,\"refused\":"
		 "0,"
		 "\"strangers\":0}",
			"handshakes: \"opened\" must be"},
		{DONE "\"void\":null,\"cause\":null,\"seats\":[7]}",
			"\"seats\" must be a list"},
		{DONE "\"void\":null,\"cause\":null,\"seats\":[{}]}",
			"\"score\" must be"},
		{DONE "\"void\":\"x\",\"cause\":null,\"seats\":[" SEAT "]}",
			"done: \"cause\" must be"},
		{DONE "\"void\":\"x\",\"cause\":\"rain\",\"seats\":[" SEAT "]}",
			"done: \"cause\" must be"},
		{DONE "\"void\":null,\"cause\":\"replay\",\"seats\":[" SEAT "]}",
			"done: \"void\" must be"},
	};
	static struct worker_message message;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct why why = {""};

		cr_expect_not(decode(wrong[i].line, &message, &why), "%s", wrong[i].line);
		cr_expect(strstr(why.text, wrong[i].reason) != NULL, "%s: %s",
			wrong[i].line, why.text);
	}
}

static void fill(struct match_record *record)
{
	record->seats = 2;
	record->match_id = INT64_C(1) << 52;
	record->start_unix_s = 1234;
	record->seconds = 0.5;
	strcpy(record->reason, "target");
	strcpy(record->replay, "/x/y.replay");
	record->has_chain = true;
	memset(record->chain, 0xa5, sizeof(record->chain));
	record->seat[0].rank = 1;
	record->seat[0].team = -1;
	record->seat[1] = (struct seat_record){.score = -3,
		.rank = 2,
		.team = -1,
		.decisions = 7,
		.dropped = 1,
		.think_us = 1000,
		.think_us_max = 900,
		.fault = FAULT_ILLEGAL,
		.fault_phase = "play",
		.fault_why = "answered \"x\"",
		.fault_stderr = "\xff\xfe"};
}

Test(ladder_messages, a_record_survives_the_way_from_a_worker)
{
	static struct worker_message message, read;
	struct match_record *record = &message.done.record;
	struct why why;
	char *text;

	message.type = WORKER_DONE;
	message.done.job = 17;
	fill(record);
	text = encode(&message);
	cr_assert(decode(text, &read, &why), "%s", why.text);
	free(text);
	/* Last words that are not UTF-8 cannot be kept, but do no harm. */
	cr_expect_str_eq(
		read.done.record.seat[1].fault_stderr, "\xef\xbf\xbd\xef\xbf\xbd");
	strcpy(record->seat[1].fault_stderr, "\xef\xbf\xbd\xef\xbf\xbd");
	cr_expect_eq(read.done.job, 17);
	cr_expect_eq(memcmp(record, &read.done.record, sizeof(*record)), 0);
	cr_expect(match_record_faulted(&read.done.record));
}

Test(ladder_messages, last_words_that_grow_on_the_way_are_cut)
{
	static struct worker_message message, read;
	char *stderr_tail = message.done.record.seat[1].fault_stderr, *text;
	struct why why;

	message.type = WORKER_DONE;
	fill(&message.done.record);
	memset(stderr_tail, 0xff, sizeof(message.done.record.seat[1].fault_stderr) - 1);
	text = encode(&message);
	cr_assert(decode(text, &read, &why), "%s", why.text);
	cr_expect_eq(strlen(read.done.record.seat[1].fault_stderr), 255);
	free(text);
}

Test(ladder_messages, a_void_match_keeps_its_cause)
{
	static struct worker_message message, read;
	struct why why;

	message.type = WORKER_DONE;
	message.done.record.seats = 2;
	strcpy(message.done.record.void_reason, "carl is not online");
	for (int cause = VOID_NONE + 1; void_cause_names[cause]; cause++) {
		char *text;

		message.done.record.void_cause = (enum void_cause)cause;
		text = encode(&message);
		cr_assert(decode(text, &read, &why), "%s", why.text);
		cr_expect_eq(read.done.record.void_cause, cause);
		cr_expect_str_eq(read.done.record.void_reason, "carl is not online");
		free(text);
	}
}
