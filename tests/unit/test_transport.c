/* Frames over real sockets, of local and of remote bots, and through the trace. */
#include <criterion/criterion.h>
#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>
#include "protocol/link.h"
#include "protocol/transport.h"

#define PATIENCE_MS 60000

static char folder[64];
static void *context;
static struct transport *transport;
static struct frame frame;

static void setup(void)
{
	strcpy(folder, "/tmp/pigpen-transport-XXXXXX");
	cr_assert(mkdtemp(folder));
	context = zmq_ctx_new();
	transport = transport_local_new();
	cr_assert(transport);
}

static void teardown(void)
{
	transport_free(&transport);
	zmq_ctx_term(context);
	cr_assert_eq(rmdir(folder), 0, "socket files are left: %s", strerror(errno));
}

/* The context waits for the sockets that a failed test has left open. */
TestSuite(zmq, .init = setup, .fini = teardown, .timeout = 300);

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void *dealer(const char *endpoint)
{
	void *socket = zmq_socket(context, ZMQ_DEALER);
	int linger_ms = 0, patience_ms = PATIENCE_MS;

	zmq_setsockopt(socket, ZMQ_LINGER, &linger_ms, sizeof(linger_ms));
	zmq_setsockopt(socket, ZMQ_RCVTIMEO, &patience_ms, sizeof(patience_ms));
	cr_assert_eq(zmq_connect(socket, endpoint), 0);
	return socket;
}

/* Binds a path of that name and connects to it. */
static void *dealer_ipc(const char *name)
{
	char endpoint[256];

	cr_assert_eq(transport_bind_ipc(transport, path_of(name)), ERR_OK);
	snprintf(endpoint, sizeof(endpoint), "ipc://%s", path_of(name));
	return dealer(endpoint);
}

/* The transport's next frame, waiting as an arbiter would. */
static void await(struct transport *from)
{
	struct pollfd wait = {.fd = transport_fd(from), .events = POLLIN};
	enum err err;

	while ((err = transport_receive(from, &frame)) == ERR_AGAIN)
		cr_assert_gt(poll(&wait, 1, PATIENCE_MS), 0, "no frame comes");
	cr_assert_eq(err, ERR_OK);
}

static bool frame_is(const char *text)
{
	return frame.size == strlen(text) && memcmp(frame.bytes, text, frame.size) == 0;
}

static void there_and_back(void *socket)
{
	char reply[16];

	zmq_send(socket, "question", 8, 0);
	await(transport);
	cr_assert(frame_is("question"));
	cr_assert_eq(frame.err, ERR_OK);
	cr_assert_eq(transport_send(transport, &frame.peer, "answer", 6), ERR_OK);
	cr_assert_eq(zmq_recv(socket, reply, sizeof(reply), 0), 6);
	cr_assert_eq(memcmp(reply, "answer", 6), 0);
}

Test(zmq, a_path_and_a_port_reach_the_same_bot)
{
	char endpoint[ENDPOINT_BYTES_MAX];
	void *sockets[2] = {dealer_ipc("first")};
	struct peer peers[2];

	cr_assert_eq(transport_bind_tcp(transport, "127.0.0.1", 0, endpoint), ERR_OK);
	cr_assert_eq(strncmp(endpoint, "tcp://127.0.0.1:", 16), 0);
	cr_assert_neq(atoi(endpoint + 16), 0, "the port was chosen");
	sockets[1] = dealer(endpoint);
	for (int i = 0; i < 2; i++) {
		there_and_back(sockets[i]);
		peers[i] = frame.peer;
	}
	cr_assert_neq(memcmp(peers[0].bytes, peers[1].bytes, peers[0].size), 0);
	for (int i = 0; i < 2; i++)
		zmq_close(sockets[i]);
}

