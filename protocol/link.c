#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <zmq.h>
#include "protocol/link.h"

#define LINGER_MS        1000
#define HEARTBEAT_MS     5000
#define RECONNECT_MS     100
#define RECONNECT_MS_MAX 2000
#define CLOSED_MS        1000 /* after which a local link's end is noticed at the latest */
#define MONITOR          "inproc://link"

/* The monitor tells when the connection comes and goes. With ZMQ_IMMEDIATE nothing
 * is queued without one, so hello is the first message of every connection. */
struct link {
	void *context;
	void *socket;
	void *monitor;
	zmq_msg_t frame;
	const char *trouble; /* with the last handshake; "": none */
	bool local;          /* a Unix socket */
	bool connected;      /* once was */
};

static bool set(void *socket, int option, int value)
{
	return zmq_setsockopt(socket, option, &value, sizeof(value)) == 0;
}

static bool set_key(void *socket, int option, const char *key)
{
	return zmq_setsockopt(socket, option, key, strlen(key) + 1) == 0;
}

static bool set_keys(void *socket, const struct link_options *options)
{
	if (!options->server_public)
		return true;
	return set_key(socket, ZMQ_CURVE_SERVERKEY, options->server_public) &&
	       set_key(socket, ZMQ_CURVE_PUBLICKEY, options->pair.public_text) &&
	       set_key(socket, ZMQ_CURVE_SECRETKEY, options->pair.secret_text) &&
	       set(socket, ZMQ_HEARTBEAT_IVL, HEARTBEAT_MS);
}

static enum err usage(struct why *why, const char *text)
{
	snprintf(why->text, sizeof(why->text), "%s", text);
	return ERR_USAGE;
}

enum err link_options_from_environment(struct link_options *options, struct why *why)
{
	const char *key_file = getenv("PIGPEN_KEY_FILE");

	*options = (struct link_options){
		.endpoint = getenv("PIGPEN_ENDPOINT"),
		.token = getenv("PIGPEN_TOKEN"),
		.server_public = getenv("PIGPEN_SERVER_KEY"),
	};
	if (options->server_public && !key_file)
		return usage(why, "PIGPEN_SERVER_KEY needs PIGPEN_KEY_FILE beside it, "
				  "which `pigpen keygen` writes");
	if (key_file && !options->server_public)
		return usage(why, "PIGPEN_KEY_FILE needs PIGPEN_SERVER_KEY beside it, "
				  "the arbiter's public key");
	if (key_file && key_pair_read(&options->pair, key_file, why))
		return ERR_USAGE;
	if (key_file && !options->token)
		options->token = options->pair.name;
	if (!options->token)
		return usage(why,
			"PIGPEN_TOKEN is not set; bots are started by "
			"`pigpen match`, which sets it; one that plays "
			"elsewhere needs PIGPEN_ENDPOINT, PIGPEN_SERVER_KEY and "
			"PIGPEN_KEY_FILE");
	return ERR_OK;
}

static enum err open_sockets(
	struct link *link, const struct link_options *options, struct why *why)
{
	int events = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED |
		     ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
		     ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;

	link->context = zmq_ctx_new();
	link->socket = zmq_socket(link->context, ZMQ_DEALER);
	link->monitor = zmq_socket(link->context, ZMQ_PAIR);
	if (!link->socket || !link->monitor)
		return usage(why, strerror(errno));
	if (!set(link->socket, ZMQ_LINGER, LINGER_MS) ||
		!set(link->socket, ZMQ_RCVTIMEO, CLOSED_MS) ||
		!set(link->socket, ZMQ_IMMEDIATE, 1) ||
		!set(link->socket, ZMQ_RECONNECT_IVL, RECONNECT_MS) ||
		!set(link->socket, ZMQ_RECONNECT_IVL_MAX, RECONNECT_MS_MAX) ||
		zmq_socket_monitor(link->socket, MONITOR, events) < 0 ||
		zmq_connect(link->monitor, MONITOR))
		return usage(why, strerror(errno));
	if (!set_keys(link->socket, options))
		return usage(why, "PIGPEN_SERVER_KEY is no public key; it has 40 "
				  "characters, and the host of the arbiter tells it");
	if (zmq_connect(link->socket, options->endpoint))
		return usage(why, "PIGPEN_ENDPOINT is no endpoint; it looks like "
				  "ipc:///path or tcp://host:port");
	return ERR_OK;
}

