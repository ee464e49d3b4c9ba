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
 * a bot gains nothing by attacking it, and it ends with the bot, and with the arbiter. The
 * limits are set there, and not before bwrap, because the number of processes is counted
 * for each user namespace.
 *
 * Nobody but arbiter/process/launch.h starts a sandbox.
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
 * The one place that decides whether bots are sandboxed, for every command that starts
 * some: sets `sandbox` to what launch_spec.sandbox wants, the limits or NULL. If the mode
 * wants a sandbox and there can be none: prints a warning and returns 0 with mode auto,
 * prints an error and returns EXIT_USER with mode require.
 */
int sandbox_choose(enum sandbox_mode mode, const struct sandbox_limits *limits,
	const struct sandbox_limits **sandbox);

/* For CPU clocks: says in one line that bots can hide CPU time, where they can. */
void sandbox_warn_of_hidden_time(void);

/* No bot that this process starts from now on sees this folder, unless it is its own or
 * lies in it. For whatever could lie below /usr or /opt, which bots do see: ladders,
 * replays, logs, the folders of bots. The folder of a ladder that a bot itself lies in is
 * hidden anyway. */
void sandbox_hide(const char *folder);

/* What to run in the sandbox. */
struct sandbox_task {
	char *const *argv;
	const char *folder; /* working directory, read-only */
	const char *socket; /* a socket, or a folder with one; may be NULL */
	const struct sandbox_limits *limits;
	bool building; /* the folder need hold no bot.json, the filter is more permissive */
};

/* The descriptors that `pigpen inside` gets: the end of a pipe from the arbiter, on which
 * it is told to stop and continue everything and whose end is its own, and the compiled
 * filter. */
enum { SANDBOX_FD_LINE = 3, SANDBOX_FD_FILTER = 4 };
#define SANDBOX_STOP     's'
#define SANDBOX_CONTINUE 'c'

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

/* A file with the compiled filter of system calls, to be read from its beginning; it is
 * made once and stays open. -1: see errno. */
int sandbox_filter_program(bool building);
/* Loads a filter into this process and everything it executes. 0 or an errno. */
int sandbox_filter_load(int program);

/* For process 1 of a sandbox: a process that has more memory than it may, or 0; `next_ms` is
 * when to look again. */
pid_t sandbox_memory_look(int64_t limit_bytes, int *next_ms);
/* Does the end of a bot's output say that it ran out of memory? */
bool sandbox_memory_words(const char *text, size_t size);

/* `pigpen inside`: the first program in the sandbox (sandbox_inside.c). */
int sandbox_inside(int argc, char **argv);

#endif
