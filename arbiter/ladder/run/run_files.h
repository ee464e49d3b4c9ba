/* The files of a run: replays on their way from live/ to replays/, logs, sockets. */
#ifndef ARBITER_LADDER_RUN_RUN_FILES_H
#define ARBITER_LADDER_RUN_RUN_FILES_H

#include "arbiter/ladder/directory/ladder.h"
#include "arbiter/base/temporary.h"
#include "protocol/why.h"

struct run_files {
	char root[LADDER_PATH_MAX];        /* the ladder's */
	char runtime[TEMPORARY_PATH_SIZE]; /* folder of the sockets */
	char live[LADDER_PATH_MAX];        /* this run's folder under live/ */
	char logs[LADDER_PATH_MAX];
	int64_t folder; /* of replays/ that has unsynced files, -1: none */
	bool unsynced_root;
	/* Replays stay with their tasks too, until the results are stored: a task that is
	 * adopted still has all that it handed in. */
	bool tasks;
	int64_t replay_bytes;
};

/* Removes what killed runs left behind, but not the tasks of a cluster if they are to be
 * adopted, and makes this run's folders. False: `why` says what was wrong. */
bool run_files_open(struct run_files *files, struct ladder *ladder, bool adopt_tasks,
	struct why *why);
/* Removes the folders of this run, and logs beyond the limit. */
void run_files_close(struct run_files *files, const struct ladder *ladder);

/* Where the replay of a match grows. */
void run_files_live(const struct run_files *files, int64_t set, int rotation, char *path,
	size_t size);
/* Moves a finished replay to its place, or removes it if it is not to be kept, and sets
 * record->replay and replay_bytes to what is to be stored. */
bool run_files_keep(struct run_files *files, const struct ladder_settings *config,
	int64_t set, struct match_record *record, struct why *why);
/* Syncs the names of moved replays to the disk. */
bool run_files_sync(struct run_files *files);
/* Removes the oldest logs beyond a limit; 0: there is none. */
void run_files_limit_logs(const struct run_files *files, int64_t mb_max);
/* Removes the oldest replays beyond the disk budget. False: store_why(). */
bool run_files_limit(struct run_files *files, struct ladder *ladder);

#endif
