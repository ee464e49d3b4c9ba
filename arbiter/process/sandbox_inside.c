/*
 * `pigpen inside UID MEMORY PROCESSES DESCRIPTORS DISK CPU play|build COMMAND…`: the
 * first program in the sandbox. It switches to the user, sets the limits, loads the
 * filter and starts the command. When the command ends it ends too, and with it
 * everything in the sandbox. Like bwrap it exits with 128 plus the number of the signal
 * that killed the command.
 */
#include "arbiter/base/exit.h"
#include "arbiter/process/sandbox.h"

#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { UID = 1, MEMORY, PROCESSES, DESCRIPTORS, DISK, CPU, PURPOSE, COMMAND };

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

static int take_user(const char *word)
{
	uid_t uid = (uid_t)strtoul(word, NULL, 10);

	if (!uid)
		return 0;
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		return errno;
	/* Changing the user has cleared the parent-death signal. */
	return prctl(PR_SET_PDEATHSIG, SIGKILL) ? errno : 0;
}

static int set_limits(char *const *argv)
{
	struct rlimit core = {0, 0};

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		rlim_t value = strtoull(argv[limits[i].word], NULL, 10);
		struct rlimit limit = {value, value};

		if (value && setrlimit(limits[i].resource, &limit))
			return errno;
	}
	return setrlimit(RLIMIT_CORE, &core) ? errno : 0;
}

_Noreturn static void become(char *const *argv)
{
	execvp(argv[0], argv);
	user_error("'%s' cannot be run in the sandbox: %s%s", argv[0], strerror(errno),
		errno == EACCES ? "; everybody must be allowed to "
				  "read and execute it (chmod -R a+rX)"
				: "");
	_exit(127);
}

/* Reaps orphans until the command has ended. */
static int wait_for(pid_t command)
{
	int status;
	pid_t pid;

	do
		pid = wait(&status);
	while (pid != command && (pid > 0 || errno == EINTR));
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int sandbox_inside(int argc, char **argv)
{
	pid_t command;
	int err;

	if (argc <= COMMAND)
		return user_error("`pigpen inside` is internal: the sandbox "
				  "starts bots with it; do not run it by hand");
	err = take_user(argv[UID]);
	if (!err)
		err = set_limits(argv);
	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = errno;
	if (!err)
		err = sandbox_filter_load(!strcmp(argv[PURPOSE], "build"));
	if (err) {
		user_error("the sandbox cannot be set up: %s", strerror(err));
		return 126;
	}
	/* Not base/child.h: this is process 1 of the sandbox, and the filter forbids much
	 * of what a child there would do first. */
	command = fork();
	if (command == 0)
		become(argv + COMMAND);
	if (command < 0)
		return 126;
	return wait_for(command);
}
