/* The process between the arbiter and a bot. */
#include "arbiter/process/warden.h"
#include "arbiter/process/group.h"
#include "arbiter/process/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The warden's descriptors; everything above them is closed. The first two are where
 * `pigpen inside` expects them. */
enum {
	FD_LINE = SANDBOX_FD_LINE,
	FD_FILTER = SANDBOX_FD_FILTER,
	FD_CONTROL,
	FD_REPORT,
	FD_OUTPUT,
	FD_ERRORS,
	FD_SIGNALS
};
#define FD_SAFE 64 /* above all of them, while they are being moved */

static void report(enum warden_report_kind kind, int value)
{
	struct warden_report message = {kind, value};

	/* A message is smaller than PIPE_BUF, so it is written completely or, if the
	 * arbiter is gone, not at all. */
	if (write(FD_REPORT, &message, sizeof(message)) < 0)
		return;
}

/* To its number; -1 leaves that number closed. */
static void place_descriptor(int from, int to)
{
	if (from < 0 || dup3(from, to, O_CLOEXEC) < 0)
		close(to);
}

static void move_descriptors(const struct warden_task *task)
{
	const int wanted[] = {task->line, task->filter, task->control, task->report,
		task->output, task->errors};
	const int count = sizeof(wanted) / sizeof(*wanted);
	int safe[sizeof(wanted) / sizeof(*wanted)];
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = 0; i < count; i++)
		safe[i] = wanted[i] < 0 ? -1 : fcntl(wanted[i], F_DUPFD_CLOEXEC, FD_SAFE);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	for (int i = 0; i < count; i++)
		place_descriptor(safe[i], FD_LINE + i);
	close_range(FD_SIGNALS, ~0u, 0);
}

static void reset_signals(void)
{
	struct sigaction initial = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		sigaction(number, &initial, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The arbiter may run under a memory limit of its own, which must not bind the bot. */
static void lift_memory_cap(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_AS, &limit);
	}
}

_Noreturn static void become_bot(const struct warden_task *task, pid_t warden)
{
	reset_signals();
	lift_memory_cap();
	setsid();
	umask(022);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != warden)
		_exit(127);
	dup2(FD_OUTPUT, 1);
	dup2(FD_ERRORS, 2);
	if (task->uid)
		sandbox_command_own_user(task->uid, warden);
	/* Without its group a bot would not be limited or counted as promised. */
	if ((!task->group || group_enter(task->group)) && chdir(task->folder) == 0) {
		close_range(FD_OUTPUT, ~0u, 0);
		/* The control and report pipes are close-on-exec. */
		for (int fd = FD_LINE; task->boxed && fd <= FD_FILTER; fd++)
			fcntl(fd, F_SETFD, 0);
		execvpe(task->argv[0], task->argv, task->environment);
	}
	report(WARDEN_EXEC_FAILED, errno);
	_exit(127);
}

static int signal_descriptor(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_SETMASK, &set, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Reaps all children that have ended; true if the bot itself was among them. */
static bool reap(pid_t bot)
{
	bool ended = false;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == bot) {
			report(WARDEN_EXIT, status);
			ended = true;
		}
	return ended;
}

/* Kills the direct children; their orphans become our children and are killed next. */
static void kill_children(void)
{
	char text[4096];
	int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	pid_t pid = 0;

	for (ssize_t i = 0; i < n; i++) {
		if (text[i] >= '0' && text[i] <= '9') {
			pid = pid * 10 + (text[i] - '0');
		} else if (pid > 0) {
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL);
			pid = 0;
		}
	}
	if (fd >= 0)
		close(fd);
}

/* Kills until no process is left: every orphan of the tree becomes a child of its
 * subreaper, which we are. */
static void kill_tree(pid_t bot, bool boxed)
{
	int status, others = 0;
	bool ended = true; /* before this began */
	pid_t pid;

	for (;;) {
		kill_children();
		pid = waitpid(-1, &status, 0);
		if (pid == bot) {
			report(WARDEN_EXIT, status);
			ended = false;
		} else if (pid > 0) {
			others++;
		}
		if (pid < 0 && errno == ECHILD)
			break;
	}
	/* In a sandbox all processes have already ended with its first one. */
	if (ended && others && !boxed)
		report(WARDEN_LEFT, others);
}

/* Has the arbiter's end of the control pipe been closed, and nothing was said before? */
static bool is_orphaned(void)
{
	struct pollfd control = {FD_CONTROL, POLLIN, 0};
	char word;

	return poll(&control, 1, 0) > 0 && read(FD_CONTROL, &word, 1) == 0;
}

/* Waits until the bot ends or the arbiter says so or is gone; true: it is gone. A bot may
 * notice that before we do, and end. */
static bool keep_watch(pid_t bot)
{
	struct pollfd watched[] = {{FD_CONTROL, POLLIN, 0}, {FD_SIGNALS, POLLIN, 0}};
	struct signalfd_siginfo info;

	for (;;) {
		if (poll(watched, 2, -1) < 0 && errno != EINTR)
			return false;
		if (watched[0].revents)
			return is_orphaned();
		while (read(FD_SIGNALS, &info, sizeof(info)) > 0)
			continue;
		if (reap(bot))
			return is_orphaned();
	}
}

/* The last warden also removes the folder of the sockets, which is not empty before, and
 * the arbiter's folder around it if there is nothing else in it. */
static void remove_socket(const char *path)
{
	char folder[128] = "";
	char *slash;

	unlink(path);
	strncat(folder, path, sizeof(folder) - 1);
	for (int i = 0; i < 2; i++) {
		slash = strrchr(folder, '/');
		if (!slash || slash == folder)
			return;
		*slash = 0;
		if (rmdir(folder))
			return;
	}
}

_Noreturn void warden_run(const struct warden_task *task)
{
	pid_t self = getpid(), bot;
	bool orphaned;
	int signals;

	setsid();
	prctl(PR_SET_NAME, "pigpen-warden");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	move_descriptors(task);
	signals = signal_descriptor();
	if (signals != FD_SIGNALS) {
		dup3(signals, FD_SIGNALS, O_CLOEXEC);
		close(signals);
	}
	/* Not base/child.h: the bot is a session leader of its own in a control group
	 * that it must enter first, and a warden may not allocate. */
	bot = fork();
	if (bot == 0)
		become_bot(task, self);
	close(FD_LINE);
	close(FD_FILTER);
	close(FD_OUTPUT);
	close(FD_ERRORS);
	if (bot < 0) {
		report(WARDEN_EXEC_FAILED, errno);
		_exit(1);
	}
	report(WARDEN_PID, bot);
	orphaned = keep_watch(bot);
	kill_tree(bot, task->boxed);
	if (orphaned && task->group)
		rmdir(task->group);
	if (orphaned && task->socket)
		remove_socket(task->socket);
	_exit(0);
}
