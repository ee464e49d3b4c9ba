/* Matches under way: the list of them, and the stream of one. */
#include "arbiter/ladder/store/store_pages.h"
#include "arbiter/web/site/documents.h"

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

static void visit_all(struct site_ladder *ladder, live_visit visit, void *context)
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

/* The entrant of place p sits in seat (p + rotation) mod seats. */
static json_t *seats_of(struct store *store, int64_t set, int64_t rotation)
{
	int64_t entrant[GAME_SEATS_MAX];
	int n = store_set_entrants(store, set, entrant);
	json_t *seats = json_array();

	for (int seat = 0; seat < n; seat++)
		json_array_append_new(
			seats, json_integer(entrant[(seat + n - rotation % n) % n]));
	return seats;
}

enum document_status make_live(const struct document_request *request, json_t **json)
{
	json_t *list = json_array(), *match;
	size_t i;

	visit_all(request->ladder, list_one, list);
	json_array_foreach(list, i, match)
	{
		int64_t set = json_integer_value(json_object_get(match, "set"));
		int64_t rotation = json_integer_value(json_object_get(match, "rotation"));

		json_object_set_new(match, "entrants",
			seats_of(request->ladder->ladder.store, set, rotation));
	}
	*json = json_pack("{s:o}", "matches", list);
	return DOCUMENT_MADE;
}

struct live_search {
	int64_t set;
	int rotation;
	char *path;
	bool found;
};

static void find_one(void *context, const char *path, int64_t set, int rotation)
{
	struct live_search *search = context;

	if (set != search->set || rotation != search->rotation)
		return;
	snprintf(search->path, LADDER_PATH_MAX, "%s", path);
	search->found = true;
}

/* The replay of a match under way; false: there is none. */
static bool find_live(
	struct site_ladder *ladder, const int64_t number[2], char path[LADDER_PATH_MAX])
{
	struct live_search search = {number[0], (int)number[1], path, false};

	if (number[1] < GAME_SEATS_MAX)
		visit_all(ladder, find_one, &search);
	return search.found;
}

static ssize_t read_stream(void *self, char *bytes, size_t size)
{
	return live_stream_read(self, bytes, size);
}

static bool stream_ready(void *self)
{
	return live_stream_ready(self);
}

static void close_stream(void *self)
{
	struct live_stream *stream = self;

	live_stream_free(&stream);
}

bool open_live_stream(const struct document_request *request,
	struct server_stream *stream, struct http_answer *answer)
{
	char path[LADDER_PATH_MAX];

	if (!find_live(request->ladder, request->parts.number, path)) {
		http_answer_missing(answer);
		return false;
	}
	*stream = (struct server_stream){read_stream, stream_ready, close_stream,
		live_stream_new(request->site->live, path)};
	if (!stream->self)
		http_answer_error(
			answer, 503, "too many browsers are watching; try again later");
	return stream->self;
}
