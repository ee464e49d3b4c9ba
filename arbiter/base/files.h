/*
 * Making, reading, writing and removing whole files and folders. Functions that return
 * false leave the reason in errno unless they take a `why`.
 *
 * open_file() and open_folder() are for names that somebody else chose: they follow no
 * link and never wait. What leads to the folder `at` is the caller's own.
 */
#ifndef ARBITER_BASE_FILES_H
#define ARBITER_BASE_FILES_H

#include "protocol/why.h"

#include <stddef.h>
#include <sys/types.h>

/* Like mkdir, but succeeds if the folder exists. */
bool make_folder(const char *path, mode_t mode);
/* The same, also making the folders above it, with mode 0755. */
bool make_folders(const char *path, mode_t mode);
/* Makes the folders above a file that is about to be written. */
bool make_folders_for(const char *file);

/* Opens `name` in the folder `at` for reading, if it is a regular file. -1: errno, which
 * is ELOOP for a link and EINVAL for a folder, pipe, socket or device. */
int open_file(int at, const char *name);
/* The same for a folder; ENOTDIR for everything else. */
int open_folder(int at, const char *name);
/* The content of such a file, ended with a NUL that is not counted in `size`; the caller
 * frees it. NULL: errno, which is EFBIG if it has more than `max` bytes. */
char *read_file_whole(int at, const char *name, size_t max, size_t *size);

/* Removes a tree of any depth, or a file or link; true if nothing is left. Follows no
 * links. Folders that could not be removed may have been moved within the tree. A signal
 * handler may call it: it allocates nothing and takes no lock. */
bool remove_tree(const char *path);

/* Writes all bytes, in as many calls as needed; waits if the descriptor would block. */
bool write_all(int fd, const void *bytes, size_t size);
/* Writes a file completely or not at all, and so that it survives a power cut: to a
 * temporary name, fsync, rename, fsync of the folder. */
bool write_file_whole(const char *path, const char *text, size_t size, mode_t mode);
/* What was made, renamed or removed in the folder survives a power cut. */
bool sync_folder(const char *path);
/* The same for the folder that a file or folder lies in. */
bool sync_folder_of(const char *path);
/* Renames, and syncs the folder that `to` lies in. */
bool rename_synced(const char *from, const char *to);

/* Copies a regular file to a new one with mode 0644, or 0755 if executable, whatever the
 * umask is. */
bool copy_file(const char *from, const char *to, bool executable);
/* From one descriptor to another, to the end of file. */
bool copy_bytes(int from, int to);

#endif
