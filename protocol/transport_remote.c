/* The listener for remote bots: CURVE, heartbeats, an I/O thread of its own. */
#include <errno.h>
#include <stdlib.h>
#include "protocol/transport_remote.h"

#define HEARTBEAT_MS      5000
#define HEARTBEATS_MISSED 3
#define HANDSHAKE_MS      5000
#define IO_THREADS        2
#define LOCAL_THREAD      1 /* bits of ZMQ_AFFINITY */
#define REMOTE_THREAD     2

void transport_remote_prepare(void *context)
{
	zmq_ctx_set(context, ZMQ_IO_THREADS, IO_THREADS);
}

static bool set(void *socket, int option, int value)
{
	return zmq_setsockopt(socket, option, &value, sizeof(value)) == 0;
}

static bool set_thread(void *socket, uint64_t thread)
{
	return zmq_setsockopt(socket, ZMQ_AFFINITY, &thread, sizeof(thread)) == 0;
}

static bool set_door(void *socket, const struct transport_remote *remote)
{
	return set(socket, ZMQ_CURVE_SERVER, 1) &&
	       zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, remote->server_secret,
		       KEY_TEXT_SIZE) == 0 &&
	       set_thread(socket, REMOTE_THREAD);
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

static bool set_local(void *socket)
{
	return set(socket, ZMQ_CURVE_SERVER, 0) && set(socket, ZMQ_HEARTBEAT_IVL, 0) &&
	       set_thread(socket, LOCAL_THREAD);
}

static int port_of(const char *endpoint)
{
	const char *colon = strrchr(endpoint, ':');

	return colon ? atoi(colon + 1) : 0;
}

bool transport_remote_listen(void *context, void *socket, struct transport_remote *remote)
{
	size_t size = sizeof(remote->bound);

	/* The ZAP thread must run first: without it libzmq lets everybody in. It is
	 * asked about CURVE connections only, as the socket has no ZAP domain (which,
	 * once set, could not be taken from the local listeners again). */
	if (!zap_start(remote->zap, context, socket) || !set_door(socket, remote) ||
		!set_times(socket, remote) || zmq_bind(socket, remote->endpoint) ||
		zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, remote->bound, &size))
		return false;
	zap_count_port(remote->zap, port_of(remote->bound));
	return set_local(socket);
}

void transport_remote_mark(zmq_msg_t *message, struct peer *peer)
{
	const char *name = zmq_msg_gets(message, "User-Id");
	size_t size = name ? strlen(name) : 0;

	peer->id_size = peer->size;
	peer->bytes[peer->size++] = 0;
	/* No key has such a name; a peer without a key may claim it. */
	if (size > NAME_BYTES_MAX)
		size = 0;
	memcpy(peer->bytes + peer->size, name ? name : "", size);
	peer->size += (uint16_t)size;
}
