/*
 * The sandbox of a local bot: bubblewrap with its own namespaces, limits and a system
 * call filter. specs/security.md says what it promises and which test shows it.
 *
 *     warden ──► bwrap ──► pigpen inside (pid 1) ──► the bot
 *
 * bwrap sets up what the bot can see: the system and the bot's own folder read-only, a
 * private /tmp and /dev/shm of limited size, its own socket, its own processes, no
 * network. `pigpen inside` then switches to the bot's own user (if we are root), sets the
 * limits, loads the filter and starts the bot. It is under the same restrictions, so that
 * a bot gains nothing by attacking it, and it ends with the bot. The limits are set
 * there, and not before bwrap, because the number of processes is counted for each user
 * namespace.
 */
#ifndef ARBITER_PROCESS_SANDBOX_H
#define ARBITER_PROCESS_SANDBOX_H

#include "arbiter/base/child.h"
#include "arbiter/base/time.h"
#include "protocol/why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum sandbox_mode { SANDBOX_OFF, SANDBOX_AUTO, SANDBOX_REQUIRE };
extern const char *const sandbox_mode_names[]; /* "off", "auto", "require", NULL */

/* 0: no such limit. */
struct sandbox_limits {
	int64_t memory_bytes; /* private memory of one process */
	int64_t processes;    /* threads count as well */
	int64_t descriptors;  /* of one process */
	int64_t disk_bytes;   /* of /tmp, of /dev/shm, and of one file */
	int64_t cpu_s;        /* of one process in all its life */
};

struct sandbox_limits sandbox_limits_default(void);
/* Parses "memory=2g,processes=64,descriptors=256,disk=64m,cpu=600"; limits that are not
 * named keep their values. False: `why` says what was wrong. */
bool sandbox_limits_parse(
	const char *text, struct sandbox_limits *limits, struct why *why);
/* Writes limits as sandbox_limits_parse() reads them. */
void sandbox_limits_format(const struct sandbox_limits *limits, char *text, size_t size);
/* The smaller of the two values for each limit; 0 means no limit. */
struct sandbox_limits sandbox_limits_tightest(
	const struct sandbox_limits *a, const struct sandbox_limits *b);

/* Can bots be sandboxed here? Tested once and remembered. False: `why` says what is
 * missing and how to get it. */
bool sandbox_available(struct why *why);

/* Parses the argument of --sandbox. False: `why` says what was wrong. */
bool sandbox_mode_parse(const char *text, enum sandbox_mode *mode, struct why *why);

/*
 * Decides for a command whether bots are sandboxed. If that is not possible: prints a
 * warning and returns 0 with mode auto, prints an error and returns EXIT_USER with mode
 * require.
 */
int sandbox_settle(enum sandbox_mode mode, bool *on);

/* What to run in the sandbox. */
struct sandbox_task {
	char *const *argv;
	const char *folder; /* working directory, read-only */
	const char *socket; /* a socket, or a folder with one; may be NULL */
	const struct sandbox_limits *limits;
	bool building; /* the folder need hold no bot.json, the filter is more permissive */
};

#define SANDBOX_WORDS_MAX 320
#define SANDBOX_TEXT_SIZE 65536

/* The command line that runs it. `uid` points at an argument of blanks that receives the
 * user's number in decimal; NULL if we are not root and cannot change the user. */
struct sandbox_command {
	char *argv[SANDBOX_WORDS_MAX + 1];
	char *uid;
	int count;
	size_t used;
	char text[SANDBOX_TEXT_SIZE];
};

/* False: the command line is too long. */
bool sandbox_command_fill(
	struct sandbox_command *command, const struct sandbox_task *task);
/* Writes the user of a warden's bot into `uid`; safe after fork(). No two living wardens
 * get the same user. */
void sandbox_command_own_user(char *uid, pid_t warden);

/* The bot's environment: PATH, HOME, LANG and what is given; a list to be freed. */
char **sandbox_environment(char *const *more);

/* Loads the filter into this process and everything it executes. 0 or an errno. */
int sandbox_filter_load(bool building);

/* Does the end of a bot's output say that it ran out of memory? */
bool sandbox_memory_words(const char *text, size_t size);

/*
 * A step of an admission: a command that is started in a folder, which it can only read.
 * In the sandbox it is offline and has /tmp to write to, whose size is limited and of
 * which nothing is left; what it makes there it sends through the pipe
 * (arbiter/base/tree_stream.h). Without a sandbox it runs with our own rights.
 *
 *     struct sandbox_build build = {.argv = argv, .folder = folder, .boxed = true, …};
 *     int err = sandbox_build_start(&build);
 *     … read from build.child.output_fd …
 *     status = sandbox_build_end(&build);
 */
struct sandbox_build {
	char *const *argv;
	const char *folder;
	bool boxed;
	mono_ns deadline; /* by time_system; then it is killed */
	int log;          /* gets its stderr, and its stdout too unless there is a `pipe`;
			   * -1 with a pipe: nobody wants to know */
	bool pipe;        /* its stdout is child.output_fd, which does not block */
	struct child child;
};

/* 0 or an errno; then there is nothing to end. */
int sandbox_build_start(struct sandbox_build *build);
/* Waits until it has ended, or kills it at the deadline; returns the status of
 * waitpid(). */
int sandbox_build_end(struct sandbox_build *build);

/* `pigpen inside`: the first program in the sandbox (sandbox_inside.c). */
int sandbox_inside(int argc, char **argv);

#endif
