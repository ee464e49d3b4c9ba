/*
 * A step of an admission: a command that is started in a folder, which it can only read.
 * In the sandbox it is offline and has /tmp to write to, whose size is limited and of
 * which nothing is left; what it makes there it sends through the pipe
 * (arbiter/base/tree_stream.h). Without a sandbox it runs with our own rights.
 *
 *     struct sandbox_build build = {.argv = argv, .folder = folder, .boxed = true, …};
 *     int err = sandbox_build_start(&build);
 *     … read from build.process.output …
 *     status = sandbox_build_end(&build);
 */
#ifndef ARBITER_PROCESS_SANDBOX_BUILD_H
#define ARBITER_PROCESS_SANDBOX_BUILD_H

#include "arbiter/base/time.h"
#include "arbiter/process/launch.h"

struct sandbox_build {
	char *const *argv;
	const char *folder;
	bool boxed;
	mono_ns deadline; /* by time_system; then it is killed */
	int log;          /* gets its stderr, and its stdout too unless there is a `pipe`;
			   * -1 with a pipe: nobody wants to know */
	bool pipe;        /* its stdout is process.output, which does not block */
	struct process process;
};

/* 0 or an errno; then there is nothing to end. */
int sandbox_build_start(struct sandbox_build *build);
/* Waits until everything has ended, or kills it at the deadline; returns the status of
 * waitpid(). */
int sandbox_build_end(struct sandbox_build *build);

#endif
