/*
 * `pigpen inside UID MEMORY PROCESSES DESCRIPTORS DISK CPU watch|trust COMMAND…`: process 1
 * of the sandbox. It sizes the scratch file systems, switches to the user, sets the limits, loads
 * the filter and starts the command. When the command ends it ends too, and with it
 * everything in the sandbox. Like bwrap it exits with 128 plus the number of the signal
 * that killed the command.
 *
 * It also holds the end of a pipe from the arbiter, the line (SANDBOX_FD_LINE). When the
 * arbiter is gone, however it ended, the line ends and so does the sandbox: this needs
 * neither the warden nor bwrap, nor a parent-death signal, which bwrap without
 * capabilities may not send to another user. And on the arbiter's word it stops and
 * continues everything in the sandbox: kill(-1) is the one way to stop a tree that forks.
 * With `watch` it looks after the memory limit (sandbox_memory.c), with `trust` a control
 * group does.
 *
 * It has the bot's own user, limits and filter. The bot still cannot take it over: it is
 * not dumpable, so that others of its user may not look into it, and process 1 gets no
 * signals from its own namespace that it does not want.
 */
#include "arbiter/base/exit.h"
#include "arbiter/base/time.h"
#include "arbiter/process/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES_MAX   (INT64_C(64) << 20)
#define SIGNALS_MAX       4096 /* queued; timers count too */
#define BYTES_PER_FILE    4096
#define FILES_MIN         64
#define FIRST_LOOK_MS     100
#define CANNOT_BE_SET_UP  126
#define CANNOT_BE_STARTED 127

enum { UID = 1, MEMORY, PROCESSES, DESCRIPTORS, DISK, CPU, WATCH, COMMAND };

static const struct {
	int word;
	__rlimit_resource_t resource;
} limits[] = {
	{MEMORY, RLIMIT_DATA},
	{PROCESSES, RLIMIT_NPROC},
	{DESCRIPTORS, RLIMIT_NOFILE},
	{DISK, RLIMIT_FSIZE},
	{CPU, RLIMIT_CPU},
};

/* What no bot needs more of, and what would be memory that RLIMIT_DATA does not count. */
static const struct {
	__rlimit_resource_t resource;
	rlim_t most;
} fixed[] = {
	{RLIMIT_CORE, 0},
	{RLIMIT_MEMLOCK, 0},
	{RLIMIT_MSGQUEUE, 0},
	{RLIMIT_SIGPENDING, SIGNALS_MAX},
	{RLIMIT_STACK, STACK_BYTES_MAX},
};

/* An empty file takes kernel memory but no space of a tmpfs, so their number is limited as
 * well; bwrap has no option for it. */
static int size_scratch(const char *word)
{
	static const char *const folders[] = {"/tmp", "/dev/shm"};
	long long bytes = strtoll(word, NULL, 10), files = bytes / BYTES_PER_FILE;
	char options[96];

	snprintf(options, sizeof(options), "size=%lld,nr_inodes=%lld", bytes,
		files < FILES_MIN ? FILES_MIN : files);
	for (size_t i = 0; bytes && i < sizeof(folders) / sizeof(*folders); i++)
		if (mount("tmpfs", folders[i], "tmpfs", MS_REMOUNT | MS_NOSUID | MS_NODEV,
			    options))
			return errno;
	return 0;
}

static int take_user(const char *word)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {0};
	uid_t uid = (uid_t)strtoul(word, NULL, 10);

	if (uid && (setgroups(0, NULL) || setresgid(uid, uid, uid) ||
			   setresuid(uid, uid, uid)))
		return errno;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) ||
		syscall(SYS_capset, &header, none))
		return errno;
	return 0;
}

static int set_limits(char *const *argv)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		rlim_t value = strtoull(argv[limits[i].word], NULL, 10);
		struct rlimit limit = {value, value};

		if (value && setrlimit(limits[i].resource, &limit))
			return errno;
	}
	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++) {
		struct rlimit limit;

		getrlimit(fixed[i].resource, &limit);
		if (limit.rlim_max > fixed[i].most)
			limit.rlim_max = fixed[i].most;
		if (limit.rlim_cur > limit.rlim_max)
			limit.rlim_cur = limit.rlim_max;
		if (setrlimit(fixed[i].resource, &limit))
			return errno;
	}
	return 0;
}

