/* Connections, routes and answers. */
#include "arbiter/web/server/server_internal.h"
#include "protocol/memory.h"

#include <errno.h>
#include <netdb.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TAG_SIZE 16

static const char *const headers[][2] = {
	{"Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; "
		"connect-src 'self'; img-src 'self'; base-uri 'none'; "
		"form-action 'none'; frame-ancestors 'none'"},
	{"X-Content-Type-Options", "nosniff"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Vary", "Authorization"},
	{"Connection", "close"},
};

/* A quoted hash of the bytes, so that a browser does not load again what it has. */
static void make_tag(const struct http_answer *answer, char tag[2 * TAG_SIZE + 3])
{
	uint8_t hash[TAG_SIZE];

	crypto_generichash(hash, sizeof(hash), (const uint8_t *)answer->bytes,
		answer->size, NULL, 0);
	tag[0] = '"';
	sodium_bin2hex(tag + 1, 2 * TAG_SIZE + 1, hash, sizeof(hash));
	strcpy(tag + 2 * TAG_SIZE + 1, "\"");
}

/* Takes over the bytes or the file of the answer. */
static struct MHD_Response *make_body(struct http_answer *answer)
{
	if (answer->file >= 0)
		return MHD_create_response_from_fd64(answer->size, answer->file);
	return MHD_create_response_from_buffer(answer->size, (void *)answer->bytes,
		answer->owned ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
}

void server_add_headers(struct MHD_Response *response)
{
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		MHD_add_response_header(response, headers[i][0], headers[i][1]);
}

static enum MHD_Result send_answer(
	struct MHD_Connection *connection, struct http_answer *answer, const char *tag)
{
	unsigned status = (unsigned)answer->status;
	struct MHD_Response *response = make_body(answer);
	enum MHD_Result result;
	char type[64];

	if (!response) {
		http_answer_release(answer);
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
	server_add_headers(response);
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

/* With an ETag, and without a body if the browser has the same version. */
static enum MHD_Result send_tagged(
	struct MHD_Connection *connection, struct http_answer *answer)
{
	const char *known =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "If-None-Match");
	const char *type = answer->type;
	char tag[2 * TAG_SIZE + 3];

	if (answer->file >= 0 || answer->status != 200)
		return send_answer(connection, answer, NULL);
	make_tag(answer, tag);
	if (known && !strcmp(known, tag)) {
		http_answer_release(answer);
		http_answer_bytes(answer, type, "", 0);
		answer->status = MHD_HTTP_NOT_MODIFIED;
	}
	return send_answer(connection, answer, tag);
}

/* HEAD is a GET whose body is left out. */
static bool is_get(const char *method)
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

	if (is_get(method))
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

static struct guest *guest_of(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
		->socket_context;
}

/* What is part of the program is there anyway. */
static uint64_t bytes_held(const struct http_answer *answer)
{
	return answer->owned || answer->file >= 0 ? answer->size : 0;
}

/* Nothing more is asked on this connection. */
static enum MHD_Result reply(struct server *server, struct MHD_Connection *connection,
	struct http_answer *answer)
{
	guests_answer(&server->guests, guest_of(connection), bytes_held(answer));
	return send_answer(connection, answer, NULL);
}

static enum MHD_Result answer_get(struct server *server,
	struct MHD_Connection *connection, const char *method,
	struct server_request *request)
{
	const struct server_route *route =
		find_route(server, method, request->path, &request->rest);
	struct guest *guest = guest_of(connection);
	struct server_stream stream;
	struct http_answer answer;

	if (!route) {
		http_answer_missing(&answer);
	} else if (!route->stream) {
		route->answer(route->context, request, &answer);
	} else if (route->stream(route->context, request, &stream, &answer)) {
		guests_enter(&server->guests, guest, GUEST_FOLLOWING);
		return server_streams_send(&server->streams, connection, stream);
	}
	guests_answer(&server->guests, guest, bytes_held(&answer));
	return send_tagged(connection, &answer);
}

static enum MHD_Result begin_post(struct server *server,
	struct MHD_Connection *connection, const char *method,
	struct server_request *request, void **state)
{
	const struct server_route *route =
		find_route(server, method, request->path, &request->rest);
	struct http_answer answer;

	if (!route) {
		http_answer_error(&answer, 405, "only GET and HEAD are allowed here");
		return reply(server, connection, &answer);
	}
	if (route->admit && !route->admit(route->context, request, &answer))
		return reply(server, connection, &answer);
	*state = server_post_new(server, route, connection, &answer);
	if (!*state)
		return reply(server, connection, &answer);
	if (server_route_uploads(route))
		guests_enter(&server->guests, guest_of(connection), GUEST_SENDING);
	return MHD_YES;
}

static enum MHD_Result go_on_with_post(struct server *server,
	struct MHD_Connection *connection, const char *method,
	struct server_request *request, const char *data, size_t *data_size,
	struct server_post *post)
{
	struct http_answer answer;

	if (*data_size) {
		if (!server_post_add(post, data, *data_size))
			return MHD_NO;
		*data_size = 0;
		return MHD_YES;
	}
	find_route(server, method, request->path, &request->rest);
	server_post_answer(post, request, &answer);
	return reply(server, connection, &answer);
}

static const char *find_token(struct MHD_Connection *connection)
{
	const char *text = server_header(connection, MHD_HTTP_HEADER_AUTHORIZATION);

	return text && !strncasecmp(text, "Bearer ", 7) ? text + 7 : NULL;
}

/* Called when the headers have arrived; of a POST then for each part of the body and at
 * its end. What is answered at once is not read any further. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection,
	const char *path, const char *method, const char *version, const char *data,
	size_t *data_size, void **state)
{
	struct server *server = context;
	struct server_request request = {
		.path = path, .token = find_token(connection), .file = -1};
	struct http_answer answer;

	(void)version;
	if (*state)
		return go_on_with_post(
			server, connection, method, &request, data, data_size, *state);
	if (!server_check(&server->options, connection, path, &answer))
		return reply(server, connection, &answer);
	if (is_get(method))
		return answer_get(server, connection, method, &request);
	return begin_post(server, connection, method, &request, state);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
	enum MHD_RequestTerminationCode code)
{
	struct server_post *post = *state;

	(void)context;
	(void)connection;
	(void)code;
	server_post_free(&post);
	*state = NULL;
}

/* The socket is open in both calls. */
static void on_connection(void *context, struct MHD_Connection *connection, void **guest,
	enum MHD_ConnectionNotificationCode code)
{
	struct server *server = context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		*guest = guests_come(&server->guests,
			MHD_get_connection_info(
				connection, MHD_CONNECTION_INFO_CONNECTION_FD)
				->connect_fd,
			MHD_get_connection_info(
				connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)
				->client_addr);
	else
		guests_leave(&server->guests, (struct guest **)guest);
}

static void look(void *context)
{
	struct server *server = context;

	guests_look(&server->guests);
	if (server->options.look)
		server->options.look(server->options.look_context);
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
		"'%s' is not a numeric address; 127.0.0.1 is for this machine alone, "
		"0.0.0.0 for all that can reach it",
		address);
	return NULL;
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
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, server, MHD_OPTION_END);
}

/* The daemon and the thread of its streams. */
static bool start(struct server *server, struct addrinfo *at, struct why *why)
{
	if (!server_streams_start(&server->streams, look, server))
		return why_set(
			why, "the thread that serves the streams cannot be started");
	server->daemon = start_daemon(server, at);
	if (server->daemon)
		return true;
	why_set(why, "cannot listen at %s, port %d: %s; choose another with --port",
		server->options.address, server->options.port, strerror(errno));
	server_streams_end(&server->streams);
	server_streams_release(&server->streams);
	return false;
}

struct server *server_start(const struct server_options *options, struct why *why)
{
	struct addrinfo *found = find_address(options->address, options->port, why);
	struct server *server;

	if (!found)
		return NULL;
	server = xcalloc(1, sizeof(*server));
	server->options = *options;
	guests_init(&server->guests, &time_system);
	if (!start(server, found, why)) {
		guests_release(&server->guests);
		free(server);
		server = NULL;
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
	server_streams_wake(&server->streams);
}

void server_stop(struct server **server)
{
	if (!*server)
		return;
	server_streams_end(&(*server)->streams);
	MHD_stop_daemon((*server)->daemon);
	server_streams_release(&(*server)->streams);
	guests_release(&(*server)->guests);
	free(*server);
	*server = NULL;
}
