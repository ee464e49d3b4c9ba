/*
 * What the pages of the site show of a ladder (arbiter/web/site). All of it only reads.
 *
 * Rows are handed to a function one by one; their texts are valid during that call, and a
 * NULL is a value that is not there. Only complete sets have matches and seats. False:
 * the database cannot be read, and store_why() says why.
 *
 * `owner` is the owner who asks, "" for everybody else: what a bot wrote is shown to its
 * owner only.
 */
#ifndef ARBITER_LADDER_STORE_STORE_PAGES_H
#define ARBITER_LADDER_STORE_STORE_PAGES_H

#include "arbiter/ladder/store/store.h"

/* Changes whenever another process has written; -1: it cannot be read. */
int64_t store_data_version(struct store *store);

struct store_totals {
	int64_t matches;
	int64_t entrants;           /* without those that were removed */
	int64_t last_result_unix_s; /* 0: there is none */
};

bool store_totals(struct store *store, struct store_totals *totals);

/* The rating of an entrant before an epoch. */
struct store_point {
	int64_t entrant, epoch, planned_unix_s;
	double elo, low, high; /* the interval may be NAN */
	int64_t sets;
};

/* By entrant and epoch. Of more than `epochs_max` epochs every second or third … is
 * taken, and the last. */
bool store_each_point(struct store *store, int epochs_max,
	void (*each)(void *context, const struct store_point *point), void *context);

/* How often an entrant sat against another, by ranks; partners are no opponents. */
struct store_opponent {
	int64_t entrant, met, won, tied, lost;
};

/* An entrant's results in one seat. */
struct store_seat_results {
	int seat;
	int64_t matches, first, faults;
	double rank, score; /* means */
};

/* An entrant's decisions in one match. */
struct store_thinking {
	int64_t decisions, total_us, longest_us;
};

struct store_fault {
	int64_t set, start_unix_s;
	int rotation, seat;
	const char *class, *phase;
	const char *why, *standard_error; /* NULL: not for who asks */
};

bool store_count_entrant_sets(struct store *store, int64_t entrant, int64_t *sets);
/* Whom it met most comes first. */
bool store_each_opponent(struct store *store, int64_t entrant,
	void (*each)(void *context, const struct store_opponent *opponent),
	void *context);
bool store_each_seat_results(struct store *store, int64_t entrant,
	void (*each)(void *context, const struct store_seat_results *results),
	void *context);
/* Only matches in which it decided something. */
bool store_each_thinking(struct store *store, int64_t entrant,
	void (*each)(void *context, const struct store_thinking *thinking),
	void *context);
/* The newest `max` faults. */
bool store_each_fault(struct store *store, int64_t entrant, const char *owner, int max,
	void (*each)(void *context, const struct store_fault *fault), void *context);

/* Which matches: of everybody or one entrant, all of them or the faulted ones. */
struct store_match_list {
	int64_t entrant; /* 0: everybody */
	bool faulted;    /* by that entrant, or by anybody */
};

struct store_match {
	int64_t set;
	int rotation;
	int64_t start_unix_s;
	double seconds;
	const char *reason;
	bool has_replay;
	/* Of store_find_match() only. */
	int64_t number, epoch, completed_unix_s;
	int rotations;
	bool file;         /* who asks may have the replay as it is */
	const char *chain; /* hex */
};

struct store_match_seat {
	int64_t entrant;
	const char *name, *version;
	int score, rank, team;
	int64_t decisions, dropped, think_us, think_us_max;
	const char *fault, *fault_phase;
	const char *fault_why, *fault_stderr; /* NULL: not for who asks */
};

bool store_count_matches(
	struct store *store, struct store_match_list list, int64_t *count);
/* The newest first. */
bool store_each_listed_match(struct store *store, struct store_match_list list,
	int64_t offset, int64_t max,
	void (*each)(void *context, const struct store_match *match), void *context);
/* Calls `each` with the match, if there is one. */
bool store_find_match(struct store *store, int64_t set, int rotation, const char *owner,
	void (*each)(void *context, const struct store_match *match), void *context);
/* By seat. */
bool store_each_match_seat(struct store *store, int64_t set, int rotation,
	const char *owner,
	void (*each)(void *context, const struct store_match_seat *seat), void *context);
/*
 * The path of a match's replay, relative to the ladder. False: there is none, or it is
 * not for this owner: a replay with a fault in it holds what the bot wrote, and is handed
 * out only if all faults in it are the owner's. NULL: the file itself is not handed out.
 */
bool store_find_replay(struct store *store, int64_t set, int rotation, const char *owner,
	char *path, size_t size);

/* The entrants of a set, planned or complete, by place; how many there are, 0 if there is
 * no such set. */
int store_set_entrants(struct store *store, int64_t set, int64_t entrant[GAME_SEATS_MAX]);

#endif
