/* A bot's connection to an arbiter: options, events, reconnecting. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zmq.h>
#include "protocol/link.h"
#include "protocol/memory.h"

#define LINGER_MS        1000
#define HEARTBEAT_MS     5000
#define RECONNECT_MS     100
#define RECONNECT_MS_MAX 2000
#define CLOSED_MS        1000 /* the end of a local link is noticed within this time */
#define MONITOR          "inproc://link"

/* The monitor tells when the connection comes and goes. With ZMQ_IMMEDIATE nothing
 * is queued without one, so hello is the first message of every connection. */
struct link {
	void *context;
	void *socket;
	void *monitor;
	zmq_msg_t frame;
	char endpoint[ENDPOINT_BYTES_MAX];
	char news[WHY_BYTES_MAX + 1]; /* the last message for people */
	bool news_told;
	bool local;     /* a Unix socket */
	bool connected; /* ever so far */
	bool up;        /* now, as far as we know */
	int64_t reconnect_ms;
	int64_t gone_at_ms; /* when we give up without a connection; 0: never */
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Sets the message for link_news(), which reports the same one only once. */
__attribute__((format(printf, 2, 3))) static void note(
	struct link *link, const char *format, ...)
{
	char text[sizeof(link->news)];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	if (!strcmp(text, link->news))
		return;
	strcpy(link->news, text);
	link->news_told = false;
}

/* The other end of a Unix socket does not come back, and its loss is noticed
 * elsewhere. */
static void start_patience(struct link *link)
{
	if (!link->local && link->reconnect_ms)
		link->gone_at_ms = now_ms() + link->reconnect_ms;
}

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

/* False: the value of the variable is not a number of milliseconds. */
static bool read_reconnect_ms(int64_t *ms)
{
	const char *text = getenv("PIGPEN_RECONNECT_MS");
	char *end;

	*ms = RECONNECT_MS_DEFAULT;
	if (!text)
		return true;
	*ms = strtoll(text, &end, 10);
	return *text && !*end && *ms >= 0 && *ms <= INT_MAX;
}

enum err link_options_from_environment(struct link_options *options, struct why *why)
{
	const char *key_file = getenv("PIGPEN_KEY_FILE");

	*options = (struct link_options){
		.endpoint = getenv("PIGPEN_ENDPOINT"),
		.token = getenv("PIGPEN_TOKEN"),
		.server_public = getenv("PIGPEN_SERVER_KEY"),
	};
	if (!read_reconnect_ms(&options->reconnect_ms))
		return usage(why,
			"PIGPEN_RECONNECT_MS is not a number of milliseconds; 0 "
			"means to try for ever");
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
			"PIGPEN_TOKEN is not set; bots are started by `pigpen "
			"match`, which sets it; one that plays elsewhere needs "
			"PIGPEN_ENDPOINT, PIGPEN_SERVER_KEY and PIGPEN_KEY_FILE");
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
		return usage(why, "PIGPEN_SERVER_KEY is not a public key; it has 40 "
				  "characters, and the host of the arbiter tells it");
	if (zmq_connect(link->socket, options->endpoint))
		return usage(why, "PIGPEN_ENDPOINT is not an endpoint; it looks like "
				  "ipc:///path or tcp://host:port");
	return ERR_OK;
}

enum err link_new(struct link **link, const struct link_options *options, struct why *why)
{
	enum err err;

	*link = NULL;
	if (!options->endpoint)
		return usage(why,
			"PIGPEN_ENDPOINT is not set; bots are started by `pigpen "
			"match`, which sets it; one that plays elsewhere needs "
			"PIGPEN_ENDPOINT, PIGPEN_SERVER_KEY and PIGPEN_KEY_FILE");
	*link = xcalloc(1, sizeof(**link));
	zmq_msg_init(&(*link)->frame);
	snprintf((*link)->endpoint, sizeof((*link)->endpoint), "%s", options->endpoint);
	(*link)->local = strncmp(options->endpoint, "ipc:", 4) == 0;
	(*link)->reconnect_ms = options->reconnect_ms;
	start_patience(*link);
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

/* The next monitor event, 0 if there is none. Its second part, the address, is
 * ignored. */
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

static enum link_event on_connected(struct link *link)
{
	link->connected = link->up = true;
	link->gone_at_ms = 0;
	link->news[0] = 0;
	return LINK_CONNECTED;
}

/* A failed handshake does not count as a connection and does not extend the time
 * limit. */
static enum link_event on_disconnected(struct link *link)
{
	if (link->local)
		return LINK_CLOSED;
	if (link->up) {
		start_patience(link);
		note(link, "the connection to %s is lost; trying again", link->endpoint);
	}
	link->up = false;
	return LINK_LOST;
}

/* Nothing has happened: is it time to give up? */
static enum link_event on_silence(struct link *link)
{
	if (!link->gone_at_ms || now_ms() < link->gone_at_ms)
		return LINK_TIMEOUT;
	note(link, "no connection to %s for %lld s; giving up", link->endpoint,
		(long long)(link->reconnect_ms / 1000));
	return LINK_GONE;
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
			return on_connected(link);
		case ZMQ_EVENT_DISCONNECTED:
			return on_disconnected(link);
		case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
			return LINK_REFUSED;
		case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
			note(link, "the arbiter ended the handshake; is "
				   "PIGPEN_SERVER_KEY its public key? trying again");
			break;
		default:
			return on_silence(link);
		}
}

const char *link_news(struct link *link)
{
	if (link->news_told)
		return "";
	link->news_told = true;
	return link->news;
}

int link_patience_ms(const struct link *link)
{
	int64_t left = link->gone_at_ms - now_ms();

	return !link->gone_at_ms ? -1 : left > 0 ? (int)left : 0;
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
		int patience_ms = link_patience_ms(link);
		bool impatient =
			patience_ms >= 0 && (timeout_ms < 0 || patience_ms < timeout_ms);
		int ready = zmq_poll(items, 2, impatient ? patience_ms : timeout_ms);

		event = look(link);
		if (ready == 0 && !impatient)
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
