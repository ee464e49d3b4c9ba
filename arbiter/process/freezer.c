/* Stopping and continuing a bot, by its control group or by signals. */
#include "arbiter/process/freezer.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX  64
#define PASSES_MAX 64

static bool write_file(const char *folder, const char *name, const char *text)
{
	char path[PATH_MAX];
	int fd;
	bool ok;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return ok;
}

/* Reads the whole file, truncated to `size`; "" if there is none. */
static void read_file(const char *folder, const char *name, char *text, size_t size)
{
	char path[PATH_MAX];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, size - 1);
	text[n > 0 ? n : 0] = 0;
	if (fd >= 0)
		close(fd);
}

/* Our own group in the version 2 hierarchy: the line that begins with "0::". */
static bool own_group(char *path, size_t size)
{
	static const char *const mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
	char text[4096], *line;

	read_file("/proc/self", "cgroup", text, sizeof(text));
	line = strstr(text, "0::/");
	if (!line)
		return false;
	line[strcspn(line, "\n")] = 0;
	for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
		int n = snprintf(path, size, "%s%s", mounts[i], line + strlen("0::"));
		char procs[PATH_MAX];

		if (n < 0 || (size_t)n >= size)
			return false;
		if (n > 1 && path[n - 1] == '/')
			path[n - 1] = 0;
		snprintf(procs, sizeof(procs), "%s/cgroup.subtree_control", path);
		if (access(procs, W_OK) == 0)
			return true;
	}
	return false;
}

bool freezer_place(char *path, size_t size, bool *limits_memory)
{
	char controllers[512];

	*limits_memory = false;
	if (!own_group(path, size))
		return false;
	read_file(path, "cgroup.subtree_control", controllers, sizeof(controllers));
	*limits_memory = strstr(controllers, "memory") != NULL;
	return true;
}

static void limit(const char *group, const char *name, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	if (value && !write_file(group, name, text))
		return; /* that controller is not enabled */
}

void freezer_init(struct freezer *freezer, const struct sandbox_limits *limits)
{
	static int number;
	char place[192];
	bool limits_memory;

	*freezer = (struct freezer){0};
	if (!freezer_place(place, sizeof(place), &limits_memory))
		return;
	snprintf(freezer->group, sizeof(freezer->group), "%s/pigpen-%d-%d", place,
		getpid(), ++number);
	if (mkdir(freezer->group, 0755)) {
		freezer->group[0] = 0;
		return;
	}
	limit(freezer->group, "memory.max", limits->memory_bytes);
	limit(freezer->group, "pids.max", limits->processes);
}

void freezer_release(struct freezer *freezer)
{
	if (freezer->group[0])
		rmdir(freezer->group);
	freezer->group[0] = 0;
}

bool freezer_out_of_memory(const struct freezer *freezer)
{
	char events[512], *kills;

	if (!freezer->group[0])
		return false;
	read_file(freezer->group, "memory.events", events, sizeof(events));
	kills = strstr(events, "oom_kill ");
	return kills && atoi(kills + strlen("oom_kill ")) > 0;
}

static bool is_standing(pid_t pid)
{
	char folder[64], text[512], *after;

	snprintf(folder, sizeof(folder), "/proc/%d", pid);
	read_file(folder, "stat", text, sizeof(text));
	after = strrchr(text, ')');
	return !after || strchr("TtZX", after[2]);
}

static int signal_below(pid_t pid, int number, int depth);

/* Returns how many were not stopped yet; SIGCONT goes to all. */
static int signal_one(pid_t pid, int number, int depth)
{
	int running = number == SIGSTOP && !is_standing(pid);

	if (running || number == SIGCONT)
		kill(pid, number);
	return running + signal_below(pid, number, depth + 1);
}

static int signal_below(pid_t pid, int number, int depth)
{
	char path[300];
	const struct dirent *task;
	int running = 0, child;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = depth < DEPTH_MAX ? opendir(path) : NULL;
	while (tasks && (task = readdir(tasks))) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/task/%s/children", pid,
			task->d_name);
		file = fopen(path, "re");
		while (file && fscanf(file, "%d", &child) == 1)
			running += signal_one(child, number, depth);
		if (file)
			fclose(file);
	}
	if (tasks)
		closedir(tasks);
	return running;
}

void freezer_set(struct freezer *freezer, pid_t warden, bool frozen)
{
	if (freezer->frozen == frozen)
		return;
	freezer->frozen = frozen;
	if (freezer->group[0] &&
		write_file(freezer->group, "cgroup.freeze", frozen ? "1" : "0"))
		return;
	/* A process that was about to fork may have a running child by now. */
	for (int pass = 0; pass < PASSES_MAX; pass++)
		if (!signal_below(warden, frozen ? SIGSTOP : SIGCONT, 0))
			return;
}
