/*
 * A cursor over untrusted msgpack bytes.
 *
 * msgpack-c's unpacker allocates what a length claims before the bytes are there
 * and does not say where a nested value begins and ends. This reads value by value,
 * in place, and refuses what specs/protocol.md does not allow: reserved bytes,
 * extension types, strings that are not UTF-8, lengths beyond the end.
 */
#ifndef PROTOCOL_SCAN_H
#define PROTOCOL_SCAN_H

#include "protocol/buffer.h"
#include "protocol/err.h"

enum scan_type {
	SCAN_NIL = 1,
	SCAN_BOOL = 2,
	SCAN_INTEGER = 4,
	SCAN_FLOAT = 8,
	SCAN_STR = 16,
	SCAN_BIN = 32,
	SCAN_ARRAY = 64,
	SCAN_MAP = 128
};

struct scan {
	const uint8_t *at, *end;
};

struct scan_value {
	enum scan_type type;
	int64_t integer;  /* INTEGER; BOOL: 0 or 1. Above 2^63-1 it is INT64_MAX. */
	bool big;         /* INTEGER: above 2^63-1 */
	double real;      /* FLOAT */
	struct text text; /* STR, BIN: the payload */
	uint32_t count;   /* ARRAY: elements, MAP: pairs */
};

/* A blob that is not there has no bytes, and NULL must not even be moved by 0. */
static inline struct scan scan_on(struct blob blob)
{
	return (struct scan){blob.bytes, blob.size ? blob.bytes + blob.size : blob.bytes};
}

/* Reads one value; of an array or map only its head, the elements follow. */
enum err scan_next(struct scan *scan, struct scan_value *value);

/* Passes over one whole value of at most `nesting` levels; `value` gets its head and
 * may be NULL. */
enum err scan_skip(struct scan *scan, int64_t nesting, struct scan_value *value);

/* "map", "str" … with its article. */
const char *scan_type_text(enum scan_type type);

#endif
