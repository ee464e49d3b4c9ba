/* What lies at which path. */
#include "arbiter/ladder/directory/owner.h"
#include "arbiter/ladder/submit/submission_queue.h"
#include "arbiter/ladder/submit/unpack.h"
#include "arbiter/tools/viewer_data.h"
#include "arbiter/web/assets.h"
#include "arbiter/web/web_internal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIGITS_MAX 15
#define JSON_TYPE  "application/json"

static const char *const page_names[] = {"index", "history", "matrix", "bot", "matches",
	"match", "live", "play", "submit", "submission", NULL};

/*
 * Is the text of this form? A # in the form stands for a number, written in one way only,
 * which goes to `numbers`.
 */
static bool has_form(const char *text, const char *form, int64_t *numbers)
{
	for (; *form; form++) {
		const char *digits = text;

		if (*form != '#') {
			if (*text++ != *form)
				return false;
			continue;
		}
		for (*numbers = 0; *text >= '0' && *text <= '9'; text++) {
			if (text - digits == DIGITS_MAX)
				return false;
			*numbers = 10 * *numbers + *text - '0';
		}
		if (text == digits || (*digits == '0' && text - digits > 1))
			return false;
		numbers++;
	}
	return !*text;
}

static void answer_error(struct web_answer *answer, int status, const char *why)
{
	*answer = (struct web_answer){.status = status, .type = JSON_TYPE, .file = -1};
	answer->bytes = why;
	answer->size = strlen(why);
}

static void answer_missing(struct web_answer *answer)
{
	answer_error(answer, 404, "{\"error\":\"there is nothing at this address\"}");
}

static void answer_unreadable(struct web_answer *answer)
{
	answer_error(answer, 503, "{\"error\":\"the ladder cannot be read just now\"}");
}

static void answer_text(struct web_answer *answer, char *owned)
{
	if (!owned) {
		answer_unreadable(answer);
		return;
	}
	*answer = (struct web_answer){.status = 200,
		.type = JSON_TYPE,
		.file = -1,
		.bytes = owned,
		.owned = owned,
		.size = strlen(owned)};
}

/* Takes the reference. */
static void answer_json(struct web_answer *answer, json_t *json, bool found)
{
	if (!found)
		answer_missing(answer);
	else
		answer_text(answer,
			json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(7))
			     : NULL);
	json_decref(json);
}

static void answer_asset(const char *name, struct web_answer *answer)
{
	const struct asset *asset = asset_find(name);

	if (!asset) {
		answer_missing(answer);
		return;
	}
	*answer = (struct web_answer){.status = 200,
		.type = asset->type,
		.file = -1,
		.bytes = asset->start,
		.size = asset_size(asset)};
}

/* Takes the descriptor. */
static void answer_file(struct web_answer *answer, int file, const char *type)
{
	struct stat about;

	if (file < 0 || fstat(file, &about) || !S_ISREG(about.st_mode)) {
		if (file >= 0)
			close(file);
		answer_missing(answer);
		return;
	}
	*answer = (struct web_answer){.status = 200,
		.type = type,
		.file = file,
		.size = (uint64_t)about.st_size,
		.lasting = true};
}

/* By way of a file without a name: a slow browser holds no memory. */
void web_answer_viewer(struct web_answer *answer, const char *path)
{
	FILE *out = tmpfile();
	struct why why = {""};
	enum playback_status status;

	if (!out) {
		answer_unreadable(answer);
		return;
	}
	status = viewer_data_write(path, OMNISCIENT, false, out, &why);
	if (status == PLAYBACK_UNREADABLE || fflush(out) || ferror(out))
		answer_missing(answer);
	else
		answer_file(answer, fcntl(fileno(out), F_DUPFD_CLOEXEC, 0), JSON_TYPE);
	fclose(out);
}

void web_answer_replay(struct web_answer *answer, const char *path)
{
	answer_file(answer, open(path, O_RDONLY | O_CLOEXEC), "application/octet-stream");
}

