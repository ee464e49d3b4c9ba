/*
 * A tree through a pipe: how the result of a process that is not trusted gets out of its
 * sandbox. Nothing of the host's is writable in there; the host makes every file anew and
 * believes nothing that it is told.
 *
 * A stream is a sequence of entries, a folder before what is in it, and one END:
 *
 *     kind (1 byte), size of the path (2), size of the content (8), time (8), path, content
 *
 * with little-endian numbers. The time is that of a file's last change, in nanoseconds of
 * the Unix clock, by which make and Python know what need not be made again. The content
 * of a link is its target. A FAILURE takes the place of the END: its path is empty, its
 * content a reason for a person.
 */
#ifndef ARBITER_BASE_TREE_STREAM_H
#define ARBITER_BASE_TREE_STREAM_H

#include "arbiter/base/time.h"
#include "protocol/why.h"

enum tree_kind {
	TREE_FOLDER = 'd',
	TREE_FILE = 'f',
	TREE_PROGRAM = 'x', /* a file that may be executed */
	TREE_LINK = 'l',
	TREE_SPECIAL =
		's', /* nobody takes these; sent so that they are refused by name */
	TREE_END = '.',
	TREE_FAILURE = '!'
};

struct tree_limits {
	int64_t bytes_max; /* of all files together */
	int entries_max;   /* folders count as well */
	int path_max;      /* bytes */
	int depth_max;     /* folders in folders */
	/* Symbolic links are taken if they stay in the tree: relative, with `..` only at
	 * the beginning, to something that is there, and not through another link. */
	bool links;
};

/* Sends everything below the folder, or the reason why that cannot be done. False: the
 * reader is gone, or there was such a reason. */
bool tree_send(int fd, const char *folder);
bool tree_send_failure(int fd, const char *reason);

/*
 * Receives a tree into a new folder, with modes 0755 and 0644. `fd` does not block. False:
 * `why` says what was wrong; it is untouched if the stream ended too early, by which the
 * caller knows more (the deadline has passed, the sender was killed). What was received
 * until then stays.
 */
bool tree_receive(int fd, mono_ns deadline, const char *folder,
	const struct tree_limits *limits, struct why *why);

#endif
