/*
 * A ladder's directory: settings, secret key, lock, store. specs/ladder.md describes it.
 */
#ifndef ARBITER_LADDER_DIRECTORY_LADDER_H
#define ARBITER_LADDER_DIRECTORY_LADDER_H

#include "arbiter/ladder/directory/settings.h"
#include "arbiter/ladder/store/store.h"
#include "protocol/why.h"

#include <sys/types.h>

#define LADDER_KEY_SIZE 32
#define LADDER_PATH_MAX 4096
/* Bytes of the ladder's own path; the paths below it are short. */
#define LADDER_ROOT_MAX 400

struct ladder {
	char path[LADDER_PATH_MAX]; /* absolute */
	struct ladder_settings config;
	uint8_t key[LADDER_KEY_SIZE]; /* writers only */
	struct store *store;
	int lock; /* descriptor, -1: none is held */
};

enum ladder_access {
	LADDER_READ,     /* the store is opened read-only */
	LADDER_WRITE,    /* takes the lock, or fails */
	LADDER_WRITE_TRY /* takes the lock if it is free, else as LADDER_READ */
};

/* Makes the directory (which must not exist or be empty) with key and database. */
bool ladder_create(
	const char *path, const struct ladder_settings *config, struct why *why);
bool ladder_open(struct ladder *ladder, const char *path, enum ladder_access access,
	struct why *why);
void ladder_close(struct ladder *ladder);

/* Reads the secret key. A ladder opened with LADDER_WRITE has it already. */
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

#endif
