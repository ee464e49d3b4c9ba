/*
 * Every way in which something in protocol/ can fail.
 *
 * ERR_OK is 0, so `if (err)` reads. The class of a code says whose problem it is: the
 * caller's (buffer, system) or the peer's, and in the latter case which kind of fault it
 * is. The words travel in `error` messages and are fixed by specs/protocol.md.
 */
#ifndef PROTOCOL_ERR_H
#define PROTOCOL_ERR_H

enum err {
	ERR_OK,
	/* Ours. */
	ERR_AGAIN,   /* would block: nothing to receive, or the peer does not read */
	ERR_NO_PEER, /* no such connection, or it is dead */
	ERR_CLOSED,  /* the other side has gone for good */
	ERR_TIMEOUT, /* nothing came in time */
	ERR_FULL,    /* the caller's buffer or table is too small */
	ERR_USAGE,   /* a setting is missing or wrong */
	ERR_SYSTEM,  /* see errno */
	ERR_JSON,    /* text that is not JSON, or a value JSON or msgpack cannot hold */
	/* The peer's bytes. */
	ERR_EMPTY,         /* a frame without a message */
	ERR_TRUNCATED,     /* ends in the middle of a value */
	ERR_ENCODING,      /* a byte that msgpack does not define, or an extension type */
	ERR_NESTING,       /* too deep */
	ERR_UTF8,          /* a str that is not UTF-8 */
	ERR_TRAILING,      /* bytes after the message, and no batch was agreed */
	ERR_MULTIPART,     /* more than one frame */
	ERR_FRAMING,       /* bytes that are not ZMTP */
	ERR_NOT_MAP,       /* a message that is not a map */
	ERR_KEY,           /* a key that is not a str, or too many keys */
	ERR_DUPLICATE_KEY, /* the same key twice */
	ERR_MISSING_KEY,   /* a key that must be there is not */
	ERR_CONFLICT,      /* keys that exclude each other */
	ERR_TYPE,          /* a value of another type than the schema's */
	ERR_RANGE,         /* a value outside the schema's range */
	ERR_UNKNOWN,       /* an unknown type of message */
	ERR_DIRECTION,     /* a message that only the other side may send */
	ERR_OVERSIZE,      /* a frame, message, string or note above its limit */
	/* The peer's behaviour. */
	ERR_FLOOD,      /* more messages than questions allow */
	ERR_ROUTING_ID, /* a remote bot has chosen its own */
	ERR_NO_HELLO,   /* something else came before hello */
	ERR_VERSION,    /* no common version of the protocol */
	ERR_TOKEN,      /* unknown token */
	ERR_SECRET,     /* reconnect with a wrong secret or without one */
	ERR_LIVE,       /* a hello for a session whose connection lives */
	ERR_OVER,       /* a message for a session that has ended */
	ERR_COUNT
};

enum err_class {
	ERR_CLASS_NONE,      /* ERR_OK */
	ERR_CLASS_LOCAL,     /* not the peer's doing */
	ERR_CLASS_MALFORMED, /* bytes that break the schema */
	ERR_CLASS_OVERSIZE,
	ERR_CLASS_FLOOD,
	ERR_CLASS_REFUSED /* no session: the greeting failed */
};

/* The word for the wire, replays and scripts: "duplicate_key". */
const char *err_word(enum err code);
/* The code of a word, ERR_COUNT if there is none. */
enum err err_find(const char *word);
/* A message for people, without a full stop. */
const char *err_text(enum err code);
enum err_class err_class(enum err code);

#endif
