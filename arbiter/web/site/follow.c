/* A growing replay as a text of events. */
#include "arbiter/web/site/follow.h"
#include "arbiter/tools/viewer_data.h"
#include "protocol/memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ALIVE ":\n\n" /* a comment */

void follow_init(struct follow *follow, const char *path, int audience)
{
	*follow = (struct follow){
		.file = open(path, O_RDONLY | O_CLOEXEC), .audience = audience};
}

void follow_release(struct follow *follow)
{
	free(follow->text);
	if (follow->file >= 0)
		close(follow->file);
	*follow = (struct follow){.file = -1};
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
	struct follow *follow, struct playback *playback, FILE *out)
{
	struct viewer_data *data = viewer_data_new(playback, follow->audience);
	struct playback_step step;
	enum playback_status status;
	int steps = 0;

	if (!follow->begun)
		print_event("head", viewer_data_head(data), out);
	follow->begun = true;
	while ((status = playback_next(playback, &step)) == PLAYBACK_STEP) {
		json_t *json = NULL;

		if (++steps > follow->steps)
			json = viewer_data_step(data, &step);
		else
			viewer_data_skip(data, &step);
		if (json)
			print_event("step", json, out);
	}
	follow->steps = steps > follow->steps ? steps : follow->steps;
	viewer_data_free(&data);
	return status;
}

static void append(struct follow *follow, const char *text, size_t size)
{
	follow->text = xrealloc(follow->text, follow->size + size + 1);
	memcpy(follow->text + follow->size, text, size);
	follow->size += size;
}

void follow_say(struct follow *follow, const char *name, json_t *data)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = xopen_memstream(&text, &size);

	print_event(name, data, out);
	xclose(out);
	append(follow, text, size);
	free(text);
}

/* A file without a name is not written to any more. */
bool follow_look(struct follow *follow)
{
	struct stat about;
	enum playback_status status = PLAYBACK_CUT;
	struct playback *playback;
	char *news = NULL, path[64];
	size_t size = 0;
	FILE *out;

	if (fstat(follow->file, &about))
		return false;
	if (about.st_size == follow->seen && about.st_nlink)
		return true;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", follow->file);
	playback = playback_open(path, NULL, &status, NULL);
	out = playback ? xopen_memstream(&news, &size) : NULL;
	if (out) {
		follow->seen = about.st_size;
		status = write_news(follow, playback, out);
		xclose(out);
		append(follow, news, size);
	}
	playback_free(&playback);
	free(news);
	/* A file whose header is not complete yet is also reported as cut. */
	return status == PLAYBACK_CUT && about.st_nlink &&
	       follow->size <= FOLLOW_TEXT_MAX;
}

void follow_place_init(struct follow_place *place, const struct follow *follow)
{
	*place = (struct follow_place){
		.past = follow->size, .spoke = time_now(&time_system)};
}

static void begin_aside(const struct follow *follow, struct follow_place *place)
{
	char age[32] = "";

	if (follow->asked)
		snprintf(age, sizeof(age), "\"asked_ms\":%lld",
			(long long)((time_now(&time_system) - follow->asked) /
				    NS_PER_MS));
	if (place->up_to_date)
		snprintf(place->aside, sizeof(place->aside), "%s", ALIVE);
	else
		snprintf(place->aside, sizeof(place->aside), "event: now\ndata: {%s}\n\n",
			age);
	place->aside_at = 0;
}

/* The text that comes next. */
static size_t next_text(
	const struct follow *follow, struct follow_place *place, const char **from)
{
	size_t end = place->up_to_date ? follow->size : place->past;

	if (!*place->aside && place->at == end)
		begin_aside(follow, place);
	if (*place->aside) {
		*from = place->aside + place->aside_at;
		return strlen(*from);
	}
	*from = follow->text + place->at;
	return end - place->at;
}

static void take(struct follow_place *place, size_t size)
{
	place->spoke = time_now(&time_system);
	if (!*place->aside) {
		place->at += size;
		return;
	}
	place->aside_at += size;
	if (place->aside[place->aside_at])
		return;
	place->up_to_date = true;
	*place->aside = 0;
}

ssize_t follow_read(
	const struct follow *follow, struct follow_place *place, char *bytes, size_t size)
{
	const char *from;
	size_t n;

	if (!follow_ready(follow, place))
		return 0;
	if (place->up_to_date && !*place->aside && place->at == follow->size &&
		follow->over)
		return -1;
	n = next_text(follow, place, &from);
	n = n < size ? n : size;
	memcpy(bytes, from, n);
	take(place, n);
	return (ssize_t)n;
}

bool follow_ready(const struct follow *follow, const struct follow_place *place)
{
	return !place->up_to_date || *place->aside || place->at < follow->size ||
	       follow->over ||
	       time_now(&time_system) - place->spoke >= FOLLOW_SILENCE_S * NS_PER_S;
}
