/* Building a bot that somebody else wrote: its build is as little trusted as the bot. */
#include "arbiter/process/sandbox.h"
#include "protocol/memory.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS         20
#define FOLDERS_AT_ONCE 16

static uid_t owner;

static int give(const char *path, const struct stat *info, int kind, struct FTW *place)
{
	(void)info;
	(void)kind;
	(void)place;
	return lchown(path, owner, owner);
}

/* The tree is the builder's while it builds, and ours again afterwards. */
static int give_tree(const char *folder, uid_t to)
{
	owner = to;
	return nftw(folder, give, FOLDERS_AT_ONCE, FTW_PHYS);
}

_Noreturn static void become(
	char *const *argv, const char *folder, char **environment, int output)
{
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	umask(022);
	dup2(null, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	close_range(3, ~0u, 0);
	if (chdir(folder) == 0)
		execvpe(argv[0], argv, environment);
	_exit(127);
}

static int wait_for(pid_t pid, int seconds_max)
{
	const struct timespec pause = {0, LOOK_MS * 1000000};
	int status = 0;

	for (int64_t ms = 0; waitpid(pid, &status, WNOHANG) == 0; ms += LOOK_MS) {
		if (ms >= seconds_max * INT64_C(1000))
			kill(-pid, SIGKILL);
		nanosleep(&pause, NULL);
	}
	/* Whatever it left running. */
	kill(-pid, SIGKILL);
	return status;
}

static int run(char *const *argv, const char *folder, char **environment, int seconds_max,
	int output)
{
	pid_t pid = fork();

	if (pid == 0)
		become(argv, folder, environment, output);
	if (pid < 0)
		return -1;
	setpgid(pid, pid);
	return wait_for(pid, seconds_max);
}

static int run_boxed(char *const *argv, const char *folder, int seconds_max, int output)
{
	const struct sandbox_limits limits = {.memory_bytes = INT64_C(4) << 30,
		.processes = 512,
		.descriptors = 1024,
		.disk_bytes = INT64_C(512) << 20,
		.cpu_s = seconds_max};
	struct sandbox_command *command = xmalloc(sizeof(*command));
	char *none[] = {NULL}, **environment = sandbox_environment(none);
	char uid[] = "0000000000";
	int status = -1;

	sandbox_command_own_user(uid, getpid());
	if (sandbox_command_fill(command, &(struct sandbox_task){.argv = argv,
						  .folder = folder,
						  .limits = &limits,
						  .building = true})) {
		if (command->uid) {
			sandbox_command_own_user(command->uid, getpid());
			give_tree(folder, (uid_t)strtoul(uid, NULL, 10));
		}
		status = run(command->argv, "/", environment, seconds_max, output);
		if (command->uid)
			give_tree(folder, 0);
	}
	free(environment);
	free(command);
	return status;
}

int sandbox_run_build(
	char *const *argv, const char *folder, bool boxed, int seconds_max, int output)
{
	extern char **environ;

	return boxed ? run_boxed(argv, folder, seconds_max, output)
		     : run(argv, folder, environ, seconds_max, output);
}
