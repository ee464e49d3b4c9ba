/* Requests to a ladder: posting them, and applying them to the store. */
#include "arbiter/ladder/directory/requests.h"
#include "arbiter/base/files.h"
#include "arbiter/base/json_text.h"
#include "arbiter/base/words.h"
#include "arbiter/ladder/directory/owner.h"
#include "protocol/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sodium.h>

#define REQUEST_END ".json"

bool request_post(const struct ladder *ladder, const json_t *request)
{
	char name[96], path[LADDER_PATH_MAX], *text;
	struct timespec now;
	uint32_t random;
	bool ok;

	/* A reason that is not UTF-8 makes no request. */
	if (!request) {
		errno = EILSEQ;
		return false;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	chance_fresh(&random, sizeof(random));
	snprintf(name, sizeof(name), "inbox/%012lld-%09ld-%08x" REQUEST_END,
		(long long)now.tv_sec, now.tv_nsec, random);
	ladder_file(ladder, name, path);
	text = json_to_text(request, JSON_COMPACT);
	ok = write_file_whole(path, text, strlen(text), 0644);
	free(text);
	return ok;
}

bool request_post_add(const struct ladder *ladder, const struct store_entrant *entrant)
{
	json_t *request = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s}", "do", "add",
		"name", entrant->name, "hash", entrant->hash, "version", entrant->version,
		"author", entrant->author, "language", entrant->language, "owner",
		entrant->owner, "remote", entrant->remote);
	bool ok = request_post(ladder, request);

	json_decref(request);
	return ok;
}

const struct store_entrant *entrant_by_name(
	const struct store_entrant *list, int count, const char *name)
{
	const char *at = strchr(name, '@');
	size_t length = at ? (size_t)(at - name) : strlen(name);
	const struct store_entrant *found = NULL;

	for (int i = 0; i < count; i++) {
		const struct store_entrant *e = &list[i];

		if (strlen(e->name) != length || strncmp(e->name, name, length))
			continue;
		if (at && strncmp(e->hash, at + 1, strlen(at + 1)))
			continue;
		if (!found || e->state != ENTRANT_REMOVED ||
			found->state == ENTRANT_REMOVED)
			found = e;
	}
	return found;
}

struct application {
	struct ladder *ladder;
	FILE *out;
	struct store_entrant *list;
	int count;
};

static const char *text_of_key(const json_t *request, const char *key)
{
	const char *text = json_string_value(json_object_get(request, key));

	return text ? text : "";
}

static void read_key(const json_t *request, const char *key, char *text, size_t size)
{
	utf8_format(text, size, "%s", text_of_key(request, key));
}

/* Sets an entrant's state, and drops its planned sets if it is no longer active. */
static bool change(struct application *application, const struct store_entrant *entrant,
	enum entrant_state state, const char *reason)
{
	int64_t dropped = 0;

	if (!store_set_entrant_state(
		    application->ladder->store, entrant->id, state, reason))
		return false;
	if (state != ENTRANT_ACTIVE &&
		!store_drop_sets(application->ladder->store, entrant->id, &dropped))
		return false;
	if (application->out)
		fprintf(application->out, "%s@%.8s is %s%s%s\n", entrant->name,
			entrant->hash, entrant_state_names[state], *reason ? ": " : "",
			reason);
	return true;
}

static bool retire_versions(
	struct application *application, const struct store_entrant *fresh)
{
	char reason[160];

	snprintf(reason, sizeof(reason), "replaced by %s@%.8s", fresh->name, fresh->hash);
	for (int i = 0; i < application->count; i++)
		if (!strcmp(application->list[i].name, fresh->name) &&
			strcmp(application->list[i].hash, fresh->hash) &&
			application->list[i].state != ENTRANT_REMOVED &&
			!change(application, &application->list[i], ENTRANT_REMOVED,
				reason))
			return false;
	return true;
}

