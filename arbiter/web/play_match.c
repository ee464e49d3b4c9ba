/* One match of a person: its process, and what goes to and fro. */
#include "arbiter/web/play_internal.h"
#include "protocol/memory.h"
#include "arbiter/base/json_text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LEAVE_MS_MAX 3000  /* for a match to end without its person */
#define KILL_MS_MAX  18000 /* for it to end when told to */

int64_t play_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static void close_one(int *descriptor)
{
	if (*descriptor >= 0)
		close(*descriptor);
	*descriptor = -1;
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
	*match = (struct play_match){
		.listener = -1, .link = -1, .errors = -1, .follow = {.file = -1}};
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
	for (int i = 0; words[i]; i++)
		match->words[i] = words[i];
	match->seat = seat;
	match->seen_ms = play_now_ms();
	match->state = PLAY_WAITING;
	return true;
}

_Noreturn static void become_match(
	const struct play_match *match, pid_t parent, int errors)
{
	int nothing = open("/dev/null", O_RDWR);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	/* A ^C on the terminal is for the server alone. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || chdir(match->folder))
		_exit(127);
	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	close_range(3, ~0u, 0);
	execv("/proc/self/exe", match->words);
	_exit(127);
}

/* The signal of a parent's death comes with that of its thread: only the worker, which
 * lives as long as the server, may call this. */
static void start(struct play_match *match)
{
	pid_t parent = getpid();
	int errors[2];

	match->state = PLAY_RUNNING;
	if (pipe2(errors, O_CLOEXEC | O_NONBLOCK))
		return;
	match->pid = fork();
	if (match->pid == 0)
		become_match(match, parent, errors[1]);
	close(errors[1]);
	match->errors = errors[0];
}

/* Whoever else may connect to an abstract name is not our user. */
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

/* Takes what is new in the replay, which there is before the first question. */
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
		match->turn = json_integer_value(json_object_get(line, "turn"));
	follow_say(&match->follow, type, line);
}

static void take_lines(struct play_match *match)
{
	char *end, *at = match->input;
	size_t left = match->input_size;

	while ((end = memchr(at, '\n', left))) {
		take_line(match, at, (size_t)(end - at));
		left -= (size_t)(end + 1 - at);
		at = end + 1;
	}
	memmove(match->input, at, left);
	match->input_size = left;
}

/* True if something came. */
static bool read_link(struct play_match *match)
{
	bool any = false;
	ssize_t n;

	while (match->link >= 0) {
		match->input = xrealloc(match->input, match->input_size + 65536);
		n = read(match->link, match->input + match->input_size, 65536);
		if (n < 0)
			break;
		if (n == 0 || match->input_size + (size_t)n > PLAY_LINE_MAX) {
			close_one(&match->link);
			break;
		}
		match->input_size += (size_t)n;
		take_lines(match);
		any = true;
	}
	return any;
}

/* Keeps the end of what the match says. */
static void read_errors(struct play_match *match)
{
	char bytes[PLAY_TAIL_SIZE];
	ssize_t n;

	while (match->errors >= 0 &&
		(n = read(match->errors, bytes, sizeof(bytes))) > 0) {
		size_t size = (size_t)n, room = sizeof(match->tail) - match->tail_size;
		size_t drop = size > room ? size - room : 0;

		memmove(match->tail, match->tail + drop, match->tail_size - drop);
		match->tail_size -= drop;
		memcpy(match->tail + match->tail_size, bytes, size);
		match->tail_size += size;
	}
}

/* Text of processes, which may be anything. */
static json_t *plain(char *text, size_t size)
{
	json_t *json;

	while (size && (text[size - 1] == '\n' || text[size - 1] == ' '))
		size--;
	json = json_stringn(text, size);
	if (json)
		return json;
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] >= 0x80)
			text[i] = '?';
	return json_stringn(text, size);
}

static void end(struct play_match *match, int status)
{
	bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;

	read_link(match);
	read_errors(match);
	look(match);
	follow_say(&match->follow, "over",
		json_pack("{s:o}", "why",
			ok ? json_null() : plain(match->tail, match->tail_size)));
	match->follow.over = true;
	match->state = PLAY_OVER;
	match->ended_ms = play_now_ms();
	match->turn = 0;
	match->pid = 0;
	close_one(&match->listener);
	close_one(&match->link);
	close_one(&match->errors);
}

void play_match_leave(struct play_match *match)
{
	if (match->left_ms)
		return;
	match->left_ms = play_now_ms();
	match->turn = 0;
	close_one(&match->listener);
	close_one(&match->link);
}

/* Sees to it that a match which its person left comes to an end. */
static void hurry(const struct play_match *match)
{
	int64_t gone_ms = play_now_ms() - match->left_ms;

	if (!match->left_ms || match->pid <= 0 || gone_ms < LEAVE_MS_MAX)
		return;
	kill(match->pid, gone_ms < KILL_MS_MAX ? SIGTERM : SIGKILL);
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
		match->seen_ms = play_now_ms();
	if (match->listener >= 0)
		accept_link(match);
	news = read_link(match);
	read_errors(match);
	news |= look(match);
	if (match->pid <= 0 || waitpid(match->pid, &status, WNOHANG) == match->pid) {
		end(match, match->pid > 0 ? status : 1 << 8);
		return true;
	}
	if (play_now_ms() - match->seen_ms > idle_s * 1000LL)
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
	int64_t until_ms = play_now_ms() + (KILL_MS_MAX - LEAVE_MS_MAX);
	int status;

	if (match->state != PLAY_RUNNING || match->pid <= 0)
		return;
	kill(match->pid, SIGTERM);
	while (waitpid(match->pid, &status, WNOHANG) == 0) {
		if (play_now_ms() > until_ms)
			kill(match->pid, SIGKILL);
		read_errors(match);
		poll(NULL, 0, 20);
	}
	end(match, status);
}

void play_match_release(struct play_match *match)
{
	for (int i = 0; match->words[i]; i++)
		free(match->words[i]);
	close_one(&match->listener);
	close_one(&match->link);
	close_one(&match->errors);
	follow_release(&match->follow);
	free(match->input);
	play_match_init(match);
}
