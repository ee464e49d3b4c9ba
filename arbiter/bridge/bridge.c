/* The bridge between an arbiter and a program that speaks lines of JSON. */
#include "arbiter/bridge/bridge.h"
#include "arbiter/base/exit.h"
#include "protocol/json.h"
#include "protocol/memory.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WELCOME_MS     30000 /* without an answer to hello we give up */
#define AGAIN_MS       500   /* before a hello that came too early is repeated */
#define CLOSED_MS      1000  /* from a closed pipe to the exit that explains it */
#define LINE_SHOWN_MAX 200

enum bridge_state { BRIDGE_ON, BRIDGE_LEAVING, BRIDGE_OVER };

/* What the bridge waits for; each has a deadline in `due`, 0: not waiting. */
enum bridge_wait {
	WAIT_WELCOME,
	WAIT_HELLO_AGAIN,
	WAIT_FIRST_LINE, /* a child that was asked and has written nothing */
	WAIT_EXIT,       /* after bye */
	WAIT_REASON,     /* after a pipe was closed */
	WAITS
};

struct bridge {
	const struct bridge_options *options;
	struct bridge_child child;
	struct link *link;
	const char *token;
	bool remote; /* keeps trying, whatever happens to the connection */
	int signals;
	enum bridge_state state;
	int status;
	bool greeted;
	uint8_t secret[SECRET_BYTES]; /* once greeted */
	struct limits limits;
	int64_t due[WAITS];
	struct buffer frame;
	uint8_t frame_bytes[FRAME_BYTES_MAX];
	uint8_t line_bytes[MESSAGE_BYTES_MAX];
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void wait_for(struct bridge *bridge, enum bridge_wait what, int64_t ms)
{
	if (bridge->due[what] == 0)
		bridge->due[what] = now_ms() + ms;
}

__attribute__((format(printf, 2, 3))) static void fail(
	struct bridge *bridge, const char *format, ...)
{
	va_list args;

