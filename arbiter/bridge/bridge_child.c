#include "arbiter/bridge/bridge_child.h"
#include "protocol/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void reserve(struct child_bytes *bytes, size_t more)
{
	if (bytes->start > 0) {
		memmove(bytes->bytes, bytes->bytes + bytes->start, bytes->size);
		bytes->start = 0;
	}
	if (bytes->size + more <= bytes->capacity)
		return;
	bytes->capacity = 2 * (bytes->size + more);
	bytes->bytes = xrealloc(bytes->bytes, bytes->capacity);
}

static void append(struct child_bytes *bytes, const void *more, size_t size)
{
	reserve(bytes, size);
	memcpy(bytes->bytes + bytes->size, more, size);
	bytes->size += size;
}

static void take(struct child_bytes *bytes, size_t size)
{
	bytes->start += size;
	bytes->size -= size;
}

/* In the new process; an errno travels through `report` if the command cannot run. */
static void become(char *const *command, int in, int out, int report, pid_t parent)
{
	sigset_t none;
	int error;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	execvp(command[0], command);
	error = errno;
	if (write(report, &error, sizeof(error)) < 0)
		_exit(1);
	_exit(1);
}

int child_start(struct child *child, char *const *command)
{
	int in[2], out[2], report[2], error = 0;
	pid_t parent = getpid();

	*child = (struct child){.input = -1, .output = -1};
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(report, O_CLOEXEC))
		return errno;
	child->pid = fork();
	if (child->pid < 0)
		return errno;
	if (child->pid == 0)
		become(command, in[0], out[1], report[1], parent);
	setpgid(child->pid, child->pid);
	close(in[0]);
	close(out[1]);
	close(report[1]);
	child->input = in[1];
	child->output = out[0];
	fcntl(child->input, F_SETFL, O_NONBLOCK);
	fcntl(child->output, F_SETFL, O_NONBLOCK);
	if (read(report[0], &error, sizeof(error)) != sizeof(error))
		error = 0;
	close(report[0]);
	return error;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void child_release(struct child *child)
{
	close_end(&child->input);
	close_end(&child->output);
	if (child->pid > 0) {
		kill(-child->pid, SIGKILL);
		while (!child->exited && waitpid(child->pid, NULL, 0) < 0 &&
			errno == EINTR)
			continue;
	}
	free(child->queue.bytes);
	free(child->text.bytes);
	*child = (struct child){.input = -1, .output = -1};
}

bool child_tell(struct child *child, const char *line)
{
	append(&child->queue, line, strlen(line));
	append(&child->queue, "\n", 1);
	return child->queue.size <= CHILD_QUEUE_BYTES_MAX;
}

bool child_has_queue(const struct child *child)
{
	return child->input >= 0 && child->queue.size > 0;
}

void child_flush(struct child *child)
{
	while (child_has_queue(child)) {
		ssize_t n = write(child->input, child->queue.bytes + child->queue.start,
			child->queue.size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0) {
			child->deaf = true;
			close_end(&child->input);
			return;
		}
		take(&child->queue, (size_t)n);
	}
}

void child_hush(struct child *child)
{
	child_flush(child);
	if (!child_has_queue(child))
		close_end(&child->input);
}

void child_read(struct child *child)
{
	char bytes[65536];

	while (child->output >= 0 && child->text.size <= CHILD_LINE_BYTES_MAX) {
		ssize_t n = read(child->output, bytes, sizeof(bytes));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0)
			close_end(&child->output);
		else
			append(&child->text, bytes, (size_t)n);
	}
}

char *child_line(struct child *child, size_t *size)
{
	char *line = child->text.bytes + child->text.start;
	char *end = child->text.size ? memchr(line, '\n', child->text.size) : NULL;

	if (!end)
		return NULL;
	*end = 0;
	*size = (size_t)(end - line);
	take(&child->text, *size + 1);
	child->lines++;
	return line;
}

size_t child_rest(const struct child *child)
{
	return child->text.size;
}

void child_reap(struct child *child)
{
	if (!child->exited && waitpid(child->pid, &child->status, WNOHANG) == child->pid)
		child->exited = true;
}