Test(zmq, frames_of_every_size_come_and_go_whole)
{
	static const size_t sizes[] = {
		1, 255, 256, 257, 8190, 8191, 8192, 65536, 300000, FRAME_BYTES_MAX};
	uint8_t *bytes = malloc(FRAME_BYTES_MAX), *back = malloc(FRAME_BYTES_MAX);
	void *socket = dealer_ipc("bot");

	for (size_t i = 0; i < FRAME_BYTES_MAX; i++)
		bytes[i] = (uint8_t)(i * 7 + i / 251);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		zmq_send(socket, bytes, sizes[i], 0);
		await(transport);
		cr_assert_eq(frame.err, ERR_OK);
		cr_assert_eq(frame.size, sizes[i]);
		cr_assert_eq(memcmp(frame.bytes, bytes, sizes[i]), 0, "%zu", sizes[i]);
		cr_assert_eq(
			transport_send(transport, &frame.peer, bytes, sizes[i]), ERR_OK);
		/* What the kernel did not take leaves when the other side has read. */
		while (zmq_recv(socket, back, FRAME_BYTES_MAX, ZMQ_DONTWAIT) !=
			(int)sizes[i])
			transport_receive(transport, &frame);
		cr_assert_eq(memcmp(back, bytes, sizes[i]), 0, "%zu", sizes[i]);
	}
	zmq_close(socket);
	free(bytes);
	free(back);
}

Test(zmq, nothing_to_receive_does_not_block)
{
	cr_assert_eq(transport_receive(transport, &frame), ERR_AGAIN);
}

Test(zmq, an_unknown_or_dead_peer_is_reported)
{
	struct peer nobody = {.size = 5, .bytes = "nobod"};
	void *socket = dealer_ipc("bot");
	struct timespec pause = {0, 1000000};
	enum err err;

	cr_assert_eq(transport_send(transport, &nobody, "x", 1), ERR_NO_PEER);
	there_and_back(socket);
	cr_assert_eq(transport_probe(transport, &frame.peer), ERR_OK);
	zmq_close(socket);
	for (int i = 0; i < PATIENCE_MS; i++) {
		struct frame none;

		transport_receive(transport, &none);
		err = transport_probe(transport, &frame.peer);
		if (err == ERR_NO_PEER)
			break;
		nanosleep(&pause, NULL);
	}
	cr_assert_eq(err, ERR_NO_PEER);
}

static bool is_gone(const struct peer *peer)
{
	for (int ms = 0; ms < PATIENCE_MS; ms++) {
		struct frame none;

		transport_receive(transport, &none);
		if (transport_probe(transport, peer) == ERR_NO_PEER)
			return true;
		usleep(1000);
	}
	return false;
}

/* Nothing is kept of a message that may never end. */
Test(zmq, the_first_of_several_parts_is_reported_and_nothing_is_read_after_it)
{
	void *socket = dealer_ipc("bot");

	for (int i = 0; i < 999; i++)
		zmq_send(socket, "part", 4, ZMQ_SNDMORE);
	zmq_send(socket, "last", 4, 0);
	zmq_send(socket, "next", 4, 0);
	await(transport);
	cr_assert_eq(frame.err, ERR_MULTIPART);
	cr_assert(frame_is("part"));
	cr_assert_eq(transport_receive(transport, &frame), ERR_AGAIN);
	zmq_close(socket);
}

Test(zmq, a_peer_that_does_not_read_is_reported)
{
	static uint8_t big[100000];
	void *socket = zmq_socket(context, ZMQ_DEALER);
	char endpoint[256];
	int frames_max = 1, i = 0;
	enum err err = ERR_OK;

	cr_assert_eq(transport_bind_ipc(transport, path_of("bot")), ERR_OK);
	zmq_setsockopt(socket, ZMQ_RCVHWM, &frames_max, sizeof(frames_max));
	frames_max = 0;
	zmq_setsockopt(socket, ZMQ_LINGER, &frames_max, sizeof(frames_max));
	snprintf(endpoint, sizeof(endpoint), "ipc://%s", path_of("bot"));
	zmq_connect(socket, endpoint);
	zmq_send(socket, "hello", 5, 0);
	await(transport);
	while (!err && i++ < 10000)
		err = transport_send(transport, &frame.peer, big, sizeof(big));
	cr_assert_eq(err, ERR_AGAIN);
	cr_assert_lt(i, 200, "%d frames wait", i);
	cr_assert_eq(transport_probe(transport, &frame.peer), ERR_OK, "alive, but full");
	zmq_close(socket);
}

