/* Opening ladders, and questions to their databases. */
#include "arbiter/web/web_internal.h"
#include "protocol/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUSY_MS 10000

static bool name_taken(const struct web *web, const char *name)
{
	for (int i = 0; i < web->count; i++)
		if (!strcmp(web->ladder[i].name, name))
			return true;
	return false;
}

/* The folder's name, of characters that mean nothing in an address. */
static void choose_name(struct web *web, const char *path, char name[65])
{
	const char *base = strrchr(path, '/');
	char plain[49];
	size_t n = 0;

	for (base = base ? base + 1 : path; *base && n < sizeof(plain) - 1; base++)
		plain[n++] = isalnum((unsigned char)*base) || *base == '_' ? *base : '-';
	plain[n] = 0;
	snprintf(name, 65, "%s", *plain ? plain : "ladder");
	for (int i = 2; name_taken(web, name); i++)
		snprintf(name, 65, "%s-%d", plain, i);
}

static bool open_database(struct web_ladder *ladder, struct why *why)
{
	char path[LADDER_PATH_MAX];

	ladder_file(&ladder->ladder, "ladder.db", path);
	if (sqlite3_open_v2(path, &ladder->db, SQLITE_OPEN_READONLY, NULL))
		return why_set(why, "%s: %s", path, sqlite3_errmsg(ladder->db));
	sqlite3_busy_timeout(ladder->db, BUSY_MS);
	return true;
}

static void close_one(struct web_ladder *ladder)
{
	web_standings_release(ladder);
	web_kept_release(ladder);
	sqlite3_close(ladder->db);
	ladder_close(&ladder->ladder);
	pthread_mutex_destroy(&ladder->mutex);
}

static bool open_one(struct web *web, const char *path, struct why *why)
{
	struct web_ladder *ladder = &web->ladder[web->count];

	if (!ladder_open(&ladder->ladder, path, LADDER_READ, why))
		return false;
	pthread_mutex_init(&ladder->mutex, NULL);
	choose_name(web, ladder->ladder.path, ladder->name);
	if (!open_database(ladder, why)) {
		close_one(ladder);
		return false;
	}
	web->count++;
	return true;
}

struct web *web_open(char *const *paths, int count, bool live, struct why *why)
{
	struct web *web = xcalloc(1, sizeof(*web));

	web->live = live;
	if (count > WEB_LADDERS_MAX) {
		why_set(why, "%d ladders are too many; at most %d are shown", count,
			WEB_LADDERS_MAX);
		web_close(&web);
		return NULL;
	}
	for (int i = 0; i < count; i++)
		if (!open_one(web, paths[i], why)) {
			web_close(&web);
			return NULL;
		}
	return web;
}

void web_close(struct web **web)
{
	for (int i = 0; *web && i < (*web)->count; i++)
		close_one(&(*web)->ladder[i]);
	free(*web);
	*web = NULL;
}

void web_offer_submit(struct web *web)
{
	web->submit = true;
}

void web_offer_play(struct web *web)
{
	web->play = true;
}

sqlite3_stmt *web_query(struct web_ladder *ladder, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(ladder->db, sql, -1, &statement, NULL))
		fprintf(stderr, "pigpen: %s: %s\n", ladder->ladder.path,
			sqlite3_errmsg(ladder->db));
	return statement;
}

/* A text that was cut may end within a character. */
json_t *web_column_text(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);
	json_t *json = text ? json_string(text) : json_null();
	char *plain;

	if (json)
		return json;
	plain = xstrdup(text);
	for (char *c = plain; *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	json = json_string(plain);
	free(plain);
	return json;
}

int64_t web_number(struct web_ladder *ladder, const char *sql)
{
	sqlite3_stmt *statement = web_query(ladder, sql);
	int64_t value = -1;

	if (statement && sqlite3_step(statement) == SQLITE_ROW)
		value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return value;
}

json_t *web_column_number(sqlite3_stmt *statement, int column)
{
	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_INTEGER:
		return json_integer(sqlite3_column_int64(statement, column));
	case SQLITE_FLOAT:
		return json_real(sqlite3_column_double(statement, column));
	}
	return json_null();
}

static json_t *row(sqlite3_stmt *statement)
{
	json_t *object = json_object();

	for (int i = 0; i < sqlite3_column_count(statement); i++)
		json_object_set_new(object, sqlite3_column_name(statement, i),
			sqlite3_column_type(statement, i) == SQLITE_TEXT
				? web_column_text(statement, i)
				: web_column_number(statement, i));
	return object;
}

json_t *web_rows(sqlite3_stmt *statement)
{
	json_t *list = statement ? json_array() : NULL;
	int code = SQLITE_ERROR;

	while (list && (code = sqlite3_step(statement)) == SQLITE_ROW)
		json_array_append_new(list, row(statement));
	sqlite3_finalize(statement);
	if (list && code != SQLITE_DONE) {
		json_decref(list);
		return NULL;
	}
	return list;
}
