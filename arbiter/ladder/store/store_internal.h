/* Shared by store.c, store_results.c and store_schema.c; nobody else includes this. */
#ifndef ARBITER_LADDER_STORE_STORE_INTERNAL_H
#define ARBITER_LADDER_STORE_STORE_INTERNAL_H

#include "arbiter/ladder/store/store.h"
#include "protocol/why.h"

#include <sqlite3.h>

enum store_query {
	QUERY_ADD_ENTRANT,
	QUERY_ENTRANT_STATE,
	QUERY_ENTRANTS,
	QUERY_ADD_EPOCH,
	QUERY_ADD_RATING,
	QUERY_NEXT_EPOCH,
	QUERY_ADD_SET,
	QUERY_ADD_PLACE,
	QUERY_SETS,
	QUERY_PLACES,
	QUERY_COUNT_SETS,
	QUERY_COMPLETE,
	QUERY_ADD_MATCH,
	QUERY_ADD_SEAT,
	QUERY_DROP,
	QUERY_EACH_SEAT,
	QUERY_EACH_MATCH,
	QUERY_MATCH_SEATS,
	QUERY_HISTORY,
	QUERY_REPLAY_BYTES,
	QUERY_OLDEST_REPLAY,
	QUERY_FORGET_REPLAY,
	QUERY_COUNT
};

struct store {
	sqlite3 *db;
	char path[4096];
	struct why why;
	int snapshots;                        /* open ones */
	sqlite3_stmt *statement[QUERY_COUNT]; /* prepared when first used */
};

extern const char *const store_migrations[STORE_SCHEMA];

/* The statement, reset; NULL after store_fail(). */
sqlite3_stmt *store_query(struct store *store, enum store_query query);
/* Runs a statement that gives no rows, and resets it. */
bool store_step(struct store *store, sqlite3_stmt *statement);
/* The next row: true. False: no more, or (with *ok cleared) an error. */
bool store_row(struct store *store, sqlite3_stmt *statement, bool *ok);
bool store_execute(struct store *store, const char *sql);
/* Puts SQLite's error message into `why`; returns false. */
bool store_fail(struct store *store);
void store_column_text(sqlite3_stmt *statement, int column, char *text, size_t size);
/* Text, or NULL if it is empty. */
void store_bind_text(sqlite3_stmt *statement, int index, const char *text);

#endif
