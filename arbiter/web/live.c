#include "arbiter/web/live.h"
#include "arbiter/replay/viewer_data.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct live_match {
	char path[4096];
	int streams; /* 0: the place is free */
	int file;    /* kept open: the name may go before the last step was read */
	off_t seen;  /* bytes of the file */
	int steps;   /* of the replay, in the text */
	bool begun, over;
	char *text;
	size_t size;
};

struct live_stream {
	struct live_match *match;
	size_t at;
	int64_t spoke_ms;
	struct live *live;
};

struct live {
	struct live_match match[LIVE_MATCHES_MAX];
	int streams;
};

static const char alive[] = ":\n\n"; /* a comment */

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

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

/* One event of the stream; takes the reference. */
static void print_event(const char *name, json_t *json, FILE *out)
{
	fprintf(out, "event: %s\ndata: ", name);
	viewer_data_print(json, out);
	fputs("\n\n", out);
	json_decref(json);
}

/* Plays the file from its beginning and writes the steps that were not there before. */
static enum playback_status write_news(
	struct live_match *match, struct playback *playback, FILE *out)
{
	struct viewer_data *data = viewer_data_new(playback, SPECTATOR);
	struct playback_step step;
	enum playback_status status;
	int steps = 0;

	if (!match->begun)
		print_event("head", viewer_data_head(data), out);
	match->begun = true;
	while ((status = playback_next(playback, &step)) == PLAYBACK_STEP) {
		json_t *json = viewer_data_step(data, &step);

		if (++steps > match->steps && json)
			print_event("step", json, out);
		else
			json_decref(json);
	}
	match->steps = steps > match->steps ? steps : match->steps;
	viewer_data_free(&data);
	return status;
}

static void append(struct live_match *match, const char *text, size_t size)
{
	match->text = realloc(match->text, match->size + size + 1);
	if (!match->text)
		abort();
	memcpy(match->text + match->size, text, size);
	match->size += size;
}

static void end_match(struct live_match *match)
{
	static const char end[] = "event: end\ndata: {}\n\n";

	append(match, end, sizeof(end) - 1);
	match->over = true;
}

/* A file without a name is not written to any more. */
static void look(struct live_match *match)
{
	struct stat about;
	enum playback_status status = PLAYBACK_CUT;
	struct playback *playback;
	char *news = NULL, why[256], path[64];
	size_t size = 0;
	FILE *out;

	if (fstat(match->file, &about)) {
		end_match(match);
		return;
	}
	if (about.st_size == match->seen && about.st_nlink)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", match->file);
	playback = playback_open(path, NULL, &status, why, sizeof(why));
	out = playback ? open_memstream(&news, &size) : NULL;
	if (out) {
		match->seen = about.st_size;
		status = write_news(match, playback, out);
		if (fclose(out))
			abort();
		append(match, news, size);
	}
	playback_free(&playback);
	free(news);
	/* A header that is not wholly there yet is a file cut short, too. */
	if (status != PLAYBACK_CUT || !about.st_nlink || match->size > LIVE_TEXT_MAX)
		end_match(match);
}

void live_look(struct live *live)
{
	for (int i = 0; i < LIVE_MATCHES_MAX; i++)
		if (live->match[i].streams && !live->match[i].over)
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
		match->file = open(path, O_RDONLY | O_CLOEXEC);
		look(match);
	}
	*stream = (struct live_stream){match, 0, now_ms(), live};
	live->streams++;
	return stream;
}

void live_stream_free(struct live_stream **stream)
{
	struct live_match *match = (*stream)->match;

	(*stream)->live->streams--;
	if (!--match->streams) {
		free(match->text);
		if (match->file >= 0)
			close(match->file);
		*match = (struct live_match){0};
	}
	free(*stream);
	*stream = NULL;
}

ssize_t live_stream_read(struct live_stream *stream, char *bytes, size_t size)
{
	const struct live_match *match = stream->match;
	const char *from = match->text + stream->at;
	size_t n = match->size - stream->at;

	if (!live_stream_ready(stream))
		return 0;
	if (!n && match->over)
		return -1;
	if (n)
		stream->at += n < size ? n : size;
	else
		from = alive, n = sizeof(alive) - 1;
	n = n < size ? n : size;
	memcpy(bytes, from, n);
	stream->spoke_ms = now_ms();
	return (ssize_t)n;
}

bool live_stream_ready(const struct live_stream *stream)
{
	return stream->at < stream->match->size || stream->match->over ||
	       now_ms() - stream->spoke_ms >= LIVE_SILENCE_MS;
}
