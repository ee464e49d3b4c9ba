/*
 * The door for remote bots: whose keys may come in, and a count of all who tried.
 *
 * libzmq asks before it lets a connection past the CURVE handshake (ZAP, ZeroMQ RFC 27);
 * a thread of the door answers from its list of keys. The name under which a key is
 * listed travels with every frame of that connection (struct peer), so that what a bot
 * says is tied to its key. The same thread hears of every handshake that fails.
 *
 * The door is its maker's; it must outlive the transport that it was given to. The list
 * may be changed at any time, from any thread.
 */
#ifndef PROTOCOL_ZAP_H
#define PROTOCOL_ZAP_H

#include "protocol/keys.h"
#include "protocol/why.h"

struct zap;

struct zap *zap_new(void);
void zap_free(struct zap **zap);

/* Lets the key in under that name, which one key only may have. ERR_USAGE with a sentence
 * if name or key are malformed or there already. */
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

/* For the transport: answers for the sockets of this context, and listens to what
 * `socket` says of its connections, until zap_stop(). False with errno. */
bool zap_start(struct zap *zap, void *context, void *socket);
/* Only connections to this port are counted. */
void zap_count_port(struct zap *zap, int port);
/* Call after the socket was closed and before the context is. */
void zap_stop(struct zap *zap);

#endif
