/*
 * The facts of a ladder in SQLite (specs/ladder.md has the schema).
 *
 * One process writes, any number read. A set is stored with all its matches in one
 * transaction or not at all; what is stored is never changed. Functions that can fail
 * return false; store_why() says what was wrong. A failed transaction is rolled back.
 */
#ifndef ARBITER_LADDER_STORE_STORE_H
#define ARBITER_LADDER_STORE_STORE_H

#include "arbiter/bots/bot_spec.h"
#include "arbiter/ladder/store/record.h"
#include "protocol/why.h"

#define STORE_SCHEMA 3

struct store;

enum entrant_state { ENTRANT_ACTIVE, ENTRANT_BENCHED, ENTRANT_REMOVED };
extern const char *const entrant_state_names[]; /* "active" … NULL */

struct store_entrant {
	int64_t id; /* from 1, in the order in which they entered */
	char name[65], hash[BOT_HASH_SIZE], version[65], author[65], language[65];
	int64_t added_unix_s;
	char remote[41]; /* public key of one that connects by itself; "": a local bot */
	enum entrant_state state;
	char reason[160];
	int64_t judged_from; /* faults in earlier sets do not bench it any more */
	char owner[65];      /* who submitted it; "": the host */
};

enum set_state { SET_PLANNED, SET_COMPLETE, SET_DROPPED };
extern const char *const set_state_names[]; /* "planned" … NULL */

struct store_set {
	int64_t id; /* from 1; also the number of its deals */
	int64_t epoch;
	int rotations, seats;
	enum set_state state;
	int64_t completed_unix_s;
	int64_t entrant[GAME_SEATS_MAX]; /* by place */
};

/* What one seat got, for the ratings. */
struct store_seat {
	int64_t set, entrant;
	int rotation, seat, score, rank, team;
	bool faulted;
};

struct store_rating {
	int64_t epoch, entrant;
	double elo, low, high;
	int sets;
};

/* Opens the database; a writer creates or migrates it. NULL: `why` says what was wrong.
 */
struct store *store_open(const char *path, bool write, struct why *why);
void store_close(struct store **store);
const char *store_why(const struct store *store);

/* Everything between the two is one transaction. Transactions cannot be nested. */
bool store_begin(struct store *store);
bool store_commit(struct store *store);
void store_rollback(struct store *store);

/* What is read between the two is one consistent snapshot, even while a run writes. May
 * be nested; nothing is written in between. */
bool store_snapshot(struct store *store);
void store_snapshot_end(struct store *store);

/* Sets entrant->id. */
bool store_add_entrant(struct store *store, struct store_entrant *entrant);
/* An entrant that becomes active again starts anew: earlier faults do not count. */
bool store_set_entrant_state(
	struct store *store, int64_t id, enum entrant_state state, const char *reason);
/* All of them by id; the list is the caller's to free. */
bool store_entrants(struct store *store, struct store_entrant **list, int *count);

/* Plans an epoch and sets the ids of its sets, in a transaction of its own: none may be
 * open. */
bool store_add_epoch(struct store *store, int64_t epoch, struct store_set *sets,
	int count, const struct store_rating *ratings, int rating_count);
/* The number of the next epoch. */
bool store_next_epoch(struct store *store, int64_t *epoch);
/* Sets of one state by id, at most `max` of them (0: all); the caller frees. */
bool store_sets(struct store *store, enum set_state state, int max,
	struct store_set **list, int *count);
bool store_count_sets(struct store *store, enum set_state state, int64_t *count);
/* A set with the records of all its rotations, in an open transaction. */
bool store_complete_set(struct store *store, const struct store_set *set,
	const struct match_record *records, int64_t now_unix_s);
bool store_drop_sets(struct store *store, int64_t entrant, int64_t *dropped);

/* All seats of all complete sets, by set, rotation, seat. */
bool store_each_seat(struct store *store,
	void (*each)(void *context, const struct store_seat *seat), void *context);
/* All matches of complete sets, by set and rotation; the record is valid during the call.
 */
bool store_each_match(struct store *store,
	void (*each)(void *context, int64_t set, const struct match_record *record),
	void *context);
bool store_history(struct store *store, struct store_rating **list, int *count);

/* Bytes of all replays kept. */
bool store_replay_bytes(struct store *store, int64_t *bytes);
/* The oldest replay of a match without a fault (or of any, if `faulted`); *path is ""
 * if there is none. */
bool store_oldest_replay(struct store *store, bool faulted, int64_t *set, int *rotation,
	char *path, size_t size, int64_t *bytes);
bool store_forget_replay(struct store *store, int64_t set, int rotation);

/* SQLite's own check. False: store_why() says what is wrong. */
bool store_integrity(struct store *store);

#endif
