/*
 * Trees of files that somebody else has put together: walked, copied, synced and measured
 * without ever following a link or opening anything but folders and regular files.
 */
#ifndef ARBITER_BASE_TREE_H
#define ARBITER_BASE_TREE_H

#include "protocol/why.h"

#include <stdint.h>
#include <sys/stat.h>

#define TREE_DEPTH_MAX 32 /* folders in folders; beyond it a walk fails */

struct tree_entry {
	int folder;       /* an open descriptor of the folder that it is in */
	const char *name; /* its name in that folder */
	const char *path; /* relative to the root: "sub/name" */
	struct stat info; /* of itself, also if it is a link */
};

enum tree_choice {
	TREE_ALL,
	TREE_VISIBLE /* without hidden files and folders, and without __pycache__ */
};

/* False ends the walk. */
typedef bool tree_visitor(void *context, const struct tree_entry *entry, struct why *why);

/* Visits everything below the root, a folder before what is in it, in the order of the
 * names' bytes. `root` itself may be a link; it is the caller's own. */
bool tree_walk(const char *root, enum tree_choice choice, tree_visitor *visit,
	void *context, struct why *why);

/* Copies what is visible to a new folder; fails on everything but folders and regular
 * files. Modes become 0755, or 0644 for a file that nobody may execute. */
bool tree_copy(const char *from, const char *to, struct why *why);
/* Everything in it, and the root itself, survives a power cut. */
bool tree_sync(const char *root, struct why *why);
/* Bytes that it takes on a disk, each entry in whole blocks of 4096. */
bool tree_measure(const char *root, int64_t *bytes, struct why *why);

#endif