	if (bridge->state == BRIDGE_OVER)
		return;
	bridge->state = BRIDGE_OVER;
	bridge->status = EXIT_FAILED;
	fputs("pigpen bridge: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static const char *command_name(const struct bridge *bridge)
{
	return bridge->options->command[0];
}

static struct text text_or_empty(const char *string)
{
	return string ? text_of(string) : (struct text){0};
}

static void say_hello(struct bridge *bridge)
{
	const struct bridge_options *options = bridge->options;
	struct message message = {.type = MESSAGE_HELLO};

	message.hello = (struct message_hello){
		.v = {1, {PROTOCOL_VERSION}},
		.token = text_of(bridge->token),
		.name = text_or_empty(options->name),
		.version = text_or_empty(options->version),
		.lang = text_or_empty(options->lang),
		.matches = options->matches,
		.events = options->events,
		.batch = true,
	};
	if (bridge->greeted)
		message.hello.secret =
			(struct text){(char *)bridge->secret, SECRET_BYTES};
	bridge->due[WAIT_HELLO_AGAIN] = 0;
	buffer_clear(&bridge->frame);
	codec_encode(&message, &bridge->frame);
	link_send(bridge->link, bridge->frame.bytes, bridge->frame.size);
	buffer_clear(&bridge->frame);
}

static void leave(struct bridge *bridge)
{
	if (bridge->state != BRIDGE_ON)
		return;
	bridge->state = BRIDGE_LEAVING;
	wait_for(bridge, WAIT_EXIT, bridge->limits.bye_ms);
}

static void tell_child(struct bridge *bridge, struct blob bytes)
{
	struct why why;
	char *line = json_line(bytes, &why);

	if (!line)
		fail(bridge, "a message from the arbiter cannot be written as JSON: %s",
			why.text);
	else if (!bridge_child_tell(&bridge->child, line))
		fail(bridge, "%s does not read its input: %d bytes wait for it",
			command_name(bridge), BRIDGE_QUEUE_BYTES_MAX);
	free(line);
}

static void on_welcome(struct bridge *bridge, const struct message_welcome *welcome)
{
	memcpy(bridge->secret, welcome->secret.bytes, SECRET_BYTES);
	bridge->limits = welcome->limits;
	bridge->greeted = true;
	bridge->due[WAIT_WELCOME] = 0;
}

/* Returns whether the child should be told. */
static bool on_error(struct bridge *bridge, const struct message_error *error)
{
	if (error->match >= 0)
		return true;
	if (text_is(error->code, err_word(ERR_LIVE)) &&
		(bridge->greeted || bridge->remote))
		wait_for(bridge, WAIT_HELLO_AGAIN, AGAIN_MS);
	else
		fail(bridge, "the arbiter says %.*s: %.*s", (int)error->code.size,
			error->code.bytes, (int)error->why.size, error->why.bytes);
	return false;
}

static void on_message(
	struct bridge *bridge, const struct message *message, struct blob bytes)
{
	if (message->type == MESSAGE_WELCOME)
		on_welcome(bridge, &message->welcome);
	if (message->type == MESSAGE_ERROR && !on_error(bridge, &message->error))
		return;
	tell_child(bridge, bytes);
	if (message->type == MESSAGE_MATCH && bridge->child.count == 0)
		wait_for(bridge, WAIT_FIRST_LINE, bridge->limits.ready_ms / 2);
	if (message->type == MESSAGE_BYE)
		leave(bridge);
}

/* An empty frame only checks whether we are alive. */
static void on_frame(struct bridge *bridge, const uint8_t *bytes, size_t size)
{
	struct decoder decoder;
	struct message message;
	struct why why;

	decoder_init(&decoder, FROM_ARBITER, true, NULL, bytes, size);
	while (size > 0 && bridge->state == BRIDGE_ON && !decoder_done(&decoder)) {
		if (decoder_next(&decoder, &message, &why))
			fail(bridge, "cannot read what the arbiter sent: %s", why.text);
		else
			on_message(bridge, &message, decoder_last(&decoder));
	}
}

static void tell_news(struct bridge *bridge)
{
	const char *news = link_news(bridge->link);

	if (*news)
		fprintf(stderr, "pigpen bridge: %s\n", news);
}

static void drain_link(struct bridge *bridge)
{
	const uint8_t *bytes;
	size_t size;

	while (bridge->state != BRIDGE_OVER) {
		switch (link_receive(bridge->link, 0, &bytes, &size)) {
		case LINK_FRAME:
			on_frame(bridge, bytes, size);
			break;
		case LINK_CONNECTED:
			if (bridge->state == BRIDGE_ON)
				say_hello(bridge);
			break;
		case LINK_LOST:
			/* The link reconnects by itself; we say hello when it is back. */
			tell_news(bridge);
			break;
		case LINK_GONE:
			fail(bridge, "%s", link_news(bridge->link));
			break;
		case LINK_REFUSED:
			fail(bridge,
				"the arbiter does not know our key; its host has to add it");
			break;
		case LINK_CLOSED:
			if (bridge->state == BRIDGE_ON)
				fail(bridge, "the arbiter has gone without a bye");
			break;
		case LINK_TIMEOUT:
			return;
		}
	}
}

static void send_frame(struct bridge *bridge)
{
	if (bridge->frame.size > 0)
		link_send(bridge->link, bridge->frame.bytes, bridge->frame.size);
	buffer_clear(&bridge->frame);
}

static void fail_line(struct bridge *bridge, const char *line, const char *why)
{
	char shown[LINE_SHOWN_MAX + 1];
	size_t size = 0;

	for (; line[size] && size < LINE_SHOWN_MAX; size++)
		shown[size] = (unsigned char)line[size] < ' ' ? '?' : line[size];
	shown[size] = 0;
	fail(bridge, "line %lld of %s: %s: %s%s", (long long)bridge->child.count,
		command_name(bridge), why, shown, line[size] ? "…" : "");
}

static void on_line(struct bridge *bridge, const char *line, size_t size)
{
	struct buffer bytes = buffer_on(bridge->line_bytes, sizeof(bridge->line_bytes));
	struct decoder decoder;
	struct message message;
	struct why why;

	bridge->due[WAIT_FIRST_LINE] = 0;
	if (json_parse_line(line, size, &bytes, &why)) {
		fail_line(bridge, line, why.text);
		return;
	}
	decoder_init(&decoder, FROM_BOT, false, &bridge->limits, bytes.bytes, bytes.size);
	if (decoder_next(&decoder, &message, &why)) {
		fail_line(bridge, line, why.text);
		return;
	}
	if (message.type == MESSAGE_HELLO) {
		fail_line(bridge, line, "the bridge says hello, not the bot");
		return;
	}
	if ((int64_t)(bridge->frame.size + bytes.size) > bridge->limits.frame_bytes)
		send_frame(bridge);
	buffer_write(&bridge->frame, (char *)bytes.bytes, bytes.size);
	if (message.type == MESSAGE_BYE)
		leave(bridge);
}

static void read_child(struct bridge *bridge)
{
	struct bridge_child *child = &bridge->child;
	size_t size;
	char *line;

	if (!bridge->greeted)
		return;
	while (bridge->state == BRIDGE_ON && (line = bridge_child_line(child, &size)))
		on_line(bridge, line, size);
	if (bridge->state == BRIDGE_ON && child->lines.too_long)
		fail(bridge, "line %lld of %s is longer than %d bytes",
			(long long)child->count + 1, command_name(bridge),
			BRIDGE_LINE_BYTES_MAX);
	send_frame(bridge);
}

static int exit_status(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void on_child_exit(struct bridge *bridge)
{
	struct bridge_child *child = &bridge->child;
	char status[96];

	read_child(bridge);
	child_status_text(child->status, status, sizeof(status));
	if (bridge->state == BRIDGE_ON)
		fail(bridge, "%s %s before bye, after %lld lines%s", command_name(bridge),
			status, (long long)child->count,
			lines_rest(&child->lines) ? "; its last line has no newline"
						  : "");
	if (bridge->state == BRIDGE_LEAVING) {
		bridge->state = BRIDGE_OVER;
		bridge->status = exit_status(child->status);
	}
}

static void on_signals(struct bridge *bridge)
{
	struct signalfd_siginfo info;

	while (read(bridge->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			bridge_child_reap(&bridge->child);
		} else {
			bridge->state = BRIDGE_OVER;
			bridge->status = 128 + (int)info.ssi_signo;
		}
	}
}

/* A child that closes a pipe usually exits a moment later, and its status says more. */
static void check_pipes(struct bridge *bridge)
{
	const struct bridge_child *child = &bridge->child;

	if (child->process.output_fd < 0 || child->deaf)
		wait_for(bridge, WAIT_REASON, CLOSED_MS);
}

static void on_due(struct bridge *bridge, enum bridge_wait what)
{
	const struct bridge_child *child = &bridge->child;
	const char *name = command_name(bridge);

	bridge->due[what] = 0;
	switch (what) {
	case WAIT_WELCOME:
		fail(bridge, "no welcome in %d s", WELCOME_MS / 1000);
		break;
	case WAIT_HELLO_AGAIN:
		say_hello(bridge);
		break;
	case WAIT_FIRST_LINE:
		fprintf(stderr,
			"pigpen bridge: %s was sent a match %lld ms ago and has written "
			"%s; if it has answered, its output is buffered: end every line "
			"with a newline and flush stdout after it\n",
			name, (long long)bridge->limits.ready_ms / 2,
			lines_rest(&child->lines) ? "no whole line" : "nothing");
		break;
	case WAIT_EXIT:
		fail(bridge, "%s did not end within %lld ms after bye", name,
			(long long)bridge->limits.bye_ms);
		break;
	case WAIT_REASON:
		if (bridge->state == BRIDGE_ON)
			fail(bridge, "%s has closed its %s after %lld lines, but runs on",
				name, child->process.output_fd < 0 ? "output" : "input",
				(long long)child->count);
		break;
	case WAITS:
		break;
	}
}

/* Milliseconds until the next deadline; -1: there is none. */
static int sleep_ms(const struct bridge *bridge)
{
	int64_t next = INT64_MAX, now = now_ms();
	int patience_ms = link_patience_ms(bridge->link);

	if (patience_ms >= 0)
		next = now + patience_ms;
	for (int i = 0; i < WAITS; i++)
		if (bridge->due[i] > 0 && bridge->due[i] < next)
			next = bridge->due[i];
	return next == INT64_MAX ? -1 : next > now ? (int)(next - now) : 0;
}

static void sleep_until_something(struct bridge *bridge)
{
	const struct bridge_child *child = &bridge->child;
	struct pollfd fds[] = {
		{.fd = bridge->signals, .events = POLLIN},
		{.fd = bridge->greeted ? child->process.output_fd : -1, .events = POLLIN},
		{.fd = bridge_child_has_queue(child) ? child->process.input_fd : -1,
			.events = POLLOUT},
		{.events = POLLIN},
		{.events = POLLIN},
	};
	int links[LINK_FDS];

	link_fds(bridge->link, links);
	fds[3].fd = links[0];
	fds[4].fd = links[1];
	poll(fds, sizeof(fds) / sizeof(fds[0]), sleep_ms(bridge));
}

static void step(struct bridge *bridge)
{
	on_signals(bridge);
	if (bridge->child.exited)
		on_child_exit(bridge);
	else
		read_child(bridge);
	drain_link(bridge);
	if (bridge->state == BRIDGE_LEAVING)
		bridge_child_hush(&bridge->child);
	else
		bridge_child_flush(&bridge->child);
	check_pipes(bridge);
	for (int i = 0; i < WAITS && bridge->state != BRIDGE_OVER; i++)
		if (bridge->due[i] > 0 && bridge->due[i] <= now_ms())
			on_due(bridge, (enum bridge_wait)i);
	if (bridge->state != BRIDGE_OVER)
		sleep_until_something(bridge);
}

/* Signals are read from a descriptor; the link's threads must not get them either. */
static int catch_signals(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int connect_and_play(struct bridge *bridge)
{
	struct link_options options;
	struct why why;
	int error;

	if (link_options_from_environment(&options, &why))
		return user_error("bridge: %s", why.text);
	bridge->token = options.token;
	bridge->remote = options.server_public != NULL;
	if (link_new(&bridge->link, &options, &why))
		return user_error("bridge: %s", why.text);
	error = bridge_child_start(&bridge->child, bridge->options->command);
	if (error)
		return user_error("bridge: cannot start '%s': %s", command_name(bridge),
			strerror(error));
	if (!bridge->remote)
		wait_for(bridge, WAIT_WELCOME, WELCOME_MS);
	while (bridge->state != BRIDGE_OVER)
		step(bridge);
	return bridge->status;
}

int bridge_run(const struct bridge_options *options)
{
	struct bridge *bridge = xcalloc(1, sizeof(*bridge));
	int status;

	bridge->options = options;
	bridge->limits = limits_default();
	bridge->frame = buffer_on(bridge->frame_bytes, sizeof(bridge->frame_bytes));
	bridge->signals = catch_signals();
	status = connect_and_play(bridge);
	bridge_child_release(&bridge->child);
	link_free(&bridge->link);
	close(bridge->signals);
	free(bridge);
	return status;
}
