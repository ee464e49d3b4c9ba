/* The document about one entrant. */
#include "arbiter/web/web_internal.h"

/* Runs a question about an entrant, by whoever asks. */
static json_t *about(
	struct web_ladder *ladder, const char *sql, int64_t entrant, const char *owner)
{
	sqlite3_stmt *statement = web_query(ladder, sql);

	if (statement) {
		sqlite3_bind_int64(statement, 1, entrant);
		if (sqlite3_bind_parameter_count(statement) > 1)
			sqlite3_bind_text(statement, 2, owner, -1, SQLITE_TRANSIENT);
	}
	return web_rows(statement);
}

static const char entrant_sql[] =
	"SELECT id,name,hash,version,author,language,added,state,reason,"
	"owner<>'' AND owner=?2 AS mine FROM entrants WHERE id=?1";

static const char versions_sql[] =
	"SELECT id,hash,version,added,state,reason,"
	"(SELECT count(DISTINCT set_id) FROM seats WHERE entrant=e.id) AS sets"
	" FROM entrants e WHERE name=(SELECT name FROM entrants WHERE id=?1)"
	" ORDER BY id DESC";

/* Partners are no opponents. A lower rank is better. */
static const char opponents_sql[] =
	"SELECT b.entrant,count(*) AS met,sum(a.rank<b.rank) AS won,"
	"sum(a.rank=b.rank) AS tied,sum(a.rank>b.rank) AS lost"
	" FROM seats a JOIN seats b ON b.set_id=a.set_id AND b.rotation=a.rotation"
	" AND b.seat<>a.seat AND b.entrant<>a.entrant"
	" AND (a.team<0 OR a.team<>b.team)"
	" WHERE a.entrant=?1 GROUP BY b.entrant ORDER BY met DESC,b.entrant";

static const char seats_sql[] =
	"SELECT seat,count(*) AS matches,sum(rank=1) AS first,avg(rank) AS rank,"
	"avg(score) AS score,sum(fault IS NOT NULL) AS faults"
	" FROM seats WHERE entrant=?1 GROUP BY seat ORDER BY seat";

static const char faults_sql[] =
	"SELECT s.set_id AS 'set',s.rotation,s.seat,m.start,fault AS class,"
	"fault_phase AS phase,CASE WHEN ?2<>'' AND owner=?2 THEN fault_why END AS why,"
	"CASE WHEN ?2<>'' AND owner=?2 THEN fault_stderr END AS stderr"
	" FROM seats s JOIN matches m USING (set_id,rotation)"
	" JOIN entrants e ON e.id=entrant"
	" WHERE entrant=?1 AND fault IS NOT NULL"
	" ORDER BY s.set_id DESC,s.rotation DESC LIMIT 50";

/* Matches by their mean time for a decision; band b holds 2^b to 2^(b+1) µs. */
#define BANDS 40

static json_t *thinking(struct web_ladder *ladder, int64_t entrant)
{
	sqlite3_stmt *s =
		web_query(ladder, "SELECT decisions,think_us,think_us_max FROM seats"
				  " WHERE entrant=? AND decisions>0");
	int64_t band[BANDS] = {0}, decisions = 0, total_us = 0, longest_us = 0;
	json_t *bands = json_array();

	if (s)
		sqlite3_bind_int64(s, 1, entrant);
	while (s && sqlite3_step(s) == SQLITE_ROW) {
		int64_t n = sqlite3_column_int64(s, 0), us = sqlite3_column_int64(s, 1);
		int64_t most_us = sqlite3_column_int64(s, 2);
		int b = 0;

		for (int64_t mean_us = us / n; mean_us > 1 && b < BANDS - 1; mean_us /= 2)
			b++;
		band[b]++;
		decisions += n;
		total_us += us;
		longest_us = most_us > longest_us ? most_us : longest_us;
	}
	sqlite3_finalize(s);
	for (int b = 0; b < BANDS; b++)
		if (band[b])
			json_array_append_new(bands,
				json_pack("{s:I,s:I}", "from_us", (json_int_t)1 << b,
					"matches", (json_int_t)band[b]));
	return json_pack("{s:I,s:I,s:I,s:o}", "decisions", (json_int_t)decisions,
		"total_us", (json_int_t)total_us, "longest_us", (json_int_t)longest_us,
		"bands", bands);
}

json_t *web_bot_json(
	struct web_ladder *ladder, int64_t entrant, const char *owner, bool *found)
{
	json_t *rows = about(ladder, entrant_sql, entrant, owner);
	json_t *json = json_incref(json_array_get(rows, 0));

	*found = !rows || json;
	json_decref(rows);
	if (!json)
		return NULL;
	json_object_set_new(
		json, "versions", about(ladder, versions_sql, entrant, owner));
	json_object_set_new(
		json, "opponents", about(ladder, opponents_sql, entrant, owner));
	json_object_set_new(json, "seats", about(ladder, seats_sql, entrant, owner));
	json_object_set_new(json, "thinking", thinking(ladder, entrant));
	json_object_set_new(json, "faults", about(ladder, faults_sql, entrant, owner));
	return json;
}
