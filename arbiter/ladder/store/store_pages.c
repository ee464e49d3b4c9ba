/* What the pages of the site show, in SQL. */
#include "arbiter/ladder/store/store_pages.h"
#include "arbiter/ladder/store/store_internal.h"

#include <math.h>

/* NULL after store_fail(); whoever gets one finalizes it. */
static sqlite3_stmt *prepare(struct store *store, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL))
		store_fail(store);
	return statement;
}

static sqlite3_stmt *prepare_for(struct store *store, const char *sql, int64_t number)
{
	sqlite3_stmt *statement = prepare(store, sql);

	if (statement)
		sqlite3_bind_int64(statement, 1, number);
	return statement;
}

/* Binds two numbers and the owner who asks. */
static sqlite3_stmt *prepare_with(struct store *store, const char *sql, int64_t first,
	int64_t second, const char *owner)
{
	sqlite3_stmt *statement = prepare_for(store, sql, first);

	if (statement) {
		sqlite3_bind_int64(statement, 2, second);
		sqlite3_bind_text(statement, 3, owner, -1, SQLITE_TRANSIENT);
	}
	return statement;
}

static int64_t number(sqlite3_stmt *statement, int column)
{
	return sqlite3_column_int64(statement, column);
}

static const char *text(sqlite3_stmt *statement, int column)
{
	return (const char *)sqlite3_column_text(statement, column);
}

static double real(sqlite3_stmt *statement, int column)
{
	return sqlite3_column_type(statement, column) == SQLITE_NULL
		       ? NAN
		       : sqlite3_column_double(statement, column);
}

/* The first column of the first row; finalizes the statement, which may be NULL. */
static bool take_number(struct store *store, sqlite3_stmt *statement, int64_t *value)
{
	bool ok = statement;

	if (ok && store_row(store, statement, &ok))
		*value = number(statement, 0);
	else
		ok = false;
	sqlite3_finalize(statement);
	return ok;
}

int64_t store_data_version(struct store *store)
{
	int64_t version;

	return take_number(store, prepare(store, "PRAGMA data_version"), &version)
		       ? version
		       : -1;
}

bool store_totals(struct store *store, struct store_totals *totals)
{
	return take_number(store, prepare(store, "SELECT count(*) FROM matches"),
		       &totals->matches) &&
	       take_number(store,
		       prepare(store,
			       "SELECT count(*) FROM entrants WHERE state<>'removed'"),
		       &totals->entrants) &&
	       take_number(store,
		       prepare(store, "SELECT coalesce(max(completed),0) FROM sets"),
		       &totals->last_result_unix_s);
}

bool store_each_point(struct store *store, int epochs_max,
	void (*each)(void *context, const struct store_point *point), void *context)
{
	sqlite3_stmt *s;
	int64_t last;
	bool ok;

	if (!take_number(store, prepare(store, "SELECT coalesce(max(id),0) FROM epochs"),
		    &last))
		return false;
	s = prepare_for(store,
		"SELECT entrant,epoch,planned,elo,low,high,sets FROM history"
		" JOIN epochs ON epochs.id=epoch"
		" WHERE epoch % ?1=0 OR epoch=?2 ORDER BY entrant,epoch",
		1 + last / epochs_max);
	ok = s && !sqlite3_bind_int64(s, 2, last);
	while (ok && store_row(store, s, &ok))
		each(context, &(struct store_point){.entrant = number(s, 0),
				      .epoch = number(s, 1),
				      .planned_unix_s = number(s, 2),
				      .elo = real(s, 3),
				      .low = real(s, 4),
				      .high = real(s, 5),
				      .sets = number(s, 6)});
	sqlite3_finalize(s);
	return ok;
}

bool store_count_entrant_sets(struct store *store, int64_t entrant, int64_t *sets)
{
	return take_number(store,
		prepare_for(store,
			"SELECT count(DISTINCT set_id) FROM seats WHERE entrant=?1",
			entrant),
		sets);
}

/* A lower rank is better. */
bool store_each_opponent(struct store *store, int64_t entrant,
	void (*each)(void *context, const struct store_opponent *opponent), void *context)
{
	sqlite3_stmt *s = prepare_for(store,
		"SELECT b.entrant,count(*) AS met,sum(a.rank<b.rank),"
		"sum(a.rank=b.rank),sum(a.rank>b.rank)"
		" FROM seats a JOIN seats b ON b.set_id=a.set_id AND"
		" b.rotation=a.rotation AND b.seat<>a.seat AND b.entrant<>a.entrant"
		" AND (a.team<0 OR a.team<>b.team)"
		" WHERE a.entrant=?1 GROUP BY b.entrant ORDER BY met DESC,b.entrant",
		entrant);
	bool ok = s;

	while (ok && store_row(store, s, &ok))
		each(context, &(struct store_opponent){.entrant = number(s, 0),
				      .met = number(s, 1),
				      .won = number(s, 2),
				      .tied = number(s, 3),
				      .lost = number(s, 4)});
	sqlite3_finalize(s);
	return ok;
}

