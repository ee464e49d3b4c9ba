/* Building a bot in the sandbox: its build is trusted as little as the bot. */
#include "arbiter/process/sandbox.h"
#include "arbiter/base/child.h"
#include "protocol/memory.h"

#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS         20
#define NOT_EXECUTED    (127 << 8) /* exit status 127, as in a shell */
#define FOLDERS_AT_ONCE 16

extern char **environ;

static uid_t owner;

static int give(const char *path, const struct stat *info, int kind, struct FTW *place)
{
	(void)info;
	(void)kind;
	(void)place;
	return lchown(path, owner, owner);
}

/* The tree belongs to the builder's user during the build, and to us again afterwards. */
static int give_tree(const char *folder, uid_t to)
{
	owner = to;
	return nftw(folder, give, FOLDERS_AT_ONCE, FTW_PHYS);
}

/* Runs in the child. */
static void use_environment(void *context)
{
	umask(022);
	environ = context;
}

static int wait_for(struct child *child, int seconds_max)
{
	const struct timespec pause = {0, LOOK_MS * 1000000};
	const pid_t group = child->pid;
	int status = 0;

	for (int64_t ms = 0; !child_ended(child, &status); ms += LOOK_MS) {
		if (ms >= seconds_max * INT64_C(1000))
			kill(-group, SIGKILL);
		nanosleep(&pause, NULL);
	}
	/* Kills what the build left running. */
	kill(-group, SIGKILL);
	return status;
}

static int run(char *const *argv, const char *folder, char **environment, int seconds_max,
	int output)
{
	struct child child = {.argv = argv,
		.input = CHILD_NULL,
		.output = CHILD_FD,
		.output_fd = output,
		.error = CHILD_OUTPUT,
		.folder = folder,
		.own_group = true,
		.prepare = use_environment,
		.context = environment};

	return child_start(&child) ? NOT_EXECUTED : wait_for(&child, seconds_max);
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
	return boxed ? run_boxed(argv, folder, seconds_max, output)
		     : run(argv, folder, environ, seconds_max, output);
}
