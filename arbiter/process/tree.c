/* Walking the processes below one. */
#include "arbiter/process/tree.h"
#include "protocol/memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PASSES_MAX    64
#define PASSES_QUICK  8
#define PROCESSES_MAX (1 << 20)

/* The list grows while it is walked: the children of each entry are put at its end. */
struct tree {
	pid_t *pid;
	size_t count, capacity;
};

static void add(struct tree *tree, pid_t pid)
{
	if (tree->count >= PROCESSES_MAX)
		return;
	tree->pid = xgrow(tree->pid, tree->count, &tree->capacity, sizeof(*tree->pid));
	tree->pid[tree->count++] = pid;
}

static void add_children_of_task(struct tree *tree, pid_t pid, const char *task)
{
	char path[300];
	FILE *file;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/children", pid, task);
	file = fopen(path, "re");
	while (file && fscanf(file, "%d", &child) == 1)
		add(tree, child);
	if (file)
		fclose(file);
}

static void add_children(struct tree *tree, pid_t pid)
{
	const struct dirent *task;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	while (tasks && (task = readdir(tasks)))
		if (task->d_name[0] != '.')
			add_children_of_task(tree, pid, task->d_name);
	if (tasks)
		closedir(tasks);
}

/* Everything below `top`, which is the first entry. */
static struct tree list_tree(pid_t top)
{
	struct tree tree = {0};

	add(&tree, top);
	for (size_t i = 0; i < tree.count; i++)
		add_children(&tree, tree.pid[i]);
	return tree;
}

/* What follows the name in parentheses, which may hold anything; "" if it is gone. */
static const char *stat_of(pid_t pid, char *text, size_t size)
{
	char path[64], *after;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, size - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	after = strrchr(text, ')');
	return after && after[1] ? after + 2 : "";
}

/* CPU time of children that the process has already waited for. */
static int64_t reaped_cpu_of(pid_t pid)
{
	unsigned long user = 0, system = 0;
	char text[1024];

	if (sscanf(stat_of(pid, text, sizeof(text)),
		    "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %lu %lu", &user,
		    &system) != 2)
		return 0;
	return (int64_t)(user + system) * (1000000000 / sysconf(_SC_CLK_TCK));
}

int64_t tree_cpu_of_one(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t tree_cpu_ns(pid_t top)
{
	struct tree tree = list_tree(top);
	int64_t sum = reaped_cpu_of(top);

	for (size_t i = 1; i < tree.count; i++)
		sum += tree_cpu_of_one(tree.pid[i]) + reaped_cpu_of(tree.pid[i]);
	free(tree.pid);
	return sum;
}

static bool is_standing(pid_t pid)
{
	char text[1024];

	return strchr("TtZX", *stat_of(pid, text, sizeof(text)));
}

/* Returns how many were not stopped yet; SIGCONT goes to all. */
static int signal_all(const struct tree *tree, bool stopped)
{
	int running = 0;

	for (size_t i = 1; i < tree->count; i++) {
		if (stopped && is_standing(tree->pid[i]))
			continue;
		kill(tree->pid[i], stopped ? SIGSTOP : SIGCONT);
		running += stopped;
	}
	return running;
}

void tree_stop(pid_t top, bool stopped)
{
	int running = 1;

	/* A process that was about to fork may have a running child by now, and on a busy
	 * machine a signal takes its time. */
	for (int pass = 0; running && pass < PASSES_MAX; pass++) {
		struct tree tree = list_tree(top);

		if (pass > PASSES_QUICK)
			nanosleep(&(struct timespec){0, 1000000}, NULL);
		running = signal_all(&tree, stopped);
		free(tree.pid);
	}
}