Test(zmq, a_frame_above_the_limit_is_reported_before_it_is_read)
{
	void *socket = dealer_ipc("bot");
	char *big = calloc(1, FRAME_BYTES_MAX + 1);

	zmq_send(socket, big, FRAME_BYTES_MAX + 1, 0);
	await(transport);
	cr_assert_eq(frame.err, ERR_OVERSIZE);
	cr_assert_lt(frame.size, 10000, "its beginning");
	free(big);
	zmq_close(socket);
}

/* A connection without a library. */
static int raw(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(address.sun_path, path_of(name));
	cr_assert_eq(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

Test(zmq, what_is_not_zmtp_is_reported)
{
	static const char *const noise[] = {"GET / HTTP/1.1\r\n\r\n",
		"\xff"
		"2345678X",
		"\xff\0\0\0\0\0\0\0\1\x7f\2"};
	static const size_t sizes[] = {18, 10, 11};

	cr_assert_eq(transport_bind_ipc(transport, path_of("bot")), ERR_OK);
	for (int i = 0; i < 3; i++) {
		int fd = raw("bot");

		cr_assert_eq(write(fd, noise[i], sizes[i]), (ssize_t)sizes[i]);
		await(transport);
		cr_assert_eq(frame.err, ERR_FRAMING, "%d", i);
		close(fd);
	}
}

Test(zmq, a_byte_at_a_time_is_understood)
{
	static const char greeting[] = "\xff\0\0\0\0\0\0\0\1\x7f\3\0NULL";
	static const char ready[] = "\4\x1c\5READY\13Socket-Type\0\0\0\6DEALER";
	static const char ping[] = "\4\x9\4PING\0\0ab", question[] = "\0\5hello";
	char bytes[64] = "", pong[9];
	int fd;

	cr_assert_eq(transport_bind_ipc(transport, path_of("bot")), ERR_OK);
	fd = raw("bot");
	memcpy(bytes, greeting, sizeof(greeting) - 1);
	for (int i = 0; i < 64; i++) {
		cr_assert_eq(write(fd, bytes + i, 1), 1);
		cr_assert_eq(transport_receive(transport, &frame), ERR_AGAIN);
	}
	cr_assert_eq(write(fd, ready, sizeof(ready) - 1), (ssize_t)sizeof(ready) - 1);
	cr_assert_eq(write(fd, ping, sizeof(ping) - 1), (ssize_t)sizeof(ping) - 1);
	cr_assert_eq(write(fd, question, sizeof(question) - 1), 7);
	await(transport);
	cr_assert(frame_is("hello"));
	cr_assert_eq(recv(fd, bytes, 64, MSG_WAITALL), 64, "a greeting");
	cr_assert_eq(recv(fd, bytes, 43, MSG_WAITALL), 43, "READY");
	cr_assert_eq(memcmp(bytes + 2, "\5READY\13Socket-Type\0\0\0\6ROUTER", 28), 0);
	cr_assert_eq(recv(fd, pong, 9, MSG_WAITALL), 9);
	cr_assert_eq(memcmp(pong, "\4\7\4PONGab", 9), 0);
	close(fd);
}

/* As libraries of the time before ZMTP 3 speak. */
Test(zmq, an_old_peer_is_understood)
{
	static const char greeting[] = "\xff\0\0\0\0\0\0\0\1\x7f\1\5\0\0\0\5hello";
	char bytes[14];
	int fd;

	cr_assert_eq(transport_bind_ipc(transport, path_of("bot")), ERR_OK);
	fd = raw("bot");
	cr_assert_eq(
		write(fd, greeting, sizeof(greeting) - 1), (ssize_t)sizeof(greeting) - 1);
	await(transport);
	cr_assert(frame_is("hello"));
	cr_assert_eq(transport_send(transport, &frame.peer, "x", 1), ERR_OK);
	cr_assert_eq(recv(fd, bytes, 14, MSG_WAITALL), 14);
	cr_assert_eq(memcmp(bytes + 10, "\3\6\0\0", 4), 0);
	cr_assert_eq(recv(fd, bytes, 3, MSG_WAITALL), 3);
	cr_assert_eq(memcmp(bytes, "\0\1x", 3), 0);
	close(fd);
}

/* As ZMTP 2.0 has it: signature, version, DEALER, and the identity as a frame. */
Test(zmq, a_long_identity_is_not_zmtp)
{
	static const char greeting[] = "\xff\0\0\0\0\0\0\0\1\x7f\1\5";
	static const char identity[4000], header[] = "\2\0\0\0\0\0\0\x0f\xa0";
	int fd;

	cr_assert_eq(transport_bind_ipc(transport, path_of("bot")), ERR_OK);
	fd = raw("bot");
	cr_assert_eq(write(fd, greeting, sizeof(greeting) - 1), 12);
	cr_assert_eq(write(fd, header, sizeof(header) - 1), 9);
	cr_assert_eq(write(fd, identity, sizeof(identity)), (ssize_t)sizeof(identity));
	await(transport);
	cr_assert_eq(frame.err, ERR_FRAMING);
	close(fd);
}

/* How many of these connections the arbiter has greeted; the others wait in the kernel. */
static int greeted(const int *fd, int count)
{
	struct frame none;
	int n = 0;
	char byte;

	for (int i = 0; i < 100; i++)
		transport_receive(transport, &none);
	for (int i = 0; i < count; i++)
		n += recv(fd[i], &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
	return n;
}

Test(zmq, a_bot_has_few_connections_and_one_once_it_has_greeted)
{
	void *socket = dealer_ipc("bot");
	struct peer own;
	int fd[5];

	there_and_back(socket);
	own = frame.peer;
	for (int i = 0; i < 5; i++)
		fd[i] = raw("bot");
	cr_assert_eq(greeted(fd, 5), 3, "of four");
	transport_settle(transport, &own);
	for (int i = 0; i < 3; i++) {
		char bytes[64];

		while (recv(fd[i], bytes, sizeof(bytes), 0) > 0)
			continue;
	}
	cr_assert_eq(greeted(fd + 3, 2), 0, "nobody listens");
	there_and_back(socket);
	zmq_close(socket);
	cr_assert(is_gone(&own));
	cr_assert_eq(greeted(fd + 3, 2), 2, "until it is gone");
	for (int i = 0; i < 5; i++)
		close(fd[i]);
}

Test(zmq, what_cannot_be_bound_is_an_error_with_errno)
{
	char endpoint[ENDPOINT_BYTES_MAX], longer[400];

	cr_assert_eq(transport_bind_ipc(transport, "/nonexistent/folder/x"), ERR_SYSTEM);
	memset(longer, 'x', sizeof(longer));
	longer[0] = '/';
	longer[399] = 0;
	cr_assert_eq(transport_bind_ipc(transport, longer), ERR_SYSTEM);
	cr_assert_eq(errno, ENAMETOOLONG);
	cr_assert_eq(
		transport_bind_tcp(transport, "no such host", 0, endpoint), ERR_SYSTEM);
}

static enum link_event next_event(struct link *link, const uint8_t **bytes, size_t *size)
{
	enum link_event event = LINK_TIMEOUT;
	struct frame none;

	/* A local bot's greeting is answered by the arbiter's own thread. */
	for (int ms = 0; event == LINK_TIMEOUT && ms < PATIENCE_MS; ms += 10) {
		if (transport)
			cr_assert_eq(transport_receive(transport, &none), ERR_AGAIN);
		event = link_receive(link, 10, bytes, size);
	}
	return event;
}

Test(zmq, a_link_connects_carries_frames_and_notices_the_end)
{
	char endpoint[256];
	struct link *link;
	const uint8_t *bytes;
	size_t size;
	struct why why;

	cr_assert_eq(transport_bind_ipc(transport, path_of("bot")), ERR_OK);
	snprintf(endpoint, sizeof(endpoint), "ipc://%s", path_of("bot"));
	cr_assert_eq(link_new(&link, &(struct link_options){.endpoint = endpoint}, &why),
		ERR_OK);
	cr_assert_eq(next_event(link, &bytes, &size), LINK_CONNECTED);
	cr_assert_eq(link_receive(link, 0, &bytes, &size), LINK_TIMEOUT);
	cr_assert_eq(link_send(link, "hello", 5), ERR_OK);
	await(transport);
	cr_assert(frame_is("hello"));
	transport_send(transport, &frame.peer, "welcome", 7);
	cr_assert_eq(next_event(link, &bytes, &size), LINK_FRAME);
	cr_assert_eq(size, 7);
	/* Only what is read before the end is sure to arrive
	 * (arbiter/loop/loop_remote.c).
	 */
	transport_send(transport, &frame.peer, "bye", 3);
	cr_assert_eq(next_event(link, &bytes, &size), LINK_FRAME);
	cr_assert_eq(size, 3);
	transport_free(&transport);
	cr_assert_eq(next_event(link, &bytes, &size), LINK_CLOSED);
	link_free(&link);
}

Test(zmq, a_tcp_link_comes_back)
{
	char endpoint[ENDPOINT_BYTES_MAX], same[ENDPOINT_BYTES_MAX];
	struct link *link;
	const uint8_t *bytes;
	size_t size;
	struct why why;

	cr_assert_eq(transport_bind_tcp(transport, "127.0.0.1", 0, endpoint), ERR_OK);
	cr_assert_eq(link_new(&link, &(struct link_options){.endpoint = endpoint}, &why),
		ERR_OK);
	cr_assert_eq(next_event(link, &bytes, &size), LINK_CONNECTED);
	transport_free(&transport);
	transport = transport_local_new();
	cr_assert_eq(transport_bind_tcp(transport, "127.0.0.1",
			     atoi(strrchr(endpoint, ':') + 1), same),
		ERR_OK);
	cr_assert_eq(next_event(link, &bytes, &size), LINK_LOST);
	cr_assert_eq(next_event(link, &bytes, &size), LINK_CONNECTED);
	cr_assert_eq(link_send(link, "again", 5), ERR_OK);
	await(transport);
	cr_assert(frame_is("again"));
	link_free(&link);
}

struct remote_setup {
	struct zap *zap;
	struct key_pair server;
	struct transport_remote remote;
	struct link_options ann, bob;
};

/* The transport listens for remote bots; nobody is admitted. */
static void open_remote(struct remote_setup *setup)
{
	*setup = (struct remote_setup){.zap = zap_new()};
	cr_assert_eq(key_pair_make(&setup->server, "server"), ERR_OK);
	setup->remote = (struct transport_remote){.endpoint = "tcp://127.0.0.1:0",
		.server_secret = setup->server.secret_text,
		.zap = setup->zap,
		.heartbeat_ms = 1000};
	transport_free(&transport);
	transport = transport_remote_new(&setup->remote);
	cr_assert(transport, "%s", strerror(errno));
	setup->ann.endpoint = setup->bob.endpoint = setup->remote.bound;
	setup->ann.server_public = setup->bob.server_public = setup->server.public_text;
	key_pair_make(&setup->ann.pair, "ann");
	key_pair_make(&setup->bob.pair, "bob");
}

static void close_remote(struct remote_setup *setup)
{
	transport_free(&transport);
	zap_free(&setup->zap);
	transport = transport_local_new();
}

/* At least so many were admitted, had an unknown key, failed otherwise. */
static void await_count(
	struct remote_setup *setup, unsigned admitted, unsigned unknown, unsigned refused)
{
	struct zap_counts counts = zap_counts(setup->zap);

	for (int ms = 0; ms < PATIENCE_MS; ms++) {
		counts = zap_counts(setup->zap);
		if (counts.admitted >= admitted && counts.unknown >= unknown &&
			counts.refused >= refused)
			return;
		usleep(1000);
	}
	cr_assert_fail("admitted %d, unknown %d, refused %d", (int)counts.admitted,
		(int)counts.unknown, (int)counts.refused);
}

static void *named_dealer(const struct link_options *options, const char *routing_id)
{
	void *socket = zmq_socket(context, ZMQ_DEALER);
	int linger_ms = 0, patience_ms = PATIENCE_MS;

	zmq_setsockopt(socket, ZMQ_LINGER, &linger_ms, sizeof(linger_ms));
	zmq_setsockopt(socket, ZMQ_RCVTIMEO, &patience_ms, sizeof(patience_ms));
	zmq_setsockopt(socket, ZMQ_ROUTING_ID, routing_id, strlen(routing_id));
	zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, options->server_public, 41);
	zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, options->pair.public_text, 41);
	zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, options->pair.secret_text, 41);
	cr_assert_eq(zmq_connect(socket, options->endpoint), 0);
	return socket;
}

