/*
 * A scripted conversation with one bot, for what an ordinary match never shows (keys that
 * the bot does not know, a connection that is cut). All calls block, with a time limit.
 * If one fails, probe.why says why.
 */
#ifndef ARBITER_CHECK_PROBE_H
#define ARBITER_CHECK_PROBE_H

#include "arbiter/bots/bot_spec.h"
#include "arbiter/table/compose.h"
#include "arbiter/process/launch.h"
#include "protocol/transport.h"
#include "arbiter/base/temporary.h"
#include "protocol/why.h"

struct probe {
	const struct bot_spec *spec;
	struct transport *transport;
	char endpoint[ENDPOINT_BYTES_MAX];
	int port;
	char folder
		[TEMPORARY_PATH_SIZE]; /* of the socket for a sandbox; "": tcp is used */
	struct sessions sessions;
	struct session *session;
	int64_t turn; /* of the open question, 0 before the first */
	struct process process;
	struct output output;
	struct compose_scratch *scratch;
	struct why why;
	uint8_t bytes[256]; /* what the bot sent last before a failure */
	size_t bytes_size;
};

/* Starts the bot, in a sandbox unless that is NULL, without waiting for it. */
bool probe_start(struct probe *probe, const struct bot_spec *spec,
	const struct sandbox_limits *sandbox);
/* Waits until the bot does what is wanted; false: it did something else, ended, or stayed
 * silent for `seconds`. `message` is valid until the next call. */
bool probe_wait(struct probe *probe, enum session_do wanted, int seconds,
	struct message *message);
/* The question of that turn is about to be sent: only its answer counts as DO_ANSWER. */
void probe_ask(struct probe *probe, int64_t turn);
bool probe_send(struct probe *probe, struct blob bytes);
bool probe_send_message(struct probe *probe, const struct message *message);
/* The same message with a key that no version of the protocol has. */
bool probe_send_strange(struct probe *probe, struct blob bytes);
/* Cuts the connection and listens again at the same place. */
bool probe_cut(struct probe *probe);
/* Waits until the bot's process has ended; false if it did not. */
bool probe_wait_exit(struct probe *probe, int seconds);
/* Call after that; false if it left other processes behind. */
bool probe_left_nobody(struct probe *probe);
/* The last lines of what the bot wrote. */
const char *probe_output(const struct probe *probe);
void probe_release(struct probe *probe);

#endif
