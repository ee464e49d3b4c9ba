#include "arbiter/web/live.h"
#include "arbiter/web/server.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG_SIZE     16
#define LOOK_MS      250 /* between two looks at the matches under way */
#define STREAM_BYTES 16384

struct server {
	struct web *web;
	struct MHD_Daemon *daemon;
	pthread_mutex_t mutex; /* of what follows */
	pthread_cond_t change;
	struct live *live;
	bool ending;
	pthread_t looker;
};

/* What a stream belongs to; the context of a struct live_stream. */
struct watcher {
	struct server *server;
	struct MHD_Connection *connection;
	struct live_stream *stream;
	bool waiting; /* the connection is suspended */
};

static const char *const headers[][2] = {
	{"Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; "
		"connect-src 'self'; img-src 'self'; base-uri 'none'; "
		"form-action 'none'; frame-ancestors 'none'"},
	{"X-Content-Type-Options", "nosniff"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
};

/* A quoted hash of the bytes, so that a browser asks for what it has only once. */
static void make_tag(const struct web_answer *answer, char tag[2 * TAG_SIZE + 3])
{
	uint8_t hash[TAG_SIZE];

	crypto_generichash(hash, sizeof(hash), (const uint8_t *)answer->bytes,
		answer->size, NULL, 0);
	tag[0] = '"';
	sodium_bin2hex(tag + 1, 2 * TAG_SIZE + 1, hash, sizeof(hash));
	strcpy(tag + 2 * TAG_SIZE + 1, "\"");
}

/* Takes bytes or file of the answer. */
static struct MHD_Response *make_body(struct web_answer *answer)
{
	if (answer->file >= 0)
		return MHD_create_response_from_fd64(answer->size, answer->file);
	return MHD_create_response_from_buffer(answer->size, (void *)answer->bytes,
		answer->owned ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
}

static void add_headers(struct MHD_Response *response)
{
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		MHD_add_response_header(response, headers[i][0], headers[i][1]);
}

static enum MHD_Result send_answer(struct MHD_Connection *connection,
	struct web_answer *answer, unsigned status, const char *tag)
{
	struct MHD_Response *response = make_body(answer);
	enum MHD_Result result;
	char type[64];

	if (!response) {
		web_answer_release(answer);
		return MHD_NO;
	}
	snprintf(type, sizeof(type), "%s%s", answer->type,
		strncmp(answer->type, "text/", 5) ? "" : "; charset=utf-8");
	MHD_add_response_header(response, "Content-Type", type);
	MHD_add_response_header(response, "Cache-Control",
		answer->lasting ? "private, max-age=3600" : "no-cache");
	if (tag)
		MHD_add_response_header(response, "ETag", tag);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, "Allow", "GET, HEAD");
	add_headers(response);
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result send_site(
	struct web *web, struct MHD_Connection *connection, const char *path)
{
	const char *known =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "If-None-Match");
	char tag[2 * TAG_SIZE + 3];
	struct web_answer answer;

	web_answer(web, path, &answer);
	if (answer.file >= 0 || answer.status != 200)
		return send_answer(connection, &answer, (unsigned)answer.status, NULL);
	make_tag(&answer, tag);
	if (!known || strcmp(known, tag))
		return send_answer(connection, &answer, MHD_HTTP_OK, tag);
	free(answer.owned);
	answer.owned = NULL;
	answer.size = 0;
	answer.bytes = "";
	return send_answer(connection, &answer, MHD_HTTP_NOT_MODIFIED, tag);
}

static ssize_t read_stream(void *context, uint64_t position, char *bytes, size_t size)
{
	struct watcher *watcher = context;
	struct server *server = watcher->server;
	ssize_t n;

	(void)position;
	pthread_mutex_lock(&server->mutex);
	n = server->ending ? -1 : live_stream_read(watcher->stream, bytes, size);
	if (!n) {
		watcher->waiting = true;
		MHD_suspend_connection(watcher->connection);
	}
	pthread_mutex_unlock(&server->mutex);
	return n < 0 ? MHD_CONTENT_READER_END_OF_STREAM : n;
}

static void free_stream(void *context)
{
	struct watcher *watcher = context;

	pthread_mutex_lock(&watcher->server->mutex);
	live_stream_free(watcher->server->live, &watcher->stream);
	pthread_mutex_unlock(&watcher->server->mutex);
	free(watcher);
}

static enum MHD_Result send_stream(
	struct server *server, struct MHD_Connection *connection, const char *file)
{
	struct watcher *watcher = calloc(1, sizeof(*watcher));
	struct MHD_Response *response;
	enum MHD_Result result;

	if (!watcher)
		abort();
	*watcher = (struct watcher){.server = server, .connection = connection};
	pthread_mutex_lock(&server->mutex);
	watcher->stream = live_stream_new(server->live, file, watcher);
	pthread_mutex_unlock(&server->mutex);
	if (!watcher->stream) {
		static const char full[] = "{\"error\":\"too many are watching\"}";
		struct web_answer answer = {.type = "application/json",
			.bytes = full,
			.size = sizeof(full) - 1,
			.file = -1};

		free(watcher);
		return send_answer(
			connection, &answer, MHD_HTTP_SERVICE_UNAVAILABLE, NULL);
	}
	response = MHD_create_response_from_callback(
		MHD_SIZE_UNKNOWN, STREAM_BYTES, read_stream, watcher, free_stream);
	if (!response)
		abort();
	MHD_add_response_header(response, "Content-Type", "text/event-stream");
	MHD_add_response_header(response, "Cache-Control", "no-store");
	add_headers(response);
	result = MHD_queue_response(connection, MHD_HTTP_OK, response);
	MHD_destroy_response(response);
	return result;
}

/* Wakes the connections whose streams have something to say. */
static void wake(struct server *server)
{
	struct live_stream *stream = NULL;

	while ((stream = live_stream_next(server->live, stream))) {
		struct watcher *watcher = live_stream_context(stream);

		if (!watcher->waiting || (!server->ending && !live_stream_ready(stream)))
			continue;
		watcher->waiting = false;
		MHD_resume_connection(watcher->connection);
	}
}

static void *look_at_matches(void *context)
{
	struct server *server = context;
	struct timespec next;

	pthread_mutex_lock(&server->mutex);
	while (!server->ending) {
		live_look(server->live);
		wake(server);
		clock_gettime(CLOCK_REALTIME, &next);
		next.tv_nsec += LOOK_MS * 1000000L;
		next.tv_sec += next.tv_nsec / 1000000000L;
		next.tv_nsec %= 1000000000L;
		pthread_cond_timedwait(&server->change, &server->mutex, &next);
	}
	wake(server);
	pthread_mutex_unlock(&server->mutex);
	return NULL;
}

/* Called first when the headers are there, and again after them. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection,
	const char *path, const char *method, const char *version, const char *data,
	size_t *data_size, void **state)
{
	static const char refusal[] = "{\"error\":\"this site can only be read\"}";
	static int begun;
	struct server *server = context;
	char file[4096];

	(void)version;
	(void)data;
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD)) {
		struct web_answer answer = {.type = "application/json",
			.bytes = refusal,
			.size = sizeof(refusal) - 1,
			.file = -1};

		return send_answer(
			connection, &answer, MHD_HTTP_METHOD_NOT_ALLOWED, NULL);
	}
	if (!*state) {
		*state = &begun;
		return MHD_YES;
	}
	/* A body that nobody asked for. */
	if (*data_size) {
		*data_size = 0;
		return MHD_YES;
	}
	if (web_live_find(server->web, path, file, sizeof(file)))
		return send_stream(server, connection, file);
	return send_site(server->web, connection, path);
}

