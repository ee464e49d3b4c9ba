/* Checking submissions, one at a time. */
#include "arbiter/base/exit.h"
#include "arbiter/ladder/directory/inbox.h"
#include "arbiter/ladder/directory/owner.h"
#include "arbiter/ladder/submit/queue_internal.h"
#include "arbiter/ladder/submit/submit.h"
#include "arbiter/base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define DAY_S   86400
#define WHY_MAX 2048

struct admission {
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
	char plain[WHY_MAX];
	json_t *json = json_string(text);

	/* Names in archives may be anything. */
	if (!json) {
		snprintf(plain, sizeof(plain), "%s", text);
		for (char *c = plain; *c; c++)
			if ((unsigned char)*c >= 0x80)
				*c = '?';
		json = json_string(plain);
	}
	json_object_set_new(document, key, json);
}

static void set_now(json_t *document, const char *key)
{
	json_object_set_new(document, key, json_integer(time(NULL)));
}

static void on_stage(void *context, const char *stage)
{
	struct admission *admission = context;

	set_text(admission->document, "state", stage);
	queue_write(admission->ladder, "queue/", admission->id, admission->document);
}

static void forget(const struct ladder *ladder, const char *id)
{
	char path[LADDER_PATH_MAX];

	/* The document last: without it the archive is nobody's. */
	queue_path(ladder, "queue/", id, ".archive", path);
	unlink(path);
	queue_path(ladder, "queue/", id, ".new", path);
	unlink(path);
	queue_path(ladder, "queue/", id, ".json", path);
	unlink(path);
}

static bool finish(struct admission *admission, const char *state, const char *why)
{
	json_t *document = admission->document;

	set_text(document, "state", state);
	if (*why)
		set_text(document, "why", why);
	set_now(document, "finished");
	if (!queue_write(admission->ladder, "done/", admission->id, document))
		return false;
	forget(admission->ladder, admission->id);
	fprintf(admission->out, "%s of %s is %s%s%s\n",
		*string_of(document, "name") ? string_of(document, "name")
					     : "a submission",
		string_of(document, "owner"), state, *why ? ": " : "", why);
	fflush(admission->out);
	return true;
}

/* One who was benched does not come back by being sent again. */
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
			why_set(why,
				"this very version is benched (%s); send a better one",
				list[i].reason);
			found = true;
		}
	free(list);
	return found;
}

/* A run takes the request before its next epoch; if there is none it is taken now. */
static bool enter(
	struct admission *admission, const struct store_entrant *entrant, struct why *why)
{
	struct ladder writer;

	if (is_benched(admission->ladder, entrant, why))
		return false;
	if (!submit_request(admission->ladder, entrant))
		return why_set(why, "the ladder cannot be written: %s", strerror(errno));
	if (ladder_open(&writer, admission->ladder->path, LADDER_WRITE_TRY, why)) {
		if (writer.lock >= 0)
			inbox_take(&writer, NULL);
		ladder_close(&writer);
	}
	return true;
}

static bool prove(struct admission *admission)
{
	json_t *document = admission->document;
	struct why why = {""};
	char archive[LADDER_PATH_MAX];
	struct store_entrant entrant;
	struct submit_order order = {.what = archive,
		.owner = string_of(document, "owner"),
		.work = "submissions/work/new-XXXXXX",
		.stage = on_stage,
		.context = admission,
		.report = document};
	bool ok;

	queue_path(admission->ladder, "queue/", admission->id, ".archive", archive);
	ok = submit_bot(admission->ladder, &order, &entrant, &why);
	if (*entrant.name) {
		set_text(document, "name", entrant.name);
		set_text(document, "version", entrant.version);
		set_text(document, "hash", entrant.hash);
	}
	ok = ok && enter(admission, &entrant, &why);
	return finish(admission, ok ? "accepted" : "refused", ok ? "" : why.text);
}

static bool admit_one(struct ladder *ladder, const char *id, FILE *out)
{
	struct admission admission = {.ladder = ladder, .id = id, .out = out};
	json_t *document = queue_document(ladder, "done/", id);
	json_int_t attempts;
	bool ok;

	/* Killed between the two. */
	if (document) {
		json_decref(document);
		forget(ladder, id);
		return true;
	}
	admission.document = document = queue_document(ladder, "queue/", id);
	if (!document) {
		forget(ladder, id);
		return true;
	}
	attempts = json_integer_value(json_object_get(document, "attempts"));
	json_object_set_new(document, "attempts", json_integer(attempts + 1));
	set_now(document, "started");
	if (attempts >= QUEUE_ATTEMPTS_MAX) {
		ok = finish(&admission, "refused",
			"the check was cut off again and again; ask the host");
	} else {
		on_stage(&admission, "building");
		ok = prove(&admission);
	}
	json_decref(document);
	return ok;
}

/* Reports of long ago, and beyond the number that is kept. */
static void prune(const struct ladder *ladder)
{
	struct dirent **list;
	char path[LADDER_PATH_MAX];
	int64_t now = time(NULL);
	int n = queue_list(ladder, "done/", &list);

	for (int i = 0; i < n; i++) {
		int64_t age = now - strtoll(list[i]->d_name, NULL, 10) / 1000000;

		/* Those of a day are counted. */
		if (age < QUEUE_KEPT_DAYS * DAY_S &&
			(i >= n - QUEUE_KEPT_MAX || age <= DAY_S))
			continue;
		queue_path(ladder, "done/", list[i]->d_name, ".json", path);
		unlink(path);
	}
	queue_list_free(list, n);
}

/* What a process that was killed left behind; nobody else works here. */
static void clear_work(const struct ladder *ladder)
{
	char path[LADDER_PATH_MAX];

	queue_path(ladder, "work", "", "", path);
	remove_tree(path);
	make_folder(path, 0777);
}

/* The descriptor of the lock; -1: somebody has it. */
static int take_lock(const struct ladder *ladder)
{
	char path[LADDER_PATH_MAX];
	int lock;

	queue_path(ladder, "lock", "", "", path);
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
	while (ok && (n = queue_list(ladder, "queue/", &list)) > 0) {
		ok = admit_one(ladder, list[0]->d_name, out);
		queue_list_free(list, n);
	}
	prune(ladder);
	if (!ok)
		why_set(why, "%s/submissions cannot be written: %s", ladder->path,
			strerror(errno));
	return ok;
}

bool queue_admit(const char *path, FILE *out, struct why *why)
{
	struct ladder ladder;
	bool ok = true, boxed;
	int lock;

	if (!ladder_open(&ladder, path, LADDER_READ, why))
		return false;
	lock = queue_waiting(&ladder) ? take_lock(&ladder) : -1;
	if (lock >= 0) {
		if (sandbox_settle(ladder.config.rules.sandbox, &boxed)) {
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
