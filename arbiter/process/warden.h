/*
 * The warden: the process between the arbiter and one bot (see arbiter/process/launch.h).
 *
 * It runs in a fork of a multi-threaded program, so it only makes calls that are safe
 * there: no allocation, no stdio.
 */
#ifndef ARBITER_PROCESS_WARDEN_H
#define ARBITER_PROCESS_WARDEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The messages from the warden to the arbiter. */
enum warden_report_kind { WARDEN_PID, WARDEN_EXIT, WARDEN_EXEC_FAILED, WARDEN_LEFT };
struct warden_report {
	int32_t kind;
	int32_t value; /* pid, wait status, errno, number of processes left behind */
};

struct warden_task {
	char *const *argv;
	char *const *environment; /* complete */
	const char *folder;
	const char *group; /* the bot's cgroup, removed if the arbiter is gone; or NULL */
	bool boxed;        /* argv is bwrap's */
	char *uid;         /* the argument in argv for the bot's own user, or NULL */
	const char *socket; /* removed with its folders if the arbiter is gone; or NULL */
	int control, report, output; /* the warden's ends of the pipes */
	int errors;                  /* for the bot's stderr, may be `output` */
	int line, filter; /* for `pigpen inside` (arbiter/process/sandbox.h), or -1 */
};

/* Starts the bot, watches it and exits when the whole tree is gone. */
_Noreturn void warden_run(const struct warden_task *task);

#endif
