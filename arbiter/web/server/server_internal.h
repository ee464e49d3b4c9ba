/* Shared by the files of the server; nobody else includes this. */
#ifndef ARBITER_WEB_SERVER_SERVER_INTERNAL_H
#define ARBITER_WEB_SERVER_SERVER_INTERNAL_H

#include "arbiter/web/server/server.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

/* How many bodies are being received. */
struct server_bodies {
	atomic_int all, files;
};

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
	struct server_bodies bodies;
	struct server_streams streams;
};

/* A POST whose body is being collected. */
struct server_post;

/*
 * Begins with the headers of a POST. NULL: it is answered already (403, 411, 413, 503).
 */
struct server_post *server_post_new(struct server_bodies *bodies,
	const struct server_route *route, const char *const *hosts,
	struct MHD_Connection *connection, struct http_answer *answer);
/* More of the body. False: it takes too long or cannot be stored; hang up. */
bool server_post_add(struct server_post *post, const char *bytes, size_t size);
/* The body is complete: calls the function of its route. */
void server_post_answer(struct server_post *post, struct server_request *request,
	struct http_answer *answer);
void server_post_free(struct server_post **post);

/* Starts the thread that looks for new events; false: it cannot be started. */
bool server_streams_start(
	struct server_streams *streams, const struct server_options *options);
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
