/* The directory of a ladder: making, locking and opening it, and the names in it. */
#include "arbiter/ladder/directory/ladder.h"
#include "arbiter/base/files.h"
#include "protocol/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <dirent.h>
#include <sodium.h>

#define LOCK_LOOK_MS 20
#define LOCK_WAIT_MS 1000

static const char *const folders[] = {"bots", "replays", "live", "logs", "inbox", NULL};

static bool is_empty(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	bool empty = true;

	while (folder && (entry = readdir(folder)))
		empty &= entry->d_name[0] == '.';
	if (folder)
		closedir(folder);
	return empty;
}

static bool write_line(const char *path, const char *text, mode_t mode)
{
	char *line = xasprintf("%s\n", text);
	bool ok = write_file_whole(path, line, strlen(line), mode);

	free(line);
	return ok;
}

static bool create_files(
	const struct ladder *ladder, const struct ladder_settings *config)
{
	char path[LADDER_PATH_MAX], hex[2 * LADDER_KEY_SIZE + 1];
	uint8_t key[LADDER_KEY_SIZE];
	json_t *object = ladder_settings_write(config);
	char *text = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
	bool ok = text != NULL;

	for (int i = 0; folders[i] && ok; i++) {
		ladder_file(ladder, folders[i], path);
		ok = make_folder(path, 0777);
	}
	chance_fresh(key, sizeof(key));
	sodium_bin2hex(hex, sizeof(hex), key, sizeof(key));
	ladder_file(ladder, "key", path);
	ok = ok && write_line(path, hex, 0600);
	sodium_memzero(key, sizeof(key));
	sodium_memzero(hex, sizeof(hex));
	/* Last, so that a directory with a ladder.json is a whole ladder. */
	ladder_file(ladder, "ladder.json", path);
	ok = ok && write_line(path, text, 0666);
	free(text);
	json_decref(object);
	return ok;
}

bool ladder_create(
	const char *path, const struct ladder_settings *config, struct why *why)
{
	struct ladder ladder = {.lock = -1};
	char database[LADDER_PATH_MAX];

	snprintf(ladder.path, sizeof(ladder.path), "%s", path);
	if (!make_folder(path, 0777) || !is_empty(path))
		return why_set(why, "%s: %s", path,
			is_empty(path) ? strerror(errno)
				       : "it is not empty; name a new directory");
	ladder_file(&ladder, "ladder.db", database);
	ladder.store = store_open(database, true, why);
	if (!ladder.store)
		return false;
	store_close(&ladder.store);
	if (create_files(&ladder, config) && sync_folder_of(path))
		return true;
	return why_set(why, "%s: %s", path, strerror(errno));
}

static bool read_config(struct ladder *ladder, struct why *why)
{
	char path[LADDER_PATH_MAX];
	json_error_t error;
	json_t *object;
	bool ok;

	ladder_file(ladder, "ladder.json", path);
	if (access(path, F_OK))
		return why_set(why,
			"%s is not a ladder: there is no ladder.json in it; `pigpen "
			"ladder init` makes one",
			ladder->path);
	object = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	if (!object)
		return why_set(why, "%s: %s (line %d)", path, error.text, error.line);
	ok = ladder_settings_read(&ladder->config, object, why);
	json_decref(object);
	return ok || why_before(why, "%s: ", path);
}

bool ladder_read_key(struct ladder *ladder, struct why *why)
{
	char path[LADDER_PATH_MAX], hex[2 * LADDER_KEY_SIZE + 1] = "";
	FILE *file;
	size_t n = 0;

	ladder_file(ladder, "key", path);
	file = fopen(path, "re");
	if (file) {
		n = fread(hex, 1, sizeof(hex) - 1, file);
		fclose(file);
	}
	if (n == sizeof(hex) - 1 && sodium_hex2bin(ladder->key, sizeof(ladder->key), hex,
					    n, NULL, NULL, NULL) == 0)
		return true;
	return why_set(why, "%s: %s", path,
		file ? "does not hold 64 hex digits" : strerror(errno));
}

