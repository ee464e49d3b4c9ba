/* Between the files that make the answers; nobody else includes this. */
#ifndef ARBITER_WEB_WEB_INTERNAL_H
#define ARBITER_WEB_WEB_INTERNAL_H

#include "arbiter/ladder/directory/ladder.h"
#include "arbiter/web/web.h"

#include <jansson.h>
#include <pthread.h>
#include <sqlite3.h>

/*
 * Made from all results at once, which takes seconds where there are many. They are kept,
 * and when the results change new ones are made by a thread aside, while everybody gets
 * the old ones.
 */
struct web_standings {
	char *table, *matrix; /* JSON */
	int64_t version;      /* of the data they were made from */
	int64_t made_ns, cost_ns;
};

/* A document of those that are made from many rows. */
struct web_kept {
	char name[48];
	char *text; /* NULL: the place is free */
	int64_t version, made_ns, cost_ns, used_ns;
};

#define WEB_KEPT_MAX   128
#define WEB_KEPT_BYTES (8u << 20) /* all texts of a ladder together */
#define WEB_REST_FACTOR                                                                  \
	10 /* what has changed is made for at most a tenth of the time                   \
	    */

struct web_ladder {
	char name[65]; /* of its folder; unique, and safe in a path */
	pthread_mutex_t mutex;
	/* Used by whoever holds the mutex. */
	struct ladder ladder;
	sqlite3 *db; /* read-only, for what store.h has no question for */
	struct web_standings standings;
	struct web_kept kept[WEB_KEPT_MAX];
	size_t kept_bytes;
	bool making, maker_begun; /* the thread is at work; is there to be joined */
	pthread_t maker;
};

struct web {
	int count;
	bool live, play, submit;
	struct web_ladder ladder[WEB_LADDERS_MAX];
};

/* One list of matches: of everybody or one entrant, all of them or the faulted ones. */
struct web_list {
	int64_t entrant; /* 0: everybody */
	bool faulted;    /* by that entrant, or by anybody */
};

/*
 * A statement; NULL if the database cannot be read, which every function below answers
 * with NULL or false. Whoever gets one finalizes it.
 */
sqlite3_stmt *web_query(struct web_ladder *ladder, const char *sql);
/* The first column of the first row; -1: it cannot be read. */
int64_t web_number(struct web_ladder *ladder, const char *sql);
json_t *web_column_text(sqlite3_stmt *statement, int column);
json_t *web_column_number(sqlite3_stmt *statement, int column);
/* Reads the rest of the rows into an array, an object each, the columns' names as keys.
 * Takes the statement, which may be NULL. */
json_t *web_rows(sqlite3_stmt *statement);

/* The documents of specs/web.md. The ladder's mutex is held. `owner` is who asks, "" if
 * nobody known does: what a bot wrote is for its owner only. */
json_t *web_ladder_json(struct web_ladder *ladder);
json_t *web_history_json(struct web_ladder *ladder);
/* *found: is there such an entrant? */
json_t *web_bot_json(
	struct web_ladder *ladder, int64_t entrant, const char *owner, bool *found);
json_t *web_list_json(
	struct web_ladder *ladder, struct web_list list, int64_t page, bool *found);
json_t *web_match_json(struct web_ladder *ladder, int64_t set, int rotation,
	const char *owner, bool *found);
/* Number of matches in a list; -1: it cannot be read. */
int64_t web_list_total(struct web_ladder *ladder, struct web_list list);
/* Where the replay of a match of a complete set lies; false: there is none, or not for
 * this owner (NULL: it is not handed out as it is), since a file with a fault in it holds
 * what the bot wrote. */
bool web_replay_path(struct web_ladder *ladder, int64_t set, int rotation,
	const char *owner, char path[LADDER_PATH_MAX]);
json_t *web_live_json(struct web_ladder *ladder);
/* The replay of a match under way; false: there is none. */
bool web_live_path(
	struct web_ladder *ladder, int64_t set, int rotation, char path[LADDER_PATH_MAX]);
/* The ladder that a path below api/ begins with; *rest is what follows its slash. */
struct web_ladder *web_find_ladder(struct web *web, const char *path, const char **rest);
/* The viewer's data of a replay for the audience `all`, and the file itself. */
void web_answer_viewer(struct web_answer *answer, const char *path);
void web_answer_replay(struct web_answer *answer, const char *path);
int64_t web_now_ns(void);
/* May what was made from this version of the data be given still? */
bool web_is_fresh(
	struct web_ladder *ladder, int64_t version, int64_t made_ns, int64_t cost_ns);
/* A document that was kept, good until the mutex is given back; NULL: it is to be made.
 */
const char *web_kept_text(struct web_ladder *ladder, const char *name);
/* Keeps a copy of what was made since `start_ns` from a version of the data or a newer
 * one. */
void web_keep(struct web_ladder *ladder, const char *name, const char *text,
	int64_t version, int64_t start_ns);
void web_kept_release(struct web_ladder *ladder);
/* standings.json or matrix.json as text, good until the mutex is given back. */
const char *web_standings_text(struct web_ladder *ladder, bool matrix);
void web_standings_release(struct web_ladder *ladder);

#endif
