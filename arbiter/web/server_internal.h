/* Between the files of the server; nobody else includes this. */
#ifndef ARBITER_WEB_SERVER_INTERNAL_H
#define ARBITER_WEB_SERVER_INTERNAL_H

#include "arbiter/web/server.h"

#include <microhttpd.h>
#include <stdatomic.h>

/* Bodies under way, counted. */
struct server_bodies {
	atomic_int all, files;
};

/* A POST whose body is being collected. */
struct server_post;

/*
 * Begins with the headers of a POST. NULL: an answer stands there instead (403, 411, 413,
 * 503).
 */
struct server_post *server_post_new(struct server_bodies *bodies,
	const struct server_route *route, const char *const *hosts,
	struct MHD_Connection *connection, struct web_answer *answer);
/* More of the body. False: it takes too long or cannot be kept; hang up. */
bool server_post_add(struct server_post *post, const char *bytes, size_t size);
/* All of it is there. */
void server_post_answer(struct server_post *post, struct server_request *request,
	struct web_answer *answer);
void server_post_free(struct server_post **post);

#endif
