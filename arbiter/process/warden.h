/*
 * The warden: the process between the arbiter and one bot (see arbiter/process/launch.h).
 *
 * It runs in a fork of a program with threads, so it keeps to calls that are safe
 * there: no allocation, no streams.
 */
#ifndef ARBITER_PROCESS_WARDEN_H
#define ARBITER_PROCESS_WARDEN_H

#include <stdbool.h>
#include <stdint.h>

/* What travels from the warden to the arbiter. */
enum warden_report_kind { WARDEN_PID, WARDEN_EXIT, WARDEN_EXEC_FAILED, WARDEN_LEFT };
struct warden_report {
	int32_t kind;
	int32_t value; /* pid, wait status, errno, number of processes left behind */
};

struct warden_task {
	char *const *argv;
	char *const *environment; /* complete */
	const char *folder;
	const char *group;  /* the bot's cgroup, removed if the arbiter is not there to do
			     * it;  may be NULL */
	bool boxed;         /* argv is bwrap's */
	char *uid;          /* a word of argv for the bot's own user, or NULL */
	const char *socket; /* the bot's socket, removed with its folder if the arbiter is
			     * not there to do it; may be NULL */
	int control, report, output; /* the warden's ends of the pipes */
};

/* Starts the bot, keeps watch and ends with the whole tree. */
_Noreturn void warden_run(const struct warden_task *task);

#endif
