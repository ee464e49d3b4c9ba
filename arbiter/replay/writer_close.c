/* Putting finished replays on disk. */
#include "arbiter/replay/writer_internal.h"
#include "arbiter/base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* With this many files or more, their file system is synced as a whole. */
#define TOGETHER_MIN 16

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

/* If a file will be compressed, only its compressed form must be on disk. */
static bool must_be_safe(const struct replay_writer *writer)
{
	return writer->fd >= 0 && !writer->compress && !writer->error;
}

static dev_t device_of(const struct replay_writer *writer)
{
	struct stat info;

	return fstat(writer->fd, &info) ? 0 : info.st_dev;
}

/* File systems on which syncfs() does for every file what fsync does. On others, such as
 * those in user space, it may only pass the bytes on. */
static bool syncs_as_a_whole(const struct replay_writer *writer)
{
	struct statfs info;

	if (fstatfs(writer->fd, &info))
		return false;
	return info.f_type == EXT4_SUPER_MAGIC || info.f_type == XFS_SUPER_MAGIC ||
	       info.f_type == BTRFS_SUPER_MAGIC;
}

/* An error may concern other files; the later fsync finds out which file has one. */
static void sync_together(struct replay_writer *const *writers, size_t count)
{
	dev_t device = device_of(writers[0]);

	if (!device || !syncs_as_a_whole(writers[0]) || syncfs(writers[0]->fd))
		return;
	for (size_t i = 0; i < count; i++)
		if (must_be_safe(writers[i]) && device_of(writers[i]) == device)
			writers[i]->on_disk = true;
}

void replay_sync(struct replay_writer *const *writers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		replay_writer_flush(writers[i]);
	if (count >= TOGETHER_MIN && must_be_safe(writers[0]))
		sync_together(writers, count);
	/* Only a hint: the later fsync reports any disk error. */
	for (size_t i = 0; i < count; i++)
		if (must_be_safe(writers[i]) && !writers[i]->on_disk)
			sync_file_range(writers[i]->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

int replay_close(struct replay_writer *writer)
{
	replay_writer_flush(writer);
	if (must_be_safe(writer) && !writer->on_disk && fsync(writer->fd))
		writer->error = errno;
	if (writer->compress && !writer->error)
		writer->error =
			replay_compress_beside(writer->path, sizeof(writer->path));
	replay_writer_release(writer);
	return writer->error;
}

/* Are both in the same folder? */
static bool are_neighbours(const char *a, const char *b)
{
	const char *end_a = strrchr(a, '/'), *end_b = strrchr(b, '/');

	if (!end_a || !end_b)
		return !end_a && !end_b;
	return end_a - a == end_b - b && memcmp(a, b, (size_t)(end_a - a)) == 0;
}

/* Is the name already on disk, together with the bytes? */
static bool has_name(const struct replay_writer *writer)
{
	return writer->error || writer->on_disk || !*writer->path;
}

void replay_sync_names(struct replay_writer *const *writers, size_t count)
{
	const char *synced = NULL;

	for (size_t i = 0; i < count; i++) {
		struct replay_writer *writer = writers[i];

		if (has_name(writer))
			continue;
		if (!synced || !are_neighbours(synced, writer->path)) {
			if (!sync_folder_of(writer->path)) {
				writer->error = errno;
				continue;
			}
			synced = writer->path;
		}
		if (writer->compress)
			replay_remove_plain(writer->path);
	}
}
