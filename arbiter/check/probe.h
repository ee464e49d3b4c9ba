/*
 * A conversation with one bot, held by hand: for what a match between well-behaved
 * parties never shows (keys that the bot does not know, a connection that is cut).
 * Everything blocks, with a limit. What goes wrong is said in probe.why.
 */
#ifndef ARBITER_CHECK_PROBE_H
#define ARBITER_CHECK_PROBE_H

#include "arbiter/bots/bot_spec.h"
#include "arbiter/table/compose.h"
#include "arbiter/process/launch.h"
#include "protocol/transport.h"
#include "protocol/why.h"

struct probe {
	const struct bot_spec *spec;
	struct transport *transport;
	char endpoint[ENDPOINT_BYTES_MAX];
	int port;
	char folder[64]; /* of the socket that can be seen in a sandbox; "": tcp is used
			  */
	struct sessions sessions;
	struct session *session;
	int64_t turn; /* of the open question, 0 before the first */
	struct process process;
	struct output output;
	struct compose_scratch *scratch;
	struct why why;
	uint8_t bytes[256]; /* what the bot sent last when it went wrong */
	size_t bytes_size;
};

/* Starts the bot, in a sandbox unless that is NULL, and waits for nothing yet. */
bool probe_start(struct probe *probe, const struct bot_spec *spec,
	const struct sandbox_limits *sandbox);
/* Waits until the bot does what is wanted; false: it did something else, ended, or kept
 * silent for `seconds`. `message` is valid until the next call. */
bool probe_wait(struct probe *probe, enum session_do wanted, int seconds,
	struct message *message);
/* The question of that turn is about to be sent: DO_ANSWER is an answer to it alone. */
void probe_ask(struct probe *probe, int64_t turn);
bool probe_send(struct probe *probe, struct blob bytes);
bool probe_send_message(struct probe *probe, const struct message *message);
/* The same message with a key that no version of the protocol has. */
bool probe_send_strange(struct probe *probe, struct blob bytes);
/* Cuts the connection and listens again at the same place. */
bool probe_cut(struct probe *probe);
/* Waits until the bot's process has ended; false if it did not. */
bool probe_wait_exit(struct probe *probe, int seconds);
/* After that: false if it left other processes behind. */
bool probe_left_nobody(struct probe *probe);
/* The last lines of what the bot wrote. */
const char *probe_output(const struct probe *probe);
void probe_release(struct probe *probe);

#endif
