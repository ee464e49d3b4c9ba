/*
 * The socket of all remote bots: one ROUTER of libzmq, on which only CURVE exists.
 *
 * A connection gets past the handshake if `zap` admits its key, and the name that `zap`
 * gave to the key stands before every frame of it: who somebody is follows from what he
 * has proved, never from what he says. libzmq sends by routing id, and whoever chooses the
 * one that another had would get what is meant for that one: so frames of connections that
 * have chosen theirs are refused, and only ids that libzmq makes up belong to a bot.
 * ROUTER_MANDATORY turns a send to a dead connection into an error instead of silence.
 * MAXMSGSIZE stands well above the protocol's own limit: a message between the two is read
 * and refused, a larger one costs the sender its connection. libzmq hands over a message
 * of several parts only when it has all of them, so the memory limit of the process must
 * hold against a listed key that sends one without an end.
 */
#include <errno.h>
#include <stdlib.h>
#include <zmq.h>
#include "protocol/transport.h"
#include "protocol/memory.h"

#define FRAMES_MAX        1000 /* queued for one peer, and from one */
#define LINGER_MS         200
#define BACKLOG           1024
#define HEARTBEAT_MS      5000
#define HEARTBEATS_MISSED 3
#define HANDSHAKE_MS      5000

struct transport_zmq {
	struct transport base;
	void *context;
	void *socket;
	struct zap *zap;
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

/* Drops all further parts, one at a time; true if there are any. */
static bool drop_rest(struct transport_zmq *zmq, const zmq_msg_t *first)
{
	bool any = zmq_msg_more(first), more = any;
	zmq_msg_t part;

	while (more) {
		zmq_msg_init(&part);
		more = receive_part(zmq, &part) >= 0 && zmq_msg_more(&part);
		zmq_msg_close(&part);
	}
	return any;
}

/* Adds the name of the key to the peer. */
static bool mark(const zmq_msg_t *message, struct peer *peer)
{
	const char *name = zmq_msg_gets(message, "User-Id");
	size_t size = name ? strlen(name) : 0;

	peer->id_size = peer->size;
	if (!size || size > NAME_BYTES_MAX || size + 1 > sizeof(peer->bytes) - peer->size)
		return false;
	peer->bytes[peer->size++] = 0;
	memcpy(peer->bytes + peer->size, name, size);
	peer->size += (uint16_t)size;
	return true;
}

/* libzmq's own ones begin with a 0, which ZMQ_ROUTING_ID does not take. */
static bool is_made_up(const struct peer *peer)
{
	return peer->id_size == 5 && peer->bytes[0] == 0;
}

/* ERR_FRAMING: something came that belongs to no key, and is gone. */
static enum err receive_frame(struct transport_zmq *zmq, struct frame *frame)
{
	int size = receive_part(zmq, &zmq->payload);

	if (size < 0)
		return err_of_errno();
	*frame = (struct frame){.peer = {.size = (uint16_t)size}};
	if ((size_t)size > sizeof(frame->peer.bytes))
		frame->err = ERR_FRAMING;
	else
		memcpy(frame->peer.bytes, zmq_msg_data(&zmq->payload), (size_t)size);
	if (receive_part(zmq, &zmq->payload) < 0)
		return err_of_errno();
	frame->bytes = zmq_msg_data(&zmq->payload);
	frame->size = zmq_msg_size(&zmq->payload);
	if (frame->err || !mark(&zmq->payload, &frame->peer))
		return drop_rest(zmq, &zmq->payload), ERR_FRAMING;
	if (drop_rest(zmq, &zmq->payload))
		frame->err = ERR_MULTIPART;
	if (!is_made_up(&frame->peer))
		frame->err = ERR_ROUTING_ID;
	return ERR_OK;
}

static enum err remote_receive(struct transport *transport, struct frame *frame)
{
	enum err err;

