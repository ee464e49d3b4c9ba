/*
 * Every limit of the wire, once. specs/protocol.md lists the same numbers.
 *
 * The constants bound what the code can hold. `struct limits` is what one arbiter
 * enforces on one bot and announces in `welcome`; limits_default() is the default,
 * and an arbiter may tighten it.
 */
#ifndef PROTOCOL_LIMITS_H
#define PROTOCOL_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#define PROTOCOL_VERSION 1

/* From a bot. */
#define MESSAGE_BYTES_MAX   (64 * 1024)       /* one message */
#define FRAME_BYTES_MAX     (1024 * 1024)     /* one frame: a whole batch */
#define TRANSPORT_BYTES_MAX (4 * 1024 * 1024) /* above it libzmq cuts the connection */
#define NESTING_MAX         16 /* levels of maps and arrays, the message itself is 1 */
#define MESSAGE_KEYS_MAX    32 /* keys of one message, unknown ones included */
#define MESSAGES_MAX        16 /* per question, see session.h */
#define NOTE_BYTES_MAX      1024
#define MATCHES_MAX         4096         /* matches at once in one session */
#define STDERR_BYTES_MAX    (256 * 1024) /* per match, what is kept of it */

/* From the arbiter. */
#define ARBITER_MESSAGE_BYTES_MAX (1024 * 1024)
#define ARBITER_FRAME_BYTES_MAX   (4 * 1024 * 1024)

/* Both. */
#define TOKEN_BYTES_MAX    128
#define NAME_BYTES_MAX     64  /* names of bots, versions, languages, games, codes */
#define WHY_BYTES_MAX      512 /* messages for people */
#define SECRET_BYTES       32  /* secret, commit, rng */
#define SEATS_MAX          16
#define VERSIONS_MAX       8
#define CHOICES_MAX        4096
#define INTEGER_MAX        9007199254740991 /* 2^53-1, exact in every language */
#define PEER_BYTES_MAX     320 /* libzmq's routing id, and the name of a key */
#define ENDPOINT_BYTES_MAX 256
#define READY_MS_DEFAULT   10000
#define BYE_MS_DEFAULT     2000
#define BYE_MS_REMOTE      10000
/* A remote bot gives up after so long without a connection. */
#define RECONNECT_MS_DEFAULT (5 * 60 * 1000)

/* 0 in the last four means that the arbiter sets no such limit. */
struct limits {
	int64_t message_bytes;
	int64_t frame_bytes;
	int64_t nesting;
	int64_t messages; /* per question */
	int64_t note_bytes;
	int64_t stderr_bytes;
	int64_t ready_ms; /* from `match` to `ready` */
	int64_t bye_ms;   /* from `bye` to the end of the process */
	int64_t memory_bytes;
	int64_t processes;
	int64_t descriptors;
	int64_t disk_bytes;
};

struct limits limits_default(void);

#endif
