/* Starting and ending a bot's processes through a warden. */
#include "arbiter/process/launch.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "arbiter/process/tree.h"
#include "arbiter/process/warden.h"
#include "protocol/memory.h"

extern char **environ;

#define NO_CLOCK 1000 /* no clock has this number: reading it fails */

/* The arbiter's own environment without PIGPEN_…, then the additions. */
static char **make_environment(char *const *more)
{
	size_t n = 0, count = 0;
	char **all;

	while (environ[n])
		n++;
	for (size_t i = 0; more[i]; i++)
		n++;
	all = xmalloc((n + 1) * sizeof(*all));
	for (size_t i = 0; environ[i]; i++)
		if (strncmp(environ[i], "PIGPEN_", 7))
			all[count++] = environ[i];
	for (size_t i = 0; more[i]; i++)
		all[count++] = more[i];
	all[count] = NULL;
	return all;
}

static void close_pair(int pair[2])
{
	for (int i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
}

/* The bot's command in its sandbox, or NULL if it is too long. */
static struct sandbox_command *box(const struct launch_spec *spec)
{
	struct sandbox_command *command = xmalloc(sizeof(*command));

	if (!sandbox_command_fill(
		    command, &(struct sandbox_task){.argv = spec->argv,
				     .folder = spec->folder,
				     .socket = spec->seen ? spec->seen : spec->socket,
				     .limits = spec->sandbox,
				     .building = spec->building})) {
		free(command);
		return NULL;
	}
	return command;
}

/* The pipes between us and the warden, and to process 1 of a sandbox. */
struct pipes {
	int control[2], report[2], output[2], line[2];
};

static bool open_pipes(struct pipes *pipes, bool boxed)
{
	*pipes = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
	return !pipe2(pipes->control, O_CLOEXEC) && !pipe2(pipes->report, O_CLOEXEC) &&
	       !pipe2(pipes->output, O_CLOEXEC) &&
	       (!boxed || !pipe2(pipes->line, O_CLOEXEC));
}

static void close_pipes(struct pipes *pipes)
{
	close_pair(pipes->control);
	close_pair(pipes->report);
	close_pair(pipes->output);
	close_pair(pipes->line);
}

/* Keeps our ends; the others are the warden's. */
static void keep_pipes(struct process *process, struct pipes *pipes)
{
	process->control = pipes->control[1];
	process->report = pipes->report[0];
	process->output = pipes->output[0];
	process->line = pipes->line[1];
	pipes->control[1] = pipes->report[0] = pipes->output[0] = pipes->line[1] = -1;
	close_pipes(pipes);
	fcntl(process->report, F_SETFL, O_NONBLOCK);
	fcntl(process->output, F_SETFL, O_NONBLOCK);
	if (process->line >= 0)
		fcntl(process->line, F_SETFL, O_NONBLOCK);
}

/* The warden's pid, or -1. Not base/child.h: a warden is a fork that executes nothing. */
static pid_t start_warden(const struct launch_spec *spec, const struct pipes *pipes,
	struct sandbox_command *command, char **environment, const struct group *group)
{
	int filter = command ? sandbox_filter_program(spec->building) : -1;
	pid_t warden = command && filter < 0 ? -1 : fork();

	if (warden == 0)
		warden_run(&(struct warden_task){
			.argv = command ? command->argv : spec->argv,
			.environment = environment,
			.folder = command ? "/" : spec->folder,
			.boxed = command,
			.group = group->path[0] ? group->path : NULL,
			.uid = command ? command->uid : NULL,
			.socket = spec->socket,
			.control = pipes->control[0],
			.report = pipes->report[1],
			.output = pipes->output[1],
			.errors = spec->errors_apart ? spec->errors : pipes->output[1],
			.line = pipes->line[0],
			.filter = filter,
		});
	return warden;
}

void process_init(struct process *process)
{
	*process = (struct process){.gone = true,
		.control = -1,
		.report = -1,
		.output = -1,
		.line = -1,
		.group = {.cpu = -1}};
}

int process_start(struct process *process, const struct launch_spec *spec)
{
	struct sandbox_command *command = spec->sandbox ? box(spec) : NULL;
	char **environment = command ? sandbox_environment(spec->environment)
				     : make_environment(spec->environment);
	struct pipes pipes;
	int err = 0;

	memset(process, 0, sizeof(*process));
	process->boxed = command;
	/* Writing to a warden that was killed must not kill us. */
	signal(SIGPIPE, SIG_IGN);
	group_init(&process->group, spec->sandbox);
	if (!open_pipes(&pipes, command))
		err = errno;
	else if (spec->sandbox && !command)
		err = E2BIG;
	else if ((process->warden = start_warden(
			  spec, &pipes, command, environment, &process->group)) < 0)
		err = errno;
	free(environment);
	free(command);
	if (!err) {
		keep_pipes(process, &pipes);
		return 0;
	}
	close_pipes(&pipes);
	group_release(&process->group);
	process_init(process);
	return err;
}

/* bwrap exits with 128 and the number of the signal that killed the bot. */
static int status_in(int status)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;

	return code > 128 && code < 128 + NSIG ? code - 128 : status;
}

