/* A transport in memory, for tests. */
#include <errno.h>
#include <stdlib.h>
#include "protocol/transport.h"
#include "protocol/memory.h"

struct packet {
	struct packet *next;
	struct peer peer;
	bool multipart;
	size_t size;
	uint8_t bytes[];
};

/* First in, first out. */
struct queue {
	struct packet *first, *last;
	size_t count;
};

struct connection {
	struct connection *next;
	struct peer peer;
	size_t frames_max;
	struct queue queue; /* to the peer */
};

struct transport_memory {
	struct transport base;
	struct connection *connections;
	struct queue inbox;
	struct packet *received, *popped; /* handed out last */
	uint32_t next_peer;
};

static struct transport_memory *memory_of(struct transport *transport)
{
	return (struct transport_memory *)transport;
}

static void queue_push(struct queue *queue, const struct peer *peer, const void *bytes,
	size_t size, bool multipart)
{
	struct packet *packet = xmalloc(sizeof(*packet) + size);

	packet->next = NULL;
	packet->peer = *peer;
	packet->multipart = multipart;
	packet->size = size;
	if (size > 0)
		memcpy(packet->bytes, bytes, size);
	if (queue->last)
		queue->last->next = packet;
	else
		queue->first = packet;
	queue->last = packet;
	queue->count++;
}

/* The first packet, which replaces *held; NULL if the queue is empty. */
static struct packet *queue_pop(struct queue *queue, struct packet **held)
{
	struct packet *packet = queue->first;

	if (!packet)
		return NULL;
	queue->first = packet->next;
	if (!queue->first)
		queue->last = NULL;
	queue->count--;
	free(*held);
	*held = packet;
	return packet;
}

static void queue_release(struct queue *queue)
{
	struct packet *held = NULL;

	while (queue_pop(queue, &held))
		continue;
	free(held);
}

/* The pointer that points at the peer's connection, or at NULL. */
static struct connection **find(struct transport *memory, const struct peer *peer)
{
	struct connection **at = &memory_of(memory)->connections;

	while (*at && ((*at)->peer.size != peer->size ||
			      memcmp((*at)->peer.bytes, peer->bytes, peer->size) != 0))
		at = &(*at)->next;
	return at;
}

static enum err memory_receive(struct transport *transport, struct frame *frame)
{
	struct transport_memory *memory = memory_of(transport);
	struct packet *packet = queue_pop(&memory->inbox, &memory->received);

	if (!packet)
		return ERR_AGAIN;
	*frame = (struct frame){
		.peer = packet->peer,
		.bytes = packet->bytes,
		.size = packet->size,
		.total_size = packet->size,
		.multipart = packet->multipart,
	};
	return ERR_OK;
}

static enum err memory_send(struct transport *transport, const struct peer *peer,
	const void *bytes, size_t size)
{
	struct connection *connection = *find(transport, peer);

	if (!connection)
		return ERR_NO_PEER;
	if (connection->queue.count >= connection->frames_max)
		return ERR_AGAIN;
	queue_push(&connection->queue, peer, bytes, size, false);
	return ERR_OK;
}

static int memory_fd(struct transport *transport)
{
	(void)transport;
	return -1;
}

static enum err memory_bind_ipc(struct transport *transport, const char *path)
{
	(void)transport;
	(void)path;
	return ERR_OK;
}

static enum err memory_bind_tcp(struct transport *transport, const char *host, int port,
	char endpoint[ENDPOINT_BYTES_MAX])
{
	(void)transport;
	snprintf(endpoint, ENDPOINT_BYTES_MAX, "memory://%s:%d", host, port);
	return ERR_OK;
}

static enum err memory_unbind(struct transport *transport, const char *endpoint)
{
	(void)transport;
	(void)endpoint;
	return ERR_OK;
}

static void memory_free(struct transport *transport)
{
	struct transport_memory *memory = memory_of(transport);

	while (memory->connections)
		transport_memory_disconnect(transport, &memory->connections->peer);
	queue_release(&memory->inbox);
	free(memory->received);
	free(memory->popped);
	free(memory);
}

static const struct transport_backend memory_backend = {
	.name = "memory",
	.receive = memory_receive,
	.send = memory_send,
	.fd = memory_fd,
	.bind_ipc = memory_bind_ipc,
	.bind_tcp = memory_bind_tcp,
	.unbind = memory_unbind,
	.free = memory_free,
};

struct transport *transport_memory_new(void)
{
	struct transport_memory *memory = xcalloc(1, sizeof(*memory));

	memory->base.backend = &memory_backend;
	return &memory->base;
}

struct peer transport_memory_connect(struct transport *memory, size_t frames_max)
{
	struct connection *connection = xcalloc(1, sizeof(*connection));
	uint32_t number = ++memory_of(memory)->next_peer;

	connection->peer.size = sizeof(number);
	memcpy(connection->peer.bytes, &number, sizeof(number));
	connection->frames_max = frames_max;
	connection->next = memory_of(memory)->connections;
	memory_of(memory)->connections = connection;
	return connection->peer;
}

void transport_memory_disconnect(struct transport *memory, const struct peer *peer)
{
	struct connection **at = find(memory, peer), *connection = *at;

	if (!connection)
		return;
	*at = connection->next;
	queue_release(&connection->queue);
	free(connection);
}

void transport_memory_push(struct transport *memory, const struct peer *peer,
	const void *bytes, size_t size, bool multipart)
{
	queue_push(&memory_of(memory)->inbox, peer, bytes, size, multipart);
}

bool transport_memory_pop(struct transport *memory, const struct peer *peer,
	const uint8_t **bytes, size_t *size)
{
	struct connection *connection = *find(memory, peer);
	struct packet *packet =
		connection ? queue_pop(&connection->queue, &memory_of(memory)->popped)
			   : NULL;

	if (!packet)
		return false;
	*bytes = packet->bytes;
	*size = packet->size;
	return true;
}