/* Probes are empty frames. */
static void await_text(void *socket, const char *text)
{
	char bytes[64];
	int size;

	do
		size = zmq_recv(socket, bytes, sizeof(bytes), 0);
	while (size == 0);
	cr_assert_eq(size, (int)strlen(text));
	cr_assert_eq(memcmp(bytes, text, strlen(text)), 0);
}

Test(zmq, curve_encrypts_and_keeps_plain_connections_out)
{
	struct remote_setup setup;
	struct link *plain, *link;
	const uint8_t *bytes;
	size_t size;
	struct why why;

	open_remote(&setup);
	cr_assert_eq(
		zap_admit(setup.zap, "ann", setup.ann.pair.public_text, &why), ERR_OK);
	cr_assert_eq(
		link_new(&plain, &(struct link_options){.endpoint = setup.remote.bound},
			&why),
		ERR_OK);
	cr_assert_eq(link_new(&link, &setup.ann, &why), ERR_OK);
	cr_assert_eq(next_event(link, &bytes, &size), LINK_CONNECTED);
	cr_assert_eq(link_send(link, "hello", 5), ERR_OK);
	await(transport);
	cr_assert(frame_is("hello"));
	cr_assert(text_is(peer_key(&frame.peer), "ann"));
	cr_assert_eq(link_send(plain, "hello", 5), ERR_AGAIN, "never connected");
	await_count(&setup, 1, 0, 1);
	link_free(&link);
	link_free(&plain);
	close_remote(&setup);
}

