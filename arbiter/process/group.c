/* Control groups of bots, in the version 2 hierarchy. */
#include "arbiter/process/group.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LEAF "pigpen-arbiter"
/* bwrap and `pigpen inside`, which stand in the group too. */
#define PROCESSES_OURS 2
#define START_S_MAX    60

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

static bool is_writable(const char *folder, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return access(path, W_OK) == 0;
}

/* Our own group in the version 2 hierarchy: the line that begins with "0::". */
static bool own_group(char *path, size_t size)
{
	static const char *const mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
	char text[4096], *line;

	read_file("/proc/self", "cgroup", text, sizeof(text));
	line = strncmp(text, "0::/", 4) ? strstr(text, "\n0::/") : text;
	if (!line)
		return false;
	line += *line == '\n';
	line[strcspn(line, "\n")] = 0;
	for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
		int n = snprintf(path, size, "%s%s", mounts[i], line + strlen("0::"));

		if (n < 0 || (size_t)n >= size)
			return false;
		if (path[n - 1] == '/')
			path[n - 1] = 0;
		if (access(path, W_OK) == 0 &&
			is_writable(path, "cgroup.subtree_control") &&
			is_writable(path, "cgroup.procs"))
			return true;
	}
	return false;
}

/* If we, or who started us, moved into the leaf, the place is above it. */
static bool leave_leaf(char *path)
{
	size_t size = strlen(path), leaf = strlen("/" LEAF);

	if (size <= leaf || strcmp(path + size - leaf, "/" LEAF))
		return false;
	path[size - leaf] = 0;
	return true;
}

static bool offers(const char *path, const char *file, const char *controller)
{
	char text[512], *word, *rest = text;

	read_file(path, file, text, sizeof(text));
	while ((word = strsep(&rest, " \n")))
		if (!strcmp(word, controller))
			return true;
	return false;
}

/* True if groups below `path` have the controller now. */
static bool hand_out(const char *path, const char *controller)
{
	char word[32];

	if (offers(path, "cgroup.subtree_control", controller))
		return true;
	snprintf(word, sizeof(word), "+%s", controller);
	return offers(path, "cgroup.controllers", controller) &&
	       write_file(path, "cgroup.subtree_control", word);
}

static void hand_out_all(struct group_place *place)
{
	place->limits_memory = hand_out(place->path, "memory");
	place->limits_processes = hand_out(place->path, "pids");
}

/* Hands out what there is from within a leaf; moves back if that did not help. */
static void move_to_leaf(struct group_place *place)
{
	char leaf[PATH_MAX];

	snprintf(leaf, sizeof(leaf), "%s/%s", place->path, LEAF);
	if (mkdir(leaf, 0755) && errno != EEXIST)
		return;
	if (write_file(leaf, "cgroup.procs", "0"))
		hand_out_all(place);
	if (place->limits_memory || place->limits_processes)
		return;
	write_file(place->path, "cgroup.procs", "0");
	rmdir(leaf);
}

/* Groups hold files that need not be removed, and groups: a bot's own if it is a `pigpen`
 * that starts bots, as when a submission is checked. */
static void remove_group(const char *path)
{
	const struct dirent *entry;
	DIR *folder = rmdir(path) && errno == EBUSY ? opendir(path) : NULL;
	char below[PATH_MAX];

	if (!folder)
		return;
	while ((entry = readdir(folder)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
			snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) <
				(int)sizeof(below))
			remove_group(below);
	closedir(folder);
	rmdir(path);
}

/* Removes the groups of arbiters that were killed together with their wardens: those that
 * are older than it takes to start a bot. A group in which somebody is stays. */
static void sweep(const char *place)
{
	const struct dirent *entry;
	DIR *folder = opendir(place);
	char path[PATH_MAX];
	struct stat info;
	int pid, number;

	while (folder && (entry = readdir(folder))) {
		snprintf(path, sizeof(path), "%s/%s", place, entry->d_name);
		if (sscanf(entry->d_name, "pigpen-%d-%d", &pid, &number) == 2 &&
			stat(path, &info) == 0 &&
			info.st_ctime < time(NULL) - START_S_MAX)
			remove_group(path);
	}
	if (folder)
		closedir(folder);
}

static void find_place(struct group_place *place)
{
	bool in_leaf;

	if (!own_group(place->path, sizeof(place->path))) {
		place->path[0] = 0;
		return;
	}
	in_leaf = leave_leaf(place->path);
	sweep(place->path);
	hand_out_all(place);
	if (!in_leaf && !place->limits_memory &&
		(offers(place->path, "cgroup.controllers", "memory") ||
			offers(place->path, "cgroup.controllers", "pids")))
		move_to_leaf(place);
}

const struct group_place *group_place(void)
{
	static struct group_place place;
	static bool known;

	if (!known)
		find_place(&place);
	known = true;
	return &place;
}

static void limit(const char *group, const char *name, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	if (value)
		write_file(group, name, text);
}

/* What is in /tmp and /dev/shm is memory too, with a limit of its own. */
static void set_limits(const char *path, const struct sandbox_limits *limits)
{
	if (limits->memory_bytes) {
		limit(path, "memory.max", limits->memory_bytes + 2 * limits->disk_bytes);
		write_file(path, "memory.swap.max", "0");
		write_file(path, "memory.oom.group", "1");
	}
	if (limits->processes)
		limit(path, "pids.max", limits->processes + PROCESSES_OURS);
}

void group_init(struct group *group, const struct sandbox_limits *limits)
{
	static int number;
	const struct group_place *place = group_place();
	char path[PATH_MAX];

	*group = (struct group){.cpu = -1};
	if (!place->path[0])
		return;
	snprintf(group->path, sizeof(group->path), "%s/pigpen-%d-%d", place->path,
		getpid(), ++number);
	if (mkdir(group->path, 0755)) {
		group->path[0] = 0;
		return;
	}
	/* Below a group for threads there are groups that no process can enter. */
	if (!offers(group->path, "cgroup.type", "domain")) {
		group_release(group);
		return;
	}
	if (limits)
		set_limits(group->path, limits);
	snprintf(path, sizeof(path), "%s/cpu.stat", group->path);
	group->cpu = open(path, O_RDONLY | O_CLOEXEC);
}

void group_release(struct group *group)
{
	if (group->path[0])
		remove_group(group->path);
	if (group->path[0] && group->cpu >= 0)
		close(group->cpu);
	*group = (struct group){.cpu = -1};
}

bool group_freeze(const struct group *group, bool frozen)
{
	return group->path[0] &&
	       write_file(group->path, "cgroup.freeze", frozen ? "1" : "0");
}

int64_t group_cpu_ns(const struct group *group)
{
	char text[512], *usage;
	ssize_t n;

	if (!group->path[0] || group->cpu < 0)
		return -1;
	n = pread(group->cpu, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = 0;
	usage = strstr(text, "usage_usec ");
	return usage ? strtoll(usage + strlen("usage_usec "), NULL, 10) * 1000 : -1;
}

bool group_out_of_memory(const struct group *group)
{
	char events[512], *kills;

	if (!group->path[0])
		return false;
	read_file(group->path, "memory.events", events, sizeof(events));
	kills = strstr(events, "oom_kill ");
	return kills && atoi(kills + strlen("oom_kill ")) > 0;
}

bool group_enter(const char *path)
{
	char procs[GROUP_PATH_SIZE + 16];
	bool ok;
	int fd;

	snprintf(procs, sizeof(procs), "%s/cgroup.procs", path);
	fd = open(procs, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ok = write(fd, "0", 1) == 1;
	close(fd);
	return ok;
}
