/* Sending a tree through a pipe, and making it anew on the other side. */
#include "arbiter/base/tree_stream.h"
#include "arbiter/base/files.h"
#include "arbiter/base/tree.h"
#include "protocol/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define HEAD_SIZE  (1 + 2 + 8 + 8)
#define BLOCK_SIZE 65536
#define NAME_SHOWN 300

struct head {
	uint8_t kind;
	uint16_t path_size;
	uint64_t size;    /* of the content */
	uint64_t time_ns; /* of a file's last change */
};

static void put_number(uint8_t *place, int size, uint64_t number)
{
	for (int i = 0; i < size; i++)
		place[i] = (uint8_t)(number >> 8 * i);
}

static uint64_t get_number(const uint8_t *place, int size)
{
	uint64_t number = 0;

	for (int i = 0; i < size; i++)
		number |= (uint64_t)place[i] << 8 * i;
	return number;
}

static bool send_head(int fd, const struct head *head, const char *path)
{
	uint8_t bytes[HEAD_SIZE] = {head->kind};
	size_t path_size = strlen(path);

	put_number(bytes + 1, 2, path_size);
	put_number(bytes + 3, 8, head->size);
	put_number(bytes + 11, 8, head->time_ns);
	return write_all(fd, bytes, sizeof(bytes)) && write_all(fd, path, path_size);
}

bool tree_send_failure(int fd, const char *reason)
{
	const struct head head = {.kind = TREE_FAILURE, .size = strlen(reason)};

	return send_head(fd, &head, "") && write_all(fd, reason, head.size);
}

/* Exactly as many bytes as were announced; a file that becomes shorter meanwhile ends the
 * stream. */
static bool send_content(int fd, int file, int64_t size)
{
	char block[BLOCK_SIZE];

	while (size > 0) {
		ssize_t n =
			read(file, block, size < BLOCK_SIZE ? (size_t)size : BLOCK_SIZE);

		if (n <= 0 || !write_all(fd, block, (size_t)n))
			return false;
		size -= n;
	}
	return true;
}

static bool send_file(int fd, const struct tree_entry *entry, struct why *why)
{
	int file = open_file(entry->folder, entry->name);
	struct stat info;
	struct head head;
	bool ok;

	if (file < 0 || fstat(file, &info)) {
		ok = why_set(why, "%s: %s", entry->path, strerror(errno));
	} else {
		head = (struct head){
			.kind = info.st_mode & 0111 ? TREE_PROGRAM : TREE_FILE,
			.size = (uint64_t)info.st_size,
			.time_ns = (uint64_t)info.st_mtim.tv_sec * NS_PER_S +
				   (uint64_t)info.st_mtim.tv_nsec};
		ok = send_head(fd, &head, entry->path) &&
		     send_content(fd, file, info.st_size);
	}
	if (file >= 0)
		close(file);
	return ok;
}

static bool send_link(int fd, const struct tree_entry *entry)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(entry->folder, entry->name, target, sizeof(target));

	return n >= 0 &&
	       send_head(fd, &(struct head){.kind = TREE_LINK, .size = (uint64_t)n},
		       entry->path) &&
	       write_all(fd, target, (size_t)n);
}

static bool send_entry(void *context, const struct tree_entry *entry, struct why *why)
{
	const int *fd = context;

	switch (entry->info.st_mode & S_IFMT) {
	case S_IFREG:
		return send_file(*fd, entry, why);
	case S_IFDIR:
		return send_head(*fd, &(struct head){.kind = TREE_FOLDER}, entry->path);
	case S_IFLNK:
		return send_link(*fd, entry);
	}
	return send_head(*fd, &(struct head){.kind = TREE_SPECIAL}, entry->path);
}

bool tree_send(int fd, const char *folder)
{
	struct why why = {""};

	if (tree_walk(folder, TREE_ALL, send_entry, &fd, &why))
		return send_head(fd, &(struct head){.kind = TREE_END}, "");
	if (*why.text)
		tree_send_failure(fd, why.text);
	return false;
}

struct receiver {
	int fd, root;
	mono_ns deadline;
	const struct tree_limits *limits;
	int entries;
	int64_t bytes;
	char path[PATH_MAX], shown[NAME_SHOWN]; /* of the entry, and fit to be printed */
	struct why *why;
};

