/* Which keys may connect: the thread that answers libzmq's ZAP requests. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <zmq.h>
#include "protocol/zap.h"
#include "protocol/memory.h"

#define ZAP_ENDPOINT     "inproc://zeromq.zap.01"
#define MONITOR_ENDPOINT "inproc://zap-monitor"
#define ZAP_VERSION      "1.0"
#define PARTS            7 /* of a request with CURVE's credentials */
#define PART_BYTES_MAX   255

struct entry {
	char name[NAME_BYTES_MAX + 1];
	uint8_t key[KEY_BYTES];
};

struct zap {
	pthread_mutex_t lock; /* of all members up to those of the thread */
	struct entry *entry;
	size_t count;
	struct zap_counts counts;

	pthread_t thread;
	bool running;
	void *context;
	void *handler; /* REP: libzmq's requests */
	void *monitor; /* PAIR: what becomes of connections */
};

struct zap *zap_new(void)
{
	struct zap *zap = xcalloc(1, sizeof(*zap));

	if (pthread_mutex_init(&zap->lock, NULL))
		abort();
	return zap;
}

void zap_free(struct zap **zap_)
{
	struct zap *zap = *zap_;

	*zap_ = NULL;
	if (!zap)
		return;
	pthread_mutex_destroy(&zap->lock);
	free(zap->entry);
	free(zap);
}

static enum err add_entry(struct zap *zap, const struct entry *new, struct why *why)
{
	for (size_t i = 0; i < zap->count; i++) {
		const struct entry *entry = &zap->entry[i];
		bool same_key = memcmp(entry->key, new->key, KEY_BYTES) == 0;

		if (!same_key && strcmp(entry->name, new->name) != 0)
			continue;
		why_set(why,
			same_key ? "the key of '%s' is on the list already, as '%s'"
				 : "'%s' is on the list already",
			new->name, entry->name);
		return ERR_USAGE;
	}
	zap->entry = xrealloc(zap->entry, (zap->count + 1) * sizeof(*zap->entry));
	zap->entry[zap->count++] = *new;
	return ERR_OK;
}

enum err zap_admit(
	struct zap *zap, const char *name, const char *public_text, struct why *why)
{
	struct entry new = {0};
	enum err err;

	if (!key_name_valid(name)) {
		why_set(why,
			"'%s' is not a valid name; it has letters, digits, '_', '-' and '.', "
			"at most %d of them",
			name, NAME_BYTES_MAX);
		return ERR_USAGE;
	}
	if (!key_from_text(public_text, new.key)) {
		why_set(why,
			"'%s' is not a public key; `pigpen keygen` makes one of %d characters",
			public_text, KEY_TEXT_SIZE - 1);
		return ERR_USAGE;
	}
	strcpy(new.name, name);
	pthread_mutex_lock(&zap->lock);
	err = add_entry(zap, &new, why);
	pthread_mutex_unlock(&zap->lock);
	return err;
}

bool zap_knows(struct zap *zap, const char *name)
{
	bool known = false;

	pthread_mutex_lock(&zap->lock);
	for (size_t i = 0; i < zap->count; i++)
		known |= strcmp(zap->entry[i].name, name) == 0;
	pthread_mutex_unlock(&zap->lock);
	return known;
}

void zap_dismiss(struct zap *zap, const char *name)
{
	pthread_mutex_lock(&zap->lock);
	for (size_t i = 0; i < zap->count; i++)
		if (strcmp(zap->entry[i].name, name) == 0)
			zap->entry[i--] = zap->entry[--zap->count];
	pthread_mutex_unlock(&zap->lock);
}

struct zap_counts zap_counts(struct zap *zap)
{
	struct zap_counts counts;

	pthread_mutex_lock(&zap->lock);
	counts = zap->counts;
	pthread_mutex_unlock(&zap->lock);
	return counts;
}

/* The parts of one ZAP request: version, request id, domain, address, routing id,
 * mechanism, key. */
struct request {
	int parts;
	size_t size[PARTS];
	uint8_t part[PARTS][PART_BYTES_MAX + 1];
};

/* False: the context is ending. */
static bool read_request(void *handler, struct request *request)
{
	int more = 1;
	size_t size = sizeof(more);

	for (request->parts = 0; more; request->parts++) {
		uint8_t scratch[PART_BYTES_MAX + 1];
		bool kept = request->parts < PARTS;
		int n = zmq_recv(handler, kept ? request->part[request->parts] : scratch,
			PART_BYTES_MAX, 0);

		if (n < 0)
			return false;
		if (kept)
			request->size[request->parts] = (size_t)n;
		zmq_getsockopt(handler, ZMQ_RCVMORE, &more, &size);
	}
	return true;
}

