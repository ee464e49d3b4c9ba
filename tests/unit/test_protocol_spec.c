/*
 * specs/protocol.md against the code: every example (a json block and the hex block
 * after it) is decoded, encoded again and compared; so are the tables of limits and
 * codes. Run from the root of the repository.
 */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include "protocol/codec.h"
#include "protocol/json.h"

#define SPEC "specs/protocol.md"

static char *spec; /* the whole file */

static void setup(void)
{
	FILE *file = fopen(SPEC, "r");
	size_t capacity = 0;

	cr_assert(file, "cannot open " SPEC "; run this from the root of the repository");
	cr_assert_gt(getdelim(&spec, &capacity, 0, file), 0);
	fclose(file);
}

static void teardown(void)
{
	free(spec);
}

TestSuite(spec, .init = setup, .fini = teardown);

struct example {
	const char *where; /* for messages: the json block's first characters */
	char *json;        /* compact, in one line */
	uint8_t bytes[4096];
	size_t size;
};

/* The text between this fence and the next, NULL if there is none; *at moves on. */
static char *block(const char **at, const char *fence)
{
	const char *start = strstr(*at, fence), *end;

	if (!start)
		return NULL;
	start += strlen(fence);
	end = strstr(start, "\n```\n");
	cr_assert(end, "a block is not closed");
	*at = end + 5;
	return strndup(start, (size_t)(end - start));
}

static void read_hex(const char *hex, struct example *example)
{
	unsigned byte;
	int used;

	example->size = 0;
	while (sscanf(hex, "%2x%n", &byte, &used) == 1) {
		cr_assert_lt(example->size, sizeof(example->bytes));
		example->bytes[example->size++] = (uint8_t)byte;
		hex += used;
	}
	cr_assert_eq(*hex, 0, "not hex: %s", hex);
}

static bool next_example(const char **at, struct example *example)
{
	char *json = block(at, "```json\n"), *hex;
	size_t used = 0;

	if (!json)
		return false;
	cr_assert_eq(strncmp(*at, "```hex\n", 7), 0, "no hex after %s", json);
	hex = block(at, "```hex\n");
	read_hex(hex, example);
	free(hex);
	for (char *c = json; *c; c++)
		if (*c != '\n')
			json[used++] = *c;
	json[used] = 0;
	example->json = json;
	return true;
}

static enum message_from sender(const struct example *example)
{
	json_t *json = json_loads(example->json, 0, NULL);
	const char *word = json_string_value(json_object_get(json, "t"));
	enum message_from from = FROM_BOT;

	cr_assert(word, "%s", example->json);
	for (int type = 0; type < MESSAGE_TYPES; type++)
		if (strcmp(message_word(type), word) == 0 &&
			message_from(type) == FROM_ARBITER)
			from = FROM_ARBITER;
	json_decref(json);
	return from;
}

/* Bytes to message to the same bytes. Returns its type. */
static enum message_type check_codec(const struct example *example)
{
	uint8_t again_bytes[4096];
	struct buffer again = buffer_on(again_bytes, sizeof(again_bytes));
	struct message message;
	struct why why;

	cr_assert_eq(codec_decode(sender(example), example->bytes, example->size,
			     &message, &why),
		ERR_OK, "%s: %s", example->json, why.text);
	cr_assert_eq(codec_encode(&message, &again), ERR_OK);
	cr_assert_eq(again.size, example->size, "%s", example->json);
	cr_assert_eq(
		memcmp(again.bytes, example->bytes, again.size), 0, "%s", example->json);
	return message.type;
}

/* JSON to the same bytes, and bytes to the same JSON. */
static void check_json(const struct example *example)
{
	uint8_t parsed_bytes[4096];
	struct buffer parsed = buffer_on(parsed_bytes, sizeof(parsed_bytes));
	struct why why;
	char *line =
		json_line((struct blob){example->bytes, (uint32_t)example->size}, &why);

	cr_assert(line, "%s: %s", example->json, why.text);
	cr_assert_str_eq(line, example->json);
	free(line);
	cr_assert_eq(json_parse_line(example->json, strlen(example->json), &parsed, &why),
		ERR_OK);
	cr_assert_eq(parsed.size, example->size, "%s", example->json);
	cr_assert_eq(memcmp(parsed.bytes, example->bytes, parsed.size), 0, "%s",
		example->json);
}

Test(spec, every_example_is_exact_and_every_message_has_one)
{
	int seen[MESSAGE_TYPES] = {0};
	struct example example;
	const char *at = spec;

	while (next_example(&at, &example)) {
		seen[check_codec(&example)]++;
		check_json(&example);
		free(example.json);
	}
	for (int type = 0; type < MESSAGE_TYPES; type++)
		cr_assert_gt(seen[type], 0, "no example of %s", message_word(type));
}

static void has_limit(const char *name, int64_t value)
{
	char row[128];

	snprintf(row, sizeof(row), "\n| `%s` | %lld |", name, (long long)value);
	cr_assert(strstr(spec, row), "no row \"%s\"", row + 1);
}

Test(spec, limits_are_those_of_the_code)
{
	struct limits limits = limits_default();

	has_limit("message_bytes", limits.message_bytes);
	has_limit("frame_bytes", limits.frame_bytes);
	has_limit("nesting", limits.nesting);
	has_limit("messages", limits.messages);
	has_limit("note_bytes", limits.note_bytes);
	has_limit("stderr_bytes", limits.stderr_bytes);
	has_limit("ready_ms", limits.ready_ms);
	has_limit("bye_ms", limits.bye_ms);
	has_limit("memory_bytes", limits.memory_bytes);
	has_limit("processes", limits.processes);
	has_limit("descriptors", limits.descriptors);
	has_limit("disk_bytes", limits.disk_bytes);
}

static void has_text(const char *format, long long value)
{
	char text[128];

	snprintf(text, sizeof(text), format, value);
	cr_assert(strstr(spec, text), "nowhere \"%s\"", text);
}

Test(spec, fixed_limits_are_those_of_the_code)
{
	has_text("Fixed: %lld keys in a message", MESSAGE_KEYS_MAX);
	has_text("%lld bytes of token", TOKEN_BYTES_MAX);
	has_text("%lld of a name", NAME_BYTES_MAX);
	has_text("%lld of a `why`", WHY_BYTES_MAX);
	has_text("%lld matches at\nonce", MATCHES_MAX);
	has_text("%lld seats", SEATS_MAX);
	has_text("%lld legal actions", CHOICES_MAX);
	has_text("A remote bot's frame above %lld bytes", TRANSPORT_BYTES_MAX);
	has_text("has at most %lld bytes", ARBITER_MESSAGE_BYTES_MAX);
	has_text("at most %lld.", ARBITER_FRAME_BYTES_MAX);
	has_text("number = 0..%lld", INTEGER_MAX);
}

Test(spec, codes_are_those_of_the_code)
{
	static const char *const classes[] = {
		[ERR_CLASS_MALFORMED] = "malformed",
		[ERR_CLASS_OVERSIZE] = "oversize",
		[ERR_CLASS_FLOOD] = "flood",
		[ERR_CLASS_REFUSED] = "refused",
	};
	int rows = 0;

	for (int code = 0; code < ERR_COUNT; code++) {
		char row[128];

		if (err_class(code) == ERR_CLASS_NONE ||
			err_class(code) == ERR_CLASS_LOCAL)
			continue;
		snprintf(row, sizeof(row), "\n| `%s` | %s |", err_word(code),
			classes[err_class(code)]);
		cr_assert(strstr(spec, row), "no row \"%s\"", row + 1);
		rows++;
	}
	cr_assert_gt(rows, 20);
}
