/*
 * Bytes that belong to somebody else: where to write, what was read.
 */
#ifndef PROTOCOL_BUFFER_H
#define PROTOCOL_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <msgpack.h>

/*
 * A fixed piece of the caller's memory that is filled from the front. What does
 * not fit is dropped as a whole, `overflow` is set and nothing is written any more,
 * so that a chain of writes needs one check at its end.
 */
struct buffer {
	uint8_t *bytes;
	size_t size;
	size_t capacity;
	bool overflow;
};

static inline struct buffer buffer_on(void *bytes, size_t capacity)
{
	return (struct buffer){.bytes = bytes, .capacity = capacity};
}

static inline void buffer_clear(struct buffer *buffer)
{
	buffer->size = 0;
	buffer->overflow = false;
}

/* The write function of a msgpack_packer whose data is a struct buffer; always 0,
 * the packer need not be asked. */
static inline int buffer_write(void *buffer_, const char *bytes, size_t size)
{
	struct buffer *buffer = buffer_;

	if (buffer->overflow || size > buffer->capacity - buffer->size) {
		buffer->overflow = true;
		return 0;
	}
	memcpy(buffer->bytes + buffer->size, bytes, size);
	buffer->size += size;
	return 0;
}

/* A packer that writes into the buffer; it holds nothing that must be freed. */
static inline msgpack_packer buffer_packer(struct buffer *buffer)
{
	msgpack_packer packer;

	msgpack_packer_init(&packer, buffer, buffer_write);
	return packer;
}

/* One encoded msgpack value inside somebody's bytes. size 0: not there. */
struct blob {
	const uint8_t *bytes;
	uint32_t size;
};

/* UTF-8 inside somebody's bytes, without a final 0. Not there and empty are the same. */
struct text {
	const char *bytes;
	uint32_t size;
};

static inline struct text text_of(const char *string)
{
	return (struct text){string, (uint32_t)strlen(string)};
}

static inline bool text_is(struct text text, const char *string)
{
	/* A text that is not there has no bytes, and memcmp() wants some. */
	return text.size == strlen(string) &&
	       (text.size == 0 || memcmp(text.bytes, string, text.size) == 0);
}

static inline struct blob blob_since(const struct buffer *buffer, size_t start)
{
	return (struct blob){buffer->bytes + start, (uint32_t)(buffer->size - start)};
}

/* Copies into a string of `capacity` bytes, cut to fit, always ended with 0. */
void text_copy(struct text text, char *string, size_t capacity);

/* Elements of an array or pairs of a map; -1 if it is neither. */
int64_t blob_count(struct blob blob);

/*
 * Unpacks a blob that codec_decode() has accepted (or that was written here); only such
 * a blob cannot make msgpack-c allocate without bounds. The object lives in the zone and
 * points into the blob; msgpack_zone_clear() makes the zone ready for the next one
 * without giving its first chunk back.
 */
bool blob_unpack(struct blob blob, msgpack_zone *zone, msgpack_object *object);

#endif
