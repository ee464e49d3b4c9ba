/*
 * ZMTP of a local bot: bytes of any kind, in pieces of any size (the first byte of the
 * input says how large the pieces are). Whatever they are, no more is used than has come,
 * frames lie within the bytes, and the replies have room.
 */
#include "protocol/zmtp.h"
#include "tests/fuzz/fuzz.h"

#define FRAME_MAX 600 /* more than a command may have */
#define ROOM      (FRAME_MAX + ZMTP_HEADER_MAX)

struct reading {
	struct zmtp zmtp;
	uint8_t bytes[ROOM];
	size_t size;
};

/* Reads all that is there; false: the connection is over. */
static bool read_all(struct reading *reading)
{
	enum zmtp_event event;
	size_t used;

	do {
		const struct zmtp *zmtp = &reading->zmtp;

		event = zmtp_read(&reading->zmtp, reading->bytes, reading->size, &used);
		assert(used <= reading->size && zmtp->reply_size <= ZMTP_REPLY_MAX);
		if (event == ZMTP_FRAME)
			assert(zmtp->state == ZMTP_OPEN &&
				zmtp->frame_size <= FRAME_MAX &&
				zmtp->frame >= reading->bytes &&
				zmtp->frame + zmtp->frame_size <= reading->bytes + used);
		reading->size -= used;
		memmove(reading->bytes, reading->bytes + used, reading->size);
		reading->zmtp.reply_size = 0;
	} while (event == ZMTP_FRAME);
	/* What is kept for later is never all there is room for. */
	assert(event != ZMTP_WAIT || reading->size < ROOM);
	return event == ZMTP_WAIT;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = {data, size};
	size_t piece = 1 + fuzz_byte(&input) % 80;
	struct reading reading = {.size = 0};

	zmtp_init(&reading.zmtp, FRAME_MAX);
	while (input.left) {
		size_t n = ROOM - reading.size;

		n = n < piece ? n : piece;
		n = n < input.left ? n : input.left;
		memcpy(reading.bytes + reading.size, input.at, n);
		reading.size += n;
		input.at += n;
		input.left -= n;
		if (!read_all(&reading))
			break;
	}
	return 0;
}