	do
		err = receive_frame(zmq_of(transport), frame);
	while (err == ERR_FRAMING);
	return err;
}

static enum err remote_send(struct transport *transport, const struct peer *peer,
	const void *bytes, size_t size)
{
	void *socket = zmq_of(transport)->socket;
	int sent;

	do
		sent = zmq_send(
			socket, peer->bytes, peer->id_size, ZMQ_SNDMORE | ZMQ_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	if (sent < 0)
		return err_of_errno();
	do
		sent = zmq_send(socket, bytes, size, ZMQ_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? err_of_errno() : ERR_OK;
}

/* libzmq reports a lost connection only when one tries to send. */
static enum err remote_probe(struct transport *transport, const struct peer *peer)
{
	return remote_send(transport, peer, "", 0);
}

static int remote_fd(struct transport *transport)
{
	int fd = -1;
	size_t size = sizeof(fd);

	zmq_getsockopt(zmq_of(transport)->socket, ZMQ_FD, &fd, &size);
	return fd;
}

static void remote_free(struct transport *transport)
{
	struct transport_zmq *zmq = zmq_of(transport);

	zmq_msg_close(&zmq->payload);
	if (zmq->socket)
		zmq_close(zmq->socket);
	zap_stop(zmq->zap);
	if (zmq->context)
		zmq_ctx_term(zmq->context);
	free(zmq);
}

static const struct transport_backend remote_backend = {
	.name = "remote",
	.receive = remote_receive,
	.send = remote_send,
	.probe = remote_probe,
	.fd = remote_fd,
	.free = remote_free,
};

static bool set(void *socket, int option, int value)
{
	return zmq_setsockopt(socket, option, &value, sizeof(value)) == 0;
}

static bool set_limits(void *socket, const struct transport_remote *remote)
{
	int64_t bytes_max = TRANSPORT_BYTES_MAX;

	return set(socket, ZMQ_ROUTER_MANDATORY, 1) &&
	       zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &bytes_max, sizeof(bytes_max)) ==
		       0 &&
	       set(socket, ZMQ_SNDHWM, FRAMES_MAX) &&
	       set(socket, ZMQ_RCVHWM, FRAMES_MAX) && set(socket, ZMQ_BACKLOG, BACKLOG) &&
	       set(socket, ZMQ_LINGER, remote->linger_ms ? remote->linger_ms : LINGER_MS);
}

static bool set_keys(void *socket, const struct transport_remote *remote)
{
	return set(socket, ZMQ_CURVE_SERVER, 1) &&
	       zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, remote->server_secret,
		       KEY_TEXT_SIZE) == 0;
}

static bool set_times(void *socket, const struct transport_remote *remote)
{
	int heartbeat = remote->heartbeat_ms ? remote->heartbeat_ms : HEARTBEAT_MS;
	int handshake =
		remote->handshake_ms_max ? remote->handshake_ms_max : HANDSHAKE_MS;

	return set(socket, ZMQ_HEARTBEAT_IVL, heartbeat) &&
	       set(socket, ZMQ_HEARTBEAT_TIMEOUT, HEARTBEATS_MISSED * heartbeat) &&
	       set(socket, ZMQ_HEARTBEAT_TTL, HEARTBEATS_MISSED * heartbeat) &&
	       set(socket, ZMQ_HANDSHAKE_IVL, handshake);
}

/* The ZAP thread must run first: without it libzmq lets everybody in. */
static bool listen_for(struct transport_zmq *zmq, struct transport_remote *remote)
{
	size_t size = sizeof(remote->bound);

	zmq->context = zmq_ctx_new();
	zmq->socket = zmq->context ? zmq_socket(zmq->context, ZMQ_ROUTER) : NULL;
	return zmq->socket && zap_start(remote->zap, zmq->context, zmq->socket) &&
	       set_limits(zmq->socket, remote) && set_keys(zmq->socket, remote) &&
	       set_times(zmq->socket, remote) &&
	       zmq_bind(zmq->socket, remote->endpoint) == 0 &&
	       zmq_getsockopt(zmq->socket, ZMQ_LAST_ENDPOINT, remote->bound, &size) == 0;
}

struct transport *transport_remote_new(struct transport_remote *remote)
{
	struct transport_zmq *zmq = xcalloc(1, sizeof(*zmq));
	struct transport *transport = &zmq->base;

	transport->backend = &remote_backend;
	zmq->zap = remote->zap;
	zmq_msg_init(&zmq->payload);
	if (!listen_for(zmq, remote)) {
		int problem = errno;

		transport_free(&transport);
		errno = problem;
	}
	return transport;
}