bool store_each_seat_results(struct store *store, int64_t entrant,
	void (*each)(void *context, const struct store_seat_results *results),
	void *context)
{
	sqlite3_stmt *s = prepare_for(store,
		"SELECT seat,count(*),sum(rank=1),avg(rank),avg(score),"
		"sum(fault IS NOT NULL)"
		" FROM seats WHERE entrant=?1 GROUP BY seat ORDER BY seat",
		entrant);
	bool ok = s;

	while (ok && store_row(store, s, &ok))
		each(context, &(struct store_seat_results){.seat = (int)number(s, 0),
				      .matches = number(s, 1),
				      .first = number(s, 2),
				      .rank = real(s, 3),
				      .score = real(s, 4),
				      .faults = number(s, 5)});
	sqlite3_finalize(s);
	return ok;
}

bool store_each_thinking(struct store *store, int64_t entrant,
	void (*each)(void *context, const struct store_thinking *thinking), void *context)
{
	sqlite3_stmt *s = prepare_for(store,
		"SELECT decisions,think_us,think_us_max FROM seats"
		" WHERE entrant=?1 AND decisions>0",
		entrant);
	bool ok = s;

	while (ok && store_row(store, s, &ok))
		each(context, &(struct store_thinking){.decisions = number(s, 0),
				      .total_us = number(s, 1),
				      .longest_us = number(s, 2)});
	sqlite3_finalize(s);
	return ok;
}

bool store_each_fault(struct store *store, int64_t entrant, const char *owner, int max,
	void (*each)(void *context, const struct store_fault *fault), void *context)
{
	sqlite3_stmt *s = prepare_with(store,
		"SELECT s.set_id,m.start,s.rotation,s.seat,fault,fault_phase,"
		"CASE WHEN ?3<>'' AND owner=?3 THEN fault_why END,"
		"CASE WHEN ?3<>'' AND owner=?3 THEN fault_stderr END"
		" FROM seats s JOIN matches m USING (set_id,rotation)"
		" JOIN entrants e ON e.id=entrant"
		" WHERE entrant=?1 AND fault IS NOT NULL"
		" ORDER BY s.set_id DESC,s.rotation DESC LIMIT ?2",
		entrant, max, owner);
	bool ok = s;

	while (ok && store_row(store, s, &ok))
		each(context, &(struct store_fault){.set = number(s, 0),
				      .start_unix_s = number(s, 1),
				      .rotation = (int)number(s, 2),
				      .seat = (int)number(s, 3),
				      .class = text(s, 4),
				      .phase = text(s, 5),
				      .why = text(s, 6),
				      .standard_error = text(s, 7)});
	sqlite3_finalize(s);
	return ok;
}

/* What a list holds, as a table of set and rotation. */
static const char *list_source(struct store_match_list list)
{
	if (list.entrant)
		return list.faulted ? "SELECT DISTINCT set_id,rotation FROM seats"
				      " WHERE entrant=?1 AND fault IS NOT NULL"
				    : "SELECT DISTINCT set_id,rotation FROM seats"
				      " WHERE entrant=?1";
	return list.faulted ? "SELECT set_id,rotation FROM matches WHERE faulted AND ?1=0"
			    : "SELECT set_id,rotation FROM matches WHERE ?1=0";
}

/* The same as rows of `matches`. */
static void list_rows(struct store_match_list list, char *sql, size_t size)
{
	if (list.entrant)
		snprintf(sql, size, "(%s) JOIN matches USING (set_id,rotation)",
			list_source(list));
	else
		snprintf(sql, size, "matches WHERE ?1=0%s",
			list.faulted ? " AND faulted" : "");
}

bool store_count_matches(
	struct store *store, struct store_match_list list, int64_t *count)
{
	char sql[256];

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM (%s)", list_source(list));
	return take_number(store, prepare_for(store, sql, list.entrant), count);
}

#define MATCH_COLUMNS "set_id,rotation,start,seconds,reason,replay IS NOT NULL"

static struct store_match read_match(sqlite3_stmt *s)
{
	return (struct store_match){.set = number(s, 0),
		.rotation = (int)number(s, 1),
		.start_unix_s = number(s, 2),
		.seconds = real(s, 3),
		.reason = text(s, 4),
		.has_replay = number(s, 5)};
}

