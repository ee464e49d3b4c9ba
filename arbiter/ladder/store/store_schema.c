/* The schema of ladder.db and the steps from each version to the next. */
#include "arbiter/ladder/store/store_internal.h"

/* migrations[v] leads from version v to v + 1. */
const char *const store_migrations[STORE_SCHEMA] = {
	"CREATE TABLE entrants ("
	" id INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL,"
	" version TEXT NOT NULL, author TEXT NOT NULL, language TEXT NOT NULL,"
	" added INTEGER NOT NULL,"
	" state TEXT NOT NULL CHECK (state IN ('active','benched','removed')),"
	" reason TEXT NOT NULL, judged_from INTEGER NOT NULL DEFAULT 0,"
	" UNIQUE (name, hash));"

	"CREATE TABLE epochs (id INTEGER PRIMARY KEY, planned INTEGER NOT NULL);"

	"CREATE TABLE history ("
	" epoch INTEGER NOT NULL REFERENCES epochs,"
	" entrant INTEGER NOT NULL REFERENCES entrants,"
	" elo REAL NOT NULL, low REAL, high REAL, sets INTEGER NOT NULL,"
	" PRIMARY KEY (epoch, entrant)) WITHOUT ROWID;"

	"CREATE TABLE sets ("
	" id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL REFERENCES epochs,"
	" rotations INTEGER NOT NULL,"
	" state TEXT NOT NULL CHECK (state IN ('planned','complete','dropped')),"
	" completed INTEGER);"
	"CREATE INDEX sets_by_state ON sets (state, id);"

	"CREATE TABLE places ("
	" set_id INTEGER NOT NULL REFERENCES sets, place INTEGER NOT NULL,"
	" entrant INTEGER NOT NULL REFERENCES entrants,"
	" PRIMARY KEY (set_id, place)) WITHOUT ROWID;"
	"CREATE INDEX places_by_entrant ON places (entrant, set_id);"

	"CREATE TABLE matches ("
	" set_id INTEGER NOT NULL REFERENCES sets, rotation INTEGER NOT NULL,"
	" match_id INTEGER NOT NULL UNIQUE, start INTEGER NOT NULL,"
	" seconds REAL NOT NULL, reason TEXT NOT NULL,"
	" replay TEXT, replay_bytes INTEGER NOT NULL, faulted INTEGER NOT NULL,"
	" chain BLOB, PRIMARY KEY (set_id, rotation)) WITHOUT ROWID;"
	"CREATE INDEX matches_with_replay ON matches (faulted, set_id, rotation)"
	" WHERE replay IS NOT NULL;"

	"CREATE TABLE seats ("
	" set_id INTEGER NOT NULL, rotation INTEGER NOT NULL, seat INTEGER NOT NULL,"
	" entrant INTEGER NOT NULL REFERENCES entrants,"
	" score INTEGER NOT NULL, rank INTEGER NOT NULL, team INTEGER NOT NULL,"
	" decisions INTEGER NOT NULL, dropped INTEGER NOT NULL,"
	" think_us INTEGER NOT NULL, think_us_max INTEGER NOT NULL,"
	" fault TEXT, fault_phase TEXT, fault_why TEXT, fault_stderr TEXT,"
	" PRIMARY KEY (set_id, rotation, seat),"
	" FOREIGN KEY (set_id, rotation) REFERENCES matches) WITHOUT ROWID;"
	"CREATE INDEX seats_by_entrant ON seats (entrant, set_id);",

	"ALTER TABLE entrants ADD COLUMN owner TEXT NOT NULL DEFAULT '';",

	"ALTER TABLE entrants ADD COLUMN remote TEXT NOT NULL DEFAULT '';",
};
