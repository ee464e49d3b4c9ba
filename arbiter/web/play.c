#include "arbiter/web/play_internal.h"
#include "arbiter/web/web_internal.h"

#include <errno.h>
#include <poll.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_MS    250 /* between two looks at the replays */
#define TEXT_BYTES 500 /* of a move */

/* A browser that follows a match. */
struct play_stream {
	struct play *play;
	struct play_match *match;
	struct follow_place place;
};

static bool make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(path, 0755) && errno != EEXIST)
			return false;
		*slash = '/';
	}
	return !mkdir(path, 0700) || errno == EEXIST;
}

/* An absolute path, since matches run in their own folders. */
static bool find_folder(struct play *play, char *why, size_t why_size)
{
	const char *given = play->options.folder, *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	char here[PATH_MAX / 2] = "";
	int n;

	if (given && *given != '/' && !getcwd(here, sizeof(here)))
		return false;
	if (given)
		n = snprintf(play->folder, sizeof(play->folder), "%s%s%s", here,
			*here ? "/" : "", given);
	else if (state && *state == '/')
		n = snprintf(
			play->folder, sizeof(play->folder), "%s/pigpen/played", state);
	else
		n = snprintf(play->folder, sizeof(play->folder),
			"%s/.local/state/pigpen/played", home ? home : "");
	/* The standard one is made when somebody plays. */
	if (n < (int)sizeof(play->folder) &&
		(!given || (make_folders(play->folder) && !access(play->folder, W_OK))))
		return true;
	snprintf(why, why_size,
		"%s: %s; name a folder for the matches of people with --played",
		play->folder, strerror(errno));
	return false;
}

struct play *play_new(const struct play_options *options, char *why, size_t why_size)
{
	struct play *play = calloc(1, sizeof(*play));

	if (!play)
		abort();
	play->options = *options;
	if (!find_folder(play, why, why_size)) {
		free(play);
		return NULL;
	}
	for (int i = 0; i < PLAY_KEPT_MAX; i++)
		play_match_init(&play->match[i]);
	play->samples = play_samples(&play->sample_count);
	play->wish = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (play->wish < 0)
		abort();
	pthread_mutex_init(&play->mutex, NULL);
	web_offer_play(options->web);
	return play;
}

/* Tells the worker that there is something to do. */
static void wish(struct play *play)
{
	eventfd_write(play->wish, 1);
}

/* Waits for something of the matches under way, or for the next look. */
static void wait_for_matches(struct play *play)
{
	struct pollfd polled[1 + 3 * PLAY_KEPT_MAX] = {{play->wish, POLLIN, 0}};
	nfds_t n = 1;
	bool busy = false;
	eventfd_t wishes;

	for (int i = 0; i < PLAY_KEPT_MAX; i++) {
		const struct play_match *match = &play->match[i];

		if (match->state != PLAY_RUNNING)
			continue;
		busy = true;
		polled[n++] = (struct pollfd){match->listener, POLLIN, 0};
		polled[n++] = (struct pollfd){match->link, POLLIN, 0};
	}
	pthread_mutex_unlock(&play->mutex);
	poll(polled, n, busy ? LOOK_MS : -1);
	eventfd_read(play->wish, &wishes);
	pthread_mutex_lock(&play->mutex);
}

static void *work(void *context)
{
	struct play *play = context;

	pthread_mutex_lock(&play->mutex);
	while (!play->ending) {
		bool news = false;

		for (int i = 0; i < PLAY_KEPT_MAX; i++)
			news |= play_match_work(&play->match[i], play->options.idle_s);
		if (news) {
			pthread_mutex_unlock(&play->mutex);
			server_wake(play->server);
			pthread_mutex_lock(&play->mutex);
			continue;
		}
		wait_for_matches(play);
	}
	/* All at once, and then each is waited for. */
	for (int i = 0; i < PLAY_KEPT_MAX; i++)
		if (play->match[i].state == PLAY_RUNNING)
			play_match_leave(&play->match[i]);
	for (int i = 0; i < PLAY_KEPT_MAX; i++)
		play_match_kill(&play->match[i]);
	pthread_mutex_unlock(&play->mutex);
	return NULL;
}

void play_start(struct play *play, struct server *server)
{
	play->server = server;
	play->started = !pthread_create(&play->worker, NULL, work, play);
	if (!play->started)
		abort();
}

void play_stop(struct play *play)
{
	if (!play || !play->started)
		return;
	pthread_mutex_lock(&play->mutex);
	play->ending = true;
	pthread_mutex_unlock(&play->mutex);
	wish(play);
	pthread_join(play->worker, NULL);
	play->started = false;
}

void play_free(struct play **play)
{
	if (!*play)
		return;
	for (int i = 0; i < PLAY_KEPT_MAX; i++)
		play_match_release(&(*play)->match[i]);
	close((*play)->wish);
	pthread_mutex_destroy(&(*play)->mutex);
	free((*play)->samples);
	free(*play);
	*play = NULL;
}

struct play_match *play_find(struct play *play, const char *id)
{
	for (int i = 0; i < PLAY_KEPT_MAX; i++)
		if (play->match[i].state != PLAY_FREE && !strcmp(play->match[i].id, id))
			return &play->match[i];
	return NULL;
}

/* A free place, or that of the match that has been over for longest. */
static struct play_match *find_place(struct play *play)
{
	struct play_match *oldest = NULL;
	int under_way = 0;

