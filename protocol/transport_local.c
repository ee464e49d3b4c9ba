/*
 * The socket of one local bot.
 *
 * Nobody else can reach it (a Unix socket in a folder of its own, or a port on loopback
 * that only this bot was told), so whatever arrives here is that bot's: its frames, and
 * also its noise, which is reported as a frame with an error. What the bot can make the
 * arbiter hold is bounded: CONNECTIONS_MAX connections, each with one frame of at most
 * FRAME_BYTES_MAX bytes on the way in and OUT_BYTES_MAX bytes on the way out. Once the
 * bot has greeted (transport_settle()) there is one connection, and nobody listens until
 * that one is gone.
 *
 * ZMTP is read here and not by libzmq, which accepts connections without a limit, keeps
 * the parts of a message until the last one has come, and ends the process when
 * descriptors run out.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
#include "protocol/memory.h"
#include "protocol/transport.h"
#include "protocol/zmtp.h"

#define CONNECTIONS_MAX 4
#define LISTENERS_MAX   2
#define IN_BYTES_FIRST  8192
#define IN_BYTES_MAX    (FRAME_BYTES_MAX + ZMTP_HEADER_MAX)
#define OUT_BYTES_MAX   (2 * ARBITER_FRAME_BYTES_MAX)

struct connection {
	int fd; /* -1: none */
	uint64_t number;
	struct zmtp zmtp;
	uint8_t *in; /* bytes in_at to in_size have not been read by zmtp yet */
	size_t in_at, in_size, in_capacity;
	uint8_t *out; /* what the kernel did not take, from out_at on */
	size_t out_at, out_size, out_capacity;
	bool ended;    /* the bot has closed it; what it sent before is still read */
	bool deaf;     /* nothing more is read: it has broken the rules of ZMTP */
	bool gone_out; /* the bot does not read any more */
	bool watched;
	bool dry; /* the last read took all there was: the next look needs no call */
};

struct listening {
	int fd;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* "": TCP */
};

struct transport_local {
	struct transport base;
	int epoll;
	struct listening listening[LISTENERS_MAX];
	int listeners;
	bool deaf;                  /* nobody is accepted now */
	struct connection *settled; /* no other is accepted while it lives */
	struct connection connection[CONNECTIONS_MAX];
	int connections;
	int next; /* the connection whose turn it is */
};

static struct transport_local *local_of(struct transport *transport)
{
	return (struct transport_local *)transport;
}

/* Connections of all bots have different numbers, so that a peer is one bot's alone. */
static uint64_t fresh_number(void)
{
	static uint64_t last;

	return ++last;
}

static void watch(const struct transport_local *local, int operation, int fd,
	uint32_t events, void *owner)
{
	struct epoll_event event = {.events = events, .data.ptr = owner};

	epoll_ctl(local->epoll, operation, fd, &event);
}

/* For what is still of interest. Without any, epoll would go on reporting its end. */
static void watch_connection(
	const struct transport_local *local, struct connection *connection)
{
	bool waiting = connection->out_size > connection->out_at && !connection->gone_out;
	uint32_t in = connection->deaf || connection->ended ? 0 : EPOLLIN;
	uint32_t events = in | (waiting ? EPOLLOUT : 0);

	if (events || connection->watched)
		watch(local,
			!events               ? EPOLL_CTL_DEL
			: connection->watched ? EPOLL_CTL_MOD
					      : EPOLL_CTL_ADD,
			connection->fd, events, connection);
	connection->watched = events;
}

/* Whoever connects while nobody is accepted waits in the kernel, at the bot's own cost. */
static void accept_some(struct transport_local *local)
{
	bool deaf = local->settled || local->connections == CONNECTIONS_MAX;

	for (int i = 0; i < local->listeners && deaf != local->deaf; i++)
		watch(local, EPOLL_CTL_MOD, local->listening[i].fd, deaf ? 0 : EPOLLIN,
			&local->listening[i]);
	local->deaf = deaf;
}

static void drop(struct transport_local *local, struct connection *connection)
{
	close(connection->fd);
	free(connection->in);
	free(connection->out);
	*connection = (struct connection){.fd = -1};
	local->connections--;
	if (local->settled == connection)
		local->settled = NULL;
	accept_some(local);
}

