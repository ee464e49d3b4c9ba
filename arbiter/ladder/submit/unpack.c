/* Unpacking an archive into a folder, in this process. */
#include "arbiter/ladder/submit/unpack.h"
#include "protocol/utf8.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_SIZE 65536

const struct unpack_limits unpack_limits_default = {
	.packed_bytes_max = UNPACK_PACKED_BYTES_MAX,
	.bytes_max = INT64_C(256) << 20,
	.entries_max = 4096,
	.path_max = 200,
	.depth_max = 16};

struct unpacking {
	const struct unpack_limits *limits;
	struct archive *archive;
	int folder;
	int entries;
	int64_t bytes;
	struct why *why;
};

__attribute__((format(printf, 2, 3))) static bool refuse(
	struct unpacking *unpacking, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	why_set_list(unpacking->why, format, args);
	va_end(args);
	/* Names chosen by a stranger may be shown on a terminal. */
	for (char *c = unpacking->why->text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	return false;
}

bool unpack_wanted(const char *path)
{
	static const char *const ends[] = {".tar", ".tar.gz", ".tgz", ".tar.bz2",
		".tar.xz", ".tar.zst", ".zip", NULL};
	size_t length = strlen(path);

	for (int i = 0; ends[i]; i++)
		if (length > strlen(ends[i]) &&
			!strcmp(path + length - strlen(ends[i]), ends[i]))
			return true;
	return access(path, X_OK) != 0;
}

/* Only what people pack bots with: every other format is one more way in. */
static struct archive *new_reader(void)
{
	struct archive *archive = archive_read_new();

	if (!archive || archive_read_support_format_tar(archive) ||
		archive_read_support_format_gnutar(archive) ||
		archive_read_support_format_zip(archive) ||
		archive_read_support_filter_gzip(archive) ||
		archive_read_support_filter_bzip2(archive) ||
		archive_read_support_filter_xz(archive) ||
		archive_read_support_filter_zstd(archive)) {
		archive_read_free(archive);
		return NULL;
	}
	return archive;
}

static bool is_dots(const char *part, size_t length)
{
	return length == 2 && part[0] == '.' && part[1] == '.';
}

/* Is the path one that stays inside? Takes out "." and double slashes on the way. */
static bool clean_path(struct unpacking *unpacking, const char *path, char *clean)
{
	int depth = 0;
	size_t used = 0;

	if (strlen(path) > (size_t)unpacking->limits->path_max) {
		char start[61];

		utf8_format(start, sizeof(start), "%s", path);
		return refuse(unpacking, "'%s…': paths may have %d bytes at most", start,
			unpacking->limits->path_max);
	}
	for (const char *c = path; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127 || *c == '\\')
			return refuse(unpacking,
				"'%s': paths may have no backslashes and no control characters",
				path);
	if (*path == '/')
		return refuse(unpacking, "'%s' is an absolute path", path);
	for (const char *part = path; *part;) {
		size_t length = strcspn(part, "/");

		if (is_dots(part, length))
			return refuse(
				unpacking, "'%s' leads out of the archive by ..", path);
		if (length && !(length == 1 && *part == '.')) {
			memcpy(clean + used, part, length);
			used += length;
			clean[used++] = '/';
			depth++;
		}
		part += length + (part[length] == '/');
	}
	clean[used ? used - 1 : 0] = 0;
	if (depth > unpacking->limits->depth_max)
		return refuse(unpacking, "'%s': folders may be nested at most %d deep",
			path, unpacking->limits->depth_max);
	return true;
}

static bool is_folder(struct unpacking *unpacking, const char *path)
{
	struct stat info;

	return fstatat(unpacking->folder, path, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(info.st_mode);
}

static bool add_folder(struct unpacking *unpacking, const char *path)
{
	if (!*path || mkdirat(unpacking->folder, path, 0755) == 0 ||
		(errno == EEXIST && is_folder(unpacking, path)))
		return true;
	if (errno == EEXIST)
		return refuse(unpacking, "'%s' occurs twice", path);
	return refuse(unpacking, "'%s': %s", path, strerror(errno));
}

/* The folders above it; archives need not name them. They count as entries either way. */
static bool add_parents(struct unpacking *unpacking, const char *path)
{
	char parent[PATH_MAX];

	for (const char *slash = strchr(path, '/'); slash;
		slash = strchr(slash + 1, '/')) {
		snprintf(parent, sizeof(parent), "%.*s", (int)(slash - path), path);
		if (is_folder(unpacking, parent))
			continue;
		if (++unpacking->entries > unpacking->limits->entries_max)
			return refuse(unpacking,
				"there are more than %d files and folders in it",
				unpacking->limits->entries_max);
		if (!add_folder(unpacking, parent))
			return false;
	}
	return true;
}

static bool too_large(struct unpacking *unpacking)
{
	return refuse(unpacking, "unpacked it has more than %lld bytes",
		(long long)unpacking->limits->bytes_max);
}

static bool damaged(struct unpacking *unpacking)
{
	const char *text = archive_error_string(unpacking->archive);

	return refuse(unpacking,
		"it is damaged, cut short, encrypted, or not a supported archive (tar "
		"or zip; gzip, bzip2, xz, zstd): %s",
		text ? text : "no reason given");
}

static bool copy_data(struct unpacking *unpacking, int file, const char *path)
{
	char block[BLOCK_SIZE];
	la_ssize_t n;

	while ((n = archive_read_data(unpacking->archive, block, sizeof(block))) > 0) {
		unpacking->bytes += n;
		if (unpacking->bytes > unpacking->limits->bytes_max)
			return too_large(unpacking);
		if (write(file, block, (size_t)n) != n)
			return refuse(unpacking, "'%s': %s", path, strerror(errno));
	}
	return n == 0 || damaged(unpacking);
}

static bool add_file(
	struct unpacking *unpacking, const char *path, struct archive_entry *entry)
{
	mode_t mode = archive_entry_mode(entry) & 0111 ? 0755 : 0644;
	int file;
	bool ok;

	if (archive_entry_mode(entry) & (S_ISUID | S_ISGID))
		return refuse(unpacking, "'%s' has a setuid or setgid bit", path);
	if (archive_entry_size_is_set(entry) &&
		archive_entry_size(entry) >
			unpacking->limits->bytes_max - unpacking->bytes)
		return too_large(unpacking);
	if (!*path || !add_parents(unpacking, path))
		return *path ? false : refuse(unpacking, "a file has no name");
	file = openat(unpacking->folder, path,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (file < 0 && errno == EEXIST)
		return refuse(unpacking, "'%s' occurs twice", path);
	if (file < 0)
		return refuse(unpacking, "'%s': %s", path, strerror(errno));
	ok = copy_data(unpacking, file, path);
	if (close(file) && ok)
		ok = refuse(unpacking, "'%s': %s", path, strerror(errno));
	return ok;
}

static bool add_entry(struct unpacking *unpacking, struct archive_entry *entry)
{
	const char *path = archive_entry_pathname(entry);
	char clean[PATH_MAX];

	if (++unpacking->entries > unpacking->limits->entries_max)
		return refuse(unpacking, "there are more than %d files and folders in it",
			unpacking->limits->entries_max);
	if (!path)
		return refuse(unpacking, "the name of entry %d cannot be read; use UTF-8",
			unpacking->entries);
	if (!clean_path(unpacking, path, clean))
		return false;
	if (archive_entry_hardlink(entry) || archive_entry_symlink(entry))
		return refuse(unpacking,
			"'%s' is a link; put the file itself in its place", path);
	switch (archive_entry_filetype(entry)) {
	case AE_IFREG:
		return add_file(unpacking, clean, entry);
	case AE_IFDIR:
		return add_parents(unpacking, clean) && add_folder(unpacking, clean);
	}
	return refuse(unpacking, "'%s' is neither a file nor a folder", path);
}

/* Compressed once at most: nested compression is only used for bombs. */
static bool add_entries(struct unpacking *unpacking)
{
	struct archive_entry *entry;
	int code;

	while ((code = archive_read_next_header(unpacking->archive, &entry)) ==
			ARCHIVE_OK ||
		code == ARCHIVE_WARN) {
		if (archive_filter_count(unpacking->archive) > 2)
			return refuse(unpacking, "it is compressed more than once");
		if (!add_entry(unpacking, entry))
			return false;
	}
	if (code != ARCHIVE_EOF)
		return damaged(unpacking);
	return unpacking->entries || refuse(unpacking, "it is empty");
}

bool unpack_here(int archive, const char *folder, const struct unpack_limits *limits,
	struct why *why)
{
	struct unpacking unpacking = {.limits = limits, .why = why, .folder = -1};
	struct stat info;
	bool ok;

	if (fstat(archive, &info) || !S_ISREG(info.st_mode))
		return refuse(&unpacking, "it is not a regular file");
	if (info.st_size > limits->packed_bytes_max)
		return refuse(&unpacking, "it has more than %lld bytes",
			(long long)limits->packed_bytes_max);
	unpacking.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (unpacking.folder < 0)
		return refuse(&unpacking, "%s: %s", folder, strerror(errno));
	unpacking.archive = new_reader();
	if (!unpacking.archive)
		ok = refuse(&unpacking, "libarchive lacks a format that it should have");
	else if (archive_read_open_fd(unpacking.archive, archive, BLOCK_SIZE))
		ok = damaged(&unpacking);
	else
		ok = add_entries(&unpacking);
	archive_read_free(unpacking.archive);
	close(unpacking.folder);
	return ok;
}
