/* Documents about a ladder as a whole. */
#include "arbiter/ladder/rating/standings.h"
#include "arbiter/replay/json_parts.h"
#include "arbiter/web/web_internal.h"

#include <stdlib.h>

#define EPOCHS_MAX  240 /* in the history; of more, every second or third … is taken */
#define REAL_FORMAT (JSON_COMPACT | JSON_REAL_PRECISION(7))

static void drop(struct web_standings *standings)
{
	free(standings->table);
	free(standings->matrix);
	*standings = (struct web_standings){0};
}

void web_standings_release(struct web_ladder *ladder)
{
	if (ladder->maker_begun)
		pthread_join(ladder->maker, NULL);
	drop(&ladder->standings);
}

/* False: it was told on stderr why not. */
static bool make(struct ladder *ladder, struct web_standings *made)
{
	struct standings standings;
	json_t *table, *matrix;
	int64_t start_ns = web_now_ns();
	struct why why;

	if (!standings_load(&standings, ladder, &why)) {
		fprintf(stderr, "pigpen: %s: %s\n", ladder->path, why.text);
		return false;
	}
	table = standings_json(&standings);
	matrix = standings_matrix_json(&standings);
	made->table = json_dumps(table, REAL_FORMAT);
	made->matrix = json_dumps(matrix, REAL_FORMAT);
	json_decref(table);
	json_decref(matrix);
	standings_release(&standings);
	made->made_ns = web_now_ns();
	made->cost_ns = made->made_ns - start_ns;
	return true;
}

static void replace(struct web_ladder *ladder, const struct web_standings *made)
{
	drop(&ladder->standings);
	ladder->standings = *made;
}

/* With a ladder of its own: the other is used by whoever holds the mutex. */
static void *make_aside(void *context)
{
	struct web_ladder *ladder = context;
	struct web_standings made = {0};
	struct ladder own;
	struct why why;
	bool ok = false;

	pthread_mutex_lock(&ladder->mutex);
	made.version = web_number(ladder, "PRAGMA data_version");
	pthread_mutex_unlock(&ladder->mutex);
	if (ladder_open(&own, ladder->ladder.path, LADDER_READ, &why)) {
		ok = make(&own, &made);
		ladder_close(&own);
	}
	pthread_mutex_lock(&ladder->mutex);
	if (ok)
		replace(ladder, &made);
	ladder->making = false;
	pthread_mutex_unlock(&ladder->mutex);
	return NULL;
}

static void begin_making(struct web_ladder *ladder)
{
	if (ladder->making)
		return;
	if (ladder->maker_begun)
		pthread_join(ladder->maker, NULL);
	ladder->making = true;
	ladder->maker_begun = !pthread_create(&ladder->maker, NULL, make_aside, ladder);
	if (!ladder->maker_begun)
		ladder->making = false;
}

const char *web_standings_text(struct web_ladder *ladder, bool matrix)
{
	struct web_standings *kept = &ladder->standings;
	struct web_standings made = {
		.version = web_number(ladder, "PRAGMA data_version")};

	if (!kept->table && make(&ladder->ladder, &made))
		replace(ladder, &made);
	else if (!web_is_fresh(ladder, kept->version, kept->made_ns, kept->cost_ns))
		begin_making(ladder);
	return matrix ? kept->matrix : kept->table;
}

json_t *web_ladder_json(struct web_ladder *ladder)
{
	const struct ladder_settings *config = &ladder->ladder.config;
	json_t *json = json_object();
	char clock[128];

	clock_rules_format(&config->rules.clock, clock, sizeof(clock));
	json_object_set_new(json, "id", json_string(ladder->name));
	json_object_set_new(json, "game", json_string(config->rules.game->id));
	json_object_set_new(json, "title", json_string(config->rules.game->title));
	json_object_set_new(json, "seats", json_integer(config->rules.seats));
	json_object_set_new(json, "options",
		replay_json_options(config->rules.game, config->rules.option));
	json_object_set_new(json, "clock", json_string(clock));
	json_object_set_new(
		json, "schedule", json_string(ladder_schedule_names[config->schedule]));
	json_object_set_new(json, "matches",
		json_integer(web_number(ladder, "SELECT count(*) FROM matches")));
	json_object_set_new(json, "entrants",
		json_integer(web_number(
			ladder, "SELECT count(*) FROM entrants WHERE state<>'removed'")));
	json_object_set_new(json, "last",
		json_integer(web_number(
			ladder, "SELECT coalesce(max(completed),0) FROM sets")));
	return json;
}

static json_t *point(sqlite3_stmt *statement)
{
	json_t *list = json_array();

	for (int column = 1; column <= 6; column++)
		json_array_append_new(list, web_column_number(statement, column));
	return list;
}

json_t *web_history_json(struct web_ladder *ladder)
{
	sqlite3_stmt *s = web_query(ladder,
		"SELECT entrant,epoch,planned,elo,low,high,sets FROM history"
		" JOIN epochs ON epochs.id=epoch"
		" WHERE epoch % ?1=0 OR epoch=?2 ORDER BY entrant,epoch");
	int64_t last = web_number(ladder, "SELECT coalesce(max(id),0) FROM epochs");
	json_t *list = json_array(), *points = NULL;
	int64_t entrant = -1;

	if (!s || last < 0)
		goto out;
	sqlite3_bind_int64(s, 1, 1 + last / EPOCHS_MAX);
	sqlite3_bind_int64(s, 2, last);
	while (sqlite3_step(s) == SQLITE_ROW) {
		if (sqlite3_column_int64(s, 0) != entrant) {
			entrant = sqlite3_column_int64(s, 0);
			points = json_array();
			json_array_append_new(
				list, json_pack("{s:I,s:o}", "entrant",
					      (json_int_t)entrant, "points", points));
		}
		json_array_append_new(points, point(s));
	}
out:
	sqlite3_finalize(s);
	return json_pack("{s:o}", "entrants", list);
}