static void set_pid(struct process *process, pid_t pid)
{
	process->pid = pid;
	if (clock_getcpuclockid(pid, &process->cpu_clock))
		process->cpu_clock = NO_CLOCK;
}

static void take_report(struct process *process, const struct warden_report *message)
{
	switch ((enum warden_report_kind)message->kind) {
	case WARDEN_PID:
		set_pid(process, message->value);
		break;
	case WARDEN_EXIT:
		process->exited = true;
		process->status =
			process->boxed ? status_in(message->value) : message->value;
		break;
	case WARDEN_EXEC_FAILED:
		process->start_errno = message->value;
		break;
	case WARDEN_LEFT:
		process->left = message->value;
		break;
	}
}

static void hang_up(struct process *process)
{
	if (process->line >= 0)
		close(process->line);
	process->line = -1;
}

/* End of file: the warden and the tree have ended. If the warden itself was killed, the
 * parent-death signal has ended the bot; its process group is killed here, and what is in
 * a sandbox ends with the line. */
static void finish(struct process *process)
{
	int status = 0;

	hang_up(process);
	while (waitpid(process->warden, &status, 0) < 0 && errno == EINTR)
		continue;
	if (!(WIFEXITED(status) && WEXITSTATUS(status) == 0) && process->pid > 0)
		kill(-process->pid, SIGKILL);
	if (!process->exited) {
		process->exited = true;
		process->status = SIGKILL;
	}
	process->gone = true;
}

bool process_report(struct process *process)
{
	struct warden_report message;
	bool changed = false;
	ssize_t n;

	if (process->gone)
		return false;
	while ((n = read(process->report, &message, sizeof(message))) ==
		(ssize_t)sizeof(message)) {
		take_report(process, &message);
		changed = true;
	}
	if (n == 0) {
		finish(process);
		changed = true;
	}
	return changed;
}

void process_wait(struct process *process, struct output *output)
{
	while (!process->gone || process->output >= 0) {
		struct pollfd watched[] = {
			{process->gone ? -1 : process->report, POLLIN, 0},
			{process->output, POLLIN, 0}};

		poll(watched, 2, -1);
		if (process->output >= 0 && watched[1].revents &&
			!output_drain(output, process->output)) {
			close(process->output);
			process->output = -1;
		}
		process_report(process);
	}
}

static pid_t first_child_of(pid_t pid)
{
	char path[64];
	int child = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%d", &child) != 1)
		child = 0;
	fclose(file);
	return child;
}

void process_settled(struct process *process)
{
	pid_t first, bot;

	if (!process->boxed || !process->pid)
		return;
	first = first_child_of(process->pid);
	bot = first ? first_child_of(first) : 0;
	if (bot)
		set_pid(process, bot);
}

void process_kill(struct process *process)
{
	if (process->control < 0)
		return;
	/* A byte before the end of file tells the warden that the arbiter is alive. */
	if (write(process->control, "k", 1) < 0)
		assert(errno == EPIPE);
	close(process->control);
	process->control = -1;
}

void process_release(struct process *process)
{
	process_kill(process);
	if (!process->gone) {
		fcntl(process->report, F_SETFL, 0);
		process_report(process);
	}
	hang_up(process);
	close(process->report);
	if (process->output >= 0)
		close(process->output);
	process->report = process->output = -1;
	group_release(&process->group);
}

void process_freeze(struct process *process, bool frozen)
{
	const char word = frozen ? SANDBOX_STOP : SANDBOX_CONTINUE;

	if (process->frozen == frozen || process->gone)
		return;
	process->frozen = frozen;
	if (group_freeze(&process->group, frozen))
		return;
	if (process->line < 0)
		tree_stop(process->warden, frozen);
	else if (write(process->line, &word, 1) < 0)
		return; /* it has ended */
}

bool process_out_of_memory(const struct process *process)
{
	return group_out_of_memory(&process->group);
}

static int64_t read_clock(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) ? 0 : (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The time of an ended process cannot be read any more, so the sum must not decrease. */
static int64_t most(int64_t *so_far, int64_t now)
{
	*so_far = now > *so_far ? now : *so_far;
	return *so_far;
}

int64_t process_cpu_ns(struct process *process)
{
	return most(&process->cpu_ns, process->pid ? read_clock(process->cpu_clock) : 0);
}

int64_t process_tree_cpu_ns(struct process *process)
{
	int64_t now = group_cpu_ns(&process->group);

	return most(&process->tree_cpu_ns,
		now < 0 && !process->gone ? tree_cpu_ns(process->warden) : now);
}
