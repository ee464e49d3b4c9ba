/*
 * The bot's end of the wire: one DEALER socket, whole frames. Bots use bot.h, which
 * stands on this; the bridge and other go-betweens use it directly.
 */
#ifndef PROTOCOL_LINK_H
#define PROTOCOL_LINK_H

#include "protocol/err.h"
#include "protocol/codec.h"

struct link;

struct link_options {
	const char *endpoint; /* "ipc:///…" or "tcp://host:port" */
	/* CURVE, all Z85: the server's public key and our own pair; NULL: plain. */
	const char *server_public, *client_public, *client_secret;
};

/* Endpoint and keys from PIGPEN_ENDPOINT, PIGPEN_SERVER_KEY, PIGPEN_PUBLIC_KEY and
 * PIGPEN_SECRET_KEY. */
struct link_options link_options_from_environment(void);

/* ERR_USAGE with `why` if an option is missing or wrong. Connecting goes on in the
 * background. */
enum err link_new(
	struct link **link, const struct link_options *options, struct why *why);
/* Waits for what was sent to leave, at most a second. */
void link_free(struct link **link);

/* ERR_AGAIN: not connected, or the arbiter does not read. The frame is lost; after a
 * reconnect `resume` asks again. */
enum err link_send(struct link *link, const void *bytes, size_t size);

enum link_event {
	LINK_FRAME,
	LINK_CONNECTED, /* for the first time or again: say hello */
	LINK_LOST,      /* a tcp connection has died; it is tried again */
	LINK_TIMEOUT,
	LINK_CLOSED /* the other end of a Unix socket has gone; it does not come back */
};

/* Waits for the next event; timeout_ms -1: without end. The bytes of a frame are the
 * link's until the next call. */
enum link_event link_receive(
	struct link *link, int timeout_ms, const uint8_t **bytes, size_t *size);

/* For poll(): one of them becomes readable when link_receive() may have something. They
 * are edge-triggered, and a send may swallow the edge: before sleeping, and after the
 * last send, receive with timeout 0 until LINK_TIMEOUT. */
#define LINK_FDS 2
void link_fds(struct link *link, int fds[LINK_FDS]);

#endif