static void answer_replay(struct web_ladder *ladder, const int64_t *n, bool viewer,
	const char *owner, struct web_answer *answer)
{
	char path[LADDER_PATH_MAX];
	bool found;

	pthread_mutex_lock(&ladder->mutex);
	found = n[1] < GAME_SEATS_MAX &&
		web_replay_path(ladder, n[0], (int)n[1], viewer ? NULL : owner, path);
	pthread_mutex_unlock(&ladder->mutex);
	if (!found)
		answer_missing(answer);
	else if (viewer)
		web_answer_viewer(answer, path);
	else
		web_answer_replay(answer, path);
}

static bool parse_list(const char *rest, struct web_list *list, int64_t *page)
{
	int64_t n[2];

	*list = (struct web_list){0};
	if (has_form(rest, "all/#.json", n) || has_form(rest, "all-faulted/#.json", n)) {
		list->faulted = rest[3] == '-';
		*page = n[0];
		return true;
	}
	list->faulted = has_form(rest, "bot-#-faulted/#.json", n);
	if (!list->faulted && !has_form(rest, "bot-#/#.json", n))
		return false;
	list->entrant = n[0];
	*page = n[1];
	return n[0] > 0;
}

static void answer_document(struct web_ladder *ladder, const char *rest,
	const char *owner, struct web_answer *answer)
{
	struct web_list list;
	int64_t n[2], page;
	bool found = true;
	const char *text;
	json_t *json;

	if (!strcmp(rest, "standings.json") || !strcmp(rest, "matrix.json")) {
		text = web_standings_text(ladder, *rest == 'm');
		answer_text(answer, text ? strdup(text) : NULL);
	} else if (!strcmp(rest, "history.json")) {
		answer_json(answer, web_history_json(ladder), true);
	} else if (has_form(rest, "bots/#.json", n)) {
		json = web_bot_json(ladder, n[0], owner, &found);
		answer_json(answer, json, found);
	} else if (!strncmp(rest, "lists/", 6) && parse_list(rest + 6, &list, &page)) {
		json = web_list_json(ladder, list, page, &found);
		answer_json(answer, json, found);
	} else if (has_form(rest, "matches/#-#.json", n) && n[1] < GAME_SEATS_MAX) {
		json = web_match_json(ladder, n[0], (int)n[1], owner, &found);
		answer_json(answer, json, found);
	} else {
		answer_missing(answer);
	}
}

/* The same for everybody who has no token, and made from many rows. */
static bool is_kept(const char *rest, const char *owner)
{
	return !*owner && (!strcmp(rest, "history.json") || !strncmp(rest, "bots/", 5) ||
				  !strncmp(rest, "lists/", 6));
}

static void answer_kept(struct web_ladder *ladder, const char *rest, const char *owner,
	struct web_answer *answer)
{
	bool keep = is_kept(rest, owner);
	const char *text = keep ? web_kept_text(ladder, rest) : NULL;
	int64_t version, start_ns;

	if (text) {
		answer_text(answer, strdup(text));
		return;
	}
	version = web_number(ladder, "PRAGMA data_version");
	start_ns = web_now_ns();
	answer_document(ladder, rest, owner, answer);
	if (keep && answer->owned)
		web_keep(ladder, rest, answer->owned, version, start_ns);
}

static json_t *ladder_facts(struct web_ladder *ladder)
{
	const char *name = "ladder", *kept = web_kept_text(ladder, name);
	int64_t version = web_number(ladder, "PRAGMA data_version");
	int64_t start_ns = web_now_ns();
	json_t *json;
	char *text;

	if (kept)
		return json_loads(kept, 0, NULL);
	json = web_ladder_json(ladder);
	text = json_dumps(json, JSON_COMPACT);
	if (text)
		web_keep(ladder, name, text, version, start_ns);
	free(text);
	return json;
}

static void answer_ladders(struct web *web, struct web_answer *answer)
{
	json_t *list = json_array();

	for (int i = 0; i < web->count; i++) {
		pthread_mutex_lock(&web->ladder[i].mutex);
		json_array_append_new(list, ladder_facts(&web->ladder[i]));
		pthread_mutex_unlock(&web->ladder[i].mutex);
	}
	answer_json(answer,
		json_pack("{s:b,s:b,s:I,s:o}", "live", (int)web->live, "play",
			(int)web->play, "submit",
			(json_int_t)(web->submit ? UNPACK_PACKED_BYTES_MAX : 0),
			"ladders", list),
		true);
}

