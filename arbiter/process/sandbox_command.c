/*
 * The command line of a sandbox: what a bot can see, and as whom it runs.
 *
 * Bots see /usr and /opt. Whatever else lies there and is not theirs is covered by an
 * empty folder: ladders, replays, other bots (sandbox_hide()).
 */
#include "arbiter/process/sandbox.h"
#include "arbiter/base/program.h"
#include "arbiter/process/group.h"
#include "protocol/memory.h"

#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The bots' users, one for each living warden's pid; far above the ids of real users. */
#define UID_FIRST 1879048192
#define UID_WIDTH 10

/* What language runtimes need: programs, libraries, configuration; no secrets. */
static const char *const system_paths[] = {"/usr", "/bin", "/sbin", "/lib", "/lib32",
	"/lib64", "/libx32", "/opt", "/etc/alternatives", "/etc/ld.so.cache",
	"/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/php", "/etc/perl",
	"/etc/java-*-openjdk"};

static void add(struct sandbox_command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct sandbox_command *command, const char *format, ...)
{
	size_t room = sizeof(command->text) - command->used;
	char *word = command->text + command->used;
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(word, room, format, args);
	va_end(args);
	if (size < 0 || (size_t)size >= room || command->count >= SANDBOX_WORDS_MAX) {
		command->count = SANDBOX_WORDS_MAX + 1;
		return;
	}
	command->used += (size_t)size + 1;
	command->argv[command->count++] = word;
}

static void add_words(struct sandbox_command *command, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		add(command, "%s", words[i]);
}

/* Adds the folders above a path, which bwrap would make inaccessible to other users. */
static void add_parents(struct sandbox_command *command, const char *path)
{
	for (const char *slash = strchr(path + 1, '/'); slash;
		slash = strchr(slash + 1, '/')) {
		add_words(
			command, (const char *const[]){"--perms", "0755", "--dir", NULL});
		add(command, "%.*s", (int)(slash - path), path);
	}
}

static void add_bind(struct sandbox_command *command, const char *how, const char *path)
{
	add_parents(command, path);
	add(command, "%s", how);
	add(command, "%s", path);
	add(command, "%s", path);
}

static void add_system_path(struct sandbox_command *command, const char *path)
{
	char target[PATH_MAX];
	ssize_t size = readlink(path, target, sizeof(target) - 1);

	if (size < 0) {
		if (access(path, F_OK) == 0)
			add_bind(command, "--ro-bind", path);
		return;
	}
	/* Links such as /bin -> usr/bin or /etc/localtime point into bound folders. */
	target[size] = 0;
	add_parents(command, path);
	add(command, "--symlink");
	add(command, "%s", target);
	add(command, "%s", path);
}

static void add_system(struct sandbox_command *command)
{
	for (size_t i = 0; i < sizeof(system_paths) / sizeof(*system_paths); i++) {
		glob_t found;

		if (glob(system_paths[i], 0, NULL, &found) == 0)
			for (size_t k = 0; k < found.gl_pathc; k++)
				add_system_path(command, found.gl_pathv[k]);
		globfree(&found);
	}
}

/* `pigpen inside` needs these capabilities to size the scratch file systems and to switch
 * to the bot's user, and gives them up when it has. */
static void add_namespaces(struct sandbox_command *command)
{
	static const char *const as_root[] = {"--unshare-ipc", "--unshare-pid",
		"--unshare-net", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop",
		"ALL", "--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETUID",
		"--cap-add", "CAP_SETGID", NULL};
	static const char *const as_user[] = {
		"--unshare-user", "--unshare-all", "--cap-add", "CAP_SYS_ADMIN", NULL};
	static const char *const both[] = {"--die-with-parent", "--new-session",
		"--as-pid-1", "--hostname", "sandbox", NULL};

	add(command, "bwrap");
	if (geteuid() == 0)
		add_words(command, as_root);
	else
		add_words(command, as_user);
	/* Setting a host name needs a UTS namespace, which both have. */
	add_words(command, both);
}

static void add_scratch(struct sandbox_command *command, const char *path, int64_t bytes)
{
	add_words(command, (const char *const[]){"--perms", "1777", NULL});
	if (bytes) {
		add(command, "--size");
		add(command, "%lld", (long long)bytes);
	}
	add(command, "--tmpfs");
	add(command, "%s", path);
}

/* Devices by name: not /dev/zero, because a shared mapping of it is memory that counts for
 * nobody, and no terminals. */
static void add_devices(struct sandbox_command *command)
{
	static const char *const names[] = {"null", "full", "random", "urandom"};
	static const char *const links[][2] = {{"/proc/self/fd", "/dev/fd"},
		{"/proc/self/fd/0", "/dev/stdin"}, {"/proc/self/fd/1", "/dev/stdout"},
		{"/proc/self/fd/2", "/dev/stderr"}};

	add_words(command,
		(const char *const[]){"--perms", "0755", "--tmpfs", "/dev", NULL});
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		add(command, "--dev-bind");
		add(command, "/dev/%s", names[i]);
		add(command, "/dev/%s", names[i]);
	}
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		add(command, "--symlink");
		add(command, "%s", links[i][0]);
		add(command, "%s", links[i][1]);
	}
}

static bool in_system(const char *path)
{
	for (size_t i = 0; i < sizeof(system_paths) / sizeof(*system_paths); i++) {
		size_t size = strlen(system_paths[i]);

		if (!strncmp(path, system_paths[i], size) && path[size] == '/')
			return true;
	}
	return false;
}

/* Folders below the system's that no bot may see; full paths. They are few: most folders
 * lie elsewhere and are not visible anyway. */
static char **hidden;
static size_t hidden_count, hidden_capacity;