Test(zmq, a_key_that_is_not_on_the_list_is_refused_until_it_is)
{
	struct remote_setup setup;
	const uint8_t *bytes;
	struct link *link;
	size_t size;
	struct why why;

	open_remote(&setup);
	cr_assert_eq(link_new(&link, &setup.ann, &why), ERR_OK);
	cr_assert_eq(next_event(link, &bytes, &size), LINK_REFUSED);
	await_count(&setup, 0, 1, 0);
	link_free(&link);
	cr_assert_eq(
		zap_admit(setup.zap, "ann", setup.ann.pair.public_text, &why), ERR_OK);
	cr_assert_eq(link_new(&link, &setup.ann, &why), ERR_OK);
	cr_assert_eq(next_event(link, &bytes, &size), LINK_CONNECTED);
	link_free(&link);
	close_remote(&setup);
}

Test(zmq, a_wrong_server_key_gets_nowhere)
{
	struct remote_setup setup;
	struct key_pair other;
	const uint8_t *bytes;
	struct link *link;
	enum link_event event;
	size_t size;
	struct why why;

	open_remote(&setup);
	cr_assert_eq(
		zap_admit(setup.zap, "ann", setup.ann.pair.public_text, &why), ERR_OK);
	key_pair_make(&other, "other");
	setup.ann.server_public = other.public_text;
	cr_assert_eq(link_new(&link, &setup.ann, &why), ERR_OK);
	cr_assert_eq(next_event(link, &bytes, &size), LINK_LOST);
	cr_assert(strstr(link_news(link), "PIGPEN_SERVER_KEY"));
	await_count(&setup, 0, 0, 1);
	link_free(&link);
	/* However often it is tried, the time to give up comes. */
	setup.ann.reconnect_ms = 500;
	cr_assert_eq(link_new(&link, &setup.ann, &why), ERR_OK);
	while ((event = next_event(link, &bytes, &size)) == LINK_LOST)
		continue;
	cr_assert_eq(event, LINK_GONE);
	cr_assert(strstr(link_news(link), "giving up"));
	cr_assert_str_empty(link_news(link), "a thing is told once");
	link_free(&link);
	close_remote(&setup);
}

