/* Streams of events: the connections that follow them, and when to send. */
#include "arbiter/base/time.h"
#include "arbiter/web/server/server_internal.h"
#include "protocol/memory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define END_MS_MAX   10000 /* for the last events to leave when the server stops */
#define END_LOOK_MS  10
#define LOOK_MS      250 /* between two looks for news */
#define STREAM_BYTES 16384
#define HEARTBEAT    ":\n\n" /* a comment, for browsers */

/* A connection that gets a stream. */
struct server_follower {
	struct server_streams *streams;
	struct MHD_Connection *connection;
	struct server_stream stream;
	bool waiting; /* the connection is suspended */
	bool beat;    /* send a comment, to learn whether the browser is still there */
	mono_ns silent_since;
	struct server_follower *next;
};

static void add_follower(struct server_follower *follower)
{
	struct server_streams *streams = follower->streams;

	pthread_mutex_lock(&streams->mutex);
	follower->next = streams->followers;
	streams->followers = follower;
	pthread_mutex_unlock(&streams->mutex);
}

static void remove_follower(struct server_follower *follower)
{
	struct server_follower **at = &follower->streams->followers;

	while (*at != follower)
		at = &(*at)->next;
	*at = follower->next;
}

static ssize_t read_stream(void *context, uint64_t position, char *bytes, size_t size)
{
	struct server_follower *follower = context;
	struct server_streams *streams = follower->streams;
	ssize_t n;

	(void)position;
	pthread_mutex_lock(&streams->mutex);
	n = follower->stream.read(follower->stream.self, bytes, size);
	if (!n && streams->ending)
		n = -1;
	if (!n && follower->beat) {
		n = (ssize_t)strlen(HEARTBEAT);
		memcpy(bytes, HEARTBEAT, (size_t)n);
	}
	follower->beat = false;
	if (!n) {
		follower->silent_since = time_now(&time_system);
		follower->waiting = true;
		MHD_suspend_connection(follower->connection);
	}
	pthread_mutex_unlock(&streams->mutex);
	return n < 0 ? MHD_CONTENT_READER_END_OF_STREAM : n;
}

static void free_stream(void *context)
{
	struct server_follower *follower = context;
	struct server_streams *streams = follower->streams;

	pthread_mutex_lock(&streams->mutex);
	remove_follower(follower);
	follower->stream.close(follower->stream.self);
	pthread_mutex_unlock(&streams->mutex);
	free(follower);
}

enum MHD_Result server_streams_send(struct server_streams *streams,
	struct MHD_Connection *connection, struct server_stream stream)
{
	struct server_follower *follower = xcalloc(1, sizeof(*follower));
	struct MHD_Response *response;
	enum MHD_Result result;

	*follower = (struct server_follower){
		.streams = streams, .connection = connection, .stream = stream};
	add_follower(follower);
	response = MHD_create_response_from_callback(
		MHD_SIZE_UNKNOWN, STREAM_BYTES, read_stream, follower, free_stream);
	if (!response) {
		free_stream(follower);
		return MHD_NO;
	}
	MHD_add_response_header(response, "Content-Type", "text/event-stream");
	MHD_add_response_header(response, "Cache-Control", "no-store");
	server_add_headers(response);
	result = MHD_queue_response(connection, MHD_HTTP_OK, response);
	MHD_destroy_response(response);
	return result;
}

/*
 * Wakes the connections whose streams have something to send. One that has been silent
 * for long is woken too: only a write shows that its browser is gone.
 */
static void wake_followers(struct server_streams *streams)
{
	mono_ns now = time_now(&time_system);

	for (struct server_follower *f = streams->followers; f; f = f->next) {
		if (!f->waiting)
			continue;
		f->beat = now - f->silent_since >= SERVER_HEARTBEAT_S * NS_PER_S;
		if (!f->beat && !streams->ending && !f->stream.ready(f->stream.self))
			continue;
		f->waiting = false;
		MHD_resume_connection(f->connection);
	}
}

static void await_change(struct server_streams *streams)
{
	struct timespec next;

	clock_gettime(CLOCK_REALTIME, &next);
	next.tv_nsec += LOOK_MS * NS_PER_MS;
	next.tv_sec += next.tv_nsec / NS_PER_S;
	next.tv_nsec %= NS_PER_S;
	pthread_cond_timedwait(&streams->change, &streams->mutex, &next);
}

static void *look_for_news(void *context)
{
	struct server_streams *streams = context;

	pthread_mutex_lock(&streams->mutex);
	while (!streams->ending) {
		/* Outside the mutex: browsers read meanwhile. */
		pthread_mutex_unlock(&streams->mutex);
		streams->look(streams->look_context);
		pthread_mutex_lock(&streams->mutex);
		wake_followers(streams);
		if (!streams->ending)
			await_change(streams);
	}
	wake_followers(streams);
	pthread_mutex_unlock(&streams->mutex);
	return NULL;
}

bool server_streams_start(
	struct server_streams *streams, void (*look)(void *context), void *look_context)
{
	*streams = (struct server_streams){.look = look, .look_context = look_context};
	pthread_mutex_init(&streams->mutex, NULL);
	pthread_cond_init(&streams->change, NULL);
	if (!pthread_create(&streams->looker, NULL, look_for_news, streams))
		return true;
	server_streams_release(streams);
	return false;
}

void server_streams_wake(struct server_streams *streams)
{
	pthread_mutex_lock(&streams->mutex);
	pthread_cond_signal(&streams->change);
	pthread_mutex_unlock(&streams->mutex);
}

/* A browser that does not read is not waited for. */
static void await_last_events(struct server_streams *streams)
{
	const struct timespec pause = {0, END_LOOK_MS * NS_PER_MS};
	bool any = true;

	for (int ms = 0; any && ms < END_MS_MAX; ms += END_LOOK_MS) {
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&streams->mutex);
		any = streams->followers;
		pthread_mutex_unlock(&streams->mutex);
	}
}

void server_streams_end(struct server_streams *streams)
{
	pthread_mutex_lock(&streams->mutex);
	streams->ending = true;
	pthread_cond_signal(&streams->change);
	pthread_mutex_unlock(&streams->mutex);
	pthread_join(streams->looker, NULL);
	await_last_events(streams);
}

void server_streams_release(struct server_streams *streams)
{
	pthread_mutex_destroy(&streams->mutex);
	pthread_cond_destroy(&streams->change);
}
