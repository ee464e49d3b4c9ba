/* Walking a tree without following links, and what is done with all of its entries. */
#include "arbiter/base/tree.h"
#include "arbiter/base/files.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_SIZE 4096

struct walk {
	enum tree_choice choice;
	tree_visitor *visit;
	void *context;
	struct why *why;
	char path[PATH_MAX]; /* of the entry that is visited */
};

static bool cannot(struct why *why, const char *path, const char *reason)
{
	char shown[512];

	utf8_show(text_of(path), shown, sizeof(shown));
	return why_set(why, "%s: %s", shown, reason);
}

static bool is_wanted(const struct walk *walk, const char *name)
{
	if (walk->choice == TREE_VISIBLE)
		return name[0] != '.' && strcmp(name, "__pycache__") != 0;
	return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The sorted names in a folder, a list to be freed with all in it. */
static char **list_names(const struct walk *walk, int folder, size_t *count)
{
	int fd = fcntl(folder, F_DUPFD_CLOEXEC, 0);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	char **names = NULL;
	size_t capacity = 0;

	*count = 0;
	while (stream && (entry = readdir(stream)))
		if (is_wanted(walk, entry->d_name)) {
			names = xgrow(names, *count, &capacity, sizeof(*names));
			names[(*count)++] = xstrdup(entry->d_name);
		}
	if (stream)
		closedir(stream);
	else if (fd >= 0)
		close(fd);
	if (*count)
		qsort(names, *count, sizeof(*names), by_bytes);
	return names;
}

static bool walk_folder(struct walk *walk, int folder, size_t length, int depth);

static bool walk_below(
	struct walk *walk, const struct tree_entry *entry, size_t length, int depth)
{
	int folder = open_folder(entry->folder, entry->name);
	bool ok;

	if (folder < 0)
		return cannot(walk->why, walk->path, strerror(errno));
	ok = walk_folder(walk, folder, length, depth + 1);
	close(folder);
	return ok;
}

static bool walk_entry(
	struct walk *walk, int folder, const char *name, size_t length, int depth)
{
	struct tree_entry entry = {.folder = folder, .name = name, .path = walk->path};
	size_t size = strlen(name);

	if (length + size + 2 > sizeof(walk->path))
		return cannot(walk->why, name, strerror(ENAMETOOLONG));
	memcpy(walk->path + length, name, size + 1);
	/* Whoever owns the tree may be at work in it: what is gone is gone. */
	if (fstatat(folder, name, &entry.info, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT || cannot(walk->why, walk->path, strerror(errno));
	if (!walk->visit(walk->context, &entry, walk->why))
		return false;
	if (!S_ISDIR(entry.info.st_mode))
		return true;
	strcpy(walk->path + length + size, "/");
	return walk_below(walk, &entry, length + size + 1, depth);
}

/* `length` is that of the folder's own path in walk->path. */
static bool walk_folder(struct walk *walk, int folder, size_t length, int depth)
{
	size_t count;
	char **names;
	bool ok = true;

	if (depth > TREE_DEPTH_MAX)
		return cannot(walk->why, walk->path, "folders are nested too deeply");
	names = list_names(walk, folder, &count);
	for (size_t i = 0; i < count; i++) {
		ok = ok && walk_entry(walk, folder, names[i], length, depth);
		free(names[i]);
	}
	free(names);
	return ok;
}

bool tree_walk(const char *root, enum tree_choice choice, tree_visitor *visit,
	void *context, struct why *why)
{
	struct walk walk = {
		.choice = choice, .visit = visit, .context = context, .why = why};
	int folder = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok;

	if (folder < 0)
		return cannot(why, root, strerror(errno));
	ok = walk_folder(&walk, folder, 0, 0);
	close(folder);
	return ok;
}

static bool copy_entry_file(int target, const struct tree_entry *entry)
{
	mode_t mode = entry->info.st_mode & 0111 ? 0755 : 0644;
	int in = open_file(entry->folder, entry->name), out = -1;
	bool ok;

	if (in >= 0)
		out = openat(target, entry->path,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	ok = out >= 0 && fchmod(out, mode) == 0 && copy_bytes(in, out);
	if (in >= 0)
		close(in);
	if (out >= 0)
		ok = close(out) == 0 && ok;
	return ok;
}

static bool copy_entry(void *context, const struct tree_entry *entry, struct why *why)
{
	const int *target = context;
	mode_t mode = entry->info.st_mode;

	/* A stranger's link may point at a file that only we may read. */
	if (S_ISLNK(mode))
		return cannot(why, entry->path,
			"it is a symbolic link; put the file itself in its place");
	if (S_ISDIR(mode) ? mkdirat(*target, entry->path, 0755) == 0 &&
				    fchmodat(*target, entry->path, 0755, 0) == 0
			  : S_ISREG(mode) && copy_entry_file(*target, entry))
		return true;
	return cannot(why, entry->path,
		S_ISDIR(mode) || S_ISREG(mode) ? strerror(errno)
					       : "it is neither a file nor a folder");
}

bool tree_copy(const char *from, const char *to, struct why *why)
{
	int target = -1;
	bool ok;

	if (mkdir(to, 0755) == 0 && chmod(to, 0755) == 0)
		target = open_folder(AT_FDCWD, to);
	if (target < 0)
		return cannot(why, to, strerror(errno));
	ok = tree_walk(from, TREE_VISIBLE, copy_entry, &target, why);
	close(target);
	return ok || why_before(why, "it cannot be copied: ");
}

/* A link's text is on disk with the folder that it is in. */
static bool sync_entry(void *context, const struct tree_entry *entry, struct why *why)
{
	bool is_folder = S_ISDIR(entry->info.st_mode), ok;
	int fd;

	(void)context;
	if (!is_folder && !S_ISREG(entry->info.st_mode))
		return true;
	fd = is_folder ? open_folder(entry->folder, entry->name)
		       : open_file(entry->folder, entry->name);
	ok = fd >= 0 && fsync(fd) == 0;
	if (!ok)
		cannot(why, entry->path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return ok;
}

bool tree_sync(const char *root, struct why *why)
{
	return tree_walk(root, TREE_ALL, sync_entry, NULL, why) &&
	       (sync_folder(root) || cannot(why, root, strerror(errno)));
}

static bool measure_entry(void *context, const struct tree_entry *entry, struct why *why)
{
	int64_t *bytes = context;

	(void)why;
	*bytes += BLOCK_SIZE;
	if (S_ISREG(entry->info.st_mode))
		*bytes += entry->info.st_size / BLOCK_SIZE * BLOCK_SIZE;
	return true;
}

bool tree_measure(const char *root, int64_t *bytes, struct why *why)
{
	*bytes = 0;
	return tree_walk(root, TREE_ALL, measure_entry, bytes, why);
}
