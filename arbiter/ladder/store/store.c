/* The store: opening it, entrants, epochs and sets. */
#include "arbiter/ladder/store/store_internal.h"
#include "arbiter/base/words.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUSY_MS 10000
/* Enough for the inner pages of all indexes of a hundred million matches. */
#define CACHE_KB "65536"

const char *const entrant_state_names[] = {"active", "benched", "removed", NULL};
const char *const set_state_names[] = {"planned", "complete", "dropped", NULL};

static const char *const queries[QUERY_COUNT] = {
	[QUERY_ADD_ENTRANT] =
		"INSERT INTO entrants (name,hash,version,author,language,added,"
		"state,reason,owner,remote) VALUES (?,?,?,?,?,?,?,?,?,?)",
	[QUERY_ENTRANT_STATE] = "UPDATE entrants SET state=?2, reason=?3,"
				" judged_from=CASE ?2 WHEN 'active' THEN"
				" (SELECT coalesce(max(id),0)+1 FROM sets)"
				" ELSE judged_from END WHERE id=?1",
	[QUERY_ENTRANTS] =
		"SELECT id,name,hash,version,author,language,added,state,reason,"
		"judged_from,owner,remote FROM entrants ORDER BY id",
	[QUERY_ADD_EPOCH] = "INSERT INTO epochs VALUES (?,?)",
	[QUERY_ADD_RATING] = "INSERT INTO history VALUES (?,?,?,?,?,?)",
	[QUERY_NEXT_EPOCH] = "SELECT coalesce(max(id)+1,0) FROM epochs",
	[QUERY_ADD_SET] =
		"INSERT INTO sets (epoch,rotations,state) VALUES (?,?,'planned')",
	[QUERY_ADD_PLACE] = "INSERT INTO places VALUES (?,?,?)",
	[QUERY_SETS] = "SELECT id,epoch,rotations,state,completed FROM sets WHERE state=?"
		       " ORDER BY id LIMIT ?",
	[QUERY_PLACES] = "SELECT place,entrant FROM places WHERE set_id=? ORDER BY place",
	[QUERY_COUNT_SETS] = "SELECT count(*) FROM sets WHERE state=?",
	[QUERY_COMPLETE] = "UPDATE sets SET state='complete', completed=?2"
			   " WHERE id=?1 AND state='planned'",
	[QUERY_ADD_MATCH] = "INSERT INTO matches VALUES (?,?,?,?,?,?,?,?,?,?)",
	[QUERY_ADD_SEAT] = "INSERT INTO seats VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[QUERY_DROP] = "UPDATE sets SET state='dropped' WHERE state='planned' AND id IN"
		       " (SELECT set_id FROM places WHERE entrant=?)",
	[QUERY_EACH_SEAT] = "SELECT set_id,rotation,seat,entrant,score,rank,team,"
			    "fault IS NOT NULL FROM seats ORDER BY set_id,rotation,seat",
	[QUERY_EACH_MATCH] =
		"SELECT set_id,rotation,match_id,start,seconds,reason,replay,"
		"replay_bytes,chain FROM matches ORDER BY set_id,rotation",
	[QUERY_MATCH_SEATS] = "SELECT entrant,score,rank,team,decisions,dropped,think_us,"
			      "think_us_max,fault,fault_phase,fault_why,fault_stderr"
			      " FROM seats WHERE set_id=? AND rotation=? ORDER BY seat",
	[QUERY_HISTORY] = "SELECT epoch,entrant,elo,low,high,sets FROM history"
			  " ORDER BY epoch,entrant",
	[QUERY_REPLAY_BYTES] = "SELECT coalesce(sum(replay_bytes),0) FROM matches"
			       " WHERE replay IS NOT NULL",
	[QUERY_OLDEST_REPLAY] = "SELECT set_id,rotation,replay,replay_bytes FROM matches"
				" WHERE replay IS NOT NULL AND faulted=?"
				" ORDER BY set_id,rotation LIMIT 1",
	[QUERY_FORGET_REPLAY] = "UPDATE matches SET replay=NULL, replay_bytes=0"
				" WHERE set_id=? AND rotation=?",
};

bool store_fail(struct store *store)
{
	return why_set(&store->why, "%s: %s", store->path, sqlite3_errmsg(store->db));
}

const char *store_why(const struct store *store)
{
	return store->why.text;
}

sqlite3_stmt *store_query(struct store *store, enum store_query query)
{
	sqlite3_stmt **statement = &store->statement[query];

	if (!*statement && sqlite3_prepare_v3(store->db, queries[query], -1,
				   SQLITE_PREPARE_PERSISTENT, statement, NULL))
		store_fail(store);
	if (*statement)
		sqlite3_reset(*statement);
	return *statement;
}

