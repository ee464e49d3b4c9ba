/*
 * The bot's end of the wire: one DEALER socket, whole frames. Bots use bot.h, which is
 * built on this; the bridge uses it directly.
 */
#ifndef PROTOCOL_LINK_H
#define PROTOCOL_LINK_H

#include "protocol/err.h"
#include "protocol/codec.h"
#include "protocol/keys.h"
#include "protocol/why.h"

struct link;

struct link_options {
	const char *endpoint; /* "ipc:///…" or "tcp://host:port" */
	const char *token;    /* for hello; the link does not use it */
	/* CURVE, for remote bots: the arbiter's public key and our own pair; NULL: plain.
	 */
	const char *server_public;
	struct key_pair pair;
	int64_t reconnect_ms; /* LINK_GONE after so long without a connection; 0: never */
};

/*
 * From PIGPEN_ENDPOINT, PIGPEN_TOKEN, and for a remote bot PIGPEN_SERVER_KEY and
 * PIGPEN_KEY_FILE, whose name is the token if none is set; PIGPEN_RECONNECT_MS, or
 * RECONNECT_MS_DEFAULT. The strings belong to the environment and to *options, which
 * must not move. ERR_USAGE: `why` says what was wrong.
 */
enum err link_options_from_environment(struct link_options *options, struct why *why);

/* ERR_USAGE: an option is missing or wrong, and `why` says which. Connecting goes on in
 * the background. */
enum err link_new(
	struct link **link, const struct link_options *options, struct why *why);
/* Waits for what was sent to leave, at most a second. */
void link_free(struct link **link);

/* ERR_AGAIN: not connected, or the arbiter does not read. The frame is lost; after a
 * reconnect `resume` asks again. */
enum err link_send(struct link *link, const void *bytes, size_t size);

/* The latest news of the connection, a message for people; "" if there is nothing new.
 * It belongs to the link and is valid until the next call. */
const char *link_news(struct link *link);

enum link_event {
	LINK_FRAME,
	LINK_CONNECTED, /* for the first time or again: say hello */
	LINK_LOST,      /* a tcp connection has died; the link reconnects */
	LINK_GONE,      /* there was none for reconnect_ms; link_news() says so */
	LINK_REFUSED,   /* the arbiter does not know our key; libzmq does not try again */
	LINK_TIMEOUT,
	LINK_CLOSED /* the other end of a Unix socket has gone; it does not come back */
};

/* Waits for the next event; timeout_ms -1: for ever. The bytes of a frame are the link's
 * until the next call. */
enum link_event link_receive(
	struct link *link, int timeout_ms, const uint8_t **bytes, size_t *size);

/* For poll(): one of them becomes readable when link_receive() may have something. They
 * are edge-triggered, and a send may swallow the edge: before sleeping, and after the
 * last send, receive with timeout 0 until LINK_TIMEOUT. */
#define LINK_FDS 2
void link_fds(struct link *link, int fds[LINK_FDS]);
/* And for no longer than this, because of LINK_GONE; -1: for ever. */
int link_patience_ms(const struct link *link);

#endif
