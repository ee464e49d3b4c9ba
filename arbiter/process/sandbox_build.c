/* Running a step of an admission in the sandbox: a build is trusted as little as the bot. */
#include "arbiter/process/sandbox_build.h"
#include "arbiter/base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#define NOT_EXECUTED (127 << 8) /* exit status 127, as in a shell */

static int64_t seconds_left(const struct sandbox_build *build)
{
	int64_t left = (build->deadline - time_now(&time_system)) / NS_PER_S;

	return left > 0 ? left + 1 : 1;
}

int sandbox_build_start(struct sandbox_build *build)
{
	const struct sandbox_limits limits = {.memory_bytes = INT64_C(4) << 30,
		.processes = 512,
		.descriptors = 1024,
		.disk_bytes = INT64_C(512) << 20,
		.cpu_s = seconds_left(build)};
	int nobody = build->pipe && build->log < 0
			     ? open("/dev/null", O_WRONLY | O_CLOEXEC)
			     : -1;
	char *none[] = {NULL};
	int err = process_start(
		&build->process, &(struct launch_spec){.argv = build->argv,
					 .folder = build->folder,
					 .environment = none,
					 .sandbox = build->boxed ? &limits : NULL,
					 .building = true,
					 .errors_apart = build->pipe,
					 .errors = nobody < 0 ? build->log : nobody});

	if (nobody >= 0)
		close(nobody);
	return err;
}

/* What is still in the pipe: to the log, or to nobody if somebody had read it. */
static void pass_on(struct sandbox_build *build)
{
	struct process *process = &build->process;
	char bytes[16384];
	ssize_t n;

	while ((n = read(process->output, bytes, sizeof(bytes))) > 0)
		if (!build->pipe && build->log >= 0 &&
			!write_all(build->log, bytes, (size_t)n))
			break;
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
		close(process->output);
		process->output = -1;
	}
}

int sandbox_build_end(struct sandbox_build *build)
{
	struct process *process = &build->process;
	int status;

	/* Nobody reads any more; a writer is not to wait for it. */
	if (build->pipe && process->output >= 0) {
		close(process->output);
		process->output = -1;
	}
	while (!process->gone) {
		struct pollfd watched[] = {
			{process->report, POLLIN, 0}, {process->output, POLLIN, 0}};
		mono_ns left = build->deadline - time_now(&time_system);

		if (left <= 0)
			process_kill(process);
		poll(watched, 2, left > 0 ? (int)(left / NS_PER_MS) + 1 : -1);
		if (process->output >= 0)
			pass_on(build);
		process_report(process);
	}
	if (process->output >= 0)
		pass_on(build);
	status = process->start_errno ? NOT_EXECUTED : process->status;
	process_release(process);
	return status;
}