static struct connection *free_place(struct transport_local *local)
{
	for (int i = 0; i < CONNECTIONS_MAX; i++)
		if (local->connection[i].fd < 0)
			return &local->connection[i];
	return NULL;
}

static void take_connection(struct transport_local *local, int listener)
{
	struct connection *connection = free_place(local);
	int fd = connection ? accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)
			    : -1;

	if (fd < 0)
		return;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	*connection = (struct connection){.fd = fd,
		.number = fresh_number(),
		.in = xmalloc(IN_BYTES_FIRST),
		.in_capacity = IN_BYTES_FIRST};
	zmtp_init(&connection->zmtp, FRAME_BYTES_MAX);
	local->connections++;
	watch_connection(local, connection);
	accept_some(local);
}

/* True: the kernel took all, or the connection is dead for sending. */
static bool flush(struct connection *connection)
{
	while (connection->out_at < connection->out_size && !connection->gone_out) {
		ssize_t n = send(connection->fd, connection->out + connection->out_at,
			connection->out_size - connection->out_at, MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN)
			return false;
		connection->gone_out = n < 0 && errno != EINTR;
		connection->out_at += n > 0 ? (size_t)n : 0;
	}
	connection->out_at = connection->out_size = 0;
	return true;
}

/* For later. False: the bot has left too much unread. */
static bool keep(struct connection *connection, const void *bytes, size_t size)
{
	size_t left = connection->out_size - connection->out_at;

	if (size > OUT_BYTES_MAX - left)
		return false;
	if (connection->out_at) {
		memmove(connection->out, connection->out + connection->out_at, left);
		connection->out_at = 0;
		connection->out_size = left;
	}
	if (connection->out_capacity < left + size) {
		connection->out_capacity = left + size;
		connection->out = xrealloc(connection->out, connection->out_capacity);
	}
	memcpy(connection->out + left, bytes, size);
	connection->out_size += size;
	return true;
}

static void send_reply(struct transport_local *local, struct connection *connection)
{
	if (!connection->zmtp.reply_size)
		return;
	keep(connection, connection->zmtp.reply, connection->zmtp.reply_size);
	connection->zmtp.reply_size = 0;
	if (!flush(connection))
		watch_connection(local, connection);
}

/* Makes room for what is missing of a frame. */
static void make_room(struct connection *connection)
{
	size_t left = connection->in_size - connection->in_at;

	memmove(connection->in, connection->in + connection->in_at, left);
	connection->in_at = 0;
	connection->in_size = left;
	if (left < connection->in_capacity)
		return;
	connection->in_capacity *= 2;
	if (connection->in_capacity > IN_BYTES_MAX)
		connection->in_capacity = IN_BYTES_MAX;
	connection->in = xrealloc(connection->in, connection->in_capacity);
}

/* Reads from the kernel; false: nothing is there. */
static bool fill(struct transport_local *local, struct connection *connection)
{
	bool dry = connection->dry;
	size_t room;
	ssize_t n;

	connection->dry = false;
	if (dry || connection->ended || connection->deaf)
		return false;
	make_room(connection);
	room = connection->in_capacity - connection->in_size;
	do
		n = read(connection->fd, connection->in + connection->in_size, room);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		connection->in_size += (size_t)n;
	else if (n == 0 || errno != EAGAIN)
		connection->ended = true;
	connection->dry = n > 0 && (size_t)n < room;
	if (connection->ended)
		watch_connection(local, connection);
	return n > 0;
}

static enum err error_of(enum zmtp_event event, const struct zmtp *zmtp)
{
	if (event == ZMTP_OVERSIZE)
		return ERR_OVERSIZE;
	if (event == ZMTP_BROKEN)
		return ERR_FRAMING;
	return zmtp->more ? ERR_MULTIPART : ERR_OK;
}

/* The next frame of the connection; ERR_AGAIN: none is there now. */
static enum err next_frame(
	struct transport_local *local, struct connection *connection, struct frame *frame)
{
	struct zmtp *zmtp = &connection->zmtp;
	enum zmtp_event event = ZMTP_WAIT;
	size_t used;