bool store_step(struct store *store, sqlite3_stmt *statement)
{
	bool ok = sqlite3_step(statement) == SQLITE_DONE;

	if (!ok)
		store_fail(store);
	sqlite3_reset(statement);
	return ok;
}

bool store_row(struct store *store, sqlite3_stmt *statement, bool *ok)
{
	int code = sqlite3_step(statement);

	if (code == SQLITE_ROW)
		return true;
	*ok = code == SQLITE_DONE;
	if (!*ok)
		store_fail(store);
	sqlite3_reset(statement);
	return false;
}

bool store_execute(struct store *store, const char *sql)
{
	return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ||
	       store_fail(store);
}

void store_column_text(sqlite3_stmt *statement, int column, char *text, size_t size)
{
	const unsigned char *value = sqlite3_column_text(statement, column);

	utf8_format(text, size, "%s", value ? (const char *)value : "");
}

void store_bind_text(sqlite3_stmt *statement, int index, const char *text)
{
	if (*text)
		sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
	else
		sqlite3_bind_null(statement, index);
}

static int64_t first_number(struct store *store, const char *sql)
{
	sqlite3_stmt *statement;
	int64_t value = -1;

	if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL))
		return store_fail(store), -1;
	if (sqlite3_step(statement) == SQLITE_ROW)
		value = sqlite3_column_int64(statement, 0);
	else
		store_fail(store);
	sqlite3_finalize(statement);
	return value;
}

static bool migrate(struct store *store, bool write)
{
	int64_t version = first_number(store, "PRAGMA user_version");
	char pragma[64];

	if (version < 0)
		return false;
	if (version > STORE_SCHEMA || (version < STORE_SCHEMA && !write))
		return why_set(&store->why,
			"%s has schema %lld and this program knows %d; %s", store->path,
			(long long)version, STORE_SCHEMA,
			version > STORE_SCHEMA ? "use a newer pigpen"
					       : "`pigpen ladder run` migrates it");
	for (; version < STORE_SCHEMA; version++) {
		snprintf(pragma, sizeof(pragma), "PRAGMA user_version=%lld",
			(long long)version + 1);
		if (!store_begin(store))
			return false;
		if (!store_execute(store, store_migrations[version]) ||
			!store_execute(store, pragma) || !store_commit(store)) {
			store_rollback(store);
			return false;
		}
	}
	return true;
}

static bool prepare(struct store *store, bool write)
{
	sqlite3_busy_timeout(store->db, BUSY_MS);
	if (write && (!store_execute(store, "PRAGMA journal_mode=WAL") ||
			     !store_execute(store, "PRAGMA synchronous=FULL") ||
			     !store_execute(store, "PRAGMA cache_size=-" CACHE_KB) ||
			     !store_execute(store, "PRAGMA foreign_keys=ON")))
		return false;
	if (!migrate(store, write))
		return false;
	/* SQLite silently opens a file read-only if it may not write it. */
	if (write && sqlite3_db_readonly(store->db, "main"))
		return why_set(&store->why,
			"%s cannot be written; give this user the right to write it and its folder",
			store->path);
	return true;
}

struct store *store_open(const char *path, bool write, struct why *why)
{
	struct store *store = xcalloc(1, sizeof(*store));
	int flags =
		write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;

	snprintf(store->path, sizeof(store->path), "%s", path);
	if (write && access(path, F_OK) == 0 && access(path, W_OK)) {
		why_set(why,
			"%s cannot be written: %s; give this user the right to write it",
			path, strerror(errno));
		store_close(&store);
		return NULL;
	}
	if (sqlite3_open_v2(path, &store->db, flags, NULL)) {
		store_fail(store);
		why_set(why, "%s", store->why.text);
		store_close(&store);
		return NULL;
	}
	if (prepare(store, write))
		return store;
	why_set(why, "%s", store->why.text);
	store_close(&store);
	return NULL;
}

void store_close(struct store **store_)
{
	struct store *store = *store_;

	*store_ = NULL;
	if (!store)
		return;
	for (int i = 0; i < QUERY_COUNT; i++)
		sqlite3_finalize(store->statement[i]);
	sqlite3_close(store->db);
	free(store);
}

bool store_begin(struct store *store)
{
	return store_execute(store, "BEGIN IMMEDIATE");
}

bool store_commit(struct store *store)
{
	return store_execute(store, "COMMIT");
}