static bool is_below(const char *path, const char *folder)
{
	size_t size = strlen(folder);

	return !strncmp(path, folder, size) && (!path[size] || path[size] == '/');
}

/* An outer folder covers those in it, which must not be there twice. */
static void forget_hidden_below(const char *folder)
{
	size_t kept = 0;

	for (size_t i = 0; i < hidden_count; i++)
		if (is_below(hidden[i], folder))
			free(hidden[i]);
		else
			hidden[kept++] = hidden[i];
	hidden_count = kept;
}

void sandbox_hide(const char *folder)
{
	char path[PATH_MAX];

	if (!realpath(folder, path) || !in_system(path))
		return;
	for (size_t i = 0; i < hidden_count; i++)
		if (is_below(path, hidden[i]))
			return;
	forget_hidden_below(path);
	hidden = xgrow(hidden, hidden_count, &hidden_capacity, sizeof(*hidden));
	hidden[hidden_count++] = xstrdup(path);
}

static bool holds(const char *folder, size_t size, const char *name)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%.*s/%s", (int)size, folder, name);
	return access(path, F_OK) == 0;
}

/* Also who does not know in which ladder a bot takes part must not show it the ladder. */
static void hide_ladder_of(const char *folder)
{
	char path[PATH_MAX];

	for (size_t i = 1; folder[i]; i++)
		if (folder[i] == '/' && holds(folder, i, "ladder.json")) {
			snprintf(path, sizeof(path), "%.*s", (int)i, folder);
			sandbox_hide(path);
		}
}

/* `how` is --tmpfs, or later --remount-ro. */
static void add_hidden(struct sandbox_command *command, const char *how)
{
	for (size_t i = 0; i < hidden_count; i++) {
		add(command, "%s", how);
		add(command, "%s", hidden[i]);
	}
}

/* If the bot is a single executable, only that file is visible, not its neighbours. */
static void add_lone(struct sandbox_command *command, const struct sandbox_task *task)
{
	if (task->argv[0][0] == '/' && !in_system(task->argv[0]) &&
		access(task->argv[0], F_OK) == 0)
		add_bind(command, "--ro-bind", task->argv[0]);
	add_parents(command, task->folder);
	add_words(command, (const char *const[]){"--perms", "0755", "--dir", NULL});
	add(command, "%s", task->folder);
}

static void add_folder(struct sandbox_command *command, const struct sandbox_task *task)
{
	const char *folder = task->folder;

	if (!folder[1] ||
		(!task->building && !holds(folder, strlen(folder), "bot.json"))) {
		add_lone(command, task);
		return;
	}
	add_bind(command, "--ro-bind", folder);
}

static void add_inside(struct sandbox_command *command, const struct sandbox_task *task,
	const char *self)
{
	const struct sandbox_limits *limits = task->limits;

	add_words(command, (const char *const[]){"--", NULL});
	add(command, "%s", self);
	add(command, "inside");
	add(command, "%*s", geteuid() ? 1 : UID_WIDTH, "0");
	if (geteuid() == 0 && command->count <= SANDBOX_WORDS_MAX)
		command->uid = command->argv[command->count - 1];
	add(command, "%lld", (long long)limits->memory_bytes);
	add(command, "%lld", (long long)limits->processes);
	add(command, "%lld", (long long)limits->descriptors);
	add(command, "%lld", (long long)limits->disk_bytes);
	add(command, "%lld", (long long)limits->cpu_s);
	add(command, group_place()->limits_memory ? "trust" : "watch");
	add_words(command, (const char *const *)task->argv);
}

bool sandbox_command_fill(
	struct sandbox_command *command, const struct sandbox_task *task)
{
	const char *self = program_path();

	command->uid = NULL;
	command->count = 0;
	command->used = 0;
	hide_ladder_of(task->folder);
	add_namespaces(command);
	add_system(command);
	add_hidden(command, "--tmpfs");
	add_words(command, (const char *const[]){"--proc", "/proc", NULL});
	add_devices(command);
	add_scratch(command, "/dev/shm", task->limits->disk_bytes);
	add_scratch(command, "/tmp", task->limits->disk_bytes);
	add_folder(command, task);
	if (task->socket)
		add_bind(command, "--ro-bind", task->socket);
	add_bind(command, "--ro-bind", self);
	add_hidden(command, "--remount-ro");
	add_words(command, (const char *const[]){"--remount-ro", "/dev", "--remount-ro",
				   "/", "--chdir", NULL});
	add(command, "%s", task->folder);
	add_inside(command, task, self);
	if (command->count > SANDBOX_WORDS_MAX)
		return false;
	command->argv[command->count] = NULL;
	return true;
}

void sandbox_command_own_user(char *uid, pid_t warden)
{
	unsigned long number = UID_FIRST + (unsigned long)warden;

	for (int i = UID_WIDTH; i-- > 0; number /= 10)
		uid[i] = (char)('0' + number % 10);
}

char **sandbox_environment(char *const *more)
{
	static char home[] = "HOME=/tmp", path[PATH_MAX], lang[128];
	size_t n = 0;
	char **list;

	while (more[n])
		n++;
	list = xmalloc((n + 4) * sizeof(*list));
	snprintf(path, sizeof(path), "PATH=%s",
		getenv("PATH") ? getenv("PATH") : "/usr/local/bin:/usr/bin:/bin");
	snprintf(lang, sizeof(lang), "LANG=%s",
		getenv("LANG") ? getenv("LANG") : "C.UTF-8");
	list[0] = path;
	list[1] = home;
	list[2] = lang;
	memcpy(list + 3, more, (n + 1) * sizeof(*list));
	return list;
}
