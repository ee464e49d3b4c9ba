/*
 * Starting and ending a bot's process and everything that it starts itself.
 *
 * Every bot has a warden: a small process between the arbiter and the bot that adopts the
 * processes that the bot orphans (PR_SET_CHILD_SUBREAPER). It kills the whole tree, until
 * no process is left, when the arbiter says so, when the bot itself has exited, or when
 * the arbiter is gone (end of file on the control pipe, so this works even after kill -9
 * of the arbiter). The warden reports the bot's pid and exit status.
 *
 *     arbiter ── control ──► warden ──► bot ──► whatever it starts
 *             ◄── report ───
 *             ◄── output (stdout and stderr of the bot) ──────────
 *             ── line ─────────────────► process 1 of a sandbox
 *
 * The bot has a session and process group of its own, stdin from /dev/null, stdout and
 * stderr in one pipe, no other descriptor, all signals at their defaults.
 *
 * In a sandbox (arbiter/process/sandbox.h) bwrap stands between the warden and the bot,
 * and the bot's environment is not the arbiter's but PATH, HOME, LANG and what is given
 * here. The line ends with the arbiter, and then the sandbox ends by itself, also if the
 * warden and bwrap are gone.
 *
 * Where control groups can be made (arbiter/process/group.h), every bot has its own: its
 * whole tree is limited, counted and frozen by the kernel. Elsewhere the tree is walked.
 *
 * The arbiter's ends never block: poll the descriptors `report` and `output`.
 */
#ifndef ARBITER_PROCESS_LAUNCH_H
#define ARBITER_PROCESS_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include "arbiter/process/group.h"
#include "arbiter/process/sandbox.h"
#include "protocol/buffer.h"

#define OUTPUT_TAIL_SIZE 1024

struct launch_spec {
	char *const *argv;        /* ends with NULL; argv[0] is looked up in PATH */
	const char *folder;       /* working directory */
	char *const *environment; /* added to the arbiter's; ends with NULL */
	/* A file that the warden removes with its folder if the arbiter dies; or NULL. */
	const char *socket;
	/* What sandbox_choose() chose: the limits of a sandbox. NULL: the bot runs as we
	 * do. */
	const struct sandbox_limits *sandbox;
	const char *seen; /* a folder to be seen in the sandbox instead of `socket` */
	bool building; /* in a sandbox: there need be no bot.json, files can be locked */
	bool errors_apart; /* stderr goes to the descriptor `errors`, not into the pipe */
	int errors;
};

struct process {
	pid_t warden;
	pid_t pid;           /* of the bot, 0 until the warden has reported it; in a
			      * sandbox that of bwrap until process_settled() */
	bool boxed;          /* it runs in a sandbox */
	bool frozen;         /* by process_freeze() */
	int control;         /* -1 once closed */
	int line;            /* to process 1 of the sandbox; -1: none, or closed */
	int report;          /* pid and status; end of file: the whole tree is gone */
	int output;          /* -1 once closed */
	bool exited;         /* the bot itself has ended, `status` is set */
	bool gone;           /* no process of the tree is left and the warden is reaped */
	int status;          /* as of waitpid() */
	int start_errno;     /* not 0: the command could not be executed */
	int left;            /* processes that it left behind when it ended by itself */
	clockid_t cpu_clock; /* of the bot, valid once pid is set */
	int64_t cpu_ns, tree_cpu_ns; /* the most that was read so far */
	struct group group;
};

/* A process that was not started; everything below may be called on it. */
void process_init(struct process *process);
/* Starts the bot; 0 or an errno, and then it was not started. `spec` is not needed
 * afterwards. */
int process_start(struct process *process, const struct launch_spec *spec);
/* Reads what the warden reports: call when `report` is readable. True if something
 * changed (pid, exited, gone). */
bool process_report(struct process *process);
/* Call once the bot has sent something, which proves that it runs: finds its process in
 * the sandbox. */
void process_settled(struct process *process);
/* Tells the warden to kill the tree; `gone` follows. May be called at any time. */
void process_kill(struct process *process);
/* Kills, waits until the tree is gone, closes all. */
void process_release(struct process *process);

/* Stops everything that the bot started while it is not its turn (`--ponder off`), and
 * lets it run again: by its control group, else from within its sandbox, else by signals
 * to every process that /proc shows below the warden. */
void process_freeze(struct process *process, bool frozen);
/* Did the kernel end it because its group's memory was used up? */
bool process_out_of_memory(const struct process *process);

/*
 * CPU time of the bot's process alone (cheap), or with everything that it started. 0 if it
 * could never be read; it never decreases. With a control group nothing is missed.
 * Without, what ended while its parent ignored SIGCHLD is (arbiter/process/tree.h).
 */
int64_t process_cpu_ns(struct process *process);
int64_t process_tree_cpu_ns(struct process *process);

struct output;
/* Waits until everything has ended and was written to `output`. */
void process_wait(struct process *process, struct output *output);

/*
 * What a bot writes: saved to a file (0600) up to a limit, where a line names the match
 * and turn before the first output in it; the end is kept in memory too.
 */
struct output {
	char path[512]; /* "": none is kept */
	int fd;         /* -1 until there is something to write */
	int64_t bytes_max;
	int64_t bytes_left; /* what may still go to the file */
	int64_t bytes;      /* written by the bot so far */
	bool mark_due;
	int64_t match; /* the current decision */
	uint32_t turn;
	size_t tail_size;
	char tail[OUTPUT_TAIL_SIZE];
};

/* The file at `path` (NULL: none is kept) is made when there is something to write. */
void output_init(struct output *output, const char *path, int64_t bytes_max);
void output_release(struct output *output);
/* Drains the pipe; false: it was closed. */
bool output_drain(struct output *output, int pipe);
/* A new match begins: a file that is more than half full is truncated, so that it never
 * exceeds its limit and always has room for the new match. */
void output_next_match(struct output *output);
/* Sets the current decision. */
void output_mark(struct output *output, int64_t match, uint32_t turn);
/* Adds a remark of the arbiter's to the output. */
void output_note(struct output *output, struct text text);
/* The last line that is not blank, as utf8_show() shows it, truncated to `size`. */
void output_last_line(const struct output *output, char *line, size_t size);

#endif
