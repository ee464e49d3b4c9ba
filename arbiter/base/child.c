/* Starting and ending child processes. */
#include "arbiter/base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXEC_FAILED 127

/* The child's side of its three streams, and of the pipe that reports a failed exec. */
struct ends {
	int stream[3];
	int report;
};

static int open_null(int number)
{
	return open("/dev/null", (number == 0 ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
}

/* Returns the child's end and sets *ours to ours; -1: see errno. */
static int open_stream(enum child_stream kind, int number, int *ours)
{
	int pair[2];

	switch (kind) {
	case CHILD_NULL:
		*ours = -1;
		return open_null(number);
	case CHILD_FD:
		return fcntl(*ours, F_DUPFD_CLOEXEC, 3);
	case CHILD_PIPE:
		if (pipe2(pair, O_CLOEXEC))
			return -1;
		*ours = pair[number == 0];
		fcntl(*ours, F_SETFL, O_NONBLOCK);
		return pair[number != 0];
	default:
		*ours = -1;
		return fcntl(number, F_DUPFD_CLOEXEC, 3);
	}
}

static void close_ends(struct ends *ends)
{
	for (int i = 0; i < 3; i++)
		if (ends->stream[i] >= 0)
			close(ends->stream[i]);
	if (ends->report >= 0)
		close(ends->report);
}

static bool open_ends(struct child *child, struct ends *ends)
{
	int *ours[] = {&child->input_fd, &child->output_fd, &child->error_fd};
	enum child_stream kind[] = {child->input, child->output, child->error};

	*ends = (struct ends){{-1, -1, -1}, -1};
	for (int i = 0; i < 3; i++) {
		if (kind[i] == CHILD_OUTPUT) {
			*ours[i] = -1;
			ends->stream[i] = fcntl(ends->stream[1], F_DUPFD_CLOEXEC, 3);
		} else {
			ends->stream[i] = open_stream(kind[i], i, ours[i]);
		}
		if (ends->stream[i] < 0)
			return false;
	}
	return true;
}

_Noreturn static void become(const struct child *child, struct ends *ends, pid_t parent)
{
	sigset_t none;
	int err;

	if (!child->survives) {
		prctl(PR_SET_PDEATHSIG,
			child->death_signal ? child->death_signal : SIGKILL);
		if (getppid() != parent)
			_exit(EXEC_FAILED);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (child->own_group)
		setpgid(0, 0);
	for (int i = 0; i < 3; i++)
		dup2(ends->stream[i], i);
	dup2(ends->report, 3);
	fcntl(3, F_SETFD, FD_CLOEXEC);
	close_range(4, ~0u, 0);
	if (child->prepare)
		child->prepare(child->context);
	if (!child->folder || !chdir(child->folder)) {
		if (child->self)
			execv("/proc/self/exe", child->argv);
		else
			execvp(child->argv[0], child->argv);
	}
	err = errno;
	while (write(3, &err, sizeof(err)) < 0 && errno == EINTR)
		continue;
	_exit(EXEC_FAILED);
}

/* Returns 0 if the program was executed, else the errno of exec. */
static int read_report(int fd)
{
	int err = 0;
	ssize_t n;

	while ((n = read(fd, &err, sizeof(err))) < 0 && errno == EINTR)
		continue;
	return n == (ssize_t)sizeof(err) ? err : 0;
}

int child_start(struct child *child)
{
	struct ends ends;
	int report[2] = {-1, -1}, err = 0;
	pid_t parent = getpid();

	child->pid = 0;
	if (!open_ends(child, &ends) || pipe2(report, O_CLOEXEC)) {
		err = errno;
	} else {
		ends.report = report[1];
		child->pid = fork();
		if (child->pid == 0)
			become(child, &ends, parent);
		err = child->pid < 0 ? errno : 0;
	}
	close_ends(&ends);
	if (!err)
		err = read_report(report[0]);
	if (report[0] >= 0)
		close(report[0]);
	if (!err)
		return 0;
	if (child->pid > 0)
		child_wait(child);
	child_close(child);
	return err;
}

static void close_pipe(enum child_stream kind, int *fd)
{
	if (kind == CHILD_PIPE && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
}

void child_close(struct child *child)
{
	close_pipe(child->input, &child->input_fd);
	close_pipe(child->output, &child->output_fd);
	close_pipe(child->error, &child->error_fd);
}

int child_wait(struct child *child)
{
	int status = -1;

	child_close(child);
	while (child->pid > 0 && waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	child->pid = 0;
	return status;
}

bool child_ended(struct child *child, int *status)
{
	if (child->pid <= 0 || waitpid(child->pid, status, WNOHANG) != child->pid)
		return false;
	child->pid = 0;
	return true;
}

/* Reads to the end of file, so that the writer never blocks on a full pipe. */
static void keep_beginning(int fd, char *text, size_t size)
{
	size_t used = 0;
	ssize_t n = 1;

	while (n) {
		struct pollfd wait = {fd, POLLIN, 0};
		char rest[4096];
		bool full = used + 1 >= size;

		n = read(fd, full ? rest : text + used,
			full ? sizeof(rest) : size - 1 - used);
		if (n < 0 && errno == EAGAIN)
			poll(&wait, 1, -1);
		else if (n < 0 && errno != EINTR)
			break;
		else if (n > 0 && !full)
			used += (size_t)n;
	}
	text[used] = 0;
}

int child_run(struct child *child, char *output, size_t size, int *status)
{
	int err;

	child->output = CHILD_PIPE;
	err = child_start(child);
	if (err)
		return err;
	keep_beginning(child->output_fd, output, size);
	*status = child_wait(child);
	return 0;
}

void child_status_text(int status, char *text, size_t size)
{
	if (WIFEXITED(status))
		snprintf(text, size, "exited with status %d", WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		snprintf(text, size, "killed by SIG%s (%s)",
			sigabbrev_np(WTERMSIG(status)), sigdescr_np(WTERMSIG(status)));
	else
		snprintf(text, size, "ended with wait status %d", status);
}
