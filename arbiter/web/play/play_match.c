/* One match with a person in it: its process, and the messages to and from the person. */
#include "arbiter/base/json_text.h"
#include "arbiter/web/play/play_internal.h"
#include "arbiter/web/site/replay_answer.h"
#include "protocol/utf8.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEAVE_MS_MAX 3000  /* for a match to end without its person */
#define KILL_MS_MAX  18000 /* for it to end when told to */
#define FAILED       "the match could not be played to its end; the host is told why"

static mono_ns now(void)
{
	return time_now(&time_system);
}

static void close_one(int *descriptor)
{
	if (*descriptor >= 0)
		close(*descriptor);
	*descriptor = -1;
}

static void close_link(struct play_match *match)
{
	close_one(&match->link);
	lines_release(&match->lines);
}

/* An abstract name: nothing of it is left when this process is gone. */
static int listen_at(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(name);
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (listener < 0 || length >= sizeof(address.sun_path))
		return -1;
	memcpy(address.sun_path + 1, name + 1, length - 1);
	if (bind(listener, (struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) ||
		listen(listener, 1))
		close_one(&listener);
	return listener;
}

void play_match_init(struct play_match *match)
{
	*match = (struct play_match){.listener = -1,
		.link = -1,
		.lines = {.fd = -1},
		.child = {.error_fd = -1},
		.follow = {.file = -1}};
}

bool play_match_prepare(struct play_match *match, const char *id, const char *folder,
	const char *socket_name, int seat, char **words)
{
	play_match_init(match);
	match->listener = listen_at(socket_name);
	if (match->listener < 0)
		return false;
	snprintf(match->id, sizeof(match->id), "%s", id);
	snprintf(match->folder, sizeof(match->folder), "%s", folder);
	match->words = words;
	match->seat = seat;
	match->seen = now();
	match->state = PLAY_WAITING;
	return true;
}

/* A child dies with the thread that started it: only play's own thread, which lives as
 * long as the server, may call this. A ^C on the terminal is for the server alone. */
static void start(struct play_match *match)
{
	match->state = PLAY_RUNNING;
	match->child = (struct child){.argv = match->words,
		.self = true,
		.input = CHILD_NULL,
		.output = CHILD_NULL,
		.error = CHILD_PIPE,
		.folder = match->folder,
		.own_group = true,
		.death_signal = SIGTERM};
	child_start(&match->child);
}

/* Any user may connect to an abstract name; only our own is accepted. */
static void accept_link(struct play_match *match)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	int link = accept4(match->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (link < 0)
		return;
	if (getsockopt(link, SOL_SOCKET, SO_PEERCRED, &peer, &size) ||
		peer.uid != geteuid()) {
		close(link);
		return;
	}
	match->link = link;
	lines_init(&match->lines, link, PLAY_LINE_MAX);
	close_one(&match->listener);
}

bool play_replay_find(const char *folder, char path[PATH_MAX])
{
	DIR *stream = opendir(folder);
	struct dirent *entry;
	bool found = false;

	while (stream && !found && (entry = readdir(stream))) {
		size_t length = strlen(entry->d_name);

		found = length > 7 && !strcmp(entry->d_name + length - 7, ".replay") &&
			snprintf(path, PATH_MAX, "%s/%s", folder, entry->d_name) <
				PATH_MAX;
	}
	if (stream)
		closedir(stream);
	return found;
}

/* Reads what is new in the replay. It exists before the first question to the person. */
static bool look(struct play_match *match)
{
	size_t before = match->follow.size;
	char path[PATH_MAX];

	if (match->follow.file < 0) {
		if (!play_replay_find(match->folder, path))
			return false;
		follow_init(&match->follow, path, match->seat);
	}
	follow_look(&match->follow);
	if (match->follow.size > FOLLOW_TEXT_MAX)
		play_match_leave(match);
	return match->follow.size > before;
}

/* One that is asked again was put when it was asked first. */
static void open_question(struct play_match *match, int64_t turn)
{
	if (turn != match->asked)
		match->follow.asked = now();
	match->turn = match->asked = turn;
}

static void take_line(struct play_match *match, const char *text, size_t size)
{
	json_t *line = json_loadb(text, size, 0, NULL);
	const char *type = json_string_value(json_object_get(line, "t"));

	if (!type || (strcmp(type, "ask") && strcmp(type, "refuse"))) {
		json_decref(line);
		return;
	}
	look(match);
	if (!strcmp(type, "ask"))
		open_question(match, json_integer_value(json_object_get(line, "turn")));
	follow_say(&match->follow, type, line);
}

/* True if something came. A line may lead to the end of the link. */
static bool read_link(struct play_match *match)
{
	bool any = false, more = true;
	const char *line;
	size_t size;

	while (more && match->link >= 0) {
		more = false;
		lines_fill(&match->lines);
		while ((line = lines_next(&match->lines, &size))) {
			take_line(match, line, size);
			any = more = true;
		}
		if (match->lines.ended)
			close_link(match);
	}
	return any;
}

/* Remembers the end of what the match writes. */
static void read_errors(struct play_match *match)
{
	char bytes[PLAY_TAIL_SIZE];
	ssize_t n;

	while (match->child.error_fd >= 0 &&
		(n = read(match->child.error_fd, bytes, sizeof(bytes))) > 0) {
		size_t size = (size_t)n, room = sizeof(match->tail) - match->tail_size;
		size_t drop = size > room ? size - room : 0;

		memmove(match->tail, match->tail + drop, match->tail_size - drop);
		match->tail_size -= drop;
		memcpy(match->tail + match->tail_size, bytes, size);
		match->tail_size += size;
	}
}

/* The host gets to know why a match failed. The person does not: bots' output may be
 * quoted there, which is for their owners. */
static void tell_host(const struct play_match *match)
{
	char shown[4 * PLAY_TAIL_SIZE + 1];

	utf8_show((struct text){match->tail, (uint32_t)match->tail_size}, shown,
		sizeof(shown));
	fprintf(stderr, "pigpen: the match of a person failed: %s\n", shown);
}

static bool has_public_file(const struct play_match *match)
{
	char path[PATH_MAX];

	return play_replay_find(match->folder, path) && replay_is_faultless(path);
}

static void end(struct play_match *match, bool ok)
{
	read_link(match);
	read_errors(match);
	look(match);
	if (!ok && !match->left)
		tell_host(match);
	follow_say(&match->follow, "over",
		json_pack("{s:o,s:i}", "why", ok ? json_null() : json_string(FAILED),
			"file", has_public_file(match)));
	match->follow.over = true;
	match->state = PLAY_OVER;
	match->ended = now();
	match->turn = 0;
	close_one(&match->listener);
	close_link(match);
	child_close(&match->child);
}

void play_match_leave(struct play_match *match)
{
	if (match->left)
		return;
	match->left = now();
	match->turn = 0;
	close_one(&match->listener);
	close_link(match);
}

/* Makes a match that its person has left come to an end. */
static void hurry(const struct play_match *match)
{
	mono_ns gone = now() - match->left;

	if (!match->left || match->child.pid <= 0 || gone < LEAVE_MS_MAX * NS_PER_MS)
		return;
	kill(match->child.pid, gone < KILL_MS_MAX * NS_PER_MS ? SIGTERM : SIGKILL);
}

static bool is_success(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool play_match_work(struct play_match *match, int idle_s)
{
	int status = 0;
	bool news;

	if (match->state == PLAY_WAITING)
		start(match);
	if (match->state != PLAY_RUNNING)
		return false;
	if (match->streams)
		match->seen = now();
	if (match->listener >= 0)
		accept_link(match);
	news = read_link(match);
	read_errors(match);
	news |= look(match);
	if (match->child.pid <= 0) {
		end(match, false); /* it could not be started */
		return true;
	}
	if (child_ended(&match->child, &status)) {
		end(match, is_success(status));
		return true;
	}
	if (now() - match->seen > idle_s * NS_PER_S)
		play_match_leave(match);
	hurry(match);
	return news;
}

void play_match_answer(struct play_match *match, json_t *line)
{
	char *text = json_to_text(line, JSON_COMPACT);
	size_t size;

	json_decref(line);
	size = strlen(text);
	text[size] = '\n';
	follow_say(&match->follow, "answer",
		json_pack("{s:I}", "turn", (json_int_t)match->turn));
	match->turn = 0;
	/* The other end has read every line before, so there is room for one more. */
	if (send(match->link, text, size + 1, MSG_NOSIGNAL) != (ssize_t)size + 1)
		play_match_leave(match);
	free(text);
}

void play_match_kill(struct play_match *match)
{
	mono_ns until = now() + (KILL_MS_MAX - LEAVE_MS_MAX) * NS_PER_MS;
	int status;

	if (match->state != PLAY_RUNNING || match->child.pid <= 0)
		return;
	kill(match->child.pid, SIGTERM);
	while (!child_ended(&match->child, &status)) {
		if (now() > until)
			kill(match->child.pid, SIGKILL);
		read_errors(match);
		poll(NULL, 0, 20);
	}
	end(match, is_success(status));
}

void play_match_release(struct play_match *match)
{
	play_words_free(match->words);
	close_one(&match->listener);
	close_link(match);
	child_close(&match->child);
	follow_release(&match->follow);
	play_match_init(match);
}
