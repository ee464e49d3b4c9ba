/*
 * The child behind the bridge: its process group, its pipes, its lines.
 */
#ifndef ARBITER_BRIDGE_BRIDGE_CHILD_H
#define ARBITER_BRIDGE_BRIDGE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CHILD_LINE_BYTES_MAX  (1024 * 1024)      /* one line from the child */
#define CHILD_QUEUE_BYTES_MAX (16 * 1024 * 1024) /* lines that it has not read */

/* Bytes that grow and are taken from the front. */
struct child_bytes {
	char *bytes;
	size_t start, size, capacity;
};

struct child {
	pid_t pid;                /* also its process group */
	int input;                /* its stdin; -1 once closed */
	int output;               /* its stdout; -1 once it was closed */
	bool exited;              /* `status` is set */
	int status;               /* as of waitpid() */
	bool deaf;                /* it has closed its stdin */
	int64_t lines;            /* that it has written */
	struct child_bytes queue; /* for its stdin */
	struct child_bytes text;  /* from its stdout, not taken yet */
};

/* Starts the command with stderr as it is; 0 or an errno. SIGPIPE must be ignored. */
int child_start(struct child *child, char *const *command);
/* Kills the process group and frees all. */
void child_release(struct child *child);

/* Puts a line, without its newline, into the queue; false: the child does not read. */
bool child_tell(struct child *child, const char *line);
/* Writes what can be written now; sets `deaf`. */
void child_flush(struct child *child);
/* Nothing more will be told: closes stdin once the queue is written. */
void child_hush(struct child *child);
bool child_has_queue(const struct child *child);

/* Reads what is there now; closes `output` at the end of file. */
void child_read(struct child *child);
/* Takes the next whole line, without its newline and ended with 0. It stays valid until
 * the next call. NULL: there is none. */
char *child_line(struct child *child, size_t *size);
/* Bytes after the last newline. */
size_t child_rest(const struct child *child);

/* Looks whether it has exited. */
void child_reap(struct child *child);

#endif
