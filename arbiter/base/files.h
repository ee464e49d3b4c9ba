/*
 * Making, writing, copying and removing whole files and folders. Functions that return
 * false leave the reason in errno unless they take a `why`.
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

/* Removes a tree of any depth, or a file or link; true if nothing is left. Folders that
 * could not be removed may have been moved within the tree. A signal handler may call it:
 * it allocates nothing and takes no lock. */
bool remove_tree(const char *path);

/* Writes all bytes, in as many calls as needed; waits if the descriptor would block. */
bool write_all(int fd, const void *bytes, size_t size);
/* Puts the names in a folder on disk: files that were made, renamed or removed there. */
bool sync_folder(const char *path);
/* The same for the folder that a file or folder lies in. */
bool sync_folder_of(const char *path);
/* Writes a file completely or not at all: to a temporary name, then fsync and rename. It
 * is on disk, with its name, when this returns true. */
bool write_file_whole(const char *path, const char *text, size_t size, mode_t mode);

/* Copies to a new file with mode 0644, or 0755 if executable. */
bool copy_file(const char *from, const char *to, bool executable);
/* Copies folders and regular files, except hidden ones and __pycache__; fails on a
 * symbolic link. */
bool copy_tree(const char *from, const char *to, struct why *why);

#endif
