/* Admitting the submissions that wait, one at a time, each in a process of its own. */
#include "arbiter/base/child.h"
#include "arbiter/base/exit.h"
#include "arbiter/base/files.h"
#include "arbiter/base/time.h"
#include "arbiter/ladder/submit/submission_internal.h"
#include "arbiter/process/sandbox.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DAY_S   86400
#define LOOK_MS 20

/* Removes reports that are too old, or beyond the number that is kept. */
static void prune(const struct ladder *ladder)
{
	struct dirent **list;
	char path[LADDER_PATH_MAX];
	int64_t now = time(NULL);
	int n = submission_list(ladder, "done/", &list);

	for (int i = 0; i < n; i++) {
		int64_t age = now - strtoll(list[i]->d_name, NULL, 10) / 1000000;

		/* Those of the last day stay: they are counted against the limit. */
		if (age < SUBMISSIONS_KEPT_DAYS * DAY_S &&
			(i >= n - SUBMISSIONS_KEPT_MAX || age <= DAY_S))
			continue;
		submission_path(ladder, "done/", list[i]->d_name, ".json", path);
		unlink(path);
	}
	submission_list_free(list, n);
}

/* What a process that was killed left behind; nobody else works here. */
static void clear_work(const struct ladder *ladder)
{
	char path[LADDER_PATH_MAX];

	submission_path(ladder, "work", "", "", path);
	remove_tree(path);
	make_folder(path, 0777);
}

/* The descriptor of the lock; -1: another process holds it. */
static int take_lock(const struct ladder *ladder)
{
	char path[LADDER_PATH_MAX];
	int lock;

	submission_path(ladder, "lock", "", "", path);
	lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB)) {
		close(lock);
		lock = -1;
	}
	return lock;
}

/* Waits for the process of a submission; false: its time was over, and it was killed. */
static bool wait_for(struct child *child, mono_ns deadline, int *status)
{
	const struct timespec pause = {0, LOOK_MS * NS_PER_MS};
	bool in_time = true;

	while (!child_ended(child, status)) {
		mono_ns now = time_now(&time_system);

		if (now >= deadline) {
			in_time = false;
			kill(child->pid, SIGKILL);
		}
		/* A process that the kernel holds fast must not hold us, too. */
		if (now >= deadline + SUBMISSION_GRACE_S_MAX * NS_PER_S)
			break;
		nanosleep(&pause, NULL);
	}
	return in_time;
}

/* Its process has ended, but it is still in the queue. */
static bool settle(const struct ladder *ladder, const char *id, bool in_time)
{
	json_t *document = submission_document(ladder, "queue/", id), *turn;
	char why[128];
	bool ok;

	if (in_time) {
		/* It died: others first, and then once more. */
		turn = json_object_get(document, "turn");
		json_object_set_new(document, "state", json_string("queued"));
		json_object_set_new(document, "turn",
			json_integer(json_integer_value(turn) + SUBMISSIONS_DAY_MAX));
		ok = submission_write(ladder, "queue/", id, document);
	} else {
		snprintf(why, sizeof(why),
			"it took too long; a bot is admitted within %d s",
			ladder->config.admission_s_max);
		ok = submission_finish(ladder, id, document, "refused", why, stdout);
	}
	json_decref(document);
	return ok;
}

static bool is_waiting(const struct ladder *ladder, const char *id)
{
	json_t *document = submission_document(ladder, "queue/", id);
	bool there = document != NULL;

	json_decref(document);
	return there;
}

/* False: the ladder cannot be written. */
static bool admit_next(const struct ladder *ladder, const char *id)
{
	char *argv[] = {"pigpen", "ladder", "admit", (char *)ladder->path, "--one",
		(char *)id, NULL};
	struct child child = {.argv = argv, .self = true, .input = CHILD_NULL};
	json_t *done = submission_document(ladder, "done/", id);
	bool in_time;
	int status = 0;

	/* Somebody was killed after the report was written and before the archive was
	 * removed; or there is no document, which makes it nobody's. */
	if (done || !is_waiting(ladder, id)) {
		json_decref(done);
		submission_forget(ladder, id);
		return true;
	}
	if (child_start(&child))
		return false;
	in_time = wait_for(&child,
		time_now(&time_system) +
			(ladder->config.admission_s_max + SUBMISSION_GRACE_S_MAX) *
				NS_PER_S,
		&status);
	clear_work(ladder);
	if (in_time && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_USER)
		return false;
	return !is_waiting(ladder, id) || settle(ladder, id, in_time);
}

static bool admit_all(const struct ladder *ladder, struct why *why)
{
	bool ok = true;
	int n = 1;

	clear_work(ladder);
	while (ok && n > 0) {
		struct submission_place *order = submission_order(ladder, &n);

		ok = n == 0 || admit_next(ladder, order[0].id);
		free(order);
	}
	prune(ladder);
	if (!ok)
		why_set(why, "%s/submissions cannot be read or written", ladder->path);
	return ok;
}

bool submissions_admit(const char *path, struct why *why)
{
	struct ladder ladder;
	const struct match_rules *rules = &ladder.config.rules;
	const struct sandbox_limits *sandbox;
	bool ok = true;
	int lock;

	if (!ladder_open(&ladder, path, LADDER_READ, why))
		return false;
	lock = submission_waiting(&ladder) ? take_lock(&ladder) : -1;
	if (lock >= 0) {
		if (sandbox_choose(rules->sandbox, &rules->limits, &sandbox)) {
			why_set(why, "submissions wait: they are checked in a sandbox");
			ok = false;
		} else {
			ok = admit_all(&ladder, why);
		}
		close(lock);
	}
	ladder_close(&ladder);
	return ok;
}
