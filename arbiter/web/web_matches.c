/* Documents about matches. Only complete sets have rows in `matches` and `seats`. */
#include "arbiter/web/web_internal.h"

#include <stdio.h>
#include <string.h>

/* What a list holds, as a table of set and rotation. */
static const char *list_source(struct web_list list)
{
	if (list.entrant)
		return list.faulted ? "SELECT DISTINCT set_id,rotation FROM seats"
				      " WHERE entrant=?1 AND fault IS NOT NULL"
				    : "SELECT DISTINCT set_id,rotation FROM seats"
				      " WHERE entrant=?1";
	return list.faulted ? "SELECT set_id,rotation FROM matches WHERE faulted AND ?1=0"
			    : "SELECT set_id,rotation FROM matches WHERE ?1=0";
}

int64_t web_list_total(struct web_ladder *ladder, struct web_list list)
{
	char sql[256];
	sqlite3_stmt *s;
	int64_t total = -1;

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM (%s)", list_source(list));
	s = web_query(ladder, sql);
	if (!s)
		return -1;
	sqlite3_bind_int64(s, 1, list.entrant);
	if (sqlite3_step(s) == SQLITE_ROW)
		total = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return total;
}

static json_t *seats_for(struct web_ladder *ladder, const char *sql, int64_t set,
	int64_t rotation, const char *owner)
{
	sqlite3_stmt *s = web_query(ladder, sql);

	if (s) {
		sqlite3_bind_int64(s, 1, set);
		sqlite3_bind_int64(s, 2, rotation);
		if (sqlite3_bind_parameter_count(s) > 2)
			sqlite3_bind_text(s, 3, owner, -1, SQLITE_TRANSIENT);
	}
	return web_rows(s);
}

/* The same as rows of `matches`. */
static void list_from(struct web_list list, char *sql, size_t size)
{
	if (list.entrant)
		snprintf(sql, size, "(%s) JOIN matches USING (set_id,rotation)",
			list_source(list));
	else
		snprintf(sql, size, "matches WHERE ?1=0%s",
			list.faulted ? " AND faulted" : "");
}

static json_t *list_rows(struct web_ladder *ladder, struct web_list list, int64_t page)
{
	char sql[512], from[200];
	sqlite3_stmt *s;

	list_from(list, from, sizeof(from));

	snprintf(sql, sizeof(sql),
		"SELECT set_id AS 'set',rotation,start,seconds,reason,"
		"replay IS NOT NULL AS replay FROM %s"
		" ORDER BY set_id DESC,rotation DESC LIMIT ?2 OFFSET ?3",
		from);
	s = web_query(ladder, sql);
	if (s) {
		sqlite3_bind_int64(s, 1, list.entrant);
		sqlite3_bind_int64(s, 2, WEB_LIST_SIZE);
		sqlite3_bind_int64(s, 3, page * WEB_LIST_SIZE);
	}
	return web_rows(s);
}

static int64_t get(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

json_t *web_list_json(
	struct web_ladder *ladder, struct web_list list, int64_t page, bool *found)
{
	int64_t total = web_list_total(ladder, list);
	json_t *rows, *row;
	size_t i;

	*found = total < 0 || !page || page * WEB_LIST_SIZE < total;
	if (total < 0 || !*found)
		return NULL;
	rows = list_rows(ladder, list, page);
	json_array_foreach(rows, i, row) json_object_set_new(row, "seats",
		seats_for(ladder,
			"SELECT entrant,score,rank,team,fault FROM seats"
			" WHERE set_id=? AND rotation=? ORDER BY seat",
			get(row, "set"), get(row, "rotation"), ""));
	if (!rows)
		return NULL;
	return json_pack("{s:I,s:I,s:i,s:o}", "total", (json_int_t)total, "page",
		(json_int_t)page, "size", WEB_LIST_SIZE, "matches", rows);
}

/* A replay with a fault in it is handed out only if all faults in it are the asker's. */
#define FOREIGN_FAULTS                                                                   \
	"EXISTS (SELECT 1 FROM seats f JOIN entrants e ON e.id=f.entrant"                \
	" WHERE f.set_id=matches.set_id AND f.rotation=matches.rotation"                 \
	" AND f.fault IS NOT NULL AND (?3='' OR e.owner<>?3))"

json_t *web_match_json(struct web_ladder *ladder, int64_t set, int rotation,
	const char *owner, bool *found)
{
	json_t *rows = seats_for(ladder,
		"SELECT set_id AS 'set',rotation,match_id AS 'match',start,seconds,"
		"reason,replay IS NOT NULL AS replay,"
		"replay IS NOT NULL AND NOT " FOREIGN_FAULTS " AS file,"
		"lower(hex(chain)) AS chain,epoch,"
		"rotations,completed FROM matches JOIN sets ON sets.id=set_id"
		" WHERE set_id=?1 AND rotation=?2 AND state='complete'",
		set, rotation, owner);
	json_t *json = json_incref(json_array_get(rows, 0));

	*found = !rows || json;
	json_decref(rows);
	if (!json)
		return NULL;
	json_object_set_new(json, "seats",
		seats_for(ladder,
			"SELECT entrant,name,version,score,rank,team,decisions,dropped,"
			"think_us,think_us_max,fault,fault_phase,"
			"CASE WHEN ?3<>'' AND owner=?3 THEN fault_why END AS fault_why,"
			"CASE WHEN ?3<>'' AND owner=?3 THEN fault_stderr END"
			" AS fault_stderr"
			" FROM seats JOIN entrants ON entrants.id=entrant"
			" WHERE set_id=?1 AND rotation=?2 ORDER BY seat",
			set, rotation, owner));
	return json;
}

bool web_replay_path(struct web_ladder *ladder, int64_t set, int rotation,
	const char *owner, char path[LADDER_PATH_MAX])
{
	sqlite3_stmt *s = web_query(ladder,
		"SELECT replay FROM matches JOIN sets ON sets.id=set_id WHERE set_id=?1"
		" AND rotation=?2 AND state='complete' AND replay IS NOT NULL"
		" AND (?3 IS NULL OR NOT " FOREIGN_FAULTS ")");
	bool found = false;

	if (!s)
		return false;
	sqlite3_bind_int64(s, 1, set);
	sqlite3_bind_int64(s, 2, rotation);
	sqlite3_bind_text(s, 3, owner, -1, SQLITE_TRANSIENT);
	if (sqlite3_step(s) == SQLITE_ROW) {
		ladder_file(
			&ladder->ladder, (const char *)sqlite3_column_text(s, 0), path);
		found = true;
	}
	sqlite3_finalize(s);
	return found;
}
