/* Building a bot in the sandbox: its build is trusted as little as the bot. */
#include "arbiter/process/sandbox.h"
#include "arbiter/base/files.h"
#include "arbiter/base/time.h"
#include "arbiter/process/launch.h"

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define NOT_EXECUTED    (127 << 8) /* exit status 127, as in a shell */
#define FOLDERS_AT_ONCE 16

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

/* Copies what was written to the pipe. */
static void pass_on(struct process *process, int output)
{
	char bytes[16384];
	ssize_t n;

	while ((n = read(process->output, bytes, sizeof(bytes))) > 0)
		if (!write_all(output, bytes, (size_t)n))
			break;
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
		close(process->output);
		process->output = -1;
	}
}

/* Until all its processes are gone; they are killed when its time is over. */
static void watch(struct process *process, int seconds_max, int output)
{
	mono_ns end = time_now(&time_system) + seconds_max * NS_PER_S;

	while (!process->gone) {
		struct pollfd watched[] = {
			{process->report, POLLIN, 0}, {process->output, POLLIN, 0}};
		mono_ns left = end - time_now(&time_system);

		if (left <= 0)
			process_kill(process);
		poll(watched, 2, left > 0 ? (int)(left / NS_PER_MS) + 1 : -1);
		if (process->output >= 0)
			pass_on(process, output);
		process_report(process);
	}
	if (process->output >= 0)
		pass_on(process, output);
}

static int run(const struct launch_spec *spec, int seconds_max, int output)
{
	struct process process;
	int status = -1;

	if (process_start(&process, spec) == 0) {
		watch(&process, seconds_max, output);
		status = process.start_errno ? NOT_EXECUTED : process.status;
	}
	process_release(&process);
	return status;
}

static int run_boxed(struct launch_spec *spec, int seconds_max, int output)
{
	const struct sandbox_limits limits = {.memory_bytes = INT64_C(4) << 30,
		.processes = 512,
		.descriptors = 1024,
		.disk_bytes = INT64_C(512) << 20,
		.cpu_s = seconds_max};
	char uid[] = "0000000000";
	int status;

	spec->sandbox = &limits;
	spec->building = true;
	spec->user = getpid();
	sandbox_command_own_user(uid, spec->user);
	if (geteuid() == 0)
		give_tree(spec->folder, (uid_t)strtoul(uid, NULL, 10));
	status = run(spec, seconds_max, output);
	if (geteuid() == 0)
		give_tree(spec->folder, 0);
	return status;
}

int sandbox_run_build(
	char *const *argv, const char *folder, bool boxed, int seconds_max, int output)
{
	char *none[] = {NULL};
	struct launch_spec spec = {.argv = argv, .folder = folder, .environment = none};

	return boxed ? run_boxed(&spec, seconds_max, output)
		     : run(&spec, seconds_max, output);
}
