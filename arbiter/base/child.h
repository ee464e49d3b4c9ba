/*
 * A child process, described in one struct and started in one place.
 *
 *     struct child child = {.argv = argv, .output = CHILD_PIPE};
 *     int err = child_start(&child);
 *     … read from child.output_fd …
 *     status = child_wait(&child);
 *
 * A child has no descriptor of ours but those named here, no blocked signal, and it dies
 * with the thread that started it unless `survives` is set. Bots are not started like
 * this but by arbiter/process/launch.h, which watches over them.
 */
#ifndef ARBITER_BASE_CHILD_H
#define ARBITER_BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum child_stream {
	CHILD_INHERIT, /* as ours */
	CHILD_NULL,    /* /dev/null */
	CHILD_PIPE,    /* a pipe, whose end for us is put into the …_fd */
	CHILD_FD,      /* the descriptor in …_fd, which stays the caller's */
	CHILD_OUTPUT   /* of error: the same as output */
};

struct child {
	/* Set by the caller; zero is the default of each. */
	char *const *argv; /* ends with NULL; argv[0] is looked for on PATH */
	bool self;         /* it is this program; argv[0] is only its name */
	enum child_stream input, output, error;
	const char *folder;             /* its working directory; NULL: as ours */
	bool own_group;                 /* a ^C on our terminal is not for it */
	bool survives;                  /* our end is not its end */
	int death_signal;               /* at our end; 0: SIGKILL */
	void (*prepare)(void *context); /* runs in the child before exec; may be NULL */
	void *context;

	/* Filled in by child_start(), or by the caller for CHILD_FD. Pipes are ours to
	 * close and do not block. */
	int input_fd, output_fd, error_fd;
	pid_t pid;
};

/* 0 or an errno, also when the program could not be executed: nothing is left then. */
int child_start(struct child *child);
/* Closes our ends of its pipes. */
void child_close(struct child *child);
/* Waits for its end and closes the pipes; the status of waitpid(). */
int child_wait(struct child *child);
/* Has it ended? Then `status` is set, and the pid is 0. Does not wait. */
bool child_ended(struct child *child, int *status);

/*
 * Runs it to its end. `output` gets the beginning of what it writes to stdout, and with
 * CHILD_OUTPUT to stderr. 0 and `status` as waitpid() has it, or the errno of
 * child_start().
 */
int child_run(struct child *child, char *output, size_t size, int *status);

/* "exited with status 1", "killed by SIGSEGV (Segmentation fault)". */
void child_status_text(int status, char *text, size_t size);

#endif
