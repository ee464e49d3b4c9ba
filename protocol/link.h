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

/* ERR_AGAIN: the arbiter does not read. */
enum err link_send(struct link *link, const void *bytes, size_t size);

/*
 * Waits for a frame; timeout_ms -1: without end. The bytes are the link's until the
 * next call. ERR_TIMEOUT; ERR_CLOSED when a Unix socket's other end has gone;
 * ERR_NO_PEER once for each time a lost tcp connection has come back: say hello again.
 */
enum err link_receive(
	struct link *link, int timeout_ms, const uint8_t **bytes, size_t *size);

/* For poll(): readable when link_receive() with timeout 0 may have something; drain
 * until ERR_TIMEOUT before sleeping. */
int link_fd(struct link *link);

#endif
