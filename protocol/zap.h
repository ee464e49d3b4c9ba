/*
 * Which remote bots may connect: a list of their keys, and a count of all attempts.
 *
 * libzmq asks before it lets a connection past the CURVE handshake (ZAP, ZeroMQ RFC 27);
 * a thread answers from the list of keys. The name under which a key is listed travels
 * with every frame of that connection (struct peer), so that what a bot says is tied to
 * its key. The same thread is told of every handshake that fails.
 *
 * It belongs to whoever made it, and must outlive the transport that uses it. The list
 * may be changed at any time, from any thread.
 */
#ifndef PROTOCOL_ZAP_H
#define PROTOCOL_ZAP_H

#include "protocol/keys.h"
#include "protocol/why.h"

struct zap;

struct zap *zap_new(void);
void zap_free(struct zap **zap);

/* Adds a key to the list under a name that no other key has. ERR_USAGE: name or key are
 * malformed or listed already, and `why` says so. */
enum err zap_admit(
	struct zap *zap, const char *name, const char *public_text, struct why *why);
bool zap_knows(struct zap *zap, const char *name);
/* Connections that are open stay so; new ones are refused. */
void zap_dismiss(struct zap *zap, const char *name);

/* Since zap_new(). */
struct zap_counts {
	uint64_t connections; /* that were opened */
	uint64_t admitted;    /* got past the handshake */
	uint64_t unknown;     /* had a key that is not on the list */
	uint64_t refused;     /* failed in another way: no or a wrong server key, plain,
			       * too slow, not ZeroMQ at all */
};
struct zap_counts zap_counts(struct zap *zap);

/* For the transport: answers for the sockets of this context, and watches the
 * connections of `socket`, until zap_stop(). False: see errno. */
bool zap_start(struct zap *zap, void *context, void *socket);
/* Call after the socket was closed and before the context is. */
void zap_stop(struct zap *zap);

#endif