/* All of `size` bytes. False: the stream has ended, or it is too late. */
static bool receive_bytes(struct receiver *receiver, void *bytes, size_t size)
{
	char *at = bytes;

	while (size) {
		mono_ns left = receiver->deadline - time_now(&time_system);
		struct pollfd wait = {receiver->fd, POLLIN, 0};
		ssize_t n;

		if (left <= 0)
			return false;
		if (left > NS_PER_S)
			left = NS_PER_S;
		if (poll(&wait, 1, (int)(left / NS_PER_MS) + 1) <= 0)
			continue;
		n = read(receiver->fd, at, size);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

static bool receive_head(struct receiver *receiver, struct head *head)
{
	uint8_t bytes[HEAD_SIZE];

	if (!receive_bytes(receiver, bytes, sizeof(bytes)))
		return false;
	*head = (struct head){.kind = bytes[0],
		.path_size = (uint16_t)get_number(bytes + 1, 2),
		.size = get_number(bytes + 3, 8),
		.time_ns = get_number(bytes + 11, 8)};
	return true;
}

static bool receive_failure(struct receiver *receiver, uint64_t size)
{
	char reason[WHY_SIZE / 2], shown[WHY_SIZE / 2];
	size_t kept = size < sizeof(reason) ? (size_t)size : sizeof(reason);

	if (!receive_bytes(receiver, reason, kept))
		return false;
	utf8_show((struct text){reason, (uint32_t)kept}, shown, sizeof(shown));
	return why_set(receiver->why, "%s", shown);
}

/* Is it one that stays inside, within the limits? */
static bool path_ok(struct receiver *receiver, uint16_t size)
{
	char *path = receiver->path;
	int depth = -1; /* folders that it lies in */

	path[size] = 0;
	utf8_show((struct text){path, size}, receiver->shown, sizeof(receiver->shown));
	for (const char *part = path; part <= path + size; depth++) {
		size_t length = strcspn(part, "/");

		if (!length || strlen(path) != size || !strncmp(part, ".", length) ||
			(length == 2 && !strncmp(part, "..", 2)))
			return why_set(receiver->why,
				"'%s' is not a path that it may have", receiver->shown);
		part += length + 1;
	}
	if (depth > receiver->limits->depth_max)
		return why_set(receiver->why,
			"'%s': folders may be nested at most %d deep", receiver->shown,
			receiver->limits->depth_max);
	return true;
}

static bool receive_path(struct receiver *receiver, const struct head *head)
{
	if (head->path_size > receiver->limits->path_max ||
		head->path_size >= sizeof(receiver->path))
		return why_set(receiver->why, "it has a path of more than %d bytes",
			receiver->limits->path_max);
	if (++receiver->entries > receiver->limits->entries_max)
		return why_set(receiver->why,
			"there are more than %d files and folders in it",
			receiver->limits->entries_max);
	return receive_bytes(receiver, receiver->path, head->path_size) &&
	       path_ok(receiver, head->path_size);
}

/* Opens the folder that a path lies in, through real folders only; sets `name` to its
 * last part. -1: errno. */
static int open_parent(int root, const char *path, const char **name)
{
	int folder = fcntl(root, F_DUPFD_CLOEXEC, 0);
	const char *slash;

	for (; folder >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
		char part[NAME_MAX + 1];
		int next = -1;

		errno = ENAMETOOLONG;
		if (slash - path <= NAME_MAX) {
			memcpy(part, path, (size_t)(slash - path));
			part[slash - path] = 0;
			next = open_folder(folder, part);
		}
		close(folder);
		folder = next;
	}
	*name = path;
	return folder;
}

static bool cannot(struct receiver *receiver)
{
	return why_set(receiver->why, "'%s': %s", receiver->shown, strerror(errno));
}

static bool receive_content(struct receiver *receiver, int file, uint64_t size)
{
	char block[BLOCK_SIZE];

	while (size) {
		size_t n = size < BLOCK_SIZE ? (size_t)size : BLOCK_SIZE;

		if (!receive_bytes(receiver, block, n))
			return false;
		if (!write_all(file, block, n))
			return cannot(receiver);
		size -= n;
	}
	return true;
}

static void set_time(int file, uint64_t time_ns)
{
	const struct timespec when = {
		(time_t)(time_ns / NS_PER_S), (long)(time_ns % NS_PER_S)};

	/* If the file system does not take it, the time is now. */
	futimens(file, (const struct timespec[]){when, when});
}

static bool add_file(
	struct receiver *receiver, int folder, const char *name, const struct head *head)
{
	mode_t mode = head->kind == TREE_PROGRAM ? 0755 : 0644;
	bool ok;
	int file;

	if (head->size > (uint64_t)(receiver->limits->bytes_max - receiver->bytes))
		return why_set(receiver->why, "its files have more than %lld bytes",
			(long long)receiver->limits->bytes_max);
	receiver->bytes += (int64_t)head->size;
	file = openat(
		folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (file < 0 || fchmod(file, mode)) {
		ok = cannot(receiver);
	} else {
		ok = receive_content(receiver, file, head->size);
		set_time(file, head->time_ns);
	}
	if (file >= 0 && close(file) && ok)
		ok = cannot(receiver);
	return ok;
}

static bool add_folder(struct receiver *receiver, int folder, const char *name)
{
	/* The mode once more, because of the umask; the folder is ours, so it is no link. */
	return (mkdirat(folder, name, 0755) == 0 &&
		       fchmodat(folder, name, 0755, 0) == 0) ||
	       cannot(receiver);
}

static bool add_link(
	struct receiver *receiver, int folder, const char *name, const struct head *head)
{
	char target[PATH_MAX];

	if (!receiver->limits->links)
		return why_set(receiver->why,
			"'%s' is a link; put the file itself in its place",
			receiver->shown);
	if (head->size >= sizeof(target))
		return why_set(
			receiver->why, "'%s': the link is too long", receiver->shown);
	if (!receive_bytes(receiver, target, (size_t)head->size))
		return false;
	target[head->size] = 0;
	return symlinkat(target, folder, name) == 0 || cannot(receiver);
}

static bool add_entry(struct receiver *receiver, const struct head *head)
{
	const char *name;
	int folder;
	bool ok;

	if (!receive_path(receiver, head))
		return false;
	folder = open_parent(receiver->root, receiver->path, &name);
	if (folder < 0)
		return cannot(receiver);
	switch (head->kind) {
	case TREE_FILE:
	case TREE_PROGRAM:
		ok = add_file(receiver, folder, name, head);
		break;
	case TREE_FOLDER:
		ok = add_folder(receiver, folder, name);
		break;
	case TREE_LINK:
		ok = add_link(receiver, folder, name, head);
		break;
	default:
		ok = why_set(receiver->why, "'%s' is neither a file nor a folder",
			receiver->shown);
	}
	close(folder);
	return ok;
}

/* The path that a link in the tree names, relative to the root; false: `fault` says what
 * is wrong with it. */
static bool link_path(const char *path, const char *target, char named[2 * PATH_MAX],
	const char **fault)
{
	char folder[PATH_MAX];
	char *slash;

	*fault = "an absolute path";
	if (*target == '/' || !*target)
		return false;
	strcpy(folder, path);
	slash = strrchr(folder, '/');
	*(slash ? slash : folder) = 0;
	while (!strncmp(target, "../", 3) || !strcmp(target, "..")) {
		*fault = "a place that leads out of the folder";
		if (!*folder)
			return false;
		slash = strrchr(folder, '/');
		*(slash ? slash : folder) = 0;
		target += target[2] ? 3 : 2;
	}
	for (const char *part = target; *part; part += strspn(part, "/")) {
		size_t length = strcspn(part, "/");

		*fault = "a path that has '..' not only at its beginning";
		if (length == 2 && !strncmp(part, "..", 2))
			return false;
		part += length;
	}
	snprintf(named, 2 * PATH_MAX, "%s%s%s", folder, *folder && *target ? "/" : "",
		target);
	return true;
}

static bool check_link(void *context, const struct tree_entry *entry, struct why *why)
{
	char target[PATH_MAX], named[2 * PATH_MAX], shown[2][NAME_SHOWN];
	const char *fault, *name;
	const int *root = context;
	struct stat info;
	ssize_t n = 0;
	bool there;
	int folder;

	if (S_ISLNK(entry->info.st_mode))
		n = readlinkat(entry->folder, entry->name, target, sizeof(target) - 1);
	if (n <= 0)
		return n == 0;
	target[n] = 0;
	utf8_show(text_of(entry->path), shown[0], NAME_SHOWN);
	utf8_show(text_of(target), shown[1], NAME_SHOWN);
	if (!link_path(entry->path, target, named, &fault))
		return why_set(
			why, "'%s' is a link to %s: '%s'", shown[0], fault, shown[1]);
	folder = open_parent(*root, named, &name);
	there = folder >= 0 &&
		(!*name || fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0);
	if (folder >= 0)
		close(folder);
	return there ||
	       why_set(why,
		       "'%s' is a link to '%s', which is not there or lies behind another "
		       "link",
		       shown[0], shown[1]);
}

static bool receive(struct receiver *receiver)
{
	struct head head;

	while (receive_head(receiver, &head)) {
		if (head.kind == TREE_END)
			return true;
		if (head.kind == TREE_FAILURE)
			return receive_failure(receiver, head.size);
		if (!add_entry(receiver, &head))
			return false;
	}
	return false;
}

bool tree_receive(int fd, mono_ns deadline, const char *folder,
	const struct tree_limits *limits, struct why *why)
{
	struct receiver receiver = {
		.fd = fd, .root = -1, .deadline = deadline, .limits = limits, .why = why};
	bool ok;

	if (mkdir(folder, 0755) == 0 && chmod(folder, 0755) == 0)
		receiver.root = open_folder(AT_FDCWD, folder);
	if (receiver.root < 0)
		return why_set(why, "%s: %s", folder, strerror(errno));
	ok = receive(&receiver) &&
	     tree_walk(folder, TREE_ALL, check_link, &receiver.root, why);
	close(receiver.root);
	return ok;
}
