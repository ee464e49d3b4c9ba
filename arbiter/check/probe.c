/* A conversation with one bot, message by message. */
#include "arbiter/check/probe.h"
#include "arbiter/base/child.h"

#include <errno.h>
#include <poll.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(struct probe *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool fail(struct probe *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	why_set_list(&p->why, format, args);
	va_end(args);
	return false;
}

static void make_session(struct probe *p, char token[TOKEN_BYTES_MAX])
{
	uint8_t secret[SECRET_BYTES], random[16];
	struct limits limits = limits_default();

	chance_fresh(random, sizeof(random));
	chance_fresh(secret, sizeof(secret));
	sodium_bin2hex(token, TOKEN_BYTES_MAX, random, sizeof(random));
	sessions_init(&p->sessions);
	p->session = session_new(&p->sessions, token, secret, &limits, p);
}

/* An address at which a bot can reconnect: tcp, or in a sandbox a socket in a folder that
 * is visible there. The folder around it keeps everybody else out. */
static bool listen_at(struct probe *p)
{
	char path[128];

	if (!*p->folder) {
		if (transport_bind_tcp(p->transport, "127.0.0.1", p->port, p->endpoint))
			return false;
		p->port = atoi(strrchr(p->endpoint, ':') + 1);
		return true;
	}
	snprintf(path, sizeof(path), "%s/seen/socket", p->folder);
	snprintf(p->endpoint, sizeof(p->endpoint), "ipc://%s", path);
	return !transport_bind_ipc(p->transport, path) && !chmod(path, 0666);
}

static bool make_folder(struct probe *p)
{
	char seen[128];

	if (!temporary_folder(p->folder, 0700, &p->why))
		return false;
	snprintf(seen, sizeof(seen), "%s/seen", p->folder);
	return mkdir(seen, 0755) == 0 && chmod(seen, 0755) == 0;
}

static void remove_folder(struct probe *p)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/seen/socket", p->folder);
	unlink(path);
	*strrchr(path, '/') = 0;
	rmdir(path);
	rmdir(p->folder);
}

static bool start_bot(
	struct probe *p, const struct sandbox_limits *sandbox, const char *token)
{
	struct bot_command command;
	char token_text[TOKEN_BYTES_MAX + 32], seen[128];
	char endpoint[ENDPOINT_BYTES_MAX + 32], tcp[ENDPOINT_BYTES_MAX + 32];
	char *environment[] = {endpoint, token_text, sandbox ? NULL : tcp, NULL};
	int err;

	bot_command_fill(&command, p->spec);
	snprintf(seen, sizeof(seen), "%s/seen", p->folder);
	snprintf(endpoint, sizeof(endpoint), "PIGPEN_ENDPOINT=%s", p->endpoint);
	snprintf(tcp, sizeof(tcp), "PIGPEN_ENDPOINT_TCP=%s", p->endpoint);
	snprintf(token_text, sizeof(token_text), "PIGPEN_TOKEN=%s", token);
	err = process_start(&p->process, &(struct launch_spec){.argv = command.argv,
						 .folder = p->spec->folder,
						 .environment = environment,
						 .sandbox = sandbox,
						 .seen = seen});
	return err ? fail(p, "cannot start %s: %s", command.argv[0], strerror(err))
		   : true;
}

bool probe_start(struct probe *p, const struct bot_spec *spec,
	const struct sandbox_limits *sandbox)
{
	char token[TOKEN_BYTES_MAX];

	memset(p, 0, sizeof(*p));
	p->spec = spec;
	process_init(&p->process);
	p->scratch = compose_scratch_new();
	output_init(&p->output, NULL, 0);
	make_session(p, token);
	p->transport = transport_local_new();
	if (!p->transport || (sandbox && !make_folder(p)) || !listen_at(p))
		return fail(p, "cannot open a socket: %s", strerror(errno));
	return start_bot(p, sandbox, token);
}

