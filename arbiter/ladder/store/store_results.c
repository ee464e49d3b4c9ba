/* Matches and seats: writing complete sets, reading them back. */
#include "arbiter/ladder/store/store_internal.h"
#include "arbiter/base/words.h"
#include "protocol/memory.h"

#include <stdlib.h>
#include <string.h>

static bool add_match(struct store *store, int64_t set, const struct match_record *record)
{
	sqlite3_stmt *s = store_query(store, QUERY_ADD_MATCH);

	if (!s)
		return false;
	sqlite3_bind_int64(s, 1, set);
	sqlite3_bind_int(s, 2, record->rotation);
	sqlite3_bind_int64(s, 3, record->match_id);
	sqlite3_bind_int64(s, 4, record->start_unix_s);
	sqlite3_bind_double(s, 5, record->seconds);
	sqlite3_bind_text(s, 6, record->reason, -1, SQLITE_TRANSIENT);
	store_bind_text(s, 7, record->replay);
	sqlite3_bind_int64(s, 8, record->replay_bytes);
	sqlite3_bind_int(s, 9, match_record_faulted(record));
	if (record->has_chain)
		sqlite3_bind_blob(
			s, 10, record->chain, sizeof(record->chain), SQLITE_TRANSIENT);
	else
		sqlite3_bind_null(s, 10);
	return store_step(store, s);
}

static bool add_seat(struct store *store, int64_t set, int rotation, int number,
	const struct seat_record *seat)
{
	sqlite3_stmt *s = store_query(store, QUERY_ADD_SEAT);
	const int64_t numbers[] = {set, rotation, number, seat->entrant, seat->score,
		seat->rank, seat->team, seat->decisions, seat->dropped, seat->think_us,
		seat->think_us_max};

	if (!s)
		return false;
	for (int i = 0; i < 11; i++)
		sqlite3_bind_int64(s, i + 1, numbers[i]);
	store_bind_text(s, 12, seat->fault ? fault_names[seat->fault] : "");
	store_bind_text(s, 13, seat->fault ? seat->fault_phase : "");
	store_bind_text(s, 14, seat->fault ? seat->fault_why : "");
	store_bind_text(s, 15, seat->fault ? seat->fault_stderr : "");
	return store_step(store, s);
}

bool store_complete_set(struct store *store, const struct store_set *set,
	const struct match_record *records, int64_t now_unix_s)
{
	sqlite3_stmt *s = store_query(store, QUERY_COMPLETE);

	if (!s)
		return false;
	sqlite3_bind_int64(s, 1, set->id);
	sqlite3_bind_int64(s, 2, now_unix_s);
	if (!store_step(store, s))
		return false;
	if (sqlite3_changes(store->db) != 1)
		return why_set(&store->why,
			"%s: set %lld is not planned, so it cannot become complete",
			store->path, (long long)set->id);
	for (int r = 0; r < set->rotations; r++) {
		if (!add_match(store, set->id, &records[r]))
			return false;
		for (int seat = 0; seat < records[r].seats; seat++)
			if (!add_seat(store, set->id, r, seat, &records[r].seat[seat]))
				return false;
	}
	return true;
}

bool store_each_seat(struct store *store,
	void (*each)(void *context, const struct store_seat *seat), void *context)
{
	sqlite3_stmt *s = store_query(store, QUERY_EACH_SEAT);
	bool ok = s != NULL;

	while (ok && store_row(store, s, &ok)) {
		const struct store_seat seat = {
			.set = sqlite3_column_int64(s, 0),
			.rotation = sqlite3_column_int(s, 1),
			.seat = sqlite3_column_int(s, 2),
			.entrant = sqlite3_column_int64(s, 3),
			.score = sqlite3_column_int(s, 4),
			.rank = sqlite3_column_int(s, 5),
			.team = sqlite3_column_int(s, 6),
			.faulted = sqlite3_column_int(s, 7),
		};

		each(context, &seat);
	}
	return ok;
}

