/*
 * Frames between one arbiter and many peers, behind one small interface.
 *
 * Backends: ZeroMQ (one ROUTER), memory (tests), and a trace that wraps another
 * transport and writes one JSON line for each frame. All calls are non-blocking and
 * come from one thread.
 */
#ifndef PROTOCOL_TRANSPORT_H
#define PROTOCOL_TRANSPORT_H

#include <stdio.h>
#include "protocol/err.h"
#include "protocol/session.h"
#include "protocol/zap.h"

/*
 * One received frame. The bytes are the transport's until the next receive. Of a
 * frame of several parts, which is malformed, they are the first part; the others
 * are gone.
 */
struct frame {
	struct peer peer;
	const uint8_t *bytes;
	size_t size;
	size_t total_size; /* of all parts */
	bool multipart;
};

struct transport;

struct transport_backend {
	const char *name;
	/* ERR_AGAIN: nothing there. */
	enum err (*receive)(struct transport *, struct frame *);
	/* ERR_AGAIN: the peer does not read. ERR_NO_PEER: its connection is dead. */
	enum err (*send)(
		struct transport *, const struct peer *, const void *bytes, size_t size);
	/* A descriptor that becomes readable, or -1. */
	int (*fd)(struct transport *);
	enum err (*bind_ipc)(struct transport *, const char *path);
	enum err (*bind_tcp)(struct transport *, const char *host, int port,
		char endpoint[ENDPOINT_BYTES_MAX]);
	enum err (*unbind)(struct transport *, const char *endpoint);
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
/* Is the connection there? Sends an empty frame, which a bot must ignore: ERR_NO_PEER
 * if it is dead. */
enum err transport_probe(struct transport *transport, const struct peer *peer);

/*
 * For poll(): readable when there may be frames. It is edge-triggered, and a send
 * may swallow the edge: before sleeping, and after the last send, receive until
 * ERR_AGAIN.
 */
int transport_fd(struct transport *transport);

/* Listens on a Unix socket of that path; its endpoint is "ipc://" + path. */
enum err transport_bind_ipc(struct transport *transport, const char *path);
/* Listens on host ("127.0.0.1"); port 0 lets the system choose. `endpoint` gets what
 * a bot connects to. */
enum err transport_bind_tcp(struct transport *transport, const char *host, int port,
	char endpoint[ENDPOINT_BYTES_MAX]);
/* Stops listening there, drops the connections that came that way, and removes the
 * socket's file. */
enum err transport_unbind(struct transport *transport, const char *endpoint);
/* Closes and clears the pointer; what was not sent after linger_ms is lost. */
void transport_free(struct transport **transport);

/* All zero is the default for local bots. */
struct transport_options {
	int send_frames_max;    /* queued for one peer before ERR_AGAIN; 0: 1000 */
	int receive_frames_max; /* queued from one peer; 0: 1000 */
	int linger_ms;          /* at free; 0: 200 */
	struct transport_remote *remote; /* NULL: local bots only */
};

/*
 * Where remote bots may connect. They are served by an I/O thread of their own, so that
 * strangers cost local bots nothing. Connections that do not get through the handshake
 * in time, or do not answer heartbeats afterwards, are cut.
 */
struct transport_remote {
	const char *endpoint; /* to listen on: "tcp://HOST:PORT", "tcp://0.0.0.0:0" */
	const char *server_secret;      /* our key, Z85 */
	struct zap *zap;                /* whom we admit; outlives the transport */
	int heartbeat_ms;               /* 0: 5000; three are missed before the end */
	int handshake_ms_max;           /* 0: 5000 */
	char bound[ENDPOINT_BYTES_MAX]; /* filled in: with the port that was chosen */
};

/* NULL with errno set if sockets cannot be created. options may be NULL. */
struct transport *transport_zmq_new(const struct transport_options *options);

/* Wraps `inner` and owns it from now on; `file` stays the caller's. One line for each
 * frame: {"ns", "dir": "in"|"out", "peer", "size", "err"?, "messages": […] | "hex"}. */
struct transport *transport_trace_new(struct transport *inner, FILE *file);

/* A transport whose peers are the test itself. */
struct transport *transport_memory_new(void);
/* A peer connects; at most `frames_max` frames wait for it before ERR_AGAIN. */
struct peer transport_memory_connect(struct transport *memory, size_t frames_max);
void transport_memory_disconnect(struct transport *memory, const struct peer *peer);
/* The peer sends. */
void transport_memory_push(struct transport *memory, const struct peer *peer,
	const void *bytes, size_t size, bool multipart);
/* The peer reads its next frame; false if there is none. The bytes are the
 * transport's until the next call. */
bool transport_memory_pop(struct transport *memory, const struct peer *peer,
	const uint8_t **bytes, size_t *size);

#endif