static bool fail_exit(struct probe *p)
{
	char status[128], line[256];

	if (p->process.start_errno)
		return fail(p, "cannot run %s: %s", p->spec->command[0],
			strerror(p->process.start_errno));
	child_status_text(p->process.status, status, sizeof(status));
	output_last_line(&p->output, line, sizeof(line));
	return fail(
		p, "%s; last line of its output: %s", status, *line ? line : "(none)");
}

/* Reads the report first: what the bot wrote before it ended is then in the pipe. */
static void look_at_process(struct probe *p)
{
	while (!p->process.gone && process_report(&p->process))
		;
	if (p->process.output >= 0 && !output_drain(&p->output, p->process.output)) {
		close(p->process.output);
		p->process.output = -1;
	}
}

static void keep_bytes(struct probe *p, const void *bytes, size_t size)
{
	p->bytes_size = size < sizeof(p->bytes) ? size : sizeof(p->bytes);
	memcpy(p->bytes, bytes, p->bytes_size);
}

enum outcome { GOING_ON, WANTED, FAILED };

static enum outcome take_message(struct probe *p, const struct message *message,
	const struct frame *frame, enum session_do wanted)
{
	struct verdict verdict;

	session_receive(
		p->session, &frame->peer, message, time_now(&time_system), &verdict);
	if (verdict.what == DO_ANSWER && message->action.turn != p->turn)
		return GOING_ON;
	if (verdict.what == wanted)
		return WANTED;
	if (verdict.what == DO_VIOLATION || verdict.what == DO_REFUSE) {
		keep_bytes(p, frame->bytes, frame->size);
		fail(p, "%s: %s", err_word(verdict.code), verdict.why.text);
		return FAILED;
	}
	if (verdict.what == DO_BYE) {
		fail(p, "it said bye although nobody asked it to");
		return FAILED;
	}
	return GOING_ON;
}

static enum outcome take_frame(struct probe *p, const struct frame *frame,
	enum session_do wanted, struct message *message)
{
	bool own = session_speaks(p->session, &frame->peer);
	struct decoder decoder;
	struct why why;

	if (!frame->size && !frame->err)
		return GOING_ON;
	decoder_init(&decoder, FROM_BOT, own && p->session->batch, &p->session->limits,
		frame->bytes, frame->size);
	while (frame->err || !decoder_done(&decoder)) {
		enum err err =
			frame->err ? frame->err : decoder_next(&decoder, message, &why);
		enum outcome outcome;

		if (err) {
			keep_bytes(p, frame->bytes, frame->size);
			fail(p, "%s: %s", err_word(err),
				frame->err ? err_text(err) : why.text);
			return FAILED;
		}
		outcome = take_message(p, message, frame, wanted);
		if (outcome != GOING_ON)
			return outcome;
	}
	return GOING_ON;
}

static enum outcome take_frames(
	struct probe *p, enum session_do wanted, struct message *message)
{
	struct frame frame;

	while (transport_receive(p->transport, &frame) == ERR_OK) {
		enum outcome outcome = take_frame(p, &frame, wanted, message);

		if (outcome != GOING_ON)
			return outcome;
	}
	return GOING_ON;
}

/* Sleeps until something may have happened; after its end only frames can come. */
static void doze(struct probe *p)
{
	bool ended = p->process.exited || p->process.gone;
	struct pollfd fds[] = {
		{.fd = transport_fd(p->transport), .events = POLLIN},
		{.fd = ended ? -1 : p->process.report, .events = POLLIN},
		{.fd = ended ? -1 : p->process.output, .events = POLLIN},
	};

	/* The socket's descriptor is edge-triggered, so no sleep is long. */
	poll(fds, 3, 50);
}

bool probe_wait(
	struct probe *p, enum session_do wanted, int seconds, struct message *message)
{
	mono_ns end = time_now(&time_system) + seconds * NS_PER_S;
	enum outcome outcome;

	for (;;) {
		outcome = take_frames(p, wanted, message);
		if (outcome != GOING_ON)
			return outcome == WANTED;
		look_at_process(p);
		if (p->process.exited || p->process.start_errno || p->process.gone) {
			/* What it sent before it ended may still arrive. */
			doze(p);
			outcome = take_frames(p, wanted, message);
			return outcome == WANTED || (outcome == GOING_ON && fail_exit(p));
		}
		if (time_now(&time_system) > end)
			return fail(p, "nothing came within %d s", seconds);
		doze(p);
	}
}