/* Returns 1 if the lock is held now, 0 if another process holds it, -1 on an error; in
 * the last two cases `why` says what was wrong. */
static int take_lock(struct ladder *ladder, int wait_ms, struct why *why)
{
	const struct timespec pause = {0, LOCK_LOOK_MS * 1000000};
	char path[LADDER_PATH_MAX];

	ladder_file(ladder, "lock", path);
	ladder->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (ladder->lock < 0) {
		why_set(why,
			"%s cannot be written (%s); only users who may write to a "
			"ladder's directory can change the ladder",
			path, strerror(errno));
		return -1;
	}
	for (; flock(ladder->lock, LOCK_EX | LOCK_NB) && wait_ms > 0;
		wait_ms -= LOCK_LOOK_MS)
		nanosleep(&pause, NULL);
	if (flock(ladder->lock, LOCK_EX | LOCK_NB) == 0)
		return 1;
	close(ladder->lock);
	ladder->lock = -1;
	why_set(why,
		"%s is being run by another process; wait for it or stop it (SIGINT)",
		ladder->path);
	return 0;
}

bool ladder_open(struct ladder *ladder, const char *path, enum ladder_access access_,
	struct why *why)
{
	char database[LADDER_PATH_MAX];
	int held = 0;

	memset(ladder, 0, sizeof(*ladder));
	ladder->lock = -1;
	if (!realpath(path, ladder->path))
		return why_set(why,
			"%s: %s; name a ladder's directory, which `pigpen ladder init` makes",
			path, strerror(errno));
	sandbox_hide(ladder->path);
	if (strlen(ladder->path) > LADDER_ROOT_MAX)
		return why_set(why, "the path of a ladder may have %d bytes at most",
			LADDER_ROOT_MAX);
	if (!read_config(ladder, why))
		return false;
	if (access_ != LADDER_READ) {
		/* Another process may be adding a bot at this moment. */
		held = take_lock(ladder, access_ == LADDER_WRITE ? LOCK_WAIT_MS : 0, why);
		if (held < 0 || (!held && access_ == LADDER_WRITE))
			return false;
	}
	if (held && !ladder_read_key(ladder, why)) {
		ladder_close(ladder);
		return false;
	}
	ladder_file(ladder, "ladder.db", database);
	ladder->store = store_open(database, held, why);
	if (ladder->store)
		return true;
	ladder_close(ladder);
	return false;
}

void ladder_close(struct ladder *ladder)
{
	store_close(&ladder->store);
	if (ladder->lock >= 0)
		close(ladder->lock);
	sodium_memzero(ladder->key, sizeof(ladder->key));
	ladder->lock = -1;
}

void ladder_file(
	const struct ladder *ladder, const char *name, char path[LADDER_PATH_MAX])
{
	if (snprintf(path, LADDER_PATH_MAX, "%s/%s", ladder->path, name) >=
		LADDER_PATH_MAX)
		abort();
}

void ladder_bot_folder(const struct store_entrant *entrant, char *path, size_t size)
{
	snprintf(path, size, "bots/%s/%s", entrant->name, entrant->hash);
}

void ladder_replay_name(int64_t set, int rotation, char *path, size_t size)
{
	snprintf(path, size, "replays/%06lld/%08lld-%d.replay", (long long)set / 1000,
		(long long)set, rotation);
}

void ladder_set_seed(
	const struct ladder *ladder, int64_t set, uint8_t seed[CHANCE_SEED_SIZE])
{
	char name[32];
	int size = snprintf(name, sizeof(name), "set %lld", (long long)set);

	crypto_generichash(seed, CHANCE_SEED_SIZE, (const uint8_t *)name, (size_t)size,
		ladder->key, sizeof(ladder->key));
}
