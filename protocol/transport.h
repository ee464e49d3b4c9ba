/*
 * Frames between an arbiter and those that connect to one of its sockets, behind one small
 * interface.
 *
 * Backends: the socket of one local bot (transport_local.c), the socket of all remote
 * bots (transport_remote.c, libzmq with CURVE), memory (tests), and a trace that wraps
 * another transport and writes one JSON line for each frame. All calls are non-blocking
 * and come from one thread.
 */
#ifndef PROTOCOL_TRANSPORT_H
#define PROTOCOL_TRANSPORT_H

#include <stdio.h>
#include "protocol/err.h"
#include "protocol/session.h"
#include "protocol/zap.h"

/*
 * One received frame. The bytes are the transport's until the next receive. What is no
 * frame has an error: ERR_MULTIPART (the bytes are the first part; the others are gone),
 * ERR_OVERSIZE (they are its beginning), ERR_FRAMING (there are none), or
 * ERR_ROUTING_ID (of a remote bot that has chosen its own).
 */
struct frame {
	struct peer peer;
	enum err err;
	const uint8_t *bytes;
	size_t size;
};

struct transport;

struct transport_backend {
	const char *name;
	/* ERR_AGAIN: nothing there. */
	enum err (*receive)(struct transport *, struct frame *);
	/* ERR_AGAIN: the peer does not read. ERR_NO_PEER: its connection is dead. */
	enum err (*send)(
		struct transport *, const struct peer *, const void *bytes, size_t size);
	/* ERR_NO_PEER: the connection is dead. */
	enum err (*probe)(struct transport *, const struct peer *);
	/* The others may be NULL. */
	void (*settle)(struct transport *, const struct peer *);
	int (*fd)(struct transport *);
	enum err (*bind_ipc)(struct transport *, const char *path);
	enum err (*bind_tcp)(struct transport *, const char *host, int port,
		char endpoint[ENDPOINT_BYTES_MAX]);
	void (*free)(struct transport *);
};

/* The first member of every backend's struct. */
struct transport {
	const struct transport_backend *backend;
};

/* Gives the next frame that is there. */
enum err transport_receive(struct transport *transport, struct frame *frame);
enum err transport_send(struct transport *transport, const struct peer *peer,
	const void *bytes, size_t size);
/* Is the connection there? ERR_NO_PEER if it is dead. A remote bot may be sent an empty
 * frame for it, which a bot must ignore. */
enum err transport_probe(struct transport *transport, const struct peer *peer);
/* The bot has greeted on this connection: its others are closed, and no more are accepted
 * as long as this one lives. */
void transport_settle(struct transport *transport, const struct peer *peer);

/*
 * For poll(), or -1: readable when there may be frames. That of remote bots is
 * edge-triggered, and a send may swallow the edge: before sleeping, and after the last
 * send, receive until ERR_AGAIN.
 */
int transport_fd(struct transport *transport);

/* Listens on a Unix socket of that path; its endpoint is "ipc://" + path. */
enum err transport_bind_ipc(struct transport *transport, const char *path);
/* Listens on host ("127.0.0.1"); port 0 lets the system choose. `endpoint` gets what
 * a bot connects to. */
enum err transport_bind_tcp(struct transport *transport, const char *host, int port,
	char endpoint[ENDPOINT_BYTES_MAX]);
/* Closes, removes the files of Unix sockets, and clears the pointer. */
void transport_free(struct transport **transport);

/* The socket of one local bot. NULL with errno set if it cannot be made. */
struct transport *transport_local_new(void);

/*
 * Where remote bots may connect. Connections that do not get through the handshake in
 * time, or do not answer heartbeats afterwards, are cut.
 */
struct transport_remote {
	const char *endpoint; /* to listen on: "tcp://HOST:PORT", "tcp://0.0.0.0:0" */
	const char *server_secret;      /* our key, Z85 */
	struct zap *zap;                /* whom we admit; outlives the transport */
	int heartbeat_ms;               /* 0: 5000; three are missed before the end */
	int handshake_ms_max;           /* 0: 5000 */
	int linger_ms;                  /* for what is unsent at free; 0: 200 */
	char bound[ENDPOINT_BYTES_MAX]; /* filled in: with the port that was chosen */
};

/* NULL with errno set if sockets cannot be created. Every connection has proved to hold a
 * key that `zap` admits, and its frames bear the name that `zap` gave it. */
struct transport *transport_remote_new(struct transport_remote *remote);

/* Wraps `inner` and owns it from now on; `file` stays the caller's. One line for each
 * frame: {"ns", "dir": "in"|"out", "peer", "size", "err"?, "messages": […] | "hex"}. */
struct transport *transport_trace_new(struct transport *inner, FILE *file);

#endif
