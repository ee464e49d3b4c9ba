#include "arbiter/ladder/directory/ladder.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
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

const char *const ladder_teams_names[] = {"same", "mixed", NULL};
const char *const ladder_keep_names[] = {"all", "faults+sample", "none", NULL};
const char *const ladder_schedule_names[] = {"adaptive", "round_robin", "gauntlet", NULL};

static const char *const folders[] = {"bots", "replays", "live", "logs", "inbox", NULL};

void ladder_config_init(struct ladder_config *config, const struct game *game)
{
	uint8_t fresh[8];

	memset(config, 0, sizeof(*config));
	config->rules.game = game;
	config->rules.seats = game->seats_min;
	game_defaults(game, config->rules.option);
	config->rules.clock = clock_rules_standard;
	config->rules.sandbox = SANDBOX_REQUIRE;
	config->rules.limits = sandbox_limits_standard();
	config->anchor_elo = 1000;
	config->sets_per_entrant = 2;
	config->compress = true;
	config->logs_mb_max = 64;
	config->bench_share = 0.25;
	config->bench_matches_min = 16;
	config->worker_mb_max = 1024;
	chance_fresh(fresh, sizeof(fresh));
	sodium_bin2hex(config->seed, sizeof(config->seed), fresh, sizeof(fresh));
}

static json_t *config_write(const struct ladder_config *config)
{
	json_t *object = json_object();

	json_object_set_new(object, "format", json_integer(LADDER_FORMAT));
	match_rules_write(&config->rules, object);
	json_object_set_new(
		object, "schedule", json_string(ladder_schedule_names[config->schedule]));
	if (*config->challenger)
		json_object_set_new(
			object, "challenger", json_string(config->challenger));
	json_object_set_new(
		object, "teams", json_string(ladder_teams_names[config->teams]));
	json_object_set_new(
		object, "one_per_author", json_boolean(config->one_per_author));
	if (*config->anchor)
		json_object_set_new(object, "anchor", json_string(config->anchor));
	json_object_set_new(object, "anchor_elo", json_real(config->anchor_elo));
	json_object_set_new(
		object, "sets_per_entrant", json_integer(config->sets_per_entrant));
	json_object_set_new(object, "keep", json_string(ladder_keep_names[config->keep]));
	json_object_set_new(object, "compress", json_boolean(config->compress));
	json_object_set_new(object, "disk_mb", json_integer(config->disk_mb_max));
	json_object_set_new(object, "logs_mb", json_integer(config->logs_mb_max));
	json_object_set_new(object, "bench_share", json_real(config->bench_share));
	json_object_set_new(
		object, "bench_matches", json_integer(config->bench_matches_min));
	json_object_set_new(object, "worker_mb", json_integer(config->worker_mb_max));
	json_object_set_new(object, "seed", json_string(config->seed));
	return object;
}

/* One place for what may be wrong with a key. */
struct reading {
	const json_t *object;
	struct why *why;
	bool ok;
};

static void bad(struct reading *reading, const char *key, const char *allowed)
{
	if (reading->ok)
		why_set(reading->why, "\"%s\" must be %s", key, allowed);
	reading->ok = false;
}

static int read_word(struct reading *reading, const char *key, const char *const *words)
{
	const json_t *value = json_object_get(reading->object, key);
	int index = value ? word_index(words, json_string_value(value)) : 0;
	char allowed[128] = "one of";

	for (int i = 0; index < 0 && words[i]; i++)
		snprintf(allowed + strlen(allowed), sizeof(allowed) - strlen(allowed),
			"%s %s", i ? "," : "", words[i]);
	if (index < 0)
		bad(reading, key, allowed);
	return index < 0 ? 0 : index;
}

/* Always within its range, so that the caller may make it an integer. */
static double read_number(
	struct reading *reading, const char *key, double standard, double min, double max)
{
	const json_t *value = json_object_get(reading->object, key);
	double number = value ? json_number_value(value) : standard;
	char allowed[96];

	if (json_is_number(value) ? number >= min && number <= max : !value)
		return number;
	snprintf(allowed, sizeof(allowed), "a number from %g to %g", min, max);
	bad(reading, key, allowed);
	return standard;
}

static void read_name(struct reading *reading, const char *key, char text[65])
{
	const json_t *value = json_object_get(reading->object, key);

	if (value && (!json_is_string(value) || json_string_length(value) > 64))
		bad(reading, key, "a string of at most 64 bytes");
	else if (value)
		snprintf(text, 65, "%s", json_string_value(value));
}

bool ladder_config_read(
	struct ladder_config *config, const json_t *object, struct why *why)
{
	struct reading r = {object, why, true};
	struct match_rules rules;
	const json_t *compress = json_object_get(object, "compress");

