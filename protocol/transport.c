/* The calls of the transport interface, passed on to a backend. */
#include "protocol/transport.h"

enum err transport_receive(struct transport *transport, struct frame *frame)
{
	return transport->backend->receive(transport, frame);
}

enum err transport_send(struct transport *transport, const struct peer *peer,
	const void *bytes, size_t size)
{
	return transport->backend->send(transport, peer, bytes, size);
}

enum err transport_probe(struct transport *transport, const struct peer *peer)
{
	return transport->backend->probe(transport, peer);
}

void transport_settle(struct transport *transport, const struct peer *peer)
{
	if (transport->backend->settle)
		transport->backend->settle(transport, peer);
}

int transport_fd(struct transport *transport)
{
	return transport->backend->fd ? transport->backend->fd(transport) : -1;
}

enum err transport_bind_ipc(struct transport *transport, const char *path)
{
	return transport->backend->bind_ipc(transport, path);
}

enum err transport_bind_tcp(struct transport *transport, const char *host, int port,
	char endpoint[ENDPOINT_BYTES_MAX])
{
	return transport->backend->bind_tcp(transport, host, port, endpoint);
}

void transport_free(struct transport **transport)
{
	if (*transport)
		(*transport)->backend->free(*transport);
	*transport = NULL;
}
