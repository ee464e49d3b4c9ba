#include "arbiter/web/live.h"
#include "arbiter/web/follow.h"
#include "games/game.h"

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
	struct live_match match[LIVE_MATCHES_MAX];
	int streams;
};

struct live *live_new(void)
{
	struct live *live = calloc(1, sizeof(*live));

	if (!live)
		abort();
	return live;
}

void live_free(struct live **live)
{
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
	for (int i = 0; i < LIVE_MATCHES_MAX; i++)
		if (live->match[i].streams)
			look(&live->match[i]);
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

struct live_stream *live_stream_new(struct live *live, const char *path)
{
	struct live_match *match = find_match(live, path);
	struct live_stream *stream;

	if (!match || live->streams == LIVE_STREAMS_MAX)
		return NULL;
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		abort();
	if (!match->streams++) {
		follow_init(&match->follow, path, SPECTATOR);
		look(match);
	}
	*stream = (struct live_stream){.live = live, .match = match};
	follow_place_init(&stream->place, &match->follow);
	live->streams++;
	return stream;
}

void live_stream_free(struct live_stream **stream)
{
	struct live_match *match = (*stream)->match;

	(*stream)->live->streams--;
	if (!--match->streams)
		follow_release(&match->follow);
	free(*stream);
	*stream = NULL;
}

ssize_t live_stream_read(struct live_stream *stream, char *bytes, size_t size)
{
	return follow_read(&stream->match->follow, &stream->place, bytes, size);
}

bool live_stream_ready(const struct live_stream *stream)
{
	return follow_ready(&stream->match->follow, &stream->place);
}
