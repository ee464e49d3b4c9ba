/* Making, reading, writing and removing whole files and folders. */
#include "arbiter/base/files.h"
#include "protocol/memory.h"

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

/* O_NONBLOCK: a pipe without a writer is opened at once, and then refused. */
int open_file(int at, const char *name)
{
	int fd = openat(
		at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat info;

	/* A socket cannot be opened at all. */
	if (fd < 0) {
		if (errno == ENXIO)
			errno = EINVAL;
		return -1;
	}
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

int open_folder(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

char *read_file_whole(int at, const char *name, size_t max, size_t *size)
{
	int fd = open_file(at, name);
	char *bytes = fd < 0 ? NULL : xmalloc(max + 2);
	ssize_t n = 1;

	*size = 0;
	/* One byte more than allowed tells that there are more. */
	while (bytes && n > 0 && *size <= max) {
		n = read(fd, bytes + *size, max + 1 - *size);
		*size += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		close(fd);
	if (bytes && (n < 0 || *size > max)) {
		free(bytes);
		errno = n < 0 ? errno : EFBIG;
		return NULL;
	}
	if (bytes)
		bytes[*size] = 0;
	return bytes;
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

	/* Only who may write to a folder may give it another parent. */
	fchmodat(folder, name, 0700, AT_SYMLINK_NOFOLLOW);
	do {
		snprintf(fresh, sizeof(fresh), "lifted-%u", (*number)++);
		if (renameat(folder, name, top, fresh) == 0)
			return true;
	} while (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR);
	return false;
}

/* A folder may have been made inaccessible, even for its owner. */
static int open_to_clear(int at, const char *name)
{
	int fd = open_folder(at, name);

	if (fd >= 0)
		fchmod(fd, 0700);
	else if (errno == EACCES && !fchmodat(at, name, 0700, AT_SYMLINK_NOFOLLOW))
		fd = open_folder(at, name);
	return fd;
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
	inner = open_to_clear(top, name);
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
	int top = open_to_clear(AT_FDCWD, path);
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
	return ok && rename_synced(draft, path);
}

bool rename_synced(const char *from, const char *to)
{
	return rename(from, to) == 0 && sync_folder_of(to);
}

bool copy_bytes(int from, int to)
{
	ssize_t n;

	do
		n = sendfile(to, from, NULL, 1 << 24);
	while (n > 0);
	return n == 0;
}

bool copy_file(const char *from, const char *to, bool executable)
{
	mode_t mode = executable ? 0755 : 0644;
	int in = open_file(AT_FDCWD, from);
	int out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	bool ok = out >= 0 && fchmod(out, mode) == 0 && copy_bytes(in, out);

	if (in >= 0)
		close(in);
	if (out >= 0)
		ok = close(out) == 0 && ok;
	return ok;
}
