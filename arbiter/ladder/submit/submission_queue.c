/* The submission queue: limits, files and documents. */
#include "arbiter/ladder/submit/submission_queue.h"
#include "arbiter/base/files.h"
#include "arbiter/base/json_text.h"
#include "arbiter/ladder/submit/submission_internal.h"
#include "protocol/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <sodium.h>

#define TIME_DIGITS 16
#define RANDOM_SIZE 16
#define DAY_S       86400
#define SECOND_US   INT64_C(1000000)

static bool id_ok(const char *id)
{
	return strlen(id) == SUBMISSION_ID_SIZE - 1 &&
	       strspn(id, "0123456789") == TIME_DIGITS && id[TIME_DIGITS] == '-' &&
	       strspn(id + TIME_DIGITS + 1, "0123456789abcdef") == 2 * RANDOM_SIZE;
}

void submission_path(const struct ladder *ladder, const char *folder, const char *id,
	const char *end, char path[LADDER_PATH_MAX])
{
	char name[128];

	snprintf(name, sizeof(name), "submissions/%s%s%s", folder, id, end);
	ladder_file(ladder, name, path);
}

static int is_submission(const struct dirent *entry)
{
	char id[SUBMISSION_ID_SIZE];

	if (strlen(entry->d_name) != SUBMISSION_ID_SIZE - 1 + strlen(".json"))
		return false;
	snprintf(id, sizeof(id), "%.*s", SUBMISSION_ID_SIZE - 1, entry->d_name);
	return id_ok(id) && !strcmp(entry->d_name + SUBMISSION_ID_SIZE - 1, ".json");
}

int submission_list(
	const struct ladder *ladder, const char *folder, struct dirent ***list)
{
	char path[LADDER_PATH_MAX];
	int n;

	submission_path(ladder, folder, "", "", path);
	*list = NULL;
	n = scandir(path, list, is_submission, alphasort);
	for (int i = 0; i < n; i++)
		(*list)[i]->d_name[SUBMISSION_ID_SIZE - 1] = 0;
	return n < 0 ? 0 : n;
}

void submission_list_free(struct dirent **list, int count)
{
	for (int i = 0; i < count; i++)
		free(list[i]);
	free(list);
}

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * SECOND_US + now.tv_nsec / 1000;
}

json_t *submission_document(
	const struct ladder *ladder, const char *folder, const char *id)
{
	char path[LADDER_PATH_MAX];

	submission_path(ladder, folder, id, ".json", path);
	return json_load_file(path, 0, NULL);
}

bool submission_write(
	const struct ladder *ladder, const char *folder, const char *id, json_t *document)
{
	char path[LADDER_PATH_MAX], *text = json_to_text(document, JSON_COMPACT);
	bool ok;

	submission_path(ladder, folder, id, ".json", path);
	ok = write_file_whole(path, text, strlen(text), 0600);
	free(text);
	return ok;
}

static bool belongs(const struct ladder *ladder, const char *folder, const char *id,
	const char *owner)
{
	json_t *document = submission_document(ladder, folder, id);
	const char *whose = json_string_value(json_object_get(document, "owner"));
	bool ok = whose && !strcmp(whose, owner);

	json_decref(document);
	return ok;
}

/* Counts the owner's submissions in a folder that are not older than this. */
static int count(const struct ladder *ladder, const char *folder, const char *owner,
	int64_t since_us, int *all)
{
	struct dirent **list;
	int n = submission_list(ladder, folder, &list), found = 0;

	*all = n;
	for (int i = 0; i < n; i++)
		found += strtoll(list[i]->d_name, NULL, 10) >= since_us &&
			 belongs(ladder, folder, list[i]->d_name, owner);
	submission_list_free(list, n);
	return found;
}

struct counts {
	int waiting, day; /* of the owner */
	int all;          /* that wait */
};

static struct counts count_all(const struct ladder *ladder, const char *owner)
{
	struct counts counts;
	int done;

	counts.waiting = count(ladder, "queue/", owner, 0, &counts.all);
	counts.day = counts.waiting +
		     count(ladder, "done/", owner, now_us() - DAY_S * SECOND_US, &done);
	return counts;
}

static enum submission_answer room(const struct counts *counts, struct why *why)
{
	if (counts->waiting >= SUBMISSIONS_WAITING_MAX) {
		why_set(why,
			"%d of your submissions are waiting, which is the limit; wait "
			"until one has been checked",
			counts->waiting);
		return SUBMISSION_TOO_MANY;
	}
	if (counts->day >= SUBMISSIONS_DAY_MAX) {
		why_set(why, "%d submissions a day are the limit; try again tomorrow",
			SUBMISSIONS_DAY_MAX);
		return SUBMISSION_TOO_MANY;
	}
	if (counts->all < SUBMISSIONS_ALL_MAX)
		return SUBMISSION_QUEUED;
	why_set(why, "%d submissions are waiting; try again later", counts->all);
	return SUBMISSION_QUEUE_FULL;
}

