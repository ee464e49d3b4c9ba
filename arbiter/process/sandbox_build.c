/* Running a step of an admission in the sandbox: a build is trusted as little as the bot. */
#include "arbiter/process/sandbox.h"
#include "protocol/memory.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 20

extern char **environ;

/* Runs in the child. */
static void use_environment(void *context)
{
	umask(022);
	environ = context;
}

static int start(struct sandbox_build *build, char *const *argv, const char *folder,
	char **environment)
{
	build->child = (struct child){.argv = argv,
		.input = CHILD_NULL,
		.output = build->pipe ? CHILD_PIPE : CHILD_FD,
		.output_fd = build->log,
		.error = build->log < 0 ? CHILD_NULL : CHILD_FD,
		.error_fd = build->log,
		.folder = folder,
		.own_group = true,
		/* Nothing outlives a sandbox; without one it ends what it started. */
		.death_signal = build->boxed ? SIGKILL : SIGTERM,
		.prepare = use_environment,
		.context = environment};
	return child_start(&build->child);
}

static int64_t seconds_left(const struct sandbox_build *build)
{
	int64_t left = (build->deadline - time_now(&time_system)) / NS_PER_S;

	return left > 0 ? left + 1 : 1;
}

static int start_boxed(struct sandbox_build *build)
{
	const struct sandbox_limits limits = {.memory_bytes = INT64_C(4) << 30,
		.processes = 512,
		.descriptors = 1024,
		.disk_bytes = INT64_C(512) << 20,
		.cpu_s = seconds_left(build)};
	struct sandbox_command *command = xmalloc(sizeof(*command));
	char *none[] = {NULL}, **environment = sandbox_environment(none);
	int err = E2BIG;

	if (sandbox_command_fill(command, &(struct sandbox_task){.argv = build->argv,
						  .folder = build->folder,
						  .limits = &limits,
						  .building = true})) {
		if (command->uid)
			sandbox_command_own_user(command->uid, getpid());
		err = start(build, command->argv, "/", environment);
	}
	free(environment);
	free(command);
	return err;
}

int sandbox_build_start(struct sandbox_build *build)
{
	return build->boxed ? start_boxed(build)
			    : start(build, build->argv, build->folder, environ);
}

/* bwrap cannot take the first process of the sandbox along if that is another user's; so
 * it is killed first, and with it everything inside. */
static void kill_all(const struct sandbox_build *build, pid_t group)
{
	char path[64];
	FILE *children;
	int first;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", group, group);
	children = build->boxed ? fopen(path, "re") : NULL;
	while (children && fscanf(children, "%d", &first) == 1)
		kill(first, SIGKILL);
	if (children)
		fclose(children);
	kill(-group, SIGKILL);
}

int sandbox_build_end(struct sandbox_build *build)
{
	const struct timespec pause = {0, LOOK_MS * NS_PER_MS};
	const pid_t group = build->child.pid;
	int status = 0;

	/* Nobody reads any more; a writer is not to wait for it. */
	child_close(&build->child);
	while (!child_ended(&build->child, &status)) {
		if (time_now(&time_system) >= build->deadline)
			kill_all(build, group);
		nanosleep(&pause, NULL);
	}
	/* Kills what it left running. */
	kill(-group, SIGKILL);
	return status;
}
