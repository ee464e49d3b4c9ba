/*
 * The listener for remote bots, on the ROUTER that local bots use too: libzmq copies a
 * socket's settings into each listener when it is bound, so one listener can speak CURVE
 * while all others stay plain. For transport_zmq.c alone.
 */
#ifndef PROTOCOL_TRANSPORT_REMOTE_H
#define PROTOCOL_TRANSPORT_REMOTE_H

#include <zmq.h>
#include "protocol/transport.h"

/* Call before the first socket: makes room for a separate I/O thread for remote bots. */
void transport_remote_prepare(void *context);
/* Listens, and leaves the socket's settings as they are for local listeners, except
 * ZMQ_HANDSHAKE_IVL. False: see errno. */
bool transport_remote_listen(
	void *context, void *socket, struct transport_remote *remote);
/* Adds the name of the key that this message's connection has to the peer. */
void transport_remote_mark(zmq_msg_t *message, struct peer *peer);

#endif
