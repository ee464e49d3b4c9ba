/*
 * The sandbox of a local bot: bubblewrap with namespaces of its own, limits and a system
 * call filter. specs/security.md says what it promises and which test shows it.
 *
 *     warden ──► bwrap ──► pigpen inside (pid 1) ──► the bot
 *
 * bwrap makes what the bot can see: the system and the bot's own folder read-only, a
 * private /tmp and /dev/shm of limited size, its own socket, its own processes, no
 * network. `pigpen inside` then takes a user of the bot's own (if we are root), sets the
 * limits, loads the filter and starts the bot. It is held to the same itself, so that a
 * bot gains nothing by meddling with it, and ends with the bot. The limits are set there,
 * and not before bwrap, because the number of processes is counted for each user
 * namespace.
 */
#ifndef ARBITER_PROCESS_SANDBOX_H
#define ARBITER_PROCESS_SANDBOX_H

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
/* Reads "memory=2g,processes=64,descriptors=256,disk=64m,cpu=600"; what is not named
 * stays. False: `why` says what was wrong. */
bool sandbox_limits_parse(
	const char *text, struct sandbox_limits *limits, struct why *why);
/* The same in writing. */
void sandbox_limits_format(const struct sandbox_limits *limits, char *text, size_t size);
/* The smaller of the two, each; 0 is no limit. */
struct sandbox_limits sandbox_limits_tightest(
	const struct sandbox_limits *a, const struct sandbox_limits *b);

/* Can bots be sandboxed here? Tried once. False: `why` says what is missing and how to
 * get it. */
bool sandbox_available(struct why *why);

/* Reads the word of --sandbox. False: `why` says what was wrong. */
bool sandbox_mode_parse(const char *text, enum sandbox_mode *mode, struct why *why);

/*
 * What a mode comes to on this machine, for a command: warns on stderr if it is auto and
 * cannot be had. Returns 0, or EXIT_USER with a message if it is required and cannot.
 */
int sandbox_settle(enum sandbox_mode mode, bool *on);

/* What is to run in it. */
struct sandbox_task {
	char *const *argv;
	const char *folder; /* working directory, read-only unless `building` */
	const char *socket; /* a socket, or a folder with one; may be NULL */
	const struct sandbox_limits *limits;
	bool building; /* the folder may be written, and compilers may do as they like */
};

#define SANDBOX_WORDS_MAX 320
#define SANDBOX_TEXT_SIZE 65536

/* The words that run it. `uid` is a word of blanks that takes the user's number in
 * decimal, or NULL if we are not root and there is only one user to be. */
struct sandbox_command {
	char *argv[SANDBOX_WORDS_MAX + 1];
	char *uid;
	int count;
	size_t used;
	char text[SANDBOX_TEXT_SIZE];
};

/* False: too long. */
bool sandbox_command_fill(
	struct sandbox_command *command, const struct sandbox_task *task);
/* Writes the user that a warden's bot gets; safe after fork(). No two living wardens have
 * the same. */
void sandbox_command_own_user(char *uid, pid_t warden);

/* The bot's environment: PATH, HOME, LANG and what is given; a list to be freed. */
char **sandbox_environment(char *const *more);

/* Loads the filter into this process and all that it becomes. 0 or an errno. */
int sandbox_filter_load(bool building);

/* Do a bot's last words say that it got no more memory? */
bool sandbox_memory_words(const char *text, size_t size);

/*
 * Builds a bot in its folder, inside the sandbox (offline, only that folder can be
 * written), with all output to the descriptor `output`. Without a sandbox (`boxed` false)
 * it runs as we do. Returns the status of waitpid(); -1: could not be started.
 */
int sandbox_run_build(
	char *const *argv, const char *folder, bool boxed, int seconds_max, int output);

/* `pigpen inside`: the first program in the sandbox (sandbox_inside.c). */
int sandbox_inside(int argc, char **argv);

#endif
