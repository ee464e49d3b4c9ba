/*
 * One ROUTER socket.
 *
 * libzmq gives every connection a routing id; that is the peer. ROUTER_MANDATORY turns a
 * send to a dead connection into an error instead of silence. MAXMSGSIZE stands well
 * above the protocol's own limit: a message between the two is read and refused, a
 * larger one costs the sender its connection. libzmq hands over a message of several
 * parts only when it has all of them, so the worker's memory limit must hold against one
 * that never ends.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zmq.h>
#include "protocol/transport.h"
#include "protocol/transport_remote.h"
#include "protocol/memory.h"

#define FRAMES_MAX_DEFAULT 1000
#define LINGER_MS_DEFAULT  200
#define BACKLOG            1024
#define HANDSHAKE_MS       10000
#define ROUTING_ID_MAX     255 /* as ZMQ_ROUTING_ID has it; a peer has room for it */

/* libzmq leaves the file of a Unix socket behind; we remove it. */
struct bound {
	struct bound *next;
	char path[];
};

struct transport_zmq {
	struct transport base;
	void *context;
	void *socket;
	struct bound *bound;
	struct zap *zap;   /* NULL: local bots only */
	zmq_msg_t payload; /* of the frame handed out last */
};

static struct transport_zmq *zmq_of(struct transport *transport)
{
	return (struct transport_zmq *)transport;
}

static enum err err_of_errno(void)
{
	return errno == EAGAIN         ? ERR_AGAIN
	       : errno == EHOSTUNREACH ? ERR_NO_PEER
				       : ERR_SYSTEM;
}

/* Once the first part is there libzmq has them all, so this does not wait. */
static int receive_part(struct transport_zmq *zmq, zmq_msg_t *part)
{
	int size;

	do
		size = zmq_msg_recv(part, zmq->socket, ZMQ_DONTWAIT);
	while (size < 0 && errno == EINTR);
	return size;
}

/* Drops all further parts, one at a time. */
static void receive_rest(
	struct transport_zmq *zmq, zmq_msg_t *before, struct frame *frame)
{
	bool more = zmq_msg_more(before);
	zmq_msg_t part;

	frame->multipart = more;
	while (more) {
		int size;

		zmq_msg_init(&part);
		size = receive_part(zmq, &part);
		more = size >= 0 && zmq_msg_more(&part);
		frame->total_size += size > 0 ? (size_t)size : 0;
		zmq_msg_close(&part);
	}
}

/* The routing id of the next frame's sender. A peer may claim one of any length; frames of
 * those that no library lets it set are dropped. */
static enum err receive_peer(struct transport_zmq *zmq, struct frame *frame)
{
	int size;

	while ((size = receive_part(zmq, &zmq->payload)) > ROUTING_ID_MAX)
		receive_rest(zmq, &zmq->payload, frame);
	if (size < 0)
		return err_of_errno();
	frame->peer.size = (uint16_t)size;
	frame->peer.id_size = 0;
	memcpy(frame->peer.bytes, zmq_msg_data(&zmq->payload), (size_t)size);
	return ERR_OK;
}

static enum err zmq_receive(struct transport *transport, struct frame *frame)
{
	struct transport_zmq *zmq = zmq_of(transport);
	enum err err = receive_peer(zmq, frame);

	if (err)
		return err;
	if (receive_part(zmq, &zmq->payload) < 0)
		return err_of_errno();
	if (zmq->zap)
		transport_remote_mark(&zmq->payload, &frame->peer);
	frame->bytes = zmq_msg_data(&zmq->payload);
	frame->size = frame->total_size = zmq_msg_size(&zmq->payload);
	receive_rest(zmq, &zmq->payload, frame);
	return ERR_OK;
}

