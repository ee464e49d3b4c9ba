/* Streams of matches under way. */
#include "arbiter/web/site/live_streams.h"
#include "arbiter/web/site/follow.h"
#include "games/game.h"
#include "protocol/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct live_match {
	char path[4096];
	int streams; /* 0: the place is free */
	struct follow follow;
};

struct live_stream {
	struct live *live;
	struct live_match *match;
	struct follow_place place;
};

struct live {
	pthread_mutex_t mutex; /* of all below, with the matches and their streams */
	struct live_match match[LIVE_MATCHES_MAX];
	int streams;
};

struct live *live_new(void)
{
	struct live *live = xcalloc(1, sizeof(*live));

	pthread_mutex_init(&live->mutex, NULL);
	return live;
}

void live_free(struct live **live)
{
	if (*live)
		pthread_mutex_destroy(&(*live)->mutex);
	free(*live);
	*live = NULL;
}

static void look(struct live_match *match)
{
	if (match->follow.over || follow_look(&match->follow))
		return;
	follow_say(&match->follow, "end", json_object());
	match->follow.over = true;
}

void live_look(struct live *live)
{
	pthread_mutex_lock(&live->mutex);
	for (int i = 0; i < LIVE_MATCHES_MAX; i++)
		if (live->match[i].streams)
			look(&live->match[i]);
	pthread_mutex_unlock(&live->mutex);
}

static struct live_match *find_match(struct live *live, const char *path)
{
	struct live_match *empty = NULL;

	for (int i = 0; i < LIVE_MATCHES_MAX; i++) {
		struct live_match *match = &live->match[i];

		if (match->streams && !strcmp(match->path, path))
			return match;
		if (!match->streams && !empty)
			empty = match;
	}
	if (empty)
		snprintf(empty->path, sizeof(empty->path), "%s", path);
	return empty;
}

/* The mutex is held. */
static struct live_stream *new_stream(struct live *live, const char *path)
{
	struct live_match *match = find_match(live, path);
	struct live_stream *stream;

	if (!match || live->streams == LIVE_STREAMS_MAX)
		return NULL;
	stream = xcalloc(1, sizeof(*stream));
	if (!match->streams++) {
		follow_init(&match->follow, path, SPECTATOR);
		look(match);
	}
	*stream = (struct live_stream){.live = live, .match = match};
	follow_place_init(&stream->place, &match->follow);
	live->streams++;
	return stream;
}

struct live_stream *live_stream_new(struct live *live, const char *path)
{
	struct live_stream *stream;

	pthread_mutex_lock(&live->mutex);
	stream = new_stream(live, path);
	pthread_mutex_unlock(&live->mutex);
	return stream;
}

void live_stream_free(struct live_stream **stream)
{
	struct live *live = (*stream)->live;
	struct live_match *match = (*stream)->match;

	pthread_mutex_lock(&live->mutex);
	live->streams--;
	if (!--match->streams)
		follow_release(&match->follow);
	pthread_mutex_unlock(&live->mutex);
	free(*stream);
	*stream = NULL;
}

ssize_t live_stream_read(struct live_stream *stream, char *bytes, size_t size)
{
	ssize_t n;

	pthread_mutex_lock(&stream->live->mutex);
	n = follow_read(&stream->match->follow, &stream->place, bytes, size);
	pthread_mutex_unlock(&stream->live->mutex);
	return n;
}

bool live_stream_ready(const struct live_stream *stream)
{
	bool ready;

	pthread_mutex_lock(&stream->live->mutex);
	ready = follow_ready(&stream->match->follow, &stream->place);
	pthread_mutex_unlock(&stream->live->mutex);
	return ready;
}
