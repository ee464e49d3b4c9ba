/* Admitting the submissions that wait, one at a time. */
#include "arbiter/base/files.h"
#include "arbiter/base/json_text.h"
#include "arbiter/ladder/directory/requests.h"
#include "arbiter/ladder/submit/admission.h"
#include "arbiter/ladder/submit/submission_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define DAY_S 86400

/* The one that is being admitted. */
struct submission {
	struct ladder *ladder;
	const char *id;
	json_t *document;
	FILE *out;
};

static const char *string_of(const json_t *document, const char *key)
{
	const char *text = json_string_value(json_object_get(document, key));

	return text ? text : "";
}

static void set_text(json_t *document, const char *key, const char *text)
{
	/* Names in archives may be anything. */
	json_object_set_new(document, key, json_of_bytes(text, strlen(text)));
}

static void set_now(json_t *document, const char *key)
{
	json_object_set_new(document, key, json_integer(time(NULL)));
}

static void on_stage(void *context, const char *stage)
{
	struct submission *submission = context;

	set_text(submission->document, "state", stage);
	submission_write(
		submission->ladder, "queue/", submission->id, submission->document);
}

static void forget(const struct ladder *ladder, const char *id)
{
	char path[LADDER_PATH_MAX];

	/* The document last: without it the archive is nobody's. */
	submission_path(ladder, "queue/", id, ".archive", path);
	unlink(path);
	submission_path(ladder, "queue/", id, ".json.new", path);
	unlink(path);
	submission_path(ladder, "queue/", id, ".json", path);
	unlink(path);
}

static bool finish(struct submission *submission, const char *state, const char *why)
{
	json_t *document = submission->document;

	set_text(document, "state", state);
	if (*why)
		set_text(document, "why", why);
	set_now(document, "finished");
	if (!submission_write(submission->ladder, "done/", submission->id, document))
		return false;
	forget(submission->ladder, submission->id);
	fprintf(submission->out, "%s of %s is %s%s%s\n",
		*string_of(document, "name") ? string_of(document, "name")
					     : "a submission",
		string_of(document, "owner"), state, *why ? ": " : "", why);
	fflush(submission->out);
	return true;
}

/* A version that was benched does not come back by being submitted again. */
static bool is_benched(
	struct ladder *ladder, const struct store_entrant *entrant, struct why *why)
{
	struct store_entrant *list;
	int count;
	bool found = false;

	if (!store_entrants(ladder->store, &list, &count))
		count = 0;
	for (int i = 0; i < count; i++)
		if (list[i].state == ENTRANT_BENCHED &&
			!strcmp(list[i].name, entrant->name) &&
			!strcmp(list[i].hash, entrant->hash)) {
			why_set(why, "this version is benched (%s); submit a better one",
				list[i].reason);
			found = true;
		}
	free(list);
	return found;
}

/* A run applies the request before its next epoch; if there is no run it is applied now.
 */
static bool post_request(struct submission *submission,
	const struct store_entrant *entrant, struct why *why)
{
	struct ladder writer;

	if (is_benched(submission->ladder, entrant, why))
		return false;
	if (!request_post_add(submission->ladder, entrant))
		return why_set(why, "the ladder cannot be written: %s", strerror(errno));
	if (ladder_open(&writer, submission->ladder->path, LADDER_WRITE_TRY, why)) {
		if (writer.lock >= 0)
			requests_apply(&writer, NULL);
		ladder_close(&writer);
	}
	return true;
}

static bool admit(struct submission *submission)
{
	json_t *document = submission->document;
	struct why why = {""};
	char archive[LADDER_PATH_MAX];
	struct store_entrant entrant;
	struct admission_order order = {.what = archive,
		.owner = string_of(document, "owner"),
		.work = "submissions/work/new-XXXXXX",
		.stage = on_stage,
		.context = submission,
		.report = document};
	bool ok;

	submission_path(
		submission->ladder, "queue/", submission->id, ".archive", archive);
	ok = admit_bot(submission->ladder, &order, &entrant, &why);
	if (*entrant.name) {
		set_text(document, "name", entrant.name);
		set_text(document, "version", entrant.version);
		set_text(document, "hash", entrant.hash);
	}
	ok = ok && post_request(submission, &entrant, &why);
	return finish(submission, ok ? "accepted" : "refused", ok ? "" : why.text);
}

static bool admit_one(struct ladder *ladder, const char *id, FILE *out)
{
	struct submission submission = {.ladder = ladder, .id = id, .out = out};
	json_t *document = submission_document(ladder, "done/", id);
	json_int_t attempts;
	bool ok;

	/* A process was killed after it wrote the report and before it removed the
	 * archive. */
	if (document) {
		json_decref(document);
		forget(ladder, id);
		return true;
	}
	submission.document = document = submission_document(ladder, "queue/", id);
	if (!document) {
		forget(ladder, id);
		return true;
	}
	attempts = json_integer_value(json_object_get(document, "attempts"));
	json_object_set_new(document, "attempts", json_integer(attempts + 1));
	set_now(document, "started");
	if (attempts >= SUBMISSION_ATTEMPTS_MAX) {
		ok = finish(&submission, "refused",
			"the check was interrupted too often; ask the host");
	} else {
		on_stage(&submission, "building");
		ok = admit(&submission);
	}
	json_decref(document);
	return ok;
}

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

static bool admit_all(struct ladder *ladder, FILE *out, struct why *why)
{
	struct dirent **list;
	bool ok = true;
	int n;

	clear_work(ladder);
	while (ok && (n = submission_list(ladder, "queue/", &list)) > 0) {
		ok = admit_one(ladder, list[0]->d_name, out);
		submission_list_free(list, n);
	}
	prune(ladder);
	if (!ok)
		why_set(why, "%s/submissions cannot be written: %s", ladder->path,
			strerror(errno));
	return ok;
}

bool submissions_admit(const char *path, FILE *out, struct why *why)
{
	struct ladder ladder;
	const struct sandbox_limits *sandbox;
	bool ok = true;
	int lock;

	if (!ladder_open(&ladder, path, LADDER_READ, why))
		return false;
	lock = submission_waiting(&ladder) ? take_lock(&ladder) : -1;
	if (lock >= 0) {
		const struct match_rules *rules = &ladder.config.rules;

		if (sandbox_choose(rules->sandbox, &rules->limits, &sandbox)) {
			why_set(why, "submissions wait: they are checked in a sandbox");
			ok = false;
		} else {
			ok = admit_all(&ladder, out, why);
		}
		close(lock);
	}
	ladder_close(&ladder);
	return ok;
}