void probe_ask(struct probe *p, int64_t turn)
{
	session_asked(p->session);
	p->turn = turn;
}

bool probe_send(struct probe *p, struct blob bytes)
{
	enum err err =
		transport_send(p->transport, &p->session->peer, bytes.bytes, bytes.size);

	return err ? fail(p, "it does not read what is sent to it: %s", err_text(err))
		   : true;
}

bool probe_send_message(struct probe *p, const struct message *message)
{
	static uint8_t bytes[ARBITER_MESSAGE_BYTES_MAX];
	struct buffer buffer = buffer_on(bytes, sizeof(bytes));

	codec_encode(message, &buffer);
	return probe_send(p, blob_since(&buffer, 0));
}

/* A map of fewer than 15 pairs has its count in the first byte. */
bool probe_send_strange(struct probe *p, struct blob bytes)
{
	static uint8_t room[ARBITER_MESSAGE_BYTES_MAX + 64];
	struct buffer buffer = buffer_on(room, sizeof(room));
	msgpack_packer packer = buffer_packer(&buffer);
	size_t pairs = bytes.bytes[0] & 0x0f, head = 1;

	if (bytes.bytes[0] == 0xde) {
		pairs = (size_t)bytes.bytes[1] << 8 | bytes.bytes[2];
		head = 3;
	}
	msgpack_pack_map(&packer, pairs + 1);
	buffer_write(&buffer, (const char *)bytes.bytes + head, bytes.size - head);
	msgpack_pack_str(&packer, 9);
	msgpack_pack_str_body(&packer, "x_unknown", 9);
	msgpack_pack_map(&packer, 1);
	msgpack_pack_str(&packer, 1);
	msgpack_pack_str_body(&packer, "a", 1);
	msgpack_pack_array(&packer, 2);
	msgpack_pack_nil(&packer);
	msgpack_pack_int(&packer, -1);
	return probe_send(p, blob_since(&buffer, 0));
}

/* Closing the whole transport is the surest cut; the same port is used again. */
bool probe_cut(struct probe *p)
{
	session_lost(p->session);
	transport_free(&p->transport);
	for (int i = 0; i < 50; i++) {
		p->transport = transport_local_new();
		if (p->transport && listen_at(p))
			return true;
		if (p->transport)
			transport_free(&p->transport);
		poll(NULL, 0, 20); /* until the system lets go of the port */
	}
	p->transport = transport_local_new();
	return fail(p, "cannot listen at the same place again: %s", strerror(errno));
}

bool probe_wait_exit(struct probe *p, int seconds)
{
	mono_ns end = time_now(&time_system) + seconds * NS_PER_S;

	while (!p->process.exited && !p->process.gone) {
		struct frame frame;

		if (time_now(&time_system) > end)
			return fail(p, "it still runs after %d s", seconds);
		while (transport_receive(p->transport, &frame) == ERR_OK)
			;
		look_at_process(p);
		if (!p->process.exited)
			doze(p);
	}
	return true;
}

bool probe_left_nobody(struct probe *p)
{
	while (!p->process.gone) {
		process_report(&p->process);
		doze(p);
	}
	if (p->process.left)
		return fail(p, "%d process%s outlived it and had to be killed",
			p->process.left, p->process.left > 1 ? "es" : "");
	return true;
}

const char *probe_output(const struct probe *p)
{
	static char text[OUTPUT_TAIL_SIZE + 1];

	memcpy(text, p->output.tail, p->output.tail_size);
	text[p->output.tail_size] = 0;
	return text;
}

void probe_release(struct probe *p)
{
	process_release(&p->process);
	output_release(&p->output);
	sessions_release(&p->sessions);
	if (p->transport)
		transport_free(&p->transport);
	if (*p->folder)
		remove_folder(p);
	compose_scratch_free(&p->scratch);
}
