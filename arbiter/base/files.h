/*
 * Files and folders, whole: made, written, copied, removed. Functions that return false
 * leave the reason in errno unless they take a `why`.
 */
#ifndef ARBITER_BASE_FILES_H
#define ARBITER_BASE_FILES_H

#include "protocol/why.h"

#include <stddef.h>
#include <sys/types.h>

/* mkdir; that it is there already is fine. */
bool make_folder(const char *path, mode_t mode);
/* The same with all folders above it, which become 0755. */
bool make_folders(const char *path, mode_t mode);
/* The folders above a file that is to be written. */
bool make_folders_for(const char *file);

/* Removes a tree of any depth, or a file or link; true if nothing is left. What cannot be
 * removed may have been moved within the tree. */
bool remove_tree(const char *path);

/* All bytes, however many writes it takes, waiting if the descriptor does not block. */
bool write_all(int fd, const void *bytes, size_t size);
/* Writes a file whole or not at all: under another name first, then fsync and rename. */
bool write_file_whole(const char *path, const char *text, size_t size, mode_t mode);

/* To a new file, 0644 or 0755. */
bool copy_file(const char *from, const char *to, bool executable);
/* Folders and regular files, hidden ones and __pycache__ left out; links are refused. */
bool copy_tree(const char *from, const char *to, struct why *why);

#endif