static void read_seat(sqlite3_stmt *s, struct seat_record *seat)
{
	char fault[16];
	int class;

	seat->entrant = sqlite3_column_int64(s, 0);
	seat->score = sqlite3_column_int(s, 1);
	seat->rank = sqlite3_column_int(s, 2);
	seat->team = sqlite3_column_int(s, 3);
	seat->decisions = (uint32_t)sqlite3_column_int64(s, 4);
	seat->dropped = (uint32_t)sqlite3_column_int64(s, 5);
	seat->think_us = sqlite3_column_int64(s, 6);
	seat->think_us_max = sqlite3_column_int64(s, 7);
	store_column_text(s, 8, fault, sizeof(fault));
	class = word_index(fault_names, fault);
	seat->fault = class > 0 ? (enum fault_class) class : FAULT_NONE;
	store_column_text(s, 9, seat->fault_phase, sizeof(seat->fault_phase));
	store_column_text(s, 10, seat->fault_why, sizeof(seat->fault_why));
	store_column_text(s, 11, seat->fault_stderr, sizeof(seat->fault_stderr));
}

static bool read_match_seats(
	struct store *store, int64_t set, struct match_record *record)
{
	sqlite3_stmt *s = store_query(store, QUERY_MATCH_SEATS);
	bool ok = s != NULL;

	if (!ok)
		return false;
	sqlite3_bind_int64(s, 1, set);
	sqlite3_bind_int(s, 2, record->rotation);
	while (ok && store_row(store, s, &ok))
		if (record->seats < GAME_SEATS_MAX)
			read_seat(s, &record->seat[record->seats++]);
	return ok;
}

static void read_match(sqlite3_stmt *s, struct match_record *record)
{
	memset(record, 0, sizeof(*record));
	record->rotation = sqlite3_column_int(s, 1);
	record->match_id = sqlite3_column_int64(s, 2);
	record->start_unix_s = sqlite3_column_int64(s, 3);
	record->seconds = sqlite3_column_double(s, 4);
	store_column_text(s, 5, record->reason, sizeof(record->reason));
	store_column_text(s, 6, record->replay, sizeof(record->replay));
	record->replay_bytes = sqlite3_column_int64(s, 7);
	record->has_chain = sqlite3_column_bytes(s, 8) == REPLAY_CHAIN_SIZE;
	if (record->has_chain)
		memcpy(record->chain, sqlite3_column_blob(s, 8), REPLAY_CHAIN_SIZE);
}

bool store_each_match(struct store *store,
	void (*each)(void *context, int64_t set, const struct match_record *record),
	void *context)
{
	sqlite3_stmt *s = store_query(store, QUERY_EACH_MATCH);
	struct match_record *record = xmalloc(sizeof(*record));
	bool ok = s != NULL;

	while (ok && store_row(store, s, &ok)) {
		int64_t set = sqlite3_column_int64(s, 0);

		read_match(s, record);
		if (!(ok = read_match_seats(store, set, record)))
			break;
		each(context, set, record);
	}
	if (s)
		sqlite3_reset(s);
	free(record);
	return ok;
}

bool store_replay_bytes(struct store *store, int64_t *bytes)
{
	sqlite3_stmt *s = store_query(store, QUERY_REPLAY_BYTES);
	bool ok = s != NULL;

	while (ok && store_row(store, s, &ok))
		*bytes = sqlite3_column_int64(s, 0);
	return ok;
}

bool store_oldest_replay(struct store *store, bool faulted, int64_t *set, int *rotation,
	char *path, size_t size, int64_t *bytes)
{
	sqlite3_stmt *s = store_query(store, QUERY_OLDEST_REPLAY);
	bool ok = s != NULL;

	*path = 0;
	if (ok)
		sqlite3_bind_int(s, 1, faulted);
	while (ok && store_row(store, s, &ok)) {
		*set = sqlite3_column_int64(s, 0);
		*rotation = sqlite3_column_int(s, 1);
		store_column_text(s, 2, path, size);
		*bytes = sqlite3_column_int64(s, 3);
	}
	return ok;
}

bool store_forget_replay(struct store *store, int64_t set, int rotation)
{
	sqlite3_stmt *s = store_query(store, QUERY_FORGET_REPLAY);

	if (!s)
		return false;
	sqlite3_bind_int64(s, 1, set);
	sqlite3_bind_int(s, 2, rotation);
	return store_step(store, s);
}
