/* A transport that writes every frame of another one as a line of JSON. */
#include <stdlib.h>
#include <time.h>
#include "protocol/json.h"
#include "protocol/transport.h"
#include "protocol/memory.h"

#define HEX_BYTES_MAX 4096

struct transport_trace {
	struct transport base;
	struct transport *inner;
	FILE *file;
};

static struct transport_trace *trace_of(struct transport *transport)
{
	return (struct transport_trace *)transport;
}

static json_t *hex_of(const uint8_t *bytes, size_t size)
{
	char hex[2 * HEX_BYTES_MAX + 1];
	size_t shown = size < HEX_BYTES_MAX ? size : HEX_BYTES_MAX;

	for (size_t i = 0; i < shown; i++)
		sprintf(hex + 2 * i, "%02x", bytes[i]);
	return json_stringn(hex, 2 * shown);
}

/* The messages of a frame, or NULL if it holds anything else. */
static json_t *messages_of(enum message_from from, const uint8_t *bytes, size_t size)
{
	json_t *list = json_array();
	struct decoder decoder;
	struct message message;

	decoder_init(&decoder, from, true, NULL, bytes, size);
	while (size > 0 && !decoder_done(&decoder)) {
		json_t *json = NULL;

		if (!decoder_next(&decoder, &message, NULL))
			json = json_from_blob(decoder_last(&decoder), NULL);
		if (!json) {
			json_decref(list);
			return NULL;
		}
		json_array_append_new(list, json);
	}
	return list;
}

static void write_line(struct transport_trace *trace, enum message_from from,
	const struct peer *peer, const void *bytes, size_t size, enum err err)
{
	json_t *line = json_object(), *messages = messages_of(from, bytes, size);
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	json_object_set_new(line, "ns",
		json_integer((json_int_t)now.tv_sec * 1000000000 + now.tv_nsec));
	json_object_set_new(line, "dir", json_string(from == FROM_BOT ? "in" : "out"));
	json_object_set_new(line, "peer", hex_of(peer->bytes, peer->size));
	json_object_set_new(line, "size", json_integer((json_int_t)size));
	if (err)
		json_object_set_new(line, "err", json_string(err_word(err)));
	if (messages)
		json_object_set_new(line, "messages", messages);
	else
		json_object_set_new(line, "hex", hex_of(bytes, size));
	json_dumpf(line, trace->file, JSON_COMPACT);
	fputc('\n', trace->file);
	fflush(trace->file);
	json_decref(line);
}

static enum err trace_receive(struct transport *transport, struct frame *frame)
{
	struct transport_trace *trace = trace_of(transport);
	enum err err = transport_receive(trace->inner, frame);

	if (!err)
		write_line(trace, FROM_BOT, &frame->peer, frame->bytes, frame->size,
			frame->err);
	return err;
}

static enum err trace_send(struct transport *transport, const struct peer *peer,
	const void *bytes, size_t size)
{
	struct transport_trace *trace = trace_of(transport);
	enum err err = transport_send(trace->inner, peer, bytes, size);

	write_line(trace, FROM_ARBITER, peer, bytes, size, err);
	return err;
}

static int trace_fd(struct transport *transport)
{
	return transport_fd(trace_of(transport)->inner);
}

static enum err trace_bind_ipc(struct transport *transport, const char *path)
{
	return transport_bind_ipc(trace_of(transport)->inner, path);
}

static enum err trace_bind_tcp(struct transport *transport, const char *host, int port,
	char endpoint[ENDPOINT_BYTES_MAX])
{
	return transport_bind_tcp(trace_of(transport)->inner, host, port, endpoint);
}

static enum err trace_probe(struct transport *transport, const struct peer *peer)
{
	return transport_probe(trace_of(transport)->inner, peer);
}

static void trace_settle(struct transport *transport, const struct peer *peer)
{
	transport_settle(trace_of(transport)->inner, peer);
}

static void trace_free(struct transport *transport)
{
	transport_free(&trace_of(transport)->inner);
	free(transport);
}

static const struct transport_backend trace_backend = {
	.name = "trace",
	.receive = trace_receive,
	.send = trace_send,
	.fd = trace_fd,
	.bind_ipc = trace_bind_ipc,
	.bind_tcp = trace_bind_tcp,
	.probe = trace_probe,
	.settle = trace_settle,
	.free = trace_free,
};

struct transport *transport_trace_new(struct transport *inner, FILE *file)
{
	struct transport_trace *trace = xcalloc(1, sizeof(*trace));

	trace->base.backend = &trace_backend;
	trace->inner = inner;
	trace->file = file;
	return &trace->base;
}