	if (json_integer_value(json_object_get(object, "format")) != LADDER_FORMAT) {
		bad(&r, "format", "1; a higher one needs a newer pigpen");
		return false;
	}
	if (!match_rules_read(&rules, object, why))
		return false;
	ladder_config_init(config, rules.game);
	config->rules = rules;
	config->schedule =
		(enum schedule_mode)read_word(&r, "schedule", ladder_schedule_names);
	read_name(&r, "challenger", config->challenger);
	config->teams = (enum ladder_teams)read_word(&r, "teams", ladder_teams_names);
	config->one_per_author = json_is_true(json_object_get(object, "one_per_author"));
	read_name(&r, "anchor", config->anchor);
	config->anchor_elo = read_number(&r, "anchor_elo", 1000, -10000, 10000);
	config->sets_per_entrant = (int)read_number(&r, "sets_per_entrant", 2, 1, 10000);
	config->keep = (enum ladder_keep)read_word(&r, "keep", ladder_keep_names);
	config->compress = !compress || json_is_true(compress);
	config->disk_mb_max = (int64_t)read_number(&r, "disk_mb", 0, 0, 1e12);
	config->logs_mb_max = (int64_t)read_number(&r, "logs_mb", 64, 0, 1e12);
	config->bench_share = read_number(&r, "bench_share", 0.25, 0, 1);
	config->bench_matches_min = (int)read_number(&r, "bench_matches", 16, 1, 1e9);
	config->worker_mb_max = (int)read_number(&r, "worker_mb", 1024, 0, 1e9);
	read_name(&r, "seed", config->seed);
	return r.ok;
}

bool make_folder(const char *path)
{
	return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static int remove_entry(
	const char *path, const struct stat *info, int kind, struct FTW *walk)
{
	(void)info;
	(void)kind;
	(void)walk;
	remove(path);
	return 0;
}

bool remove_tree(const char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return access(path, F_OK) && errno == ENOENT;
}

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

bool write_file_whole(const char *path, const char *text, size_t size, mode_t mode)
{
	char draft[LADDER_PATH_MAX + 8];
	int fd;
	bool ok = true;

	snprintf(draft, sizeof(draft), "%s.new", path);
	unlink(draft);
	fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0)
		return false;
	while (ok && size) {
		ssize_t n = write(fd, text, size);

		ok = n > 0 || (n < 0 && errno == EINTR);
		text += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	ok = ok && fsync(fd) == 0;
	ok = close(fd) == 0 && ok;
	return ok && rename(draft, path) == 0;
}

static bool write_line(const char *path, const char *text, mode_t mode)
{
	char *line;
	int size = asprintf(&line, "%s\n", text);
	bool ok;

	if (size < 0)
		abort();
	ok = write_file_whole(path, line, (size_t)size, mode);
	free(line);
	return ok;
}

static bool create_files(const struct ladder *ladder, const struct ladder_config *config)
{
	char path[LADDER_PATH_MAX], hex[2 * LADDER_KEY_SIZE + 1];
	uint8_t key[LADDER_KEY_SIZE];
	json_t *object = config_write(config);
	char *text = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
	bool ok = text != NULL;

	for (int i = 0; folders[i] && ok; i++) {
		ladder_file(ladder, folders[i], path);
		ok = make_folder(path);
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

bool ladder_create(const char *path, const struct ladder_config *config, struct why *why)
{
	struct ladder ladder = {.lock = -1};
	char database[LADDER_PATH_MAX];

	snprintf(ladder.path, sizeof(ladder.path), "%s", path);
	if (!make_folder(path) || !is_empty(path))
		return why_set(why, "%s: %s", path,
			is_empty(path) ? strerror(errno)
				       : "it is not empty; name a new directory");
	ladder_file(&ladder, "ladder.db", database);
	ladder.store = store_open(database, true, why);
	if (!ladder.store)
		return false;
	store_close(&ladder.store);
	if (create_files(&ladder, config))
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
			"ladder "
			"init` makes one",
			ladder->path);
	object = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	if (!object)
		return why_set(why, "%s: %s (line %d)", path, error.text, error.line);
	ok = ladder_config_read(&ladder->config, object, why);
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

/* 1: held now; 0: somebody else has it; -1 with a sentence. */
static int take_lock(struct ladder *ladder, int wait_ms, struct why *why)
{
	const struct timespec pause = {0, LOCK_LOOK_MS * 1000000};
	char path[LADDER_PATH_MAX];

	ladder_file(ladder, "lock", path);
	ladder->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (ladder->lock < 0) {
		why_set(why,
			"%s cannot be written (%s); only who may write to a ladder's "
			"directory can change the ladder",
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
	if (sodium_init() < 0)
		abort();
	if (!realpath(path, ladder->path))
		return why_set(why,
			"%s: %s; name a ladder's directory, which `pigpen ladder init` "
			"makes",
			path, strerror(errno));
	if (strlen(ladder->path) > LADDER_ROOT_MAX)
		return why_set(why, "the path of a ladder may have %d bytes at most",
			LADDER_ROOT_MAX);
	if (!read_config(ladder, why))
		return false;
	if (access_ != LADDER_READ) {
		/* Somebody may just be entering a bot. */
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