static int load_filter(void)
{
	int err = prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
			  ? errno
			  : sandbox_filter_load(SANDBOX_FD_FILTER);

	close(SANDBOX_FD_FILTER);
	return err;
}

_Noreturn static void become(char *const *argv, const sigset_t *signals)
{
	sigprocmask(SIG_SETMASK, signals, NULL);
	close(SANDBOX_FD_LINE);
	execvp(argv[0], argv);
	user_error("'%s' cannot be run in the sandbox: %s%s", argv[0], strerror(errno),
		errno == EACCES ? "; everybody must be allowed to "
				  "read and execute it (chmod -R a+rX)"
				: "");
	_exit(CANNOT_BE_STARTED);
}

/* Does what the arbiter says on the line; false: it is gone. */
static bool obey(void)
{
	char words[64];
	ssize_t n = read(SANDBOX_FD_LINE, words, sizeof(words));

	for (ssize_t i = 0; i < n; i++)
		if (words[i] == SANDBOX_STOP || words[i] == SANDBOX_CONTINUE)
			kill(-1, words[i] == SANDBOX_STOP ? SIGSTOP : SIGCONT);
	return n > 0 || (n < 0 && errno == EINTR);
}

/* Reaps who has ended; true if the command is among them. */
static bool reap(pid_t command, int *exit_status)
{
	bool ended = false;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == command) {
			*exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
							   : WEXITSTATUS(status);
			ended = true;
		}
	return ended;
}

/* Looks after the memory limit if that is due, by the clock: a bot that keeps us busy with
 * children must not keep us from it. Returns the ms until it is due again; -1: never. */
static int look_after_memory(int64_t limit, mono_ns *due)
{
	mono_ns now = time_now(&time_system);
	int next_ms;
	pid_t greedy;

	if (!limit)
		return -1;
	if (now >= *due) {
		greedy = sandbox_memory_look(limit, &next_ms);
		if (greedy && kill(greedy, SIGKILL) == 0)
			user_error("process %d of the sandbox was killed: out of memory",
				greedy);
		*due = now + next_ms * NS_PER_MS;
	}
	return (int)((*due - now) / NS_PER_MS) + 1;
}

/* Until the command has ended or the arbiter is gone; returns our exit status. A limit of
 * the memory of 0 is not looked after. */
static int keep_watch(pid_t command, int signals, int64_t memory_bytes_max)
{
	struct pollfd watched[] = {{SANDBOX_FD_LINE, POLLIN, 0}, {signals, POLLIN, 0}};
	mono_ns due = time_now(&time_system) + FIRST_LOOK_MS * NS_PER_MS;
	struct signalfd_siginfo info;
	int status = CANNOT_BE_SET_UP;

	for (;;) {
		int wait_ms = look_after_memory(memory_bytes_max, &due);

		if (poll(watched, 2, wait_ms) < 0 && errno != EINTR)
			return status;
		if (watched[0].revents && !obey())
			return 128 + SIGKILL;
		while (read(signals, &info, sizeof(info)) > 0)
			continue;
		if (reap(command, &status))
			return status;
	}
}

static int set_up(char *const *argv)
{
	int err = size_scratch(argv[DISK]);

	if (!err)
		err = take_user(argv[UID]);
	if (!err)
		err = set_limits(argv);
	return err ? err : load_filter();
}

int sandbox_inside(int argc, char **argv)
{
	sigset_t ended, before;
	int err, signals;
	pid_t command;

	if (argc <= COMMAND)
		return user_error("`pigpen inside` is internal: the sandbox "
				  "starts bots with it; do not run it by hand");
	err = set_up(argv);
	if (err) {
		user_error("the sandbox cannot be set up: %s", strerror(err));
		return CANNOT_BE_SET_UP;
	}
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, &before);
	signals = signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK);
	/* Not base/child.h: this is process 1 of the sandbox, and the filter forbids much
	 * of what a child there would do first. */
	command = signals < 0 ? -1 : fork();
	if (command == 0)
		become(argv + COMMAND, &before);
	if (command < 0)
		return CANNOT_BE_SET_UP;
	return keep_watch(command, signals,
		strcmp(argv[WATCH], "watch") ? 0 : strtoll(argv[MEMORY], NULL, 10));
}