/* Else somebody could get what is meant for the one that had it before. */
Test(zmq, a_routing_id_that_was_chosen_is_refused)
{
	struct remote_setup setup;
	struct why why;
	void *socket;

	open_remote(&setup);
	zap_admit(setup.zap, "ann", setup.ann.pair.public_text, &why);
	socket = named_dealer(&setup.ann, "same");
	zmq_send(socket, "a", 1, 0);
	await(transport);
	cr_assert_eq(frame.err, ERR_ROUTING_ID);
	cr_assert(text_is(peer_key(&frame.peer), "ann"));
	cr_assert_eq(transport_send(transport, &frame.peer, "no", 2), ERR_OK);
	await_text(socket, "no");
	zmq_close(socket);
	close_remote(&setup);
}

Test(link, wrong_settings_are_explained)
{
	struct link *link;
	struct why why;

	cr_assert_eq(link_new(&link, &(struct link_options){0}, &why), ERR_USAGE);
	cr_assert(strstr(why.text, "PIGPEN_ENDPOINT is not set"));
	cr_assert_null(link);
	cr_assert_eq(link_new(&link,
			     &(struct link_options){.endpoint = "tcp://127.0.0.1:1",
				     .server_public = "short"},
			     &why),
		ERR_USAGE);
	cr_assert(strstr(why.text, "PIGPEN_SERVER_KEY"));
}

