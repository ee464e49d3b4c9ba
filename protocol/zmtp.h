/*
 * One end of a ZMTP connection, without I/O: what a bot's DEALER socket sends becomes
 * frames, and frames become bytes for it (ZeroMQ RFCs 23 and 37, mechanism NULL; also
 * ZMTP 2.0, RFC 15, which old libraries speak).
 *
 * It takes bytes as they come. Nothing that a peer sends makes it hold more than a few
 * hundred bytes of its own: whoever reads from the connection keeps what is not used yet,
 * which is at most one frame of `bytes_max` bytes and its header.
 *
 *     GREETING ── its version ──► HANDSHAKE ── its READY ──► OPEN
 *         └──────────────────────────┴── not ZMTP, not a DEALER ──► (closed by the caller)
 */
#ifndef PROTOCOL_ZMTP_H
#define PROTOCOL_ZMTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ZMTP_HEADER_MAX  9   /* before the bytes of a frame */
#define ZMTP_COMMAND_MAX 512 /* bytes of one of the peer's commands */
#define ZMTP_REPLY_MAX   256

enum zmtp_event {
	ZMTP_WAIT,     /* for more bytes */
	ZMTP_FRAME,    /* `frame` is the next one */
	ZMTP_OVERSIZE, /* a frame of more than bytes_max bytes begins */
	ZMTP_BROKEN    /* this is not ZMTP, or not a DEALER */
};

enum zmtp_state { ZMTP_GREETING, ZMTP_HANDSHAKE, ZMTP_OPEN };

struct zmtp {
	enum zmtp_state state;
	bool old; /* ZMTP 2.0 */
	size_t bytes_max;
	/* Of ZMTP_FRAME, and what has come of it so far of ZMTP_OVERSIZE; the bytes are
	 * the caller's own. */
	const uint8_t *frame;
	size_t frame_size;
	bool more; /* it is one of several parts, and not the last */
	/* What has to be sent now; the caller sets the size to 0 when it has. */
	uint8_t reply[ZMTP_REPLY_MAX];
	size_t reply_size;
};

void zmtp_init(struct zmtp *zmtp, size_t bytes_max);

/* Reads the bytes that have come, up to the next event; `used` of them are not needed any
 * more. After ZMTP_OVERSIZE and ZMTP_BROKEN the connection has to be closed. */
enum zmtp_event zmtp_read(
	struct zmtp *zmtp, const uint8_t *bytes, size_t size, size_t *used);

/* The bytes before a frame of that size; returns how many they are. */
size_t zmtp_header(size_t frame_size, uint8_t header[ZMTP_HEADER_MAX]);

#endif
