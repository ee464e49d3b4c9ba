/*
 * msgpack <-> JSON, in one place: for the stdio bridge, exports, traces and tests.
 *
 * nil, booleans, integers, floats, strings, arrays and maps are themselves. Bytes
 * (msgpack bin) are {"bin": "00ff"}, lower-case hex. Keys keep their order. What has no
 * counterpart is an error: a map key that is not a string or holds a NUL, the same key
 * twice, an integer above 2^63-1, an infinite float, a map that itself is
 * {"bin": string}.
 */
#ifndef PROTOCOL_JSON_H
#define PROTOCOL_JSON_H

#include <jansson.h>
#include "protocol/codec.h"
#include "protocol/why.h"

/* The value of any bytes at all, up to 32 levels deep. NULL if they are not one
 * value that JSON can hold; `why` may be NULL. The caller owns the reference. */
json_t *json_from_blob(struct blob blob, struct why *why);

/* Appends the value in its shortest form; a real that is a whole number stays a float. */
enum err json_to_msgpack(const json_t *json, msgpack_packer *packer, struct why *why);

/* One line of text, without its newline, to one encoded value, and back. The text of
 * json_line() is freed by the caller; NULL if JSON cannot hold the value. */
enum err json_parse_line(
	const char *line, size_t size, struct buffer *buffer, struct why *why);
char *json_line(struct blob blob, struct why *why);

#endif