Test(zmq, the_trace_writes_one_line_for_each_frame)
{
	void *socket = dealer_ipc("bot");
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	json_t *line;
	const char *at;
	char *words[] = {"ready", "bye"};

	transport = transport_trace_new(transport, file);
	zmq_send(socket, "\x82\xa1t\xa5ready\xa5match\x07", 16, 0);
	zmq_send(socket, "\xc1garbage", 8, 0);
	await(transport);
	cr_assert_eq(frame.size, 16);
	await(transport);
	cr_assert_eq(transport_receive(transport, &frame), ERR_AGAIN);
	cr_assert_eq(transport_send(transport, &frame.peer,
			     "\x81\xa1t\xa3"
			     "bye",
			     7),
		ERR_OK);
	at = text;
	for (int i = 0; i < 3; i++) {
		const char *end = strchr(at, '\n');

		line = json_loadb(at, (size_t)(end - at), 0, NULL);
		cr_assert(line);
		cr_assert_gt(json_integer_value(json_object_get(line, "ns")), 0);
		cr_assert_str_eq(json_string_value(json_object_get(line, "dir")),
			i < 2 ? "in" : "out");
		cr_assert_eq(json_string_length(json_object_get(line, "peer")), 16);
		if (i == 1)
			cr_assert_str_eq(json_string_value(json_object_get(line, "hex")),
				"c167617262616765");
		else
			cr_assert_str_eq(
				json_string_value(json_object_get(
					json_array_get(
						json_object_get(line, "messages"), 0),
					"t")),
				words[i / 2]);
		json_decref(line);
		at = end + 1;
	}
	cr_assert_eq(*at, 0);
	zmq_close(socket);
	transport_free(&transport);
	fclose(file);
	free(text);
}