static enum err zmq_send_frame(struct transport *transport, const struct peer *peer,
	const void *bytes, size_t size)
{
	void *socket = zmq_of(transport)->socket;
	size_t id_size = peer->id_size ? peer->id_size : peer->size;
	int sent;

	do
		sent = zmq_send(socket, peer->bytes, id_size, ZMQ_SNDMORE | ZMQ_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	if (sent < 0)
		return err_of_errno();
	do
		sent = zmq_send(socket, bytes, size, ZMQ_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? err_of_errno() : ERR_OK;
}

static int zmq_fd(struct transport *transport)
{
	int fd = -1;
	size_t size = sizeof(fd);

	zmq_getsockopt(zmq_of(transport)->socket, ZMQ_FD, &fd, &size);
	return fd;
}

static void remember(struct transport_zmq *zmq, const char *path)
{
	struct bound *bound = xmalloc(sizeof(*bound) + strlen(path) + 1);

	strcpy(bound->path, path);
	bound->next = zmq->bound;
	zmq->bound = bound;
}

static void remove_file(struct bound **at)
{
	struct bound *bound = *at;

	*at = bound->next;
	unlink(bound->path);
	free(bound);
}

static enum err zmq_bind_ipc(struct transport *transport, const char *path)
{
	struct transport_zmq *zmq = zmq_of(transport);
	char endpoint[ENDPOINT_BYTES_MAX];
	int size = snprintf(endpoint, sizeof(endpoint), "ipc://%s", path);

	if (size >= (int)sizeof(endpoint)) {
		errno = ENAMETOOLONG;
		return ERR_SYSTEM;
	}
	if (zmq_bind(zmq->socket, endpoint))
		return ERR_SYSTEM;
	remember(zmq, path);
	return ERR_OK;
}

static enum err zmq_bind_tcp(struct transport *transport, const char *host, int port,
	char endpoint[ENDPOINT_BYTES_MAX])
{
	void *socket = zmq_of(transport)->socket;
	size_t size = ENDPOINT_BYTES_MAX;

	snprintf(endpoint, size, "tcp://%s:%d", host, port);
	if (zmq_bind(socket, endpoint) ||
		zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &size))
		return ERR_SYSTEM;
	return ERR_OK;
}

static enum err zmq_unbind_endpoint(struct transport *transport, const char *endpoint)
{
	struct transport_zmq *zmq = zmq_of(transport);

	if (zmq_unbind(zmq->socket, endpoint))
		return ERR_SYSTEM;
	for (struct bound **at = &zmq->bound; *at; at = &(*at)->next)
		if (strncmp(endpoint, "ipc://", 6) == 0 &&
			strcmp((*at)->path, endpoint + 6) == 0) {
			remove_file(at);
			break;
		}
	return ERR_OK;
}

static void zmq_free(struct transport *transport)
{
	struct transport_zmq *zmq = zmq_of(transport);

	zmq_msg_close(&zmq->payload);
	if (zmq->socket)
		zmq_close(zmq->socket);
	if (zmq->zap)
		zap_stop(zmq->zap);
	if (zmq->context)
		zmq_ctx_term(zmq->context);
	while (zmq->bound)
		remove_file(&zmq->bound);
	free(zmq);
}

static const struct transport_backend zmq_backend = {
	.name = "zmq",
	.receive = zmq_receive,
	.send = zmq_send_frame,
	.fd = zmq_fd,
	.bind_ipc = zmq_bind_ipc,
	.bind_tcp = zmq_bind_tcp,
	.unbind = zmq_unbind_endpoint,
	.free = zmq_free,
};

static bool set(void *socket, int option, int value)
{
	return zmq_setsockopt(socket, option, &value, sizeof(value)) == 0;
}

static bool configure(void *socket, const struct transport_options *options)
{
	int64_t bytes_max = TRANSPORT_BYTES_MAX;
	int send_max = options->send_frames_max,
	    receive_max = options->receive_frames_max;
	int linger_ms = options->linger_ms ? options->linger_ms : LINGER_MS_DEFAULT;

	return set(socket, ZMQ_ROUTER_MANDATORY, 1) &&
	       zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &bytes_max, sizeof(bytes_max)) ==
		       0 &&
	       set(socket, ZMQ_SNDHWM, send_max ? send_max : FRAMES_MAX_DEFAULT) &&
	       set(socket, ZMQ_RCVHWM, receive_max ? receive_max : FRAMES_MAX_DEFAULT) &&
	       set(socket, ZMQ_BACKLOG, BACKLOG) && set(socket, ZMQ_LINGER, linger_ms) &&
	       set(socket, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS);
}

static bool open_remote(struct transport_zmq *zmq, struct transport_remote *remote)
{
	if (!remote)
		return true;
	zmq->zap = remote->zap;
	return transport_remote_listen(zmq->context, zmq->socket, remote) &&
	       set(zmq->socket, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS);
}

struct transport *transport_zmq_new(const struct transport_options *options)
{
	static const struct transport_options none;
	struct transport_zmq *zmq = xcalloc(1, sizeof(*zmq));
	struct transport *transport = &zmq->base;

	options = options ? options : &none;
	transport->backend = &zmq_backend;
	zmq_msg_init(&zmq->payload);
	zmq->context = zmq_ctx_new();
	if (zmq->context && options->remote)
		transport_remote_prepare(zmq->context);
	zmq->socket = zmq->context ? zmq_socket(zmq->context, ZMQ_ROUTER) : NULL;
	if (!zmq->socket || !configure(zmq->socket, options) ||
		!open_remote(zmq, options->remote)) {
		int problem = errno;

		transport_free(&transport);
		errno = problem;
	}
	return transport;
}
