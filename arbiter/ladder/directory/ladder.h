/*
 * A ladder's directory: settings, secret key, lock, store. specs/ladder.md describes it.
 */
#ifndef ARBITER_LADDER_DIRECTORY_LADDER_H
#define ARBITER_LADDER_DIRECTORY_LADDER_H

#include "arbiter/match/match_rules.h"
#include "arbiter/ladder/rating/schedule.h"
#include "arbiter/ladder/store/store.h"
#include "protocol/why.h"

#include <sys/types.h>

#define LADDER_FORMAT   1
#define LADDER_KEY_SIZE 32
#define LADDER_PATH_MAX 4096
#define LADDER_ROOT_MAX                                                                  \
	400 /* bytes of the ladder's own path; replays' paths are short                  \
	     */

enum ladder_teams { TEAMS_SAME, TEAMS_MIXED };
enum ladder_keep { KEEP_ALL, KEEP_FAULTS, KEEP_NONE };
extern const char *const ladder_teams_names[];    /* "same", "mixed" */
extern const char *const ladder_keep_names[];     /* "all", "faults+sample", "none" */
extern const char *const ladder_schedule_names[]; /* "adaptive" … */

struct ladder_config {
	struct match_rules rules;
	enum schedule_mode schedule;
	char challenger[65]; /* of a gauntlet */
	enum ladder_teams teams;
	bool one_per_author;
	char anchor[65]; /* "": the first entrant */
	double anchor_elo;
	int sets_per_entrant;
	enum ladder_keep keep;
	bool compress;
	int64_t disk_mb_max, logs_mb_max; /* 0: no limit */
	double bench_share;
	int bench_matches_min;
	int worker_mb_max;
	char seed[65];
};

struct ladder {
	char path[LADDER_PATH_MAX]; /* absolute */
	struct ladder_config config;
	uint8_t key[LADDER_KEY_SIZE]; /* writers only */
	struct store *store;
	int lock; /* descriptor, -1: none is held */
};

enum ladder_access {
	LADDER_READ,     /* the store is opened read-only */
	LADDER_WRITE,    /* takes the lock, or fails */
	LADDER_WRITE_TRY /* takes the lock if it is free, else as LADDER_READ */
};

/* Standard settings for a game. */
void ladder_config_init(struct ladder_config *config, const struct game *game);
/* From the object of a ladder.json; false with a sentence. */
bool ladder_config_read(
	struct ladder_config *config, const json_t *object, struct why *why);
/* Makes the directory (which must not exist or be empty) with key and database. */
bool ladder_create(const char *path, const struct ladder_config *config, struct why *why);
bool ladder_open(struct ladder *ladder, const char *path, enum ladder_access access,
	struct why *why);
void ladder_close(struct ladder *ladder);

/* Reads the secret key, which a writer has already. */
bool ladder_read_key(struct ladder *ladder, struct why *why);

/* DIR/name */
void ladder_file(
	const struct ladder *ladder, const char *name, char path[LADDER_PATH_MAX]);
/* Relative to the ladder: bots/NAME/HASH. */
void ladder_bot_folder(const struct store_entrant *entrant, char *path, size_t size);
/* Relative to the ladder: replays/000012/00012345-1.replay. */
void ladder_replay_name(int64_t set, int rotation, char *path, size_t size);
/* The seed of a set's deals. */
void ladder_set_seed(
	const struct ladder *ladder, int64_t set, uint8_t seed[CHANCE_SEED_SIZE]);

/* Removes a tree; true if nothing is left. */
bool remove_tree(const char *path);
/* Writes a file whole or not at all: under another name first, then fsync and rename. */
bool write_file_whole(const char *path, const char *text, size_t size, mode_t mode);
/* mkdir, also if it is there already. */
bool make_folder(const char *path);

#endif
