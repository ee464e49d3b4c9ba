/* The bodies of requests: who may send them, and where they are stored. */
#include "arbiter/web/server/server_internal.h"
#include "protocol/memory.h"

#include <stdlib.h>
#include <string.h>

struct server_post {
	atomic_int *uploads;
	const struct server_route *route;
	char *bytes; /* NULL: the body goes to the file */
	FILE *file;
	uint64_t size, size_told;
};

static bool is_from_here(struct MHD_Connection *connection, const char *const *hosts)
{
	const char *host = server_header(connection, "Host");
	const char *origin = server_header(connection, "Origin");
	const char *site = server_header(connection, "Sec-Fetch-Site");

	if (site && strcmp(site, "same-origin"))
		return false;
	return !origin || server_origin_is_ours(origin, host, hosts);
}

bool server_route_uploads(const struct server_route *route)
{
	return route->body_max > SERVER_MEMORY_BODY;
}

/* Takes a place among the bodies that go to files. */
static bool take_place(atomic_int *uploads)
{
	if (atomic_fetch_add(uploads, 1) < SERVER_UPLOADS_MAX)
		return true;
	atomic_fetch_sub(uploads, 1);
	return false;
}

/* Takes a place for the body; false: it is answered already. */
static bool may_come(struct server *server, const struct server_route *route,
	struct MHD_Connection *connection, uint64_t *length, struct http_answer *answer)
{
	if (!is_from_here(connection, server->options.hosts))
		http_answer_error(answer, 403,
			"this was not sent by a page of this site; if the site is reached "
			"by a name, start serve with --host NAME");
	else if (!server_body_length(connection, length))
		http_answer_error(answer, 411, "Content-Length is missing");
	else if (*length > route->body_max)
		http_answer_error(answer, 413, "the body is too large");
	else if (server_route_uploads(route) && !take_place(&server->uploads))
		http_answer_error(answer, 503,
			"too many requests are being received; try again later");
	else
		return true;
	return false;
}

struct server_post *server_post_new(struct server *server,
	const struct server_route *route, struct MHD_Connection *connection,
	struct http_answer *answer)
{
	bool file = server_route_uploads(route);
	struct server_post *post;
	uint64_t length;

	if (!may_come(server, route, connection, &length, answer))
		return NULL;
	post = xcalloc(1, sizeof(*post));
	*post = (struct server_post){.uploads = &server->uploads,
		.route = route,
		.bytes = file ? NULL : xcalloc(1, (size_t)length + 1),
		.file = file ? tmpfile() : NULL,
		.size_told = length};
	if (post->bytes || post->file)
		return post;
	http_answer_error(answer, 503, "there is no room for the body; try again later");
	server_post_free(&post);
	return NULL;
}

bool server_post_add(struct server_post *post, const char *bytes, size_t size)
{
	if (size > post->size_told - post->size)
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
	if (server_route_uploads((*post)->route))
		atomic_fetch_sub((*post)->uploads, 1);
	if ((*post)->file)
		fclose((*post)->file);
	free((*post)->bytes);
	free(*post);
	*post = NULL;
}