static struct addrinfo *find_address(
	const char *address, int port, char *why, size_t why_size)
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
		.ai_socktype = SOCK_STREAM};
	struct addrinfo *found;
	char service[8];

	snprintf(service, sizeof(service), "%d", port);
	if (getaddrinfo(address, service, &hints, &found) == 0)
		return found;
	snprintf(why, why_size,
		"'%s' is no numeric address; 127.0.0.1 is for this machine alone, "
		"0.0.0.0 for all that can reach it",
		address);
	return NULL;
}

static void release(struct server **server)
{
	live_free(&(*server)->live);
	pthread_mutex_destroy(&(*server)->mutex);
	pthread_cond_destroy(&(*server)->change);
	free(*server);
	*server = NULL;
}

struct server *server_start(
	struct web *web, const char *address, int port, char *why, size_t why_size)
{
	struct addrinfo *found = find_address(address, port, why, why_size);
	struct server *server;
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;

	if (!found)
		return NULL;
	server = calloc(1, sizeof(*server));
	if (!server)
		abort();
	server->web = web;
	server->live = live_new();
	pthread_mutex_init(&server->mutex, NULL);
	pthread_cond_init(&server->change, NULL);
	if (found->ai_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	server->daemon = MHD_start_daemon(flags, (uint16_t)port, NULL, NULL, handle,
		server, MHD_OPTION_SOCK_ADDR, found->ai_addr, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)SERVER_CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)SERVER_SILENCE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)SERVER_REQUEST_BYTES, MHD_OPTION_THREAD_POOL_SIZE,
		(unsigned)SERVER_THREADS, MHD_OPTION_END);
	if (!server->daemon) {
		snprintf(why, why_size,
			"cannot listen at %s, port %d: %s; choose another with --port",
			address, port, strerror(errno));
		release(&server);
	} else if (pthread_create(&server->looker, NULL, look_at_matches, server)) {
		abort();
	}
	freeaddrinfo(found);
	return server;
}

int server_port(const struct server *server)
{
	return MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

void server_stop(struct server **server)
{
	if (!*server)
		return;
	pthread_mutex_lock(&(*server)->mutex);
	(*server)->ending = true;
	pthread_cond_signal(&(*server)->change);
	pthread_mutex_unlock(&(*server)->mutex);
	pthread_join((*server)->looker, NULL);
	MHD_stop_daemon((*server)->daemon);
	release(server);
}