	while (!connection->deaf) {
		event = zmtp_read(zmtp, connection->in + connection->in_at,
			connection->in_size - connection->in_at, &used);
		connection->in_at += used;
		send_reply(local, connection);
		if (event != ZMTP_WAIT || !fill(local, connection))
			break;
	}
	if (event == ZMTP_WAIT)
		return ERR_AGAIN;
	*frame = (struct frame){.err = error_of(event, zmtp),
		.bytes = event == ZMTP_BROKEN ? NULL : zmtp->frame,
		.size = event == ZMTP_BROKEN ? 0 : zmtp->frame_size,
		.peer = {.size = sizeof(connection->number)}};
	memcpy(frame->peer.bytes, &connection->number, sizeof(connection->number));
	connection->deaf = frame->err != ERR_OK;
	if (connection->deaf)
		watch_connection(local, connection);
	return ERR_OK;
}

/* Each connection in its turn. What its bot has closed is dropped once all is read. */
static enum err receive_any(struct transport_local *local, struct frame *frame)
{
	for (int i = 0; i < CONNECTIONS_MAX; i++) {
		struct connection *connection = &local->connection[local->next];

		if (connection->fd >= 0 && next_frame(local, connection, frame) == ERR_OK)
			return ERR_OK;
		if (connection->fd >= 0 && connection->ended)
			drop(local, connection);
		local->next = (local->next + 1) % CONNECTIONS_MAX;
	}
	return ERR_AGAIN;
}

/* What happened to the listeners and on the way out. */
static bool take_events(struct transport_local *local)
{
	struct epoll_event event[CONNECTIONS_MAX + LISTENERS_MAX];
	int n = epoll_wait(local->epoll, event, CONNECTIONS_MAX + LISTENERS_MAX, 0);
	bool any = false;

	for (int i = 0; i < n; i++) {
		struct listening *listening = event[i].data.ptr;
		struct connection *connection = event[i].data.ptr;

		if (listening >= local->listening &&
			listening < local->listening + LISTENERS_MAX) {
			take_connection(local, listening->fd);
			any = true;
		} else if (event[i].events & EPOLLOUT && flush(connection)) {
			watch_connection(local, connection);
		}
	}
	return any;
}

/* Once the bot has settled there is nothing to be seen but its one connection. */
static enum err local_receive(struct transport *transport, struct frame *frame)
{
	struct transport_local *local = local_of(transport);
	enum err err = receive_any(local, frame);
	const struct connection *only = local->settled;

	if (err == ERR_OK || (only && only->out_at == only->out_size))
		return err;
	return take_events(local) ? receive_any(local, frame) : err;
}

static struct connection *find(struct transport_local *local, const struct peer *peer)
{
	uint64_t number;

	if (peer->size != sizeof(number))
		return NULL;
	memcpy(&number, peer->bytes, sizeof(number));
	for (int i = 0; i < CONNECTIONS_MAX; i++)
		if (local->connection[i].fd >= 0 && local->connection[i].number == number)
			return &local->connection[i];
	return NULL;
}

/* At once if the kernel takes it, which it nearly always does. */
static ssize_t send_now(
	struct connection *connection, const struct iovec *parts, size_t count)
{
	struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = count};
	ssize_t n;

	do
		n = sendmsg(connection->fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno != EAGAIN)
		connection->gone_out = true;
	return n < 0 ? 0 : n;
}

static enum err local_send(struct transport *transport, const struct peer *peer,
	const void *bytes, size_t size)
{
	struct transport_local *local = local_of(transport);
	struct connection *connection = find(local, peer);
	uint8_t header[ZMTP_HEADER_MAX];
	struct iovec parts[2] = {
		{header, zmtp_header(size, header)}, {(void *)bytes, size}};
	size_t sent = 0;

	if (!connection || connection->gone_out || connection->zmtp.state != ZMTP_OPEN)
		return ERR_NO_PEER;
	if (connection->out_size == connection->out_at)
		sent = (size_t)send_now(connection, parts, 2);
	if (connection->gone_out)
		return ERR_NO_PEER;
	if (sent == parts[0].iov_len + size)
		return ERR_OK;
	if (parts[0].iov_len + size >
		OUT_BYTES_MAX - (connection->out_size - connection->out_at))
		return ERR_AGAIN;
	if (sent < parts[0].iov_len)
		keep(connection, header + sent, parts[0].iov_len - sent);
	sent -= sent < parts[0].iov_len ? sent : parts[0].iov_len;
	keep(connection, (const uint8_t *)bytes + sent, size - sent);
	watch_connection(local, connection);
	return ERR_OK;
}

