/*
 * The child behind the bridge: its process group, and lines to and from it.
 */
#ifndef ARBITER_BRIDGE_BRIDGE_CHILD_H
#define ARBITER_BRIDGE_BRIDGE_CHILD_H

#include "arbiter/base/child.h"
#include "arbiter/base/lines.h"

#include <stdint.h>

#define BRIDGE_LINE_BYTES_MAX  (1024 * 1024)      /* one line from the child */
#define BRIDGE_QUEUE_BYTES_MAX (16 * 1024 * 1024) /* lines that it has not read */

struct bridge_child {
	struct child process; /* the ends of its pipes are -1 once closed */
	pid_t group;
	bool exited;   /* `status` is set */
	int status;    /* as of waitpid() */
	bool deaf;     /* it has closed its stdin */
	int64_t count; /* lines that it has written */
	struct lines lines;
	/* For its stdin: `queued` bytes from `start` on. */
	char *queue;
	size_t start, queued, capacity;
};

/* Starts the command, which inherits stderr; 0 or an errno. SIGPIPE must be ignored. */
int bridge_child_start(struct bridge_child *child, char *const *command);
/* Kills the process group and frees everything. */
void bridge_child_release(struct bridge_child *child);

/* Queues a line, given without its newline; false: the queue is full because the child
 * does not read. */
bool bridge_child_tell(struct bridge_child *child, const char *line);
/* Writes what can be written now; sets `deaf`. */
void bridge_child_flush(struct bridge_child *child);
/* Closes stdin once the queue is written. */
void bridge_child_hush(struct bridge_child *child);
bool bridge_child_has_queue(const struct bridge_child *child);

/* The next complete line, without its newline and ended with NUL; valid until the next
 * call. NULL if there is none; at the end of file output_fd is closed. */
char *bridge_child_line(struct bridge_child *child, size_t *size);

/* Checks whether it has exited. */
void bridge_child_reap(struct bridge_child *child);

#endif
