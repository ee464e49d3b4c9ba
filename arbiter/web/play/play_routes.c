/* The routes for the browser of a person who plays. */
#include "arbiter/base/files.h"
#include "arbiter/web/play/play_internal.h"
#include "arbiter/web/site/replay_answer.h"
#include "protocol/memory.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 500 /* of a move */

/* A browser that follows a match. */
struct play_stream {
	struct play *play;
	struct play_match *match;
	struct follow_place place;
};

/* A free place, or that of the match that has been over for longest. */
static struct play_match *find_place(struct play *play)
{
	struct play_match *oldest = NULL;
	int under_way = 0;

	for (int i = 0; i < PLAY_PLACES_MAX; i++) {
		struct play_match *match = &play->match[i];

		under_way += match->state == PLAY_WAITING || match->state == PLAY_RUNNING;
		if (match->state == PLAY_FREE ||
			(match->state == PLAY_OVER && !match->streams &&
				(!oldest || match->ended < oldest->ended)))
			oldest = match;
	}
	return under_way < PLAY_MATCHES_MAX ? oldest : NULL;
}

static void random_name(char name[PLAY_ID_SIZE])
{
	uint8_t bytes[16];

	randombytes_buf(bytes, sizeof(bytes));
	sodium_bin2hex(name, PLAY_ID_SIZE, bytes, sizeof(bytes));
}

/* Takes the words. False: it is answered already, and they are the caller's. */
static bool begin(struct play *play, char **words, const char *socket_name, int seat,
	char id[PLAY_ID_SIZE], struct http_answer *answer)
{
	struct play_match *match = find_place(play);
	char folder[PATH_MAX];

	if (!match || play->ending) {
		http_answer_error(
			answer, 503, "too many people are playing; try again later");
		return false;
	}
	random_name(id);
	snprintf(folder, sizeof(folder), "%s/%s", play->folder, id);
	play_match_release(match);
	play_folder_tidy(play);
	if (!make_folders(folder, 0700) ||
		!play_match_prepare(match, id, folder, socket_name, seat, words)) {
		http_answer_error(answer, 503, "the match cannot be started just now");
		return false;
	}
	return true;
}

static void answer_begin(
	void *context, const struct server_request *request, struct http_answer *answer)
{
	struct play *play = context;
	struct why why;
	char name[PLAY_ID_SIZE], socket_name[64], id[PLAY_ID_SIZE];
	char **words;
	int seat;
	bool begun;

	random_name(name);
	snprintf(socket_name, sizeof(socket_name), "@pigpen-play-%s", name);
	words = play_command(
		play, request->body, request->size, socket_name, &seat, &why);
	if (!words) {
		http_answer_error(answer, 400, why.text);
		return;
	}
	pthread_mutex_lock(&play->mutex);
	begun = begin(play, words, socket_name, seat, id, answer);
	pthread_mutex_unlock(&play->mutex);
	if (begun) {
		play_wake(play);
		http_answer_json(
			answer, 201, json_pack("{s:s,s:i}", "id", id, "seat", seat));
	} else {
		play_words_free(words);
	}
}

static void answer_games(
	void *context, const struct server_request *request, struct http_answer *answer)
{
	(void)request;
	http_answer_json(answer, 200, play_games_json(context));
}

static void answer_missing(struct http_answer *answer)
{
	http_answer_error(answer, 404, "there is no such match");
}

/* The mutex is held. */
static void take_action(
	struct play_match *match, const json_t *asked, struct http_answer *answer)
{
	json_t *turn = json_object_get(asked, "turn");
	json_t *choice = json_object_get(asked, "choice");
	json_t *text = json_object_get(asked, "text");

	if (!json_is_integer(turn) || json_is_integer(choice) == json_is_string(text) ||
		json_string_length(text) > TEXT_BYTES) {
		http_answer_error(answer, 400,
			"an answer is {turn, choice} or {turn, text}, choice being a "
			"number and text a move");
	} else if (!match->turn || json_integer_value(turn) != match->turn) {
		http_answer_error(
			answer, 409, "this question is not open, or not any more");
	} else {
		play_match_answer(match,
			json_is_string(text)
				? json_pack("{s:O,s:O}", "turn", turn, "text", text)
				: json_pack("{s:O,s:O}", "turn", turn, "choice", choice));
		http_answer_json(answer, 200, json_object());
	}
}

static void answer_action(
	void *context, const struct server_request *request, struct http_answer *answer)
{
	struct play *play = context;
	json_t *asked =
		json_loadb(request->body, request->size, JSON_REJECT_DUPLICATES, NULL);
	struct play_match *match;

	pthread_mutex_lock(&play->mutex);
	match = play_find(play, request->rest);
	if (match)
		take_action(match, asked, answer);
	else
		answer_missing(answer);
	pthread_mutex_unlock(&play->mutex);
	json_decref(asked);
	server_wake(play->server);
}

