/* Starting and ending a bot's processes through a warden. */
#include "arbiter/process/launch.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "arbiter/process/warden.h"
#include "protocol/memory.h"

extern char **environ;

#define TREE_DEPTH_MAX 64
#define NO_CLOCK       1000 /* no clock has this number: reading it fails */

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
				     .limits = spec->sandbox})) {
		free(command);
		return NULL;
	}
	return command;
}

int process_start(struct process *process, const struct launch_spec *spec)
{
	int control[2] = {-1, -1}, report[2] = {-1, -1}, output[2] = {-1, -1}, err;
	struct sandbox_command *command = spec->sandbox ? box(spec) : NULL;
	char **environment = command ? sandbox_environment(spec->environment)
				     : make_environment(spec->environment);
	pid_t warden = -1;

	memset(process, 0, sizeof(*process));
	process->boxed = command;
	/* Writing to a warden that was killed must not kill us. */
	signal(SIGPIPE, SIG_IGN);
	errno = E2BIG;
	if (!command == !spec->sandbox && !pipe2(control, O_CLOEXEC) &&
		!pipe2(report, O_CLOEXEC) && !pipe2(output, O_CLOEXEC))
		/* Not base/child.h: a warden is a fork that executes nothing. */
		warden = fork();
	err = warden < 0 ? errno : 0;
	if (warden == 0)
		warden_run(&(struct warden_task){
			.argv = command ? command->argv : spec->argv,
			.environment = environment,
			.folder = command ? "/" : spec->folder,
			.boxed = command,
			.group = spec->group,
			.uid = command ? command->uid : NULL,
			.socket = spec->socket,
			.control = control[0],
			.report = report[1],
			.output = output[1],
		});
	free(environment);
	free(command);
	if (err) {
		close_pair(control);
		close_pair(report);
		close_pair(output);
		return err;
	}
	close(control[0]);
	close(report[1]);
	close(output[1]);
	fcntl(report[0], F_SETFL, O_NONBLOCK);
	fcntl(output[0], F_SETFL, O_NONBLOCK);
	process->warden = warden;
	process->control = control[1];
	process->report = report[0];
	process->output = output[0];
	return 0;
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

/* End of file: the warden and the tree have ended. If the warden itself was killed, the
 * parent-death signal has ended the bot; its group is killed here. */
static void finish(struct process *process)
{
	int status = 0;

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
	close(process->report);
	if (process->output >= 0)
		close(process->output);
	process->report = process->output = -1;
}

static int64_t read_clock(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) ? 0 : (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t cpu_of(pid_t pid)
{
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) ? 0 : read_clock(clock);
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

/* CPU time of children that the process has already waited for. */
static int64_t reaped_cpu_of(pid_t pid)
{
	char path[64], text[1024], *after;
	unsigned long user = 0, system = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	/* The name in parentheses may hold anything; fields 16 and 17 come after it. */
	after = strrchr(text, ')');
	if (!after ||
		sscanf(after + 1,
			" %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %lu %lu",
			&user, &system) != 2)
		return 0;
	return (int64_t)(user + system) * (1000000000 / sysconf(_SC_CLK_TCK));
}

static int64_t tree_cpu_of(pid_t pid, int depth);

static int64_t children_cpu_of(pid_t pid, const char *task, int depth)
{
	char path[300];
	int64_t sum = 0;
	FILE *file;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/children", pid, task);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fscanf(file, "%d", &child) == 1)
		sum += tree_cpu_of(child, depth + 1);
	fclose(file);
	return sum;
}

static int64_t tree_cpu_of(pid_t pid, int depth)
{
	int64_t sum = cpu_of(pid) + reaped_cpu_of(pid);
	const struct dirent *entry;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = depth < TREE_DEPTH_MAX ? opendir(path) : NULL;
	if (!tasks)
		return sum;
	while ((entry = readdir(tasks)))
		if (entry->d_name[0] != '.')
			sum += children_cpu_of(pid, entry->d_name, depth);
	closedir(tasks);
	return sum;
}

int64_t process_tree_cpu_ns(struct process *process)
{
	/* The warden's own time is not the bot's, but it holds what orphans used. */
	return most(&process->tree_cpu_ns,
		tree_cpu_of(process->warden, 0) - cpu_of(process->warden));
}
