/*
 * The HTTP server. Everything has a limit: connections, threads, memory for a request,
 * uploads under way, and the time for each part of a request
 * (arbiter/web/server/server_guests.h); whoever goes beyond is answered with an error or
 * hung up on. Nothing that a browser sends can end the process.
 *
 * A connection has one request: every answer ends it. So it does not matter where a web
 * server in front believes that a request ends.
 *
 * A route is a method and a path with a function that answers; of several that fit, the
 * one with the longest path is meant. What no route matches is 404, or 405 if it was not
 * a GET. Routes' functions run in the server's threads, several at once, and while one
 * runs, a quarter of all connections wait: they must not block.
 *
 * Every request must name this site in Host: localhost or an address of this machine's
 * own, a name from server_options.hosts, or, if the server listens to other machines,
 * any address. Otherwise it is 421: a page of another site can let its own name point
 * to this machine and would then be allowed to read the answer.
 *
 * A POST is accepted from this site's own pages and from programs that are not browsers,
 * and refused (403) if a page of another site sent it: an Origin must name the same host
 * as the Host header, or one of server_options.hosts.
 */
#ifndef ARBITER_WEB_SERVER_SERVER_H
#define ARBITER_WEB_SERVER_SERVER_H

#include "arbiter/web/server/http_answer.h"
#include "arbiter/web/server/server_guests.h"
#include "protocol/why.h"

#include <sys/types.h>

/* Fewer than 126 for each thread: a thread of libmicrohttpd to which epoll reports
 * exactly 128 events waits for another one before it handles any. */
#define SERVER_CONNECTIONS_MAX GUESTS_MAX
#define SERVER_THREADS         4
#define SERVER_REQUEST_BYTES   32768 /* of line and headers */
#define SERVER_SILENCE_S       20    /* of a connection, then it is closed */
#define SERVER_HEARTBEAT_S     10    /* of silence of a stream, then a comment is sent */
#define SERVER_MEMORY_BODY     65536 /* longer bodies are uploads and go to a file */
#define SERVER_UPLOADS_MAX     8     /* under way at once */
#define SERVER_ROUTES_MAX      32

struct server;

/* What a route's function is given. All of it is the server's. */
struct server_request {
	const char *path;  /* decoded */
	const char *rest;  /* of the path, behind the route's */
	const char *token; /* of `Authorization: Bearer TOKEN`; NULL: none */
	/* The body of a POST: bytes with a NUL behind them, or if its route takes more
	 * than SERVER_MEMORY_BODY a file, open for reading from its beginning. */
	const char *body;
	size_t size;
	int file; /* -1: there is none */
};

/* A body whose length is not known beforehand. No two calls run at once, and
 * server_wake() must not be called from within. */
struct server_stream {
	/* Bytes to send next; 0: nothing now, -1: that was all. */
	ssize_t (*read)(void *self, char *bytes, size_t size);
	/* Would it give something? Called four times a second and after server_wake(). */
	bool (*ready)(void *self);
	void (*close)(void *self);
	void *self;
};

struct server_route {
	const char *method; /* "GET" (HEAD too) or "POST" */
	const char *path;   /* a whole one, or one that ends with a slash: all below it */
	uint64_t body_max;  /* bytes; more are 413 */
	void *context;
	/* Called before the body of a POST is taken; false: it is answered already. May
	 * be NULL. */
	bool (*admit)(void *context, const struct server_request *request,
		struct http_answer *answer);
	void (*answer)(void *context, const struct server_request *request,
		struct http_answer *answer);
	/* In place of `answer`, of a GET: true for a stream of server-sent events, false
	 * for an answer. */
	bool (*stream)(void *context, const struct server_request *request,
		struct server_stream *stream, struct http_answer *answer);
};

struct server_options {
	const char *address;               /* numeric */
	int port;                          /* 0: a free one */
	const char *const *hosts;          /* the site's names; ends with NULL */
	const struct server_route *routes; /* ends with a NULL method */
	/* Called by a thread of its own four times a second and after server_wake(),
	 * before the streams; may be NULL. */
	void (*look)(void *context);
	void *look_context;
};

/* The options must outlive the server. Signals are the caller's: those that are blocked
 * now are blocked in its threads. NULL: `why` says what was wrong. */
struct server *server_start(const struct server_options *options, struct why *why);
int server_port(const struct server *server);
/* Is this numeric address one that other machines cannot reach? */
bool server_is_own_machine(const char *address);
/* Some stream may have something to send. */
void server_wake(struct server *server);
void server_stop(struct server **server);

#endif