static bool apply_add(struct application *application, const json_t *request)
{
	struct store_entrant fresh = {
		.state = ENTRANT_ACTIVE, .added_unix_s = time(NULL)};
	struct why why;

	read_key(request, "name", fresh.name, sizeof(fresh.name));
	read_key(request, "hash", fresh.hash, sizeof(fresh.hash));
	read_key(request, "version", fresh.version, sizeof(fresh.version));
	read_key(request, "author", fresh.author, sizeof(fresh.author));
	read_key(request, "language", fresh.language, sizeof(fresh.language));
	read_key(request, "owner", fresh.owner, sizeof(fresh.owner));
	read_key(request, "remote", fresh.remote, sizeof(fresh.remote));
	if (!owner_settle_among(application->list, application->count, fresh.name,
		    fresh.owner, &why)) {
		if (application->out)
			fprintf(application->out, "%s@%.8s is not entered: %s\n",
				fresh.name, fresh.hash, why.text);
		return true;
	}
	if (!retire_versions(application, &fresh))
		return false;
	for (int i = 0; i < application->count; i++)
		if (!strcmp(application->list[i].name, fresh.name) &&
			!strcmp(application->list[i].hash, fresh.hash))
			return change(
				application, &application->list[i], ENTRANT_ACTIVE, "");
	if (!store_add_entrant(application->ladder->store, &fresh))
		return false;
	if (application->out)
		fprintf(application->out, "%s@%.8s has entered\n", fresh.name,
			fresh.hash);
	return true;
}

static bool apply(struct application *application, const json_t *request)
{
	static const char *const verbs[] = {"unbench", "bench", "remove", NULL};
	const char *verb = text_of_key(request, "do");
	int state = word_index(verbs, verb);
	const struct store_entrant *entrant;

	if (!strcmp(verb, "add"))
		return apply_add(application, request);
	entrant = entrant_by_name(
		application->list, application->count, text_of_key(request, "name"));
	if (state < 0 || !entrant) {
		if (application->out)
			fprintf(application->out, "a request was not understood: %s %s\n",
				verb, text_of_key(request, "name"));
		return true;
	}
	return change(application, entrant, (enum entrant_state)state,
		text_of_key(request, "reason"));
}

/* The file is removed only after the store has the request; applying it twice does no
 * harm. */
static bool apply_file(struct ladder *ladder, const char *path, FILE *out)
{
	struct application application = {.ladder = ladder, .out = out};
	json_t *request = json_load_file(path, 0, NULL);
	bool ok = store_begin(ladder->store);

	if (ok && request)
		ok = store_entrants(
			     ladder->store, &application.list, &application.count) &&
		     apply(&application, request);
	if (ok)
		ok = store_commit(ladder->store);
	if (!ok)
		store_rollback(ladder->store);
	if (ok)
		unlink(path);
	free(application.list);
	json_decref(request);
	return ok;
}

/* Not the drafts of write_file_whole(). */
static int is_request(const struct dirent *entry)
{
	const char *end = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && end && !strcmp(end, REQUEST_END);
}

bool requests_apply(struct ladder *ladder, FILE *out)
{
	char folder[LADDER_PATH_MAX], path[LADDER_PATH_MAX + 300];
	struct dirent **entries;
	bool ok = true;
	int n;

	ladder_file(ladder, "inbox", folder);
	n = scandir(folder, &entries, is_request, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		ok = ok && apply_file(ladder, path, out);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return ok;
}

bool request_owner_of(const struct ladder *ladder, const char *name, char owner[65])
{
	char folder[LADDER_PATH_MAX], path[LADDER_PATH_MAX + 300];
	struct dirent **entries;
	bool found = false;
	int n;

	ladder_file(ladder, "inbox", folder);
	n = scandir(folder, &entries, is_request, alphasort);
	for (int i = 0; i < n; i++) {
		json_t *request;

		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		request = found ? NULL : json_load_file(path, 0, NULL);
		if (!strcmp(text_of_key(request, "do"), "add") &&
			!strcmp(text_of_key(request, "name"), name)) {
			read_key(request, "owner", owner, OWNER_NAME_SIZE);
			found = true;
		}
		json_decref(request);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return found;
}
