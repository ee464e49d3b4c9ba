/*
 * The bridge, both ways. A line that the bridge lets through is one value and a message
 * of a bot's; a message written as a line and read back is the same bytes. The first
 * byte says which way.
 */
#include "tests/fuzz/fuzz.h"
#include "protocol/json.h"

static uint8_t first_bytes[MESSAGE_BYTES_MAX];
static uint8_t second_bytes[ARBITER_MESSAGE_BYTES_MAX * 2];

static bool same(const struct buffer *a, const struct buffer *b)
{
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

/* A message can be written, and whatever is written reads as the same value. */
static void write_and_read(const struct buffer *bytes, bool message)
{
	struct buffer again = buffer_on(second_bytes, sizeof(second_bytes));
	struct why why;
	char *line = json_line(blob_since(bytes, 0), &why);

	assert(line || !message);
	if (!line)
		return;
	assert(!strchr(line, '\n'));
	assert(json_parse_line(line, strlen(line), &again, &why) == ERR_OK);
	assert(same(bytes, &again));
	free(line);
}

static void from_child(const struct fuzz_input *input)
{
	struct buffer bytes = buffer_on(first_bytes, sizeof(first_bytes));
	struct decoder decoder;
	struct message message;
	struct why why = {""};
	enum err err;

	if (json_parse_line((const char *)input->at, input->left, &bytes, &why)) {
		assert(*why.text);
		return;
	}
	decoder_init(&decoder, FROM_BOT, false, NULL, bytes.bytes, bytes.size);
	err = decoder_next(&decoder, &message, &why);
	assert(!err || *why.text);
	write_and_read(&bytes, !err);
}

/* Any bytes: a line or a reason; what the line says is what the bytes said. */
static void to_child(const struct fuzz_input *input)
{
	struct blob blob = {input->at, (uint32_t)input->left};
	struct buffer bytes = buffer_on(first_bytes, sizeof(first_bytes));
	struct why why = {""};
	char *line = json_line(blob, &why), *again;

	if (!line) {
		assert(*why.text);
		return;
	}
	if (json_parse_line(line, strlen(line), &bytes, &why) == ERR_OK) {
		again = json_line(blob_since(&bytes, 0), &why);
		assert(again && !strcmp(line, again));
		free(again);
	}
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = {data, size};

	if (fuzz_byte(&input) & 1)
		to_child(&input);
	else
		from_child(&input);
	return 0;
}