static void answer_leave(
	void *context, const struct server_request *request, struct http_answer *answer)
{
	struct play *play = context;
	struct play_match *match;

	pthread_mutex_lock(&play->mutex);
	match = play_find(play, request->rest);
	if (match) {
		play_match_leave(match);
		http_answer_json(answer, 200, json_object());
	} else {
		answer_missing(answer);
	}
	pthread_mutex_unlock(&play->mutex);
	play_wake(play);
}

/* Replays are there once the match is over, also after this process has ended. */
static bool find_replay(struct play *play, const char *id, char path[PATH_MAX])
{
	char folder[PATH_MAX];
	struct play_match *match;
	bool over;

	if (!play_is_id(id))
		return false;
	pthread_mutex_lock(&play->mutex);
	match = play_find(play, id);
	over = !match || match->state == PLAY_OVER;
	pthread_mutex_unlock(&play->mutex);
	snprintf(folder, sizeof(folder), "%s/%s", play->folder, id);
	return over && play_replay_find(folder, path);
}

static void answer_viewer(
	void *context, const struct server_request *request, struct http_answer *answer)
{
	char path[PATH_MAX];

	if (find_replay(context, request->rest, path))
		replay_answer_viewer(answer, path);
	else
		answer_missing(answer);
}

static void answer_replay(
	void *context, const struct server_request *request, struct http_answer *answer)
{
	char path[PATH_MAX];

	if (find_replay(context, request->rest, path) && replay_is_faultless(path))
		replay_answer_file(answer, path);
	else
		answer_missing(answer);
}

static ssize_t stream_read(void *self, char *bytes, size_t size)
{
	struct play_stream *stream = self;
	ssize_t n;

	pthread_mutex_lock(&stream->play->mutex);
	n = follow_read(&stream->match->follow, &stream->place, bytes, size);
	pthread_mutex_unlock(&stream->play->mutex);
	return n;
}

static bool stream_ready(void *self)
{
	struct play_stream *stream = self;
	bool ready;

	pthread_mutex_lock(&stream->play->mutex);
	ready = follow_ready(&stream->match->follow, &stream->place);
	pthread_mutex_unlock(&stream->play->mutex);
	return ready;
}

static void stream_close(void *self)
{
	struct play_stream *stream = self;

	pthread_mutex_lock(&stream->play->mutex);
	stream->match->streams--;
	stream->match->seen = time_now(&time_system);
	pthread_mutex_unlock(&stream->play->mutex);
	free(stream);
}

/* Takes one of the streams of a match; false: it is answered already. */
static bool join_match(struct play *play, const char *id, struct play_stream *self,
	struct http_answer *answer)
{
	bool joined = false;

	pthread_mutex_lock(&play->mutex);
	self->match = play_find(play, id);
	if (!self->match)
		answer_missing(answer);
	else if (self->match->streams == PLAY_STREAMS_MAX)
		http_answer_error(
			answer, 503, "too many browsers are following this match");
	else {
		follow_place_init(&self->place, &self->match->follow);
		joined = ++self->match->streams;
	}
	pthread_mutex_unlock(&play->mutex);
	return joined;
}

static bool open_stream(void *context, const struct server_request *request,
	struct server_stream *stream, struct http_answer *answer)
{
	struct play_stream *self = xcalloc(1, sizeof(*self));

	self->play = context;
	if (!join_match(context, request->rest, self, answer)) {
		free(self);
		return false;
	}
	*stream = (struct server_stream){stream_read, stream_ready, stream_close, self};
	return true;
}

int play_routes(struct play *play, struct server_route *routes, int count)
{
	const struct server_route own[] = {
		{.method = "GET", .path = "/api/play/games.json", .answer = answer_games},
		{.method = "POST", .path = "/api/play/matches", .answer = answer_begin},
		{.method = "GET", .path = "/api/play/streams/", .stream = open_stream},
		{.method = "POST", .path = "/api/play/actions/", .answer = answer_action},
		{.method = "POST", .path = "/api/play/leave/", .answer = answer_leave},
		{.method = "GET", .path = "/api/play/viewer/", .answer = answer_viewer},
		{.method = "GET", .path = "/api/play/replay/", .answer = answer_replay},
	};
	const int own_count = sizeof(own) / sizeof(*own);

	for (int i = 0; i < own_count; i++) {
		routes[count + i] = own[i];
		routes[count + i].body_max = PLAY_REQUEST_MAX;
		routes[count + i].context = play;
	}
	return count + own_count;
}