	for (int i = 0; i < PLAY_KEPT_MAX; i++) {
		struct play_match *match = &play->match[i];

		under_way += match->state == PLAY_WAITING || match->state == PLAY_RUNNING;
		if (match->state == PLAY_FREE ||
			(match->state == PLAY_OVER && !match->streams &&
				(!oldest || match->ended_ms < oldest->ended_ms)))
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

/* Takes the words. False: an answer stands there. */
static bool begin(struct play *play, char **words, const char *socket_name, int seat,
	char id[PLAY_ID_SIZE], struct web_answer *answer)
{
	struct play_match *match = find_place(play);
	char folder[PATH_MAX];

	if (!match || play->ending) {
		server_answer_error(answer, 503,
			"as many people as there is room for are playing; try again "
			"later");
		return false;
	}
	random_name(id);
	snprintf(folder, sizeof(folder), "%s/%s", play->folder, id);
	play_match_release(match);
	play_folder_tidy(play);
	if (!make_folders(folder) ||
		!play_match_prepare(match, id, folder, socket_name, seat, words)) {
		server_answer_error(answer, 503, "the match cannot be started just now");
		return false;
	}
	return true;
}

static void answer_begin(
	void *context, const struct server_request *request, struct web_answer *answer)
{
	struct play *play = context;
	char why[512], name[PLAY_ID_SIZE], socket_name[64], id[PLAY_ID_SIZE];
	char **words;
	int seat;
	bool begun;

	random_name(name);
	snprintf(socket_name, sizeof(socket_name), "@pigpen-play-%s", name);
	words = play_command(play, request->body, socket_name, &seat, why, sizeof(why));
	if (!words) {
		server_answer_error(answer, 400, why);
		return;
	}
	pthread_mutex_lock(&play->mutex);
	begun = begin(play, words, socket_name, seat, id, answer);
	pthread_mutex_unlock(&play->mutex);
	if (begun) {
		free(words);
		wish(play);
		server_answer_json(
			answer, 201, json_pack("{s:s,s:i}", "id", id, "seat", seat));
	} else {
		play_words_free(words);
	}
}

static void answer_games(
	void *context, const struct server_request *request, struct web_answer *answer)
{
	(void)request;
	server_answer_json(answer, 200, play_games_json(context));
}

static void answer_missing(struct web_answer *answer)
{
	server_answer_error(answer, 404, "there is no such match");
}

/* The mutex is held. */
static void take_action(
	struct play_match *match, const json_t *asked, struct web_answer *answer)
{
	json_t *turn = json_object_get(asked, "turn");
	json_t *choice = json_object_get(asked, "choice");
	json_t *text = json_object_get(asked, "text");

	if (!json_is_integer(turn) || json_is_integer(choice) == json_is_string(text) ||
		json_string_length(text) > TEXT_BYTES) {
		server_answer_error(answer, 400,
			"an answer is {turn, choice} or {turn, text}, choice being a "
			"number and text a move");
	} else if (!match->turn || json_integer_value(turn) != match->turn) {
		server_answer_error(answer, 409, "this is not asked, or not any more");
	} else {
		play_match_answer(match,
			json_is_string(text)
				? json_pack("{s:O,s:O}", "turn", turn, "text", text)
				: json_pack("{s:O,s:O}", "turn", turn, "choice", choice));
		server_answer_json(answer, 200, json_object());
	}
}

static void answer_action(
	void *context, const struct server_request *request, struct web_answer *answer)
{
	struct play *play = context;
	json_t *asked = json_loads(request->body, JSON_REJECT_DUPLICATES, NULL);
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
	void *context, const struct server_request *request, struct web_answer *answer)
{
	struct play *play = context;
	struct play_match *match;

	pthread_mutex_lock(&play->mutex);
	match = play_find(play, request->rest);
	if (match) {
		play_match_leave(match);
		server_answer_json(answer, 200, json_object());
	} else {
		answer_missing(answer);
	}
	pthread_mutex_unlock(&play->mutex);
	wish(play);
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
	void *context, const struct server_request *request, struct web_answer *answer)
{
	char path[PATH_MAX];

	if (find_replay(context, request->rest, path))
		web_answer_viewer(answer, path);
	else
		answer_missing(answer);
}

static void answer_replay(
	void *context, const struct server_request *request, struct web_answer *answer)
{
	char path[PATH_MAX];

	if (find_replay(context, request->rest, path))
		web_answer_replay(answer, path);
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
	stream->match->seen_ms = play_now_ms();
	pthread_mutex_unlock(&stream->play->mutex);
	free(stream);
}

static bool open_stream(void *context, const struct server_request *request,
	struct server_stream *stream, struct web_answer *answer)
{
	struct play *play = context;
	struct play_stream *self = calloc(1, sizeof(*self));

	if (!self)
		abort();
	self->play = play;
	*stream = (struct server_stream){stream_read, stream_ready, stream_close, self};
	pthread_mutex_lock(&play->mutex);
	self->match = play_find(play, request->rest);
	if (!self->match)
		answer_missing(answer);
	else if (self->match->streams == PLAY_STREAMS_MAX)
		server_answer_error(answer, 503, "too many are looking at this match");
	else {
		follow_place_init(&self->place, &self->match->follow);
		self->match->streams++;
		stream = NULL;
	}
	pthread_mutex_unlock(&play->mutex);
	if (stream)
		free(self);
	return !stream;
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
