/* Admitting one submission, in a process of its own. */
#include "arbiter/base/json_text.h"
#include "arbiter/ladder/directory/requests.h"
#include "arbiter/ladder/submit/admission.h"
#include "arbiter/ladder/submit/submission_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The one that is being admitted. */
struct submission {
	struct ladder *ladder;
	const char *id;
	json_t *document;
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

void submission_forget(const struct ladder *ladder, const char *id)
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

bool submission_finish(const struct ladder *ladder, const char *id, json_t *document,
	const char *state, const char *why, FILE *out)
{
	set_text(document, "state", state);
	if (*why)
		set_text(document, "why", why);
	set_now(document, "finished");
	if (!submission_write(ladder, "done/", id, document))
		return false;
	submission_forget(ladder, id);
	fprintf(out, "%s of %s is %s%s%s\n",
		*string_of(document, "name") ? string_of(document, "name")
					     : "a submission",
		string_of(document, "owner"), state, *why ? ": " : "", why);
	fflush(out);
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
	return submission_finish(submission->ladder, submission->id, document,
		ok ? "accepted" : "refused", ok ? "" : why.text, stdout);
}

static bool begin(struct submission *submission)
{
	json_t *document = submission->document;
	json_int_t attempts = json_integer_value(json_object_get(document, "attempts"));

	json_object_set_new(document, "attempts", json_integer(attempts + 1));
	set_now(document, "started");
	if (attempts >= SUBMISSION_ATTEMPTS_MAX)
		return submission_finish(submission->ladder, submission->id, document,
			"refused", "the check was interrupted too often; ask the host",
			stdout);
	on_stage(submission, "building");
	return admit(submission);
}

bool submission_admit_one(const char *path, const char *id, struct why *why)
{
	struct ladder ladder;
	struct submission submission = {.ladder = &ladder, .id = id};
	bool ok;

	if (!ladder_open(&ladder, path, LADDER_READ, why))
		return false;
	submission.document = submission_document(&ladder, "queue/", id);
	ok = !submission.document || begin(&submission);
	if (!ok)
		why_set(why, "%s/submissions cannot be written: %s", ladder.path,
			strerror(errno));
	json_decref(submission.document);
	ladder_close(&ladder);
	return ok;
}