/* A connection that has been closed is noticed by reading what is left in it. */
static enum err local_probe(struct transport *transport, const struct peer *peer)
{
	struct connection *connection = find(local_of(transport), peer);
	char byte;

	if (!connection || connection->gone_out)
		return ERR_NO_PEER;
	return recv(connection->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0 ? ERR_NO_PEER
									    : ERR_OK;
}

static void local_settle(struct transport *transport, const struct peer *peer)
{
	struct transport_local *local = local_of(transport);
	struct connection *own = find(local, peer);

	if (!own)
		return;
	for (int i = 0; i < CONNECTIONS_MAX; i++)
		if (local->connection[i].fd >= 0 && &local->connection[i] != own)
			drop(local, &local->connection[i]);
	local->settled = own;
	accept_some(local);
}

static int local_fd(struct transport *transport)
{
	return local_of(transport)->epoll;
}

static enum err start_listening(struct transport_local *local, int fd,
	const struct sockaddr *address, socklen_t size)
{
	struct listening *listening = &local->listening[local->listeners];
	int problem;

	if (fd < 0)
		return ERR_SYSTEM;
	if (!bind(fd, address, size) && !listen(fd, CONNECTIONS_MAX)) {
		listening->fd = fd;
		local->listeners++;
		watch(local, EPOLL_CTL_ADD, fd, local->deaf ? 0 : EPOLLIN, listening);
		return ERR_OK;
	}
	problem = errno;
	close(fd);
	errno = problem;
	return ERR_SYSTEM;
}

static bool has_room(const struct transport_local *local)
{
	errno = ENOBUFS;
	return local->listeners < LISTENERS_MAX;
}

static enum err local_bind_ipc(struct transport *transport, const char *path)
{
	struct transport_local *local = local_of(transport);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	enum err err;

	if (!has_room(local))
		return ERR_SYSTEM;
	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return ERR_SYSTEM;
	}
	strcpy(address.sun_path, path);
	err = start_listening(local,
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0),
		(struct sockaddr *)&address, sizeof(address));
	if (!err)
		strcpy(local->listening[local->listeners - 1].path, path);
	return err;
}

static enum err local_bind_tcp(struct transport *transport, const char *host, int port,
	char endpoint[ENDPOINT_BYTES_MAX])
{
	struct transport_local *local = local_of(transport);
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	socklen_t size = sizeof(address);
	int fd;

	if (!has_room(local))
		return ERR_SYSTEM;
	if (inet_pton(AF_INET, host, &address.sin_addr) != 1) {
		errno = EINVAL;
		return ERR_SYSTEM;
	}
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
	if (start_listening(local, fd, (struct sockaddr *)&address, size))
		return ERR_SYSTEM;
	getsockname(fd, (struct sockaddr *)&address, &size);
	snprintf(endpoint, ENDPOINT_BYTES_MAX, "tcp://%s:%d", host,
		ntohs(address.sin_port));
	return ERR_OK;
}

static void local_free(struct transport *transport)
{
	struct transport_local *local = local_of(transport);

	for (int i = 0; i < CONNECTIONS_MAX; i++)
		if (local->connection[i].fd >= 0)
			drop(local, &local->connection[i]);
	for (int i = 0; i < local->listeners; i++) {
		close(local->listening[i].fd);
		if (*local->listening[i].path)
			unlink(local->listening[i].path);
	}
	close(local->epoll);
	free(local);
}

static const struct transport_backend local_backend = {
	.name = "local",
	.receive = local_receive,
	.send = local_send,
	.probe = local_probe,
	.settle = local_settle,
	.fd = local_fd,
	.bind_ipc = local_bind_ipc,
	.bind_tcp = local_bind_tcp,
	.free = local_free,
};

struct transport *transport_local_new(void)
{
	struct transport_local *local = xcalloc(1, sizeof(*local));

	local->base.backend = &local_backend;
	for (int i = 0; i < CONNECTIONS_MAX; i++)
		local->connection[i].fd = -1;
	local->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (local->epoll >= 0)
		return &local->base;
	free(local);
	return NULL;
}
