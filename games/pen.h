/*
 * msgpack-c's packing routines on a small buffer of their own, for games/wire_write.c.
 *
 * A view is some hundred items of one to ten bytes. Through a msgpack_packer each costs
 * two calls by pointer; here each is a few stores, and the packer gets the bytes a
 * kilobyte at a time. The routines are the library's, made by its own template: what
 * msgpack_pack_int() is for a packer, pen_pack_int() is for a pen.
 */
#ifndef GAMES_PEN_H
#define GAMES_PEN_H

#include <msgpack.h>
#include <stdint.h>
#include <string.h>

#define PEN_BYTES 1024

struct pen {
	msgpack_packer *out;
	size_t size;
	uint8_t bytes[PEN_BYTES];
};

/* What was written reaches the packer with pen_flush(). */
static inline void pen_init(struct pen *pen, msgpack_packer *out)
{
	pen->out = out;
	pen->size = 0;
	/* The compiler does not see that only what was written is flushed. */
	pen->bytes[0] = 0;
}

static inline void pen_flush(struct pen *pen)
{
	pen->out->callback(pen->out->data, (const char *)pen->bytes, pen->size);
	pen->size = 0;
}

/* Room for `size` bytes, at most PEN_BYTES. */
static inline uint8_t *pen_room(struct pen *pen, size_t size)
{
	if (size > PEN_BYTES - pen->size)
		pen_flush(pen);
	return pen->bytes + pen->size;
}

static inline int pen_append(struct pen *pen, const void *bytes, size_t size)
{
	memcpy(pen_room(pen, size), bytes, size);
	pen->size += size;
	return 0;
}

#define msgpack_pack_inline_func(name)               static inline int pen_pack##name
#define msgpack_pack_inline_func_cint(name)          static inline int pen_pack##name
#define msgpack_pack_inline_func_fixint(name)        static inline int pen_pack_fix##name
#define msgpack_pack_user                            struct pen *
#define msgpack_pack_append_buffer(pen, bytes, size) return pen_append(pen, bytes, size)
#include <msgpack/pack_template.h>

/* Length of the text in a slot of `size` bytes, a multiple of 8, filled up with zeros. */
static inline size_t pen_slot_length(const char *slot, size_t size)
{
	const uint64_t low = 0x0101010101010101, high = 0x8080808080808080;

	for (size_t i = 0; i < size; i += 8) {
		uint64_t bytes, zeros;

		memcpy(&bytes, slot + i, 8); /* little endian */
		zeros = (bytes - low) & ~bytes & high;
		if (zeros)
			return i + (size_t)__builtin_ctzll(zeros) / 8;
	}
	return size;
}

/* A text in such a slot; the whole slot is copied, which is quicker than copying only
 * the text. */
static inline void pen_slot(struct pen *pen, const char *slot, size_t size)
{
	size_t length = pen_slot_length(slot, size);

	pen_pack_str(pen, length);
	memcpy(pen_room(pen, size), slot, size);
	pen->size += length;
}

/* At most PEN_BYTES; the compiler knows the length of a literal. */
static inline void pen_text(struct pen *pen, const char *text)
{
	size_t length = strlen(text);

	pen_pack_str(pen, length);
	pen_append(pen, text, length);
}

#endif
