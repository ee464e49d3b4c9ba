/*
 * The site over HTTP. Everything has a limit: connections, threads, memory for a request,
 * time without a sign of life; whoever goes beyond is answered with an error or hung up
 * on.
 */
#ifndef ARBITER_WEB_SERVER_H
#define ARBITER_WEB_SERVER_H

#include "arbiter/web/web.h"

#define SERVER_CONNECTIONS_MAX 512
#define SERVER_THREADS         4
#define SERVER_REQUEST_BYTES   32768 /* of line and headers */
#define SERVER_SILENCE_S       20    /* of a connection, then it is closed */

struct server;

/*
 * Listens at a numeric address; port 0 takes a free one. The site must outlive the
 * server. Signals are the caller's: those that are blocked now are blocked in its
 * threads. NULL with a sentence.
 */
struct server *server_start(
	struct web *web, const char *address, int port, char *why, size_t why_size);
int server_port(const struct server *server);
void server_stop(struct server **server);

#endif