static bool part_is(const struct request *request, int part, const char *text)
{
	return request->size[part] == strlen(text) &&
	       memcmp(request->part[part], text, strlen(text)) == 0;
}

/* The name of the key, "" if it is not on the list. */
static void look_up(
	struct zap *zap, const struct request *request, char name[NAME_BYTES_MAX + 1])
{
	bool readable = request->parts == PARTS && part_is(request, 5, "CURVE") &&
			request->size[6] == KEY_BYTES;

	name[0] = 0;
	pthread_mutex_lock(&zap->lock);
	for (size_t i = 0; readable && i < zap->count; i++)
		if (memcmp(zap->entry[i].key, request->part[6], KEY_BYTES) == 0)
			strcpy(name, zap->entry[i].name);
	if (!*name)
		zap->counts.unknown++;
	pthread_mutex_unlock(&zap->lock);
}

static void send_text(void *handler, const char *text, int flags)
{
	zmq_send(handler, text, strlen(text), flags);
}

static bool answer(struct zap *zap)
{
	struct request request;
	char name[NAME_BYTES_MAX + 1];

	if (!read_request(zap->handler, &request))
		return false;
	look_up(zap, &request, name);
	send_text(zap->handler, ZAP_VERSION, ZMQ_SNDMORE);
	zmq_send(zap->handler, request.part[1], request.parts > 1 ? request.size[1] : 0,
		ZMQ_SNDMORE);
	send_text(zap->handler, *name ? "200" : "400", ZMQ_SNDMORE);
	send_text(zap->handler, *name ? "OK" : "unknown key", ZMQ_SNDMORE);
	send_text(zap->handler, name, ZMQ_SNDMORE);
	send_text(zap->handler, "", 0);
	return true;
}

/* One event: its number and value, then the address. */
static bool note(struct zap *zap)
{
	uint8_t event[6];
	uint16_t number;

	if (zmq_recv(zap->monitor, event, sizeof(event), 0) < 0 ||
		zmq_recv(zap->monitor, NULL, 0, 0) < 0)
		return false;
	memcpy(&number, event, sizeof(number));
	pthread_mutex_lock(&zap->lock);
	if (number == ZMQ_EVENT_ACCEPTED)
		zap->counts.connections++;
	else if (number == ZMQ_EVENT_HANDSHAKE_SUCCEEDED)
		zap->counts.admitted++;
	else if (number == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL ||
		 number == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL)
		zap->counts.refused++;
	pthread_mutex_unlock(&zap->lock);
	return true;
}

static void *serve(void *context)
{
	struct zap *zap = context;
	bool more = true;

	while (more) {
		zmq_pollitem_t items[] = {
			{.socket = zap->handler, .events = ZMQ_POLLIN},
			{.socket = zap->monitor, .events = ZMQ_POLLIN},
		};
		int ready = zmq_poll(items, 2, -1);

		if (ready < 0 && errno == EINTR)
			continue;
		more = ready >= 0 && (!(items[0].revents & ZMQ_POLLIN) || answer(zap)) &&
		       (!(items[1].revents & ZMQ_POLLIN) || note(zap));
	}
	zmq_close(zap->handler);
	zmq_close(zap->monitor);
	return NULL;
}

static bool open_sockets(struct zap *zap, void *socket)
{
	int events = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED |
		     ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
		     ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;
	int none = 0;

	zap->handler = zmq_socket(zap->context, ZMQ_REP);
	zap->monitor = zmq_socket(zap->context, ZMQ_PAIR);
	return zap->handler && zap->monitor &&
	       !zmq_setsockopt(zap->handler, ZMQ_LINGER, &none, sizeof(none)) &&
	       !zmq_bind(zap->handler, ZAP_ENDPOINT) &&
	       zmq_socket_monitor(socket, MONITOR_ENDPOINT, events) >= 0 &&
	       !zmq_connect(zap->monitor, MONITOR_ENDPOINT);
}

/* Signals are handled by the thread that started us. */
static bool start_thread(struct zap *zap)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&zap->thread, NULL, serve, zap);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = err;
	return err == 0;
}

bool zap_start(struct zap *zap, void *context, void *socket)
{
	zap->context = context;
	if (!open_sockets(zap, socket) || !start_thread(zap)) {
		int problem = errno;

		if (zap->handler)
			zmq_close(zap->handler);
		if (zap->monitor)
			zmq_close(zap->monitor);
		errno = problem;
		return false;
	}
	zap->running = true;
	return true;
}

void zap_stop(struct zap *zap)
{
	if (!zap->running)
		return;
	/* Wakes the thread so that it ends; what the transport has queued is still
	 * sent. */
	zmq_ctx_shutdown(zap->context);
	pthread_join(zap->thread, NULL);
	zap->running = false;
}
