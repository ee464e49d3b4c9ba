/* The command line of a sandbox, and whether sandboxes work on this machine. */
#include "arbiter/process/sandbox.h"
#include "arbiter/base/child.h"
#include "arbiter/base/exit.h"
#include "protocol/memory.h"
#include "arbiter/base/program.h"
#include "arbiter/base/words.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The bots' users, one for each living warden's pid; far above the ids of real users. */
#define UID_FIRST 1879048192
#define UID_WIDTH 10

const char *const sandbox_mode_names[] = {"off", "auto", "require", NULL};

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

/* `pigpen inside` needs these two capabilities to switch to the bot's user, and loses
 * them when it has. */
static void add_namespaces(struct sandbox_command *command)
{
	static const char *const as_root[] = {"--unshare-ipc", "--unshare-pid",
		"--unshare-net", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop",
		"ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", NULL};
	static const char *const as_user[] = {"--unshare-user", "--unshare-all", NULL};
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

static bool in_system(const char *path)
{
	for (size_t i = 0; i < sizeof(system_paths) / sizeof(*system_paths); i++) {
		size_t size = strlen(system_paths[i]);

		if (!strncmp(path, system_paths[i], size) && path[size] == '/')
			return true;
	}
	return false;
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
	char path[PATH_MAX + 32];
	const char *folder = task->folder;

	snprintf(path, sizeof(path), "%s/bot.json", folder);
	if (!folder[1] || (!task->building && access(path, F_OK))) {
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
	add(command, task->building ? "build" : "play");
	add_words(command, (const char *const *)task->argv);
}

bool sandbox_command_fill(
	struct sandbox_command *command, const struct sandbox_task *task)
{
	const char *self = program_path();

	command->uid = NULL;
	command->count = 0;
	command->used = 0;
	add_namespaces(command);
	add_system(command);
	add_words(
		command, (const char *const[]){"--proc", "/proc", "--dev", "/dev", NULL});
	add_scratch(command, "/dev/shm", task->limits->disk_bytes);
	add_scratch(command, "/tmp", task->limits->disk_bytes);
	add_folder(command, task);
	if (task->socket)
		add_bind(command, "--ro-bind", task->socket);
	add_bind(command, "--ro-bind", self);
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

static bool try_sandbox(struct why *why)
{
	struct sandbox_limits limits = sandbox_limits_default();
	char *argv[] = {"/bin/true", NULL}, output[200] = "";
	struct sandbox_task task = {.argv = argv, .folder = "/", .limits = &limits};
	struct sandbox_command *command = xmalloc(sizeof(*command));
	struct child child = {
		.argv = command->argv, .input = CHILD_NULL, .error = CHILD_OUTPUT};
	int status = -1, err;

	sandbox_command_fill(command, &task);
	if (command->uid)
		sandbox_command_own_user(command->uid, getpid());
	err = child_run(&child, output, sizeof(output), &status);
	free(command);
	if (status == 0)
		return true;
	if (err == ENOENT)
		return why_set(why, "bubblewrap is not installed; `apt-get install "
				    "bubblewrap` installs it");
	output[strcspn(output, "\n")] = 0;
	return why_set(why,
		"bubblewrap does not work here (%s); bots need user namespaces "
		"(sysctl user.max_user_namespaces, "
		"kernel.apparmor_restrict_unprivileged_userns), or run pigpen as root",
		err       ? strerror(err)
		: *output ? output
			  : "no message");
}

bool sandbox_available(struct why *why)
{
	static enum { UNKNOWN, YES, NO } known;
	static struct why reason;

	if (known == UNKNOWN)
		known = try_sandbox(&reason) ? YES : NO;
	if (known == NO)
		why_set(why, "%s", reason.text);
	return known == YES;
}

bool sandbox_mode_parse(const char *text, enum sandbox_mode *mode, struct why *why)
{
	int index = word_index(sandbox_mode_names, text);

	if (index < 0)
		return why_set(
			why, "sandbox: '%s' is not one of auto, require, off", text);
	*mode = (enum sandbox_mode)index;
	return true;
}

int sandbox_settle(enum sandbox_mode mode, bool *on)
{
	struct why why;

	*on = mode != SANDBOX_OFF && sandbox_available(&why);
	if (mode == SANDBOX_OFF || *on)
		return 0;
	if (mode == SANDBOX_REQUIRE)
		return user_error("bots cannot be sandboxed: %s. Without a "
				  "sandbox they can do whatever you can; "
				  "--sandbox off says that you trust them",
			why.text);
	user_error("warning: bots are not sandboxed: %s", why.text);
	return 0;
}

bool sandbox_memory_words(const char *text, size_t size)
{
	static const char *const words[] = {"MemoryError", "std::bad_alloc",
		"out of memory", "OutOfMemoryError", "Out of memory",
		"memory allocation of", "annot allocate memory",
		"failed to allocate memory", "Cannot allocate", "memory exhausted",
		"Allowed memory size"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (memmem(text, size, words[i], strlen(words[i])))
			return true;
	return false;
}