void store_rollback(struct store *store)
{
	/* The reason that led here is the one to keep. */
	sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

bool store_snapshot(struct store *store)
{
	if (!store->snapshots && !store_execute(store, "BEGIN"))
		return false;
	store->snapshots++;
	return true;
}

void store_snapshot_end(struct store *store)
{
	if (store->snapshots && --store->snapshots == 0)
		sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
}

bool store_add_entrant(struct store *store, struct store_entrant *entrant)
{
	sqlite3_stmt *s = store_query(store, QUERY_ADD_ENTRANT);
	const char *texts[] = {entrant->name, entrant->hash, entrant->version,
		entrant->author, entrant->language};

	if (!s)
		return false;
	for (int i = 0; i < 5; i++)
		sqlite3_bind_text(s, i + 1, texts[i], -1, SQLITE_TRANSIENT);
	sqlite3_bind_int64(s, 6, entrant->added_unix_s);
	sqlite3_bind_text(s, 7, entrant_state_names[entrant->state], -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 8, entrant->reason, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(s, 9, entrant->owner, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(s, 10, entrant->remote, -1, SQLITE_TRANSIENT);
	if (!store_step(store, s))
		return false;
	entrant->id = sqlite3_last_insert_rowid(store->db);
	return true;
}

bool store_set_entrant_state(
	struct store *store, int64_t id, enum entrant_state state, const char *reason)
{
	sqlite3_stmt *s = store_query(store, QUERY_ENTRANT_STATE);

	if (!s)
		return false;
	sqlite3_bind_int64(s, 1, id);
	sqlite3_bind_text(s, 2, entrant_state_names[state], -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 3, reason, -1, SQLITE_TRANSIENT);
	return store_step(store, s);
}

static void read_entrant(sqlite3_stmt *s, struct store_entrant *entrant)
{
	char state[16];

	entrant->id = sqlite3_column_int64(s, 0);
	store_column_text(s, 1, entrant->name, sizeof(entrant->name));
	store_column_text(s, 2, entrant->hash, sizeof(entrant->hash));
	store_column_text(s, 3, entrant->version, sizeof(entrant->version));
	store_column_text(s, 4, entrant->author, sizeof(entrant->author));
	store_column_text(s, 5, entrant->language, sizeof(entrant->language));
	entrant->added_unix_s = sqlite3_column_int64(s, 6);
	store_column_text(s, 7, state, sizeof(state));
	entrant->state = (enum entrant_state)word_index(entrant_state_names, state);
	store_column_text(s, 8, entrant->reason, sizeof(entrant->reason));
	entrant->judged_from = sqlite3_column_int64(s, 9);
	store_column_text(s, 10, entrant->owner, sizeof(entrant->owner));
	store_column_text(s, 11, entrant->remote, sizeof(entrant->remote));
}

/* Room for one more item at the end of a list that doubles. */
static void *grow(void *list, int count, size_t item)
{
	if (count & (count - 1) || (count && count < 8))
		return list;
	list = xrealloc(list, (count ? (size_t)count * 2 : 8) * item);
	return list;
}

bool store_entrants(struct store *store, struct store_entrant **list, int *count)
{
	sqlite3_stmt *s = store_query(store, QUERY_ENTRANTS);
	bool ok = s != NULL;

	*list = NULL;
	*count = 0;
	while (ok && store_row(store, s, &ok)) {
		*list = grow(*list, *count, sizeof(**list));
		read_entrant(s, &(*list)[(*count)++]);
	}
	return ok;
}

static bool add_set(struct store *store, int64_t epoch, struct store_set *set)
{
	sqlite3_stmt *s = store_query(store, QUERY_ADD_SET);

	if (!s)
		return false;
	sqlite3_bind_int64(s, 1, epoch);
	sqlite3_bind_int(s, 2, set->rotations);
	if (!store_step(store, s))
		return false;
	set->id = sqlite3_last_insert_rowid(store->db);
	set->epoch = epoch;
	for (int place = 0; place < set->seats; place++) {
		if (!(s = store_query(store, QUERY_ADD_PLACE)))
			return false;
		sqlite3_bind_int64(s, 1, set->id);
		sqlite3_bind_int(s, 2, place);
		sqlite3_bind_int64(s, 3, set->entrant[place]);
		if (!store_step(store, s))
			return false;
	}
	return true;
}

static bool add_rating(
	struct store *store, int64_t epoch, const struct store_rating *rating)
{
	sqlite3_stmt *s = store_query(store, QUERY_ADD_RATING);

	if (!s)
		return false;
	sqlite3_bind_int64(s, 1, epoch);
	sqlite3_bind_int64(s, 2, rating->entrant);
	sqlite3_bind_double(s, 3, rating->elo);
	/* Infinite while there is one set only: null. */
	sqlite3_bind_null(s, 4);
	sqlite3_bind_null(s, 5);
	if (isfinite(rating->low) && isfinite(rating->high)) {
		sqlite3_bind_double(s, 4, rating->low);
		sqlite3_bind_double(s, 5, rating->high);
	}
	sqlite3_bind_int(s, 6, rating->sets);
	return store_step(store, s);
}

bool store_add_epoch(struct store *store, int64_t epoch, struct store_set *sets,
	int count, const struct store_rating *ratings, int rating_count)
{
	sqlite3_stmt *s;
	bool ok = store_begin(store);

	if (!ok)
		return false;
	s = store_query(store, QUERY_ADD_EPOCH);
	ok = s != NULL;
	if (ok) {
		sqlite3_bind_int64(s, 1, epoch);
		sqlite3_bind_int64(s, 2, time(NULL));
		ok = store_step(store, s);
	}
	for (int i = 0; ok && i < count; i++)
		ok = add_set(store, epoch, &sets[i]);
	for (int i = 0; ok && i < rating_count; i++)
		ok = add_rating(store, epoch, &ratings[i]);
	if (ok && store_commit(store))
		return true;
	store_rollback(store);
	return false;
}

bool store_next_epoch(struct store *store, int64_t *epoch)
{
	sqlite3_stmt *s = store_query(store, QUERY_NEXT_EPOCH);
	bool ok = s != NULL;

	while (ok && store_row(store, s, &ok))
		*epoch = sqlite3_column_int64(s, 0);
	return ok;
}

static bool read_places(struct store *store, struct store_set *set)
{
	sqlite3_stmt *s = store_query(store, QUERY_PLACES);
	bool ok = s != NULL;

	if (ok)
		sqlite3_bind_int64(s, 1, set->id);
	while (ok && store_row(store, s, &ok))
		if (set->seats < GAME_SEATS_MAX)
			set->entrant[set->seats++] = sqlite3_column_int64(s, 1);
	return ok;
}

bool store_sets(struct store *store, enum set_state state, int max,
	struct store_set **list, int *count)
{
	sqlite3_stmt *s = store_query(store, QUERY_SETS);
	bool ok = s != NULL;

	*list = NULL;
	*count = 0;
	if (!ok)
		return false;
	sqlite3_bind_text(s, 1, set_state_names[state], -1, SQLITE_STATIC);
	sqlite3_bind_int(s, 2, max ? max : -1);
	while (ok && store_row(store, s, &ok)) {
		*list = grow(*list, *count, sizeof(**list));
		(*list)[(*count)++] = (struct store_set){
			.id = sqlite3_column_int64(s, 0),
			.epoch = sqlite3_column_int64(s, 1),
			.rotations = sqlite3_column_int(s, 2),
			.state = state,
			.completed_unix_s = sqlite3_column_int64(s, 4),
		};
	}
	for (int i = 0; ok && i < *count; i++)
		ok = read_places(store, &(*list)[i]);
	return ok;
}

bool store_count_sets(struct store *store, enum set_state state, int64_t *count)
{
	sqlite3_stmt *s = store_query(store, QUERY_COUNT_SETS);
	bool ok = s != NULL;

	if (ok)
		sqlite3_bind_text(s, 1, set_state_names[state], -1, SQLITE_STATIC);
	while (ok && store_row(store, s, &ok))
		*count = sqlite3_column_int64(s, 0);
	return ok;
}

bool store_drop_sets(struct store *store, int64_t entrant, int64_t *dropped)
{
	sqlite3_stmt *s = store_query(store, QUERY_DROP);

	if (!s)
		return false;
	sqlite3_bind_int64(s, 1, entrant);
	if (!store_step(store, s))
		return false;
	*dropped += sqlite3_changes(store->db);
	return true;
}

bool store_history(struct store *store, struct store_rating **list, int *count)
{
	sqlite3_stmt *s = store_query(store, QUERY_HISTORY);
	bool ok = s != NULL;

	*list = NULL;
	*count = 0;
	while (ok && store_row(store, s, &ok)) {
		bool bounded = sqlite3_column_type(s, 3) != SQLITE_NULL;

		*list = grow(*list, *count, sizeof(**list));
		(*list)[(*count)++] = (struct store_rating){
			.epoch = sqlite3_column_int64(s, 0),
			.entrant = sqlite3_column_int64(s, 1),
			.elo = sqlite3_column_double(s, 2),
			.low = bounded ? sqlite3_column_double(s, 3) : -INFINITY,
			.high = bounded ? sqlite3_column_double(s, 4) : INFINITY,
			.sets = sqlite3_column_int(s, 5),
		};
	}
	return ok;
}

static int take_problem(void *context, int columns, char **values, char **names)
{
	struct store *store = context;

	(void)columns;
	(void)names;
	if (strcmp(values[0] ? values[0] : "", "ok"))
		why_set(&store->why, "%s: %s", store->path,
			values[0] ? values[0] : "a row points to nothing");
	return 0;
}

bool store_integrity(struct store *store)
{
	store->why.text[0] = 0;
	if (sqlite3_exec(store->db, "PRAGMA integrity_check(1); PRAGMA foreign_key_check",
		    take_problem, store, NULL))
		return store_fail(store);
	return !store->why.text[0];
}