enum submission_answer submission_room(
	const struct ladder *ladder, const char *owner, struct why *why)
{
	struct counts counts = count_all(ladder, owner);

	return room(&counts, why);
}

static bool make_queue_folders(const struct ladder *ladder)
{
	static const char *const folders[] = {"", "queue", "done", "work", NULL};
	char path[LADDER_PATH_MAX];

	for (int i = 0; folders[i]; i++) {
		submission_path(ladder, folders[i], "", "", path);
		if (!make_folder(path, 0777))
			return false;
	}
	submission_path(ladder, "", "", "", path);
	return sync_folder(path) && sync_folder(ladder->path);
}

static bool copy_to(const char *path, int file, int64_t bytes)
{
	int out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	off_t at = 0;
	bool ok = out >= 0;

	while (ok && at < bytes)
		ok = sendfile(out, file, &at, (size_t)(bytes - at)) > 0;
	ok = ok && fsync(out) == 0;
	if (out >= 0)
		ok = close(out) == 0 && ok;
	if (!ok && out >= 0)
		unlink(path);
	return ok;
}

static void new_id(char id[SUBMISSION_ID_SIZE])
{
	uint8_t random[RANDOM_SIZE];

	chance_fresh(random, sizeof(random));
	snprintf(id, SUBMISSION_ID_SIZE, "%0*lld-", TIME_DIGITS, (long long)now_us());
	sodium_bin2hex(id + TIME_DIGITS + 1, 2 * RANDOM_SIZE + 1, random, sizeof(random));
}

enum submission_answer submission_add(const struct ladder *ladder, const char *owner,
	int file, int64_t bytes, char id[SUBMISSION_ID_SIZE], struct why *why)
{
	struct counts counts = count_all(ladder, owner);
	enum submission_answer answer = room(&counts, why);
	char archive[LADDER_PATH_MAX];
	json_t *document;
	bool ok;

	if (answer != SUBMISSION_QUEUED)
		return answer;
	new_id(id);
	submission_path(ladder, "queue/", id, ".archive", archive);
	document = json_pack("{s:s,s:s,s:I,s:I,s:s,s:i,s:i}", "id", id, "owner", owner,
		"received", (json_int_t)time(NULL), "bytes", (json_int_t)bytes, "state",
		"queued", "attempts", 0, "turn", counts.day);
	/* The document makes it a submission: it comes last, and when its folder is on
	 * disk, so is the archive's entry in it. */
	ok = make_queue_folders(ladder) && copy_to(archive, file, bytes) &&
	     submission_write(ladder, "queue/", id, document);
	json_decref(document);
	if (ok)
		return SUBMISSION_QUEUED;
	why_set(why, "the ladder cannot be written: %s", strerror(errno));
	unlink(archive);
	return SUBMISSION_FAILED;
}

/* The one that has begun, then by turn, then by age. */
static int by_turn(const void *a, const void *b)
{
	const struct submission_place *one = a, *other = b;

	if (one->begun != other->begun)
		return one->begun ? -1 : 1;
	if (one->turn != other->turn)
		return one->turn < other->turn ? -1 : 1;
	return strcmp(one->id, other->id);
}

struct submission_place *submission_order(const struct ladder *ladder, int *count)
{
	struct dirent **list;
	int n = submission_list(ladder, "queue/", &list);
	struct submission_place *order = xcalloc((size_t)n + 1, sizeof(*order));

	for (int i = 0; i < n; i++) {
		json_t *document = submission_document(ladder, "queue/", list[i]->d_name);
		const char *state = json_string_value(json_object_get(document, "state"));

		strcpy(order[i].id, list[i]->d_name);
		order[i].begun = state && strcmp(state, "queued") != 0;
		order[i].turn = json_integer_value(json_object_get(document, "turn"));
		json_decref(document);
	}
	submission_list_free(list, n);
	qsort(order, (size_t)n, sizeof(*order), by_turn);
	*count = n;
	return order;
}

static int before(const struct ladder *ladder, const char *id)
{
	int n, found = 0;
	struct submission_place *order = submission_order(ladder, &n);

	while (found < n && strcmp(order[found].id, id) != 0)
		found++;
	free(order);
	return found;
}

json_t *submission_read(const struct ladder *ladder, const char *id)
{
	json_t *document;

	if (!id_ok(id))
		return NULL;
	/* It may move from queue/ to done/ meanwhile. */
	document = submission_document(ladder, "queue/", id);
	if (document) {
		json_object_set_new(document, "before", json_integer(before(ladder, id)));
		return document;
	}
	return submission_document(ladder, "done/", id);
}

bool submission_waiting(const struct ladder *ladder)
{
	struct dirent **list;
	int n = submission_list(ladder, "queue/", &list);

	submission_list_free(list, n);
	return n > 0;
}
