/*
 * A child process, described in one struct and started in one place.
 *
 *     struct child child = {.argv = argv, .output = CHILD_PIPE};
 *     int err = child_start(&child);
 *     … read from child.output_fd …
 *     status = child_wait(&child);
 *
 * A child inherits only the descriptors named here and no blocked signals, and it is
 * killed when the thread that started it ends, unless `survives` is set. Bots are not
 * started this way: arbiter/process/launch.h starts them and watches over them.
 */
#ifndef ARBITER_BASE_CHILD_H
#define ARBITER_BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum child_stream {
	CHILD_INHERIT, /* inherit ours */
	CHILD_NULL,    /* /dev/null */
	CHILD_PIPE,    /* a pipe; our end of it is put into …_fd */
	CHILD_FD,      /* the descriptor in …_fd, which stays the caller's */
	CHILD_OUTPUT   /* for `error` only: the same as output */
};

struct child {
	/* Set by the caller; the default of each is zero. */
	char *const *argv; /* ends with NULL; argv[0] is looked up in PATH */
	bool self;         /* run this program; argv[0] is only its name */
	enum child_stream input, output, error;
	const char *folder;             /* its working directory; NULL: ours */
	bool own_group;                 /* a ^C on our terminal does not reach it */
	bool survives;                  /* it lives on after we end */
	int death_signal;               /* sent to it when we end; 0: SIGKILL */
	void (*prepare)(void *context); /* runs in the child before exec; may be NULL */
	void *context;

	/* Filled in by child_start(), or by the caller for CHILD_FD. The pipes do not
	 * block; the caller closes them. */
	int input_fd, output_fd, error_fd;
	pid_t pid;
};

/* Returns 0 or an errno, also if the program could not be executed; then there is nothing
 * to close or wait for. */
int child_start(struct child *child);
/* Closes our ends of its pipes. */
void child_close(struct child *child);
/* Waits until it has ended and closes the pipes; returns the status of waitpid(). */
int child_wait(struct child *child);
/* Has it ended? If so, sets `status` and sets the pid to 0. Does not wait. */
bool child_ended(struct child *child, int *status);

/*
 * Runs it until it ends. `output` gets the beginning of what it writes to stdout, and
 * with CHILD_OUTPUT also to stderr. Returns 0 and sets `status` as waitpid() does, or
 * returns the errno of child_start().
 */
int child_run(struct child *child, char *output, size_t size, int *status);

/* "exited with status 1", "killed by SIGSEGV (Segmentation fault)". */
void child_status_text(int status, char *text, size_t size);

#endif
