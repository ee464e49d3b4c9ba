/*
 * The codec: what can be decoded can be encoded, in no more bytes, and decodes to the
 * same message again. The first byte says who sends and how strict the limits are.
 */
#include "tests/fuzz/fuzz.h"
#include "protocol/codec.h"

enum { FLAG_ARBITER = 1, FLAG_BATCH = 2, FLAG_TIGHT = 4, FLAG_SILENT = 8 };

static uint8_t first_bytes[ARBITER_FRAME_BYTES_MAX];
static uint8_t second_bytes[ARBITER_FRAME_BYTES_MAX];

static void round_trip(
	enum message_from from, const struct message *message, struct blob bytes)
{
	struct buffer first = buffer_on(first_bytes, sizeof(first_bytes));
	struct buffer second = buffer_on(second_bytes, sizeof(second_bytes));
	struct message again;
	struct why why;

	assert(message_from(message->type) & from);
	assert(codec_encode(message, &first) == ERR_OK);
	assert(first.size <= bytes.size);
	assert(codec_decode(from, first.bytes, first.size, &again, &why) == ERR_OK);
	assert(again.type == message->type);
	assert(codec_encode(&again, &second) == ERR_OK);
	assert(first.size == second.size);
	assert(!memcmp(first.bytes, second.bytes, first.size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = {data, size};
	int flags = fuzz_byte(&input);
	enum message_from from = flags & FLAG_ARBITER ? FROM_ARBITER : FROM_BOT;
	struct limits limits = limits_default();
	struct decoder decoder;
	struct message message;
	struct why why = {""};
	enum err err = ERR_OK;

	limits.message_bytes = 96;
	limits.frame_bytes = 256;
	limits.nesting = 3;
	limits.note_bytes = 4;
	decoder_init(&decoder, from, flags & FLAG_BATCH,
		flags & FLAG_TIGHT ? &limits : NULL, input.at, input.left);
	while (err == ERR_OK && !decoder_done(&decoder)) {
		err = decoder_next(&decoder, &message, flags & FLAG_SILENT ? NULL : &why);
		if (err == ERR_OK)
			round_trip(from, &message, decoder_last(&decoder));
	}
	assert(err == ERR_OK || flags & FLAG_SILENT || *why.text);
	return 0;
}
