#include "arbiter/web/live.h"
#include "arbiter/web/server_internal.h"
#include "protocol/memory.h"
#include "arbiter/base/json_text.h"

#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define TAG_SIZE         16
#define WATCHERS_MS_MAX  1000
#define WATCHERS_LOOK_MS 10
#define LOOK_MS          250 /* between two looks at the matches under way */
#define STREAM_BYTES     16384
#define HEARTBEAT        ":\n\n" /* a comment, for browsers */

struct server {
	struct server_options options;
	struct MHD_Daemon *daemon;
	struct server_bodies bodies;
	pthread_t looker;
	pthread_mutex_t mutex; /* of what follows, and held while a stream is asked */
	pthread_cond_t change;
	struct live *live;
	struct watcher *watchers;
	bool ending;
};

/* Who gets a stream. */
struct watcher {
	struct server *server;
	struct MHD_Connection *connection;
	struct server_stream stream;
	bool waiting; /* the connection is suspended */
	bool beat;    /* say something, if only to learn whether somebody is there */
	time_t silent_since_s;
	struct watcher *next;
};

static int question_begun; /* its address is the state of a request without a body */

static const char *const headers[][2] = {
	{"Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; "
		"connect-src 'self'; img-src 'self'; base-uri 'none'; "
		"form-action 'none'; frame-ancestors 'none'"},
	{"X-Content-Type-Options", "nosniff"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Vary", "Authorization"},
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

static enum MHD_Result send_answer(
	struct MHD_Connection *connection, struct web_answer *answer, const char *tag)
{
	unsigned status = (unsigned)answer->status;
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
	if (status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
	add_headers(response);
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result send_site(struct web *web, struct MHD_Connection *connection,
	const char *path, const char *token)
{
	const char *known =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "If-None-Match");
	char tag[2 * TAG_SIZE + 3];
	struct web_answer answer;

	web_answer(web, path, token, &answer);
	if (answer.file >= 0 || answer.status != 200)
		return send_answer(connection, &answer, NULL);
	make_tag(&answer, tag);
	if (!known || strcmp(known, tag))
		return send_answer(connection, &answer, tag);
	free(answer.owned);
	answer.owned = NULL;
	answer.size = 0;
	answer.bytes = "";
	answer.status = MHD_HTTP_NOT_MODIFIED;
	return send_answer(connection, &answer, tag);
}

static void add_watcher(struct server *server, struct watcher *watcher)
{
	watcher->next = server->watchers;
	server->watchers = watcher;
}

static void remove_watcher(struct server *server, struct watcher *watcher)
{
	struct watcher **at = &server->watchers;

	while (*at != watcher)
		at = &(*at)->next;
	*at = watcher->next;
}

static time_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static ssize_t read_stream(void *context, uint64_t position, char *bytes, size_t size)
{
	struct watcher *watcher = context;
	struct server *server = watcher->server;
	ssize_t n;

	(void)position;
	pthread_mutex_lock(&server->mutex);
	n = watcher->stream.read(watcher->stream.self, bytes, size);
	if (!n && server->ending)
		n = -1;
	if (!n && watcher->beat) {
		n = (ssize_t)strlen(HEARTBEAT);
		memcpy(bytes, HEARTBEAT, (size_t)n);
	}
	watcher->beat = false;
	if (!n) {
		watcher->silent_since_s = now_s();
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
	remove_watcher(watcher->server, watcher);
	watcher->stream.close(watcher->stream.self);
	pthread_mutex_unlock(&watcher->server->mutex);
	free(watcher);
}

static enum MHD_Result send_stream(struct server *server,
	struct MHD_Connection *connection, struct server_stream stream)
{
	struct watcher *watcher = xcalloc(1, sizeof(*watcher));
	struct MHD_Response *response;
	enum MHD_Result result;

	*watcher = (struct watcher){
		.server = server, .connection = connection, .stream = stream};
	pthread_mutex_lock(&server->mutex);
	add_watcher(server, watcher);
	pthread_mutex_unlock(&server->mutex);
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

static ssize_t live_read(void *self, char *bytes, size_t size)
{
	return live_stream_read(self, bytes, size);
}

static bool live_ready(void *self)
{
	return live_stream_ready(self);
}

static void live_close(void *self)
{
	struct live_stream *stream = self;

	live_stream_free(&stream);
}

static enum MHD_Result send_live(
	struct server *server, struct MHD_Connection *connection, const char *file)
{
	struct server_stream stream = {live_read, live_ready, live_close, NULL};
	struct web_answer answer;

	pthread_mutex_lock(&server->mutex);
	stream.self = live_stream_new(server->live, file);
	pthread_mutex_unlock(&server->mutex);
	if (stream.self)
		return send_stream(server, connection, stream);
	server_answer_error(&answer, 503, "too many are watching");
	return send_answer(connection, &answer, NULL);
}

/*
 * Wakes the connections whose streams have something to say. One that has been silent for
 * long is woken too: that its browser is gone is only noticed by writing.
 */
static void wake(struct server *server)
{
	for (struct watcher *w = server->watchers; w; w = w->next) {
		if (!w->waiting)
			continue;
		w->beat = now_s() - w->silent_since_s >= SERVER_HEARTBEAT_S;
		if (!w->beat && !server->ending && !w->stream.ready(w->stream.self))
			continue;
		w->waiting = false;
		MHD_resume_connection(w->connection);
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

static bool is_question(const char *method)
{
	return !strcmp(method, MHD_HTTP_METHOD_GET) ||
	       !strcmp(method, MHD_HTTP_METHOD_HEAD);
}

/* The route with the longest path that fits; *rest is what follows it. */
static const struct server_route *find_route(const struct server *server,
	const char *method, const char *path, const char **rest)
{
	const struct server_route *route = server->options.routes, *found = NULL;
	size_t longest = 0;

	if (is_question(method))
		method = MHD_HTTP_METHOD_GET;
	for (; route && route->method; route++) {
		size_t length = strlen(route->path);
		bool below = route->path[length - 1] == '/';

		if (length <= longest || strcmp(route->method, method) ||
			strncmp(route->path, path, length) || (!below && path[length]))
			continue;
		found = route;
		longest = length;
	}
	*rest = path + longest;
	return found;
}

static enum MHD_Result answer_question(struct server *server,
	struct MHD_Connection *connection, const char *method,
	struct server_request *request)
{
	const struct server_route *route =
		find_route(server, method, request->path, &request->rest);
	struct server_stream stream;
	struct web_answer answer;
	char file[4096];

	if (route && route->stream) {
		if (route->stream(route->context, request, &stream, &answer))
			return send_stream(server, connection, stream);
		return send_answer(connection, &answer, NULL);
	}
	if (route) {
		route->answer(route->context, request, &answer);
		return send_answer(connection, &answer, NULL);
	}
	if (web_live_find(server->options.web, request->path, file, sizeof(file)))
		return send_live(server, connection, file);
	return send_site(server->options.web, connection, request->path, request->token);
}

static enum MHD_Result begin_post(struct server *server,
	struct MHD_Connection *connection, const char *method,
	struct server_request *request, void **state)
{
	const struct server_route *route =
		find_route(server, method, request->path, &request->rest);
	struct web_answer answer;

	if (route && route->admit && !route->admit(route->context, request, &answer))
		return send_answer(connection, &answer, NULL);
	if (route) {
		*state = server_post_new(&server->bodies, route, server->options.hosts,
			connection, &answer);
		if (*state)
			return MHD_YES;
	} else {
		server_answer_error(&answer, 405, "this can only be read");
	}
	return send_answer(connection, &answer, NULL);
}

static enum MHD_Result go_on_with_post(struct server *server,
	struct MHD_Connection *connection, const char *method,
	struct server_request *request, const char *data, size_t *data_size,
	struct server_post *post)
{
	struct web_answer answer;

	if (*data_size) {
		if (!server_post_add(post, data, *data_size))
			return MHD_NO;
		*data_size = 0;
		return MHD_YES;
	}
	find_route(server, method, request->path, &request->rest);
	server_post_answer(post, request, &answer);
	return send_answer(connection, &answer, NULL);
}

static const char *find_token(struct MHD_Connection *connection)
{
	const char *text = MHD_lookup_connection_value(
		connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);

	return text && !strncasecmp(text, "Bearer ", 7) ? text + 7 : NULL;
}

/* Called first when the headers are there, and again after them. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection,
	const char *path, const char *method, const char *version, const char *data,
	size_t *data_size, void **state)
{
	struct server *server = context;
	struct server_request request = {
		.path = path, .token = find_token(connection), .file = -1};

	(void)version;
	if (!*state && !is_question(method))
		return begin_post(server, connection, method, &request, state);
	if (!*state) {
		*state = &question_begun;
		return MHD_YES;
	}
	if (*state != &question_begun)
		return go_on_with_post(
			server, connection, method, &request, data, data_size, *state);
	/* A body that nobody asked for. */
	if (*data_size) {
		*data_size = 0;
		return MHD_YES;
	}
	return answer_question(server, connection, method, &request);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
	enum MHD_RequestTerminationCode code)
{
	struct server_post *post = *state;

	(void)context;
	(void)connection;
	(void)code;
	if (post && *state != &question_begun)
		server_post_free(&post);
	*state = NULL;
}

void server_answer_json(struct web_answer *answer, int status, json_t *json)
{
	char *text = json_to_text(json, JSON_COMPACT);

	json_decref(json);
	*answer = (struct web_answer){.status = status,
		.type = "application/json",
		.bytes = text,
		.owned = text,
		.size = strlen(text),
		.file = -1};
}

void server_answer_error(struct web_answer *answer, int status, const char *sentence)
{
	server_answer_json(answer, status, json_pack("{s:s}", "error", sentence));
}

static struct addrinfo *find_address(const char *address, int port, struct why *why)
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
		.ai_socktype = SOCK_STREAM};
	struct addrinfo *found;
	char service[8];

	snprintf(service, sizeof(service), "%d", port);
	if (getaddrinfo(address, service, &hints, &found) == 0)
		return found;
	why_set(why,
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

static struct MHD_Daemon *start_daemon(struct server *server, struct addrinfo *at)
{
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;

	if (at->ai_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	return MHD_start_daemon(flags, (uint16_t)server->options.port, NULL, NULL, handle,
		server, MHD_OPTION_SOCK_ADDR, at->ai_addr, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)SERVER_CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)SERVER_SILENCE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)SERVER_REQUEST_BYTES, MHD_OPTION_THREAD_POOL_SIZE,
		(unsigned)SERVER_THREADS, MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL,
		MHD_OPTION_END);
}

struct server *server_start(const struct server_options *options, struct why *why)
{
	struct addrinfo *found = find_address(options->address, options->port, why);
	struct server *server;

	if (!found)
		return NULL;
	server = xcalloc(1, sizeof(*server));
	server->options = *options;
	server->live = live_new();
	pthread_mutex_init(&server->mutex, NULL);
	pthread_cond_init(&server->change, NULL);
	server->daemon = start_daemon(server, found);
	if (!server->daemon) {
		why_set(why,
			"cannot listen at %s, port %d: %s; choose another with --port",
			options->address, options->port, strerror(errno));
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

void server_wake(struct server *server)
{
	pthread_mutex_lock(&server->mutex);
	pthread_cond_signal(&server->change);
	pthread_mutex_unlock(&server->mutex);
}

/* The last events of their streams are on the way to them. A browser that does not read
 * is not waited for. */
static void await_watchers(struct server *server)
{
	const struct timespec pause = {0, WATCHERS_LOOK_MS * 1000000L};
	bool any = true;

	for (int ms = 0; any && ms < WATCHERS_MS_MAX; ms += WATCHERS_LOOK_MS) {
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&server->mutex);
		any = server->watchers;
		pthread_mutex_unlock(&server->mutex);
	}
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
	await_watchers(*server);
	MHD_stop_daemon((*server)->daemon);
	release(server);
}