bool store_each_listed_match(struct store *store, struct store_match_list list,
	int64_t offset, int64_t max,
	void (*each)(void *context, const struct store_match *match), void *context)
{
	char sql[512], rows[200];
	sqlite3_stmt *s;
	bool ok;

	list_rows(list, rows, sizeof(rows));
	snprintf(sql, sizeof(sql),
		"SELECT " MATCH_COLUMNS " FROM %s ORDER BY set_id "
		"DESC,rotation DESC LIMIT ?2 OFFSET ?3",
		rows);
	s = prepare_for(store, sql, list.entrant);
	ok = s && !sqlite3_bind_int64(s, 2, max) && !sqlite3_bind_int64(s, 3, offset);
	while (ok && store_row(store, s, &ok)) {
		struct store_match match = read_match(s);

		each(context, &match);
	}
	sqlite3_finalize(s);
	return ok;
}

/* Does the match have a fault of anybody but the owner who asks? */
#define FOREIGN_FAULTS                                                                   \
	"EXISTS (SELECT 1 FROM seats f JOIN entrants e ON e.id=f.entrant"                \
	" WHERE f.set_id=matches.set_id AND f.rotation=matches.rotation"                 \
	" AND f.fault IS NOT NULL AND (?3='' OR e.owner<>?3))"

bool store_find_match(struct store *store, int64_t set, int rotation, const char *owner,
	void (*each)(void *context, const struct store_match *match), void *context)
{
	sqlite3_stmt *s = prepare_with(store,
		"SELECT " MATCH_COLUMNS ",match_id,epoch,completed,rotations,"
		"replay IS NOT NULL AND NOT " FOREIGN_FAULTS ",lower(hex(chain))"
		" FROM matches JOIN sets ON sets.id=set_id"
		" WHERE set_id=?1 AND rotation=?2 AND state='complete'",
		set, rotation, owner);
	bool ok = s;

	while (ok && store_row(store, s, &ok)) {
		struct store_match match = read_match(s);

		match.number = number(s, 6);
		match.epoch = number(s, 7);
		match.completed_unix_s = number(s, 8);
		match.rotations = (int)number(s, 9);
		match.file = number(s, 10);
		match.chain = text(s, 11);
		each(context, &match);
	}
	sqlite3_finalize(s);
	return ok;
}

bool store_each_match_seat(struct store *store, int64_t set, int rotation,
	const char *owner,
	void (*each)(void *context, const struct store_match_seat *seat), void *context)
{
	sqlite3_stmt *s = prepare_with(store,
		"SELECT entrant,name,version,score,rank,team,decisions,dropped,"
		"think_us,think_us_max,fault,fault_phase,"
		"CASE WHEN ?3<>'' AND owner=?3 THEN fault_why END,"
		"CASE WHEN ?3<>'' AND owner=?3 THEN fault_stderr END"
		" FROM seats JOIN entrants ON entrants.id=entrant"
		" WHERE set_id=?1 AND rotation=?2 ORDER BY seat",
		set, rotation, owner);
	bool ok = s;

	while (ok && store_row(store, s, &ok))
		each(context, &(struct store_match_seat){.entrant = number(s, 0),
				      .name = text(s, 1),
				      .version = text(s, 2),
				      .score = (int)number(s, 3),
				      .rank = (int)number(s, 4),
				      .team = (int)number(s, 5),
				      .decisions = number(s, 6),
				      .dropped = number(s, 7),
				      .think_us = number(s, 8),
				      .think_us_max = number(s, 9),
				      .fault = text(s, 10),
				      .fault_phase = text(s, 11),
				      .fault_why = text(s, 12),
				      .fault_stderr = text(s, 13)});
	sqlite3_finalize(s);
	return ok;
}

bool store_find_replay(struct store *store, int64_t set, int rotation, const char *owner,
	char *path, size_t size)
{
	sqlite3_stmt *s = prepare_with(store,
		"SELECT replay FROM matches JOIN sets ON sets.id=set_id WHERE set_id=?1"
		" AND rotation=?2 AND state='complete' AND replay IS NOT NULL"
		" AND (?3 IS NULL OR NOT " FOREIGN_FAULTS ")",
		set, rotation, owner);
	bool ok = s, found = ok && store_row(store, s, &ok);

	if (found)
		store_column_text(s, 0, path, size);
	sqlite3_finalize(s);
	return found;
}

int store_set_entrants(struct store *store, int64_t set, int64_t entrant[GAME_SEATS_MAX])
{
	sqlite3_stmt *s = prepare_for(
		store, "SELECT entrant FROM places WHERE set_id=?1 ORDER BY place", set);
	bool ok = s;
	int count = 0;

	while (ok && count < GAME_SEATS_MAX && store_row(store, s, &ok))
		entrant[count++] = number(s, 0);
	sqlite3_finalize(s);
	return count;
}
