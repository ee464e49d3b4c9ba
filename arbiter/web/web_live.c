/* Where the replays of matches under way lie. */
#include "arbiter/web/web_internal.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define FRESH_S 120 /* an older file is what a killed run left behind */

typedef void (*live_visit)(void *context, const char *path, int64_t set, int rotation);

/* Calls `visit` for each replay in one run's folder that still grows. */
static void visit_run(const char *folder, live_visit visit, void *context)
{
	DIR *run = opendir(folder);
	struct dirent *entry;
	char path[LADDER_PATH_MAX];
	struct stat about;
	long long set;
	int rotation, length;

	while (run && (entry = readdir(run))) {
		length = 0;
		if (sscanf(entry->d_name, "%lld-%d.replay%n", &set, &rotation, &length) !=
				2 ||
			!length || entry->d_name[length] ||
			snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >=
				(int)sizeof(path))
			continue;
		if (!stat(path, &about) && time(NULL) - about.st_mtime < FRESH_S)
			visit(context, path, set, rotation);
	}
	if (run)
		closedir(run);
}

static void visit_all(struct web_ladder *ladder, live_visit visit, void *context)
{
	char folder[LADDER_PATH_MAX], path[LADDER_PATH_MAX];
	struct dirent *entry;
	DIR *live;

	ladder_file(&ladder->ladder, "live", folder);
	live = opendir(folder);
	while (live && (entry = readdir(live)))
		if (*entry->d_name != '.' && snprintf(path, sizeof(path), "%s/%s", folder,
						     entry->d_name) < (int)sizeof(path))
			visit_run(path, visit, context);
	if (live)
		closedir(live);
}

static void list_one(void *context, const char *path, int64_t set, int rotation)
{
	(void)path;
	json_array_append_new(context,
		json_pack("{s:I,s:i}", "set", (json_int_t)set, "rotation", rotation));
}

static json_t *table_of(struct web_ladder *ladder, int64_t set)
{
	sqlite3_stmt *s = web_query(
		ladder, "SELECT entrant FROM places WHERE set_id=? ORDER BY place");
	json_t *list = json_array();

	if (s)
		sqlite3_bind_int64(s, 1, set);
	while (s && sqlite3_step(s) == SQLITE_ROW)
		json_array_append_new(list, json_integer(sqlite3_column_int64(s, 0)));
	sqlite3_finalize(s);
	return list;
}

/* The entrant of place p sits in seat (p + rotation) mod seats. */
json_t *web_live_json(struct web_ladder *ladder)
{
	json_t *list = json_array(), *match;
	size_t i;

	visit_all(ladder, list_one, list);
	json_array_foreach(list, i, match)
	{
		json_t *table = table_of(
			ladder, json_integer_value(json_object_get(match, "set")));
		json_t *seats = json_array();
		size_t n = json_array_size(table);
		size_t shift =
			(size_t)json_integer_value(json_object_get(match, "rotation"));

		for (size_t seat = 0; seat < n; seat++)
			json_array_append(
				seats, json_array_get(table, (seat + n - shift % n) % n));
		json_decref(table);
		json_object_set_new(match, "entrants", seats);
	}
	return json_pack("{s:o}", "matches", list);
}

struct search {
	int64_t set;
	int rotation;
	char *path;
	bool found;
};

static void find_one(void *context, const char *path, int64_t set, int rotation)
{
	struct search *search = context;

	if (set != search->set || rotation != search->rotation)
		return;
	snprintf(search->path, LADDER_PATH_MAX, "%s", path);
	search->found = true;
}

bool web_live_path(
	struct web_ladder *ladder, int64_t set, int rotation, char path[LADDER_PATH_MAX])
{
	struct search search = {set, rotation, path, false};

	visit_all(ladder, find_one, &search);
	return search.found;
}
