/*
 * Bytes <-> typed messages.
 *
 * One table for each message holds keys, types and ranges; decoder and encoder both
 * follow it, so the key order of encoded maps is the table's and integers take
 * their shortest form. Nothing here allocates.
 *
 * Decoding is strict: anything that specs/protocol.md does not allow is an error
 * with a code and, in `why`, the key and what was expected there. Unknown keys are
 * skipped, but their values must be well-formed too.
 */
#ifndef PROTOCOL_CODEC_H
#define PROTOCOL_CODEC_H

#include "protocol/err.h"
#include "protocol/message.h"
#include "protocol/why.h"

/* The messages of one frame, one after another. */
struct decoder {
	const uint8_t *bytes;
	size_t size;
	size_t offset;
	enum message_from from;
	bool batch;
	size_t last; /* where the last message began */
	int64_t frame_bytes;
	int64_t message_bytes;
	int64_t nesting;
	int64_t note_bytes;
};

/*
 * Prepares to read a frame sent by `from`. Without `batch` the frame holds exactly
 * one message. `limits` may be NULL: then the constants for that sender hold. The
 * frame's own size is checked by decoder_next() on its first call.
 */
void decoder_init(struct decoder *decoder, enum message_from from, bool batch,
	const struct limits *limits, const void *bytes, size_t size);

/* True once every message has been read. */
bool decoder_done(const struct decoder *decoder);

/*
 * Decodes the next message; the message points into the frame. After an error the
 * rest of the frame is lost. `why` may be NULL.
 */
enum err decoder_next(struct decoder *decoder, struct message *message, struct why *why);

/* The bytes of the message that decoder_next() gave last. */
struct blob decoder_last(const struct decoder *decoder);

/* Decodes one message that takes up all of the bytes. */
enum err codec_decode(enum message_from from, const void *bytes, size_t size,
	struct message *message, struct why *why);

/* Appends; on overflow the buffer keeps its former size, with overflow set, and
 * ERR_FULL is returned. */
enum err codec_encode(const struct message *message, struct buffer *buffer);

#endif
