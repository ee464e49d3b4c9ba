/* Temporary folders, and removing those of processes that were killed. */
#include "arbiter/base/temporary.h"
#include "arbiter/base/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX       "pigpen-tmp-"
#define BASE_MAX     60 /* bytes; two folders and a socket follow */
#define OWN_SIZE     (BASE_MAX + sizeof("/" PREFIX "XXXXXX"))
#define ATTEMPTS_MAX 100

/* The folder of the process that made it; children that forked have none. */
static char own[OWN_SIZE];
static pid_t owner;

static const char *base_folder(void)
{
	const char *base = getenv("XDG_RUNTIME_DIR");

	if (!base || !*base || strlen(base) > BASE_MAX || access(base, W_OK))
		base = "/tmp";
	return base;
}

/* Takes the lock of a folder; -1: somebody holds it, or it is no folder of ours. */
static int take_lock(int base, const char *name)
{
	int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat info;

	if (fd < 0)
		return -1;
	if (fstat(fd, &info) || info.st_uid != geteuid() ||
		flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Is the folder that was locked still there? Another process may have removed it first. */
static bool is_there(int lock, const char *path)
{
	struct stat locked, named;

	return fstat(lock, &locked) == 0 && lstat(path, &named) == 0 &&
	       locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
}

static void remove_abandoned(const char *base)
{
	DIR *folder = opendir(base);
	const struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		char path[BASE_MAX + sizeof(entry->d_name) + 2];
		int lock;

		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0)
			continue;
		lock = take_lock(dirfd(folder), entry->d_name);
		if (lock < 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", base, entry->d_name);
		remove_tree(path);
		close(lock);
	}
	if (folder)
		closedir(folder);
}

void temporary_remove(void)
{
	if (!*own || owner != getpid())
		return;
	remove_tree(own);
	*own = 0;
}

/* remove_tree() is safe here. */
static void on_signal(int number)
{
	temporary_remove();
	raise(number);
}

static void remove_at_end(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	/* The second time the signal does what it does to any process. */
	struct sigaction action = {
		.sa_handler = on_signal, .sa_flags = SA_RESETHAND | SA_NODEFER};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct sigaction before;

		if (sigaction(numbers[i], NULL, &before) == 0 &&
			before.sa_handler == SIG_DFL)
			sigaction(numbers[i], &action, NULL);
	}
	atexit(temporary_remove);
}

/* The lock stays with the process until it ends. Somebody who clears up may have taken it,
 * and the folder, before us: then the next name is tried. */
static bool make_own(const char *base)
{
	char path[OWN_SIZE];

	for (int i = 0; i < ATTEMPTS_MAX; i++) {
		int lock;

		snprintf(path, sizeof(path), "%s/" PREFIX "XXXXXX", base);
		if (!mkdtemp(path))
			return false;
		lock = take_lock(AT_FDCWD, path);
		/* Others may pass through, to a folder in it that lets them in. */
		if (lock >= 0 && is_there(lock, path) && chmod(path, 0711) == 0) {
			strcpy(own, path);
			owner = getpid();
			return true;
		}
		if (lock >= 0)
			close(lock);
	}
	return false;
}

bool temporary_folder(char path[TEMPORARY_PATH_SIZE], unsigned mode, struct why *why)
{
	static bool at_end;
	const char *base = base_folder();

	if (!*own || owner != getpid()) {
		remove_abandoned(base);
		if (!make_own(base))
			return why_set(why, "cannot make a temporary folder in %s: %s",
				base, strerror(errno));
		if (!at_end)
			remove_at_end();
		at_end = true;
	}
	snprintf(path, TEMPORARY_PATH_SIZE, "%s/XXXXXX", own);
	if (mkdtemp(path) && chmod(path, mode) == 0)
		return true;
	why_set(why, "cannot make a temporary folder in %s: %s", own, strerror(errno));
	*path = 0;
	return false;
}
