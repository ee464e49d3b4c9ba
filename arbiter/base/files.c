/* Making, writing, copying and removing whole files and folders. */
#include "arbiter/base/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 32
#define PATH_ROOM (PATH_MAX + 300)

bool make_folder(const char *path, mode_t mode)
{
	return mkdir(path, mode) == 0 || errno == EEXIST;
}

bool make_folders_for(const char *file)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s", file) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return false;
	}
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (!make_folder(path, 0755))
			return false;
		*slash = '/';
	}
	return true;
}

bool make_folders(const char *path, mode_t mode)
{
	return make_folders_for(path) && make_folder(path, mode);
}

static bool remove_one(int folder, const char *name)
{
	return unlinkat(folder, name, 0) == 0 ||
	       unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

/* Moves a folder up to the top, under an unused name. */
static bool lift(int top, int folder, const char *name, unsigned *number)
{
	char fresh[32];

	do {
		snprintf(fresh, sizeof(fresh), "lifted-%u", (*number)++);
		if (renameat(folder, name, top, fresh) == 0)
			return true;
	} while (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR);
	return false;
}

static int open_folder(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool clear(int folder, int top, unsigned *number);

/* Removes an entry of `folder`, which is the top itself or a folder in it; in the second
 * case a folder that is not empty is lifted to the top. True if anything changed. */
static bool clear_entry(int folder, int top, const char *name, unsigned *number)
{
	bool any = false;
	int inner;

	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	if (remove_one(folder, name))
		return true;
	if (folder != top)
		return lift(top, folder, name, number);
	inner = open_folder(top, name);
	if (inner >= 0) {
		any |= clear(inner, top, number);
		close(inner);
		any |= remove_one(top, name);
	}
	return any;
}

static bool clear(int folder, int top, unsigned *number)
{
	_Alignas(struct dirent64) char entries[4096];
	ssize_t size;
	bool any = false;

	lseek(folder, 0, SEEK_SET);
	while ((size = getdents64(folder, entries, sizeof(entries))) > 0)
		for (ssize_t at = 0; at < size;) {
			const struct dirent64 *entry = (const void *)(entries + at);

			any |= clear_entry(folder, top, entry->d_name, number);
			at += entry->d_reclen;
		}
	return any;
}

/* Each folder is moved to the top before it is emptied, so at any depth only two folders
 * are open at a time and paths stay short. */
bool remove_tree(const char *path)
{
	int top = open_folder(AT_FDCWD, path);
	unsigned number = 0;
	struct stat info;

	while (top >= 0 && clear(top, top, &number))
		continue;
	if (top >= 0)
		close(top);
	remove_one(AT_FDCWD, path);
	return lstat(path, &info) && errno == ENOENT;
}

bool write_all(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EAGAIN) {
			struct pollfd wait = {fd, POLLOUT, 0};

			poll(&wait, 1, -1);
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

bool sync_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;
	bool ok = fd >= 0 && fsync(fd) == 0;

	err = errno;
	if (fd >= 0)
		close(fd);
	errno = err;
	return ok;
}

bool sync_folder_of(const char *path)
{
	char folder[PATH_MAX];
	size_t end = strlen(path);

	while (end && path[end - 1] == '/')
		end--;
	while (end && path[end - 1] != '/')
		end--;
	if (end >= sizeof(folder)) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(folder, path, end);
	folder[end] = 0;
	return sync_folder(end ? folder : ".");
}

bool write_file_whole(const char *path, const char *text, size_t size, mode_t mode)
{
	char draft[PATH_MAX + 8];
	int fd;
	bool ok;

	snprintf(draft, sizeof(draft), "%s.new", path);
	unlink(draft);
	fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0)
		return false;
	ok = write_all(fd, text, size) && fsync(fd) == 0;
	ok = close(fd) == 0 && ok;
	return ok && rename(draft, path) == 0 && sync_folder_of(path);
}

bool copy_file(const char *from, const char *to, bool executable)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = in < 0 ? -1
			 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
				   executable ? 0755 : 0644);
	ssize_t n = 1;
	bool ok = out >= 0;

	while (ok && n > 0)
		n = sendfile(out, in, NULL, 1 << 24);
	ok = ok && n == 0;
	if (in >= 0)
		close(in);
	if (out >= 0)
		ok = close(out) == 0 && ok;
	return ok;
}

static int keep(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, "__pycache__") != 0;
}

static bool copy_level(const char *from, const char *to, int depth, struct why *why);

static bool copy_entry(
	const char *from, const char *to, const char *name, int depth, struct why *why)
{
	char source[PATH_ROOM], target[PATH_ROOM];
	struct stat info;
	bool ok = snprintf(source, sizeof(source), "%s/%s", from, name) < PATH_ROOM &&
		  snprintf(target, sizeof(target), "%s/%s", to, name) < PATH_ROOM &&
		  lstat(source, &info) == 0;

	/* A stranger's link may point at a file that only we may read. */
	if (ok && S_ISLNK(info.st_mode))
		return why_set(why,
			"%s is a symbolic link; put the file itself in its place",
			source);
	if (ok && S_ISDIR(info.st_mode))
		return copy_level(source, target, depth + 1, why);
	if (ok && S_ISREG(info.st_mode))
		ok = copy_file(source, target, info.st_mode & 0111);
	if (!ok)
		why_set(why, "%s cannot be copied: %s", source, strerror(errno));
	return ok;
}

static bool copy_level(const char *from, const char *to, int depth, struct why *why)
{
	struct dirent **entries;
	int n = depth < DEPTH_MAX && make_folder(to, 0777)
			? scandir(from, &entries, keep, alphasort)
			: -1;
	bool ok = n >= 0;

	if (n < 0)
		why_set(why, "%s cannot be copied: %s", from,
			depth < DEPTH_MAX ? strerror(errno)
					  : "folders are nested too deeply");
	for (int i = 0; i < n; i++) {
		ok = ok && copy_entry(from, to, entries[i]->d_name, depth, why);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return ok;
}

bool copy_tree(const char *from, const char *to, struct why *why)
{
	return copy_level(from, to, 0, why);
}
