#include "arbiter/ladder/directory/inbox.h"
#include "arbiter/ladder/directory/owner.h"
#include "arbiter/base/words.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sodium.h>

bool inbox_leave(struct ladder *ladder, const json_t *request)
{
	char name[96], draft[LADDER_PATH_MAX], path[LADDER_PATH_MAX];
	struct timespec now;
	uint32_t random;

	clock_gettime(CLOCK_REALTIME, &now);
	chance_fresh(&random, sizeof(random));
	snprintf(name, sizeof(name), "inbox/.%012lld-%09ld-%08x", (long long)now.tv_sec,
		now.tv_nsec, random);
	ladder_file(ladder, name, draft);
	snprintf(name, sizeof(name), "inbox/%012lld-%09ld-%08x.json",
		(long long)now.tv_sec, now.tv_nsec, random);
	ladder_file(ladder, name, path);
	if (json_dump_file(request, draft, 0) == 0 && rename(draft, path) == 0)
		return true;
	unlink(draft);
	return false;
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

struct taking {
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

/* Sets the state, and drops planned sets of whom is not active any more. */
static bool change(struct taking *taking, const struct store_entrant *entrant,
	enum entrant_state state, const char *reason)
{
	int64_t dropped = 0;

	if (!store_set_entrant_state(taking->ladder->store, entrant->id, state, reason))
		return false;
	if (state != ENTRANT_ACTIVE &&
		!store_drop_sets(taking->ladder->store, entrant->id, &dropped))
		return false;
	if (taking->out)
		fprintf(taking->out, "%s@%.8s is %s%s%s\n", entrant->name, entrant->hash,
			entrant_state_names[state], *reason ? ": " : "", reason);
	return true;
}

static bool retire_versions(struct taking *taking, const struct store_entrant *fresh)
{
	char reason[160];

	snprintf(reason, sizeof(reason), "replaced by %s@%.8s", fresh->name, fresh->hash);
	for (int i = 0; i < taking->count; i++)
		if (!strcmp(taking->list[i].name, fresh->name) &&
			strcmp(taking->list[i].hash, fresh->hash) &&
			taking->list[i].state != ENTRANT_REMOVED &&
			!change(taking, &taking->list[i], ENTRANT_REMOVED, reason))
			return false;
	return true;
}

static bool take_add(struct taking *taking, const json_t *request)
{
	struct store_entrant fresh = {
		.state = ENTRANT_ACTIVE, .added_unix_s = time(NULL)};
	struct why why;

	snprintf(fresh.name, sizeof(fresh.name), "%s", text_of_key(request, "name"));
	snprintf(fresh.hash, sizeof(fresh.hash), "%s", text_of_key(request, "hash"));
	snprintf(fresh.version, sizeof(fresh.version), "%s",
		text_of_key(request, "version"));
	snprintf(
		fresh.author, sizeof(fresh.author), "%s", text_of_key(request, "author"));
	snprintf(fresh.language, sizeof(fresh.language), "%s",
		text_of_key(request, "language"));
	snprintf(fresh.owner, sizeof(fresh.owner), "%s", text_of_key(request, "owner"));
	snprintf(
		fresh.remote, sizeof(fresh.remote), "%s", text_of_key(request, "remote"));
	if (!owner_settle_among(
		    taking->list, taking->count, fresh.name, fresh.owner, &why)) {
		if (taking->out)
			fprintf(taking->out, "%s@%.8s is not entered: %s\n", fresh.name,
				fresh.hash, why.text);
		return true;
	}
	if (!retire_versions(taking, &fresh))
		return false;
	for (int i = 0; i < taking->count; i++)
		if (!strcmp(taking->list[i].name, fresh.name) &&
			!strcmp(taking->list[i].hash, fresh.hash))
			return change(taking, &taking->list[i], ENTRANT_ACTIVE, "");
	if (!store_add_entrant(taking->ladder->store, &fresh))
		return false;
	if (taking->out)
		fprintf(taking->out, "%s@%.8s has entered\n", fresh.name, fresh.hash);
	return true;
}

static bool obey(struct taking *taking, const json_t *request)
{
	static const char *const verbs[] = {"unbench", "bench", "remove", NULL};
	const char *verb = text_of_key(request, "do");
	int state = word_index(verbs, verb);
	const struct store_entrant *entrant;

	if (!strcmp(verb, "add"))
		return take_add(taking, request);
	entrant = entrant_by_name(
		taking->list, taking->count, text_of_key(request, "name"));
	if (state < 0 || !entrant) {
		if (taking->out)
			fprintf(taking->out, "a request was not understood: %s %s\n",
				verb, text_of_key(request, "name"));
		return true;
	}
	return change(taking, entrant, (enum entrant_state)state,
		text_of_key(request, "reason"));
}

/* The file goes only once the store has it; taking it twice does no harm. */
static bool take_file(struct ladder *ladder, const char *path, FILE *out)
{
	struct taking taking = {.ladder = ladder, .out = out};
	json_t *request = json_load_file(path, 0, NULL);
	bool ok = store_begin(ladder->store);

	if (ok && request)
		ok = store_entrants(ladder->store, &taking.list, &taking.count) &&
		     obey(&taking, request);
	if (ok)
		ok = store_commit(ladder->store);
	if (!ok)
		store_rollback(ladder->store);
	if (ok)
		unlink(path);
	free(taking.list);
	json_decref(request);
	return ok;
}

static int is_request(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

bool inbox_take(struct ladder *ladder, FILE *out)
{
	char folder[LADDER_PATH_MAX], path[LADDER_PATH_MAX + 300];
	struct dirent **entries;
	bool ok = true;
	int n;

	ladder_file(ladder, "inbox", folder);
	n = scandir(folder, &entries, is_request, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		ok = ok && take_file(ladder, path, out);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return ok;
}

bool inbox_waiting_owner(const struct ladder *ladder, const char *name, char owner[65])
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
			snprintf(owner, 65, "%s", text_of_key(request, "owner"));
			found = true;
		}
		json_decref(request);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return found;
}