enum err link_new(struct link **link, const struct link_options *options, struct why *why)
{
	enum err err;

	*link = NULL;
	if (!options->endpoint)
		return usage(why,
			"PIGPEN_ENDPOINT is not set; bots are started by "
			"`pigpen match`, which sets it; one that plays "
			"elsewhere needs PIGPEN_ENDPOINT, PIGPEN_SERVER_KEY and "
			"PIGPEN_KEY_FILE");
	*link = calloc(1, sizeof(**link));
	if (!*link)
		abort();
	zmq_msg_init(&(*link)->frame);
	(*link)->trouble = "";
	(*link)->local = strncmp(options->endpoint, "ipc:", 4) == 0;
	err = open_sockets(*link, options, why);
	if (err)
		link_free(link);
	return err;
}

void link_free(struct link **link_)
{
	struct link *link = *link_;

	*link_ = NULL;
	if (!link)
		return;
	zmq_msg_close(&link->frame);
	if (link->socket)
		zmq_close(link->socket);
	if (link->monitor)
		zmq_close(link->monitor);
	if (link->context)
		zmq_ctx_term(link->context);
	free(link);
}

enum err link_send(struct link *link, const void *bytes, size_t size)
{
	int sent;

	do
		sent = zmq_send(link->socket, bytes, size, ZMQ_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	return sent >= 0 ? ERR_OK : errno == EAGAIN ? ERR_AGAIN : ERR_SYSTEM;
}

/* The next monitor event, 0 if there is none. Its second part, the address, is of no
 * interest. */
static int next_change(struct link *link)
{
	uint8_t event[6], address[ENDPOINT_BYTES_MAX];
	uint16_t number;

	if (zmq_recv(link->monitor, event, sizeof(event), ZMQ_DONTWAIT) < 0)
		return 0;
	zmq_recv(link->monitor, address, sizeof(address), ZMQ_DONTWAIT);
	memcpy(&number, event, sizeof(number));
	return number;
}

/* What is there already, LINK_TIMEOUT if nothing. Frames come before a disconnect
 * that was noticed after them. */
static enum link_event look(struct link *link)
{
	if (zmq_msg_recv(&link->frame, link->socket, ZMQ_DONTWAIT) >= 0)
		return LINK_FRAME;
	for (;;)
		switch (next_change(link)) {
		case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
			link->connected = true;
			link->trouble = "";
			return LINK_CONNECTED;
		case ZMQ_EVENT_DISCONNECTED:
			return link->local ? LINK_CLOSED : LINK_LOST;
		case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
			return LINK_REFUSED;
		case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
			link->trouble = "the arbiter ended the handshake; is "
					"PIGPEN_SERVER_KEY its public key?";
			break;
		default:
			return LINK_TIMEOUT;
		}
}

const char *link_trouble(const struct link *link)
{
	return link->trouble;
}

/* A local link without a time limit waits for frames alone, which is quicker than
 * polling two sockets; the monitor is looked at now and then. */
static enum link_event wait_local(struct link *link)
{
	enum link_event event;

	do {
		if (zmq_msg_recv(&link->frame, link->socket, 0) >= 0)
			return LINK_FRAME;
		event = look(link);
	} while (event == LINK_TIMEOUT);
	return event;
}

static enum link_event wait_any(struct link *link, int timeout_ms)
{
	zmq_pollitem_t items[] = {
		{.socket = link->socket, .events = ZMQ_POLLIN},
		{.socket = link->monitor, .events = ZMQ_POLLIN},
	};
	enum link_event event = look(link);

	while (event == LINK_TIMEOUT) {
		int ready = zmq_poll(items, 2, timeout_ms);

		event = look(link);
		if (ready == 0)
			break;
	}
	return event;
}

enum link_event link_receive(
	struct link *link, int timeout_ms, const uint8_t **bytes, size_t *size)
{
	enum link_event event = link->local && link->connected && timeout_ms < 0
					? wait_local(link)
					: wait_any(link, timeout_ms);

	if (event == LINK_FRAME) {
		*bytes = zmq_msg_data(&link->frame);
		*size = zmq_msg_size(&link->frame);
	}
	return event;
}

void link_fds(struct link *link, int fds[LINK_FDS])
{
	size_t size = sizeof(int);

	zmq_getsockopt(link->socket, ZMQ_FD, &fds[0], &size);
	zmq_getsockopt(link->monitor, ZMQ_FD, &fds[1], &size);
}
