/* The word, text and class of every error code. */
#include <string.h>
#include "protocol/err.h"

static const struct {
	const char *word, *text;
	enum err_class class;
} codes[ERR_COUNT] = {
	[ERR_OK] = {"ok", "all is well", ERR_CLASS_NONE},
	[ERR_AGAIN] = {"again", "nothing to receive, or the peer does not read",
		ERR_CLASS_LOCAL},
	[ERR_NO_PEER] = {"no_peer", "the connection is dead", ERR_CLASS_LOCAL},
	[ERR_CLOSED] = {"closed", "the other side has gone", ERR_CLASS_LOCAL},
	[ERR_TIMEOUT] = {"timeout", "nothing came in time", ERR_CLASS_LOCAL},
	[ERR_FULL] = {"full", "the buffer is too small", ERR_CLASS_LOCAL},
	[ERR_USAGE] = {"usage", "a setting is missing or wrong", ERR_CLASS_LOCAL},
	[ERR_SYSTEM] = {"system", "the system refused", ERR_CLASS_LOCAL},
	[ERR_JSON] = {"json", "not JSON, or a value that cannot be converted",
		ERR_CLASS_MALFORMED},
	[ERR_EMPTY] = {"empty", "a frame without a message", ERR_CLASS_MALFORMED},
	[ERR_TRUNCATED] = {"truncated", "the bytes end in the middle of a value",
		ERR_CLASS_MALFORMED},
	[ERR_ENCODING] = {"encoding", "a reserved byte or an extension type",
		ERR_CLASS_MALFORMED},
	[ERR_NESTING] = {"nesting", "maps and arrays are nested too deep",
		ERR_CLASS_MALFORMED},
	[ERR_UTF8] = {"utf8", "a str that is not UTF-8", ERR_CLASS_MALFORMED},
	[ERR_TRAILING] = {"trailing",
		"bytes after the message, and hello did not say batch",
		ERR_CLASS_MALFORMED},
	[ERR_MULTIPART] = {"multipart", "a ZeroMQ message of several parts",
		ERR_CLASS_MALFORMED},
	[ERR_FRAMING] = {"framing", "bytes that no ZeroMQ DEALER socket sends",
		ERR_CLASS_MALFORMED},
	[ERR_NOT_MAP] = {"not_map", "a message that is not a map", ERR_CLASS_MALFORMED},
	[ERR_KEY] = {"key", "a key that is not a str, or too many keys",
		ERR_CLASS_MALFORMED},
	[ERR_DUPLICATE_KEY] = {"duplicate_key", "a key that stands twice",
		ERR_CLASS_MALFORMED},
	[ERR_MISSING_KEY] = {"missing_key", "a key is missing", ERR_CLASS_MALFORMED},
	[ERR_CONFLICT] = {"conflict", "keys that exclude each other",
		ERR_CLASS_MALFORMED},
	[ERR_TYPE] = {"type", "a value of the wrong type", ERR_CLASS_MALFORMED},
	[ERR_RANGE] = {"range", "a value out of range", ERR_CLASS_MALFORMED},
	[ERR_UNKNOWN] = {"unknown", "an unknown type of message", ERR_CLASS_MALFORMED},
	[ERR_DIRECTION] = {"direction", "a message that only the other side sends",
		ERR_CLASS_MALFORMED},
	[ERR_OVERSIZE] = {"oversize", "larger than the limit", ERR_CLASS_OVERSIZE},
	[ERR_FLOOD] = {"flood", "more messages than questions allow", ERR_CLASS_FLOOD},
	[ERR_ROUTING_ID] = {"routing_id", "leave the routing id to ZeroMQ",
		ERR_CLASS_REFUSED},
	[ERR_NO_HELLO] = {"no_hello", "the first message must be hello",
		ERR_CLASS_REFUSED},
	[ERR_VERSION] = {"version", "no common version of the protocol",
		ERR_CLASS_REFUSED},
	[ERR_TOKEN] = {"token", "the token is not known here", ERR_CLASS_REFUSED},
	[ERR_SECRET] = {"secret", "a reconnect needs the secret of welcome",
		ERR_CLASS_REFUSED},
	[ERR_LIVE] = {"live", "the session's connection is alive", ERR_CLASS_REFUSED},
	[ERR_OVER] = {"over", "the session has ended", ERR_CLASS_REFUSED},
};

const char *err_word(enum err code)
{
	return code < ERR_COUNT ? codes[code].word : "unknown";
}

enum err err_find(const char *word)
{
	int code = 0;

	while (code < ERR_COUNT && strcmp(codes[code].word, word) != 0)
		code++;
	return code;
}

const char *err_text(enum err code)
{
	return code < ERR_COUNT ? codes[code].text : "an unknown error";
}

enum err_class err_class(enum err code)
{
	return code < ERR_COUNT ? codes[code].class : ERR_CLASS_LOCAL;
}
