/* A process whose lateness tells how starved the host is. */
#include "arbiter/loop/sentinel.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs in a fork of a multi-threaded program: async-signal-safe calls only. Ends when its
 * socket is closed. */
_Noreturn static void echo(int fd)
{
	char byte;

	prctl(PR_SET_NAME, "pigpen-sentinel");
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	dup2(fd, STDIN_FILENO);
	close_range(STDIN_FILENO + 1, ~0u, 0);
	while (read(STDIN_FILENO, &byte, 1) == 1)
		if (write(STDIN_FILENO, &byte, 1) != 1)
			break;
	_exit(0);
}

bool sentinel_init(struct sentinel *sentinel)
{
	int pair[2];

	*sentinel = (struct sentinel){.fd = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return false;
	/* Not base/child.h: it executes no program and should be small. */
	sentinel->pid = fork();
	if (sentinel->pid == 0)
		echo(pair[1]);
	close(pair[1]);
	if (sentinel->pid < 0) {
		close(pair[0]);
		return false;
	}
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	sentinel->fd = pair[0];
	return true;
}

void sentinel_release(struct sentinel *sentinel)
{
	if (sentinel->fd < 0)
		return;
	close(sentinel->fd);
	kill(sentinel->pid, SIGKILL);
	while (waitpid(sentinel->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	sentinel->fd = -1;
}

void sentinel_ping(struct sentinel *sentinel, mono_ns now)
{
	if (sentinel->fd < 0 || sentinel->pinged)
		return;
	if (send(sentinel->fd, "p", 1, MSG_NOSIGNAL) == 1)
		sentinel->pinged = now;
}

static int64_t late(const struct sentinel *sentinel, mono_ns now)
{
	int64_t took = sentinel->pinged ? now - sentinel->pinged : 0;

	return took > SENTINEL_USUAL_NS ? took - SENTINEL_USUAL_NS : 0;
}

bool sentinel_take(struct sentinel *sentinel, mono_ns now)
{
	char byte;

	if (!sentinel->pinged || read(sentinel->fd, &byte, 1) != 1)
		return false;
	sentinel->late_ns += late(sentinel, now);
	sentinel->pinged = 0;
	return true;
}

int64_t sentinel_late_ns(const struct sentinel *sentinel, mono_ns now)
{
	return sentinel->late_ns + late(sentinel, now);
}
