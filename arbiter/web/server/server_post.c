/* The bodies of requests: who may send them, and where they are stored. */
#include "arbiter/base/time.h"
#include "arbiter/web/server/server_internal.h"
#include "protocol/memory.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define HOST_MAX 260

struct server_post {
	struct server_bodies *bodies;
	const struct server_route *route;
	char *bytes; /* NULL: the body goes to the file */
	FILE *file;
	uint64_t size, size_told;
	mono_ns begun;
};

/* "pigs.example:8080" to "pigs.example", "[::1]:8080" to "::1". */
static bool host_name(const char *host, char name[HOST_MAX])
{
	bool bracket = *host == '[';
	size_t length = strcspn(host += bracket, bracket ? "]" : ":");

	if (!length || length >= HOST_MAX)
		return false;
	memcpy(name, host, length);
	name[length] = 0;
	return true;
}

static bool is_named(const char *const *hosts, const char *name)
{
	for (; hosts && *hosts; hosts++)
		if (!strcasecmp(*hosts, name))
			return true;
	return false;
}

/* A page of another site can reach this machine by a name of its own, but not by
 * these. */
static bool host_is_ours(const char *host, const char *const *hosts)
{
	char name[HOST_MAX];
	uint8_t address[16];

	if (!host || !host_name(host, name))
		return false;
	return inet_pton(AF_INET, name, address) == 1 ||
	       inet_pton(AF_INET6, name, address) == 1 ||
	       !strcasecmp(name, "localhost") || is_named(hosts, name);
}

/* A web server in front may have put its own address into Host. */
static bool origin_is_ours(const char *origin, const char *host, const char *const *hosts)
{
	const char *at = strstr(origin, "://");
	char name[HOST_MAX];

	if (!at)
		return false;
	at += 3;
	return !strcasecmp(at, host) || (host_name(at, name) && is_named(hosts, name));
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static bool is_from_here(struct MHD_Connection *connection, const char *const *hosts)
{
	const char *host = header(connection, "Host");
	const char *origin = header(connection, "Origin");
	const char *site = header(connection, "Sec-Fetch-Site");

	if (!host_is_ours(host, hosts) || (site && strcmp(site, "same-origin")))
		return false;
	return !origin || origin_is_ours(origin, host, hosts);
}

static bool parse_length(const char *text, uint64_t *length)
{
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*length = strtoull(text, &end, 10);
	return !*end && !errno;
}

/* Takes a place among the bodies under way. */
static bool take_place(struct server_bodies *bodies, bool file)
{
	if (atomic_fetch_add(&bodies->all, 1) >= SERVER_BODIES_MAX) {
		atomic_fetch_sub(&bodies->all, 1);
		return false;
	}
	if (file && atomic_fetch_add(&bodies->files, 1) >= SERVER_FILES_MAX) {
		atomic_fetch_sub(&bodies->files, 1);
		atomic_fetch_sub(&bodies->all, 1);
		return false;
	}
	return true;
}

/* Takes a place for the body; false: it is answered already. */
static bool may_come(struct server_bodies *bodies, const struct server_route *route,
	const char *const *hosts, struct MHD_Connection *connection, uint64_t *length,
	struct http_answer *answer)
{
	if (!is_from_here(connection, hosts))
		http_answer_error(answer, 403,
			"this was not sent by a page of this site; if the site is reached "
			"by a name, start serve with --host NAME");
	else if (!parse_length(header(connection, "Content-Length"), length))
		http_answer_error(answer, 411, "Content-Length is missing");
	else if (*length > route->body_max)
		http_answer_error(answer, 413, "the body is too large");
	else if (!take_place(bodies, route->body_max > SERVER_MEMORY_BODY))
		http_answer_error(answer, 503,
			"too many requests are being received; try again later");
	else
		return true;
	return false;
}

struct server_post *server_post_new(struct server_bodies *bodies,
	const struct server_route *route, const char *const *hosts,
	struct MHD_Connection *connection, struct http_answer *answer)
{
	bool file = route->body_max > SERVER_MEMORY_BODY;
	struct server_post *post;
	uint64_t length;

	if (!may_come(bodies, route, hosts, connection, &length, answer))
		return NULL;
	post = xcalloc(1, sizeof(*post));
	*post = (struct server_post){.bodies = bodies,
		.route = route,
		.bytes = file ? NULL : xcalloc(1, (size_t)length + 1),
		.file = file ? tmpfile() : NULL,
		.size_told = length,
		.begun = time_now(&time_system)};
	if (post->bytes || post->file)
		return post;
	http_answer_error(answer, 503, "there is no room for the body; try again later");
	server_post_free(&post);
	return NULL;
}

bool server_post_add(struct server_post *post, const char *bytes, size_t size)
{
	if (size > post->size_told - post->size ||
		time_now(&time_system) - post->begun > SERVER_BODY_S * NS_PER_S)
		return false;
	if (post->bytes)
		memcpy(post->bytes + post->size, bytes, size);
	else if (fwrite(bytes, 1, size, post->file) != size)
		return false;
	post->size += size;
	return true;
}

void server_post_answer(struct server_post *post, struct server_request *request,
	struct http_answer *answer)
{
	request->body = post->bytes;
	request->size = post->size;
	if (post->file && (fflush(post->file) || fseek(post->file, 0, SEEK_SET))) {
		http_answer_error(
			answer, 503, "there is no room for the body; try again later");
		return;
	}
	request->file = post->file ? fileno(post->file) : -1;
	post->route->answer(post->route->context, request, answer);
}

void server_post_free(struct server_post **post)
{
	if (!*post)
		return;
	atomic_fetch_sub(&(*post)->bodies->all, 1);
	if ((*post)->route->body_max > SERVER_MEMORY_BODY)
		atomic_fetch_sub(&(*post)->bodies->files, 1);
	if ((*post)->file)
		fclose((*post)->file);
	free((*post)->bytes);
	free(*post);
	*post = NULL;
}