struct web_ladder *web_find_ladder(struct web *web, const char *path, const char **rest)
{
	const char *slash = strchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;

	for (int i = 0; slash && i < web->count; i++) {
		struct web_ladder *ladder = &web->ladder[i];

		if (strlen(ladder->name) != length || strncmp(ladder->name, path, length))
			continue;
		*rest = slash + 1;
		return ladder;
	}
	return NULL;
}

bool web_live_find(struct web *web, const char *path, char *file, size_t size)
{
	char found[LADDER_PATH_MAX];
	struct web_ladder *ladder;
	const char *rest;
	int64_t n[2];

	if (!web->live || strncmp(path, "/api/", 5) ||
		!(ladder = web_find_ladder(web, path + 5, &rest)) ||
		!has_form(rest, "live/#-#", n) || n[1] >= GAME_SEATS_MAX ||
		!web_live_path(ladder, n[0], (int)n[1], found))
		return false;
	return snprintf(file, size, "%s", found) < (int)size;
}

static void answer_submission(
	struct web_ladder *ladder, const char *name, struct web_answer *answer)
{
	char id[SUBMISSION_ID_SIZE];
	json_t *json = NULL;

	snprintf(id, sizeof(id), "%.*s", SUBMISSION_ID_SIZE - 1, name);
	if (strlen(name) > strlen(id) && !strcmp(name + strlen(id), ".json"))
		json = submission_read(&ladder->ladder, id);
	answer_json(answer, json, json != NULL);
}

static void answer_api(
	struct web *web, const char *path, const char *token, struct web_answer *answer)
{
	char owner[OWNER_NAME_SIZE] = "";
	struct web_ladder *ladder;
	const char *rest;
	int64_t n[2];

	if (!strcmp(path, "ladders.json")) {
		answer_ladders(web, answer);
		return;
	}
	ladder = web_find_ladder(web, path, &rest);
	if (!ladder) {
		answer_missing(answer);
	} else if (token && !token_owner(&ladder->ladder, token, owner)) {
		answer_error(answer, 401,
			"{\"error\":\"this ladder does not know the token, or it was "
			"revoked\"}");
	} else if (has_form(rest, "matches/#-#/viewer.json", n)) {
		answer_replay(ladder, n, true, owner, answer);
	} else if (has_form(rest, "matches/#-#/replay", n)) {
		answer_replay(ladder, n, false, owner, answer);
	} else if (web->submit && !strncmp(rest, "submissions/", 12)) {
		answer_submission(ladder, rest + 12, answer);
	} else {
		pthread_mutex_lock(&ladder->mutex);
		if (web->live && !strcmp(rest, "live.json"))
			answer_json(answer, web_live_json(ladder), true);
		else
			answer_kept(ladder, rest, owner, answer);
		pthread_mutex_unlock(&ladder->mutex);
	}
}

void web_answer(
	struct web *web, const char *path, const char *token, struct web_answer *answer)
{
	char name[WEB_PATH_MAX + 8];

	if (*path != '/' || strlen(path) > WEB_PATH_MAX) {
		answer_missing(answer);
		return;
	}
	if (!strncmp(path, "/api/", 5)) {
		answer_api(web, path + 5, token, answer);
		return;
	}
	if (!strcmp(path, "/")) {
		answer_asset("pages/index.html", answer);
		return;
	}
	for (int i = 0; page_names[i]; i++) {
		snprintf(name, sizeof(name), "/%s.html", page_names[i]);
		if (strcmp(name, path))
			continue;
		snprintf(name, sizeof(name), "pages%s", path);
		answer_asset(name, answer);
		return;
	}
	/* Scripts and styles lie where they lie in the source. */
	if (strstr(path, ".html"))
		answer_missing(answer);
	else
		answer_asset(path + 1, answer);
}

void web_answer_release(struct web_answer *answer)
{
	free(answer->owned);
	if (answer->file >= 0)
		close(answer->file);
	*answer = (struct web_answer){.file = -1};
}
