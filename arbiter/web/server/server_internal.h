/* Shared by the files of the server; nobody else includes this. */
#ifndef ARBITER_WEB_SERVER_SERVER_INTERNAL_H
#define ARBITER_WEB_SERVER_SERVER_INTERNAL_H

#include "arbiter/web/server/server.h"
#include "arbiter/web/server/server_guests.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

/* Everybody who follows a stream. */
struct server_streams {
	void (*look)(void *context);
	void *look_context;
	pthread_t looker;
	pthread_mutex_t mutex; /* of what follows, and held while a stream is called */
	pthread_cond_t change;
	struct server_follower *followers;
	bool ending;
};

struct server {
	struct server_options options;
	struct MHD_Daemon *daemon;
	struct guests guests;
	atomic_int uploads; /* under way */
	struct server_streams streams;
};

/*
 * Is this a request that is answered at all? False: it is answered already.
 *
 * 400 for what two programs could read in two ways, so that nobody hides a request in
 * another one from a web server in front; 421 for a Host that is not ours, so that no
 * page of another site reads this one by a name that it lets point here.
 */
bool server_check(const struct server_options *options, struct MHD_Connection *connection,
	const char *target, struct http_answer *answer);
/* Is an Origin this site? `host` is the Host of the request. */
bool server_origin_is_ours(
	const char *origin, const char *host, const char *const *hosts);
/* NULL: there is none. */
const char *server_header(struct MHD_Connection *connection, const char *name);
/* False: there is no Content-Length. */
bool server_body_length(struct MHD_Connection *connection, uint64_t *length);

/* A POST whose body is being collected. */
struct server_post;

/*
 * Begins with the headers of a POST. NULL: it is answered already (403, 411, 413, 503).
 */
struct server_post *server_post_new(struct server *server,
	const struct server_route *route, struct MHD_Connection *connection,
	struct http_answer *answer);
/* Do its bodies go to files? */
bool server_route_uploads(const struct server_route *route);
/* More of the body. False: it cannot be stored; hang up. */
bool server_post_add(struct server_post *post, const char *bytes, size_t size);
/* The body is complete: calls the function of its route. */
void server_post_answer(struct server_post *post, struct server_request *request,
	struct http_answer *answer);
void server_post_free(struct server_post **post);

/* Starts the thread that looks for new events, after each call of `look`; false: it
 * cannot be started. */
bool server_streams_start(
	struct server_streams *streams, void (*look)(void *context), void *look_context);
/* Ends all streams, and waits a little until their last events are sent. */
void server_streams_end(struct server_streams *streams);
/* After the daemon was stopped. */
void server_streams_release(struct server_streams *streams);
/* Takes the stream. */
enum MHD_Result server_streams_send(struct server_streams *streams,
	struct MHD_Connection *connection, struct server_stream stream);
void server_streams_wake(struct server_streams *streams);

/* The headers of every answer. */
void server_add_headers(struct MHD_Response *response);

#endif
