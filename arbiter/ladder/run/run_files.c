/* The files of a run: unfinished replays, logs, sockets, and what killed runs left. */
#include "arbiter/ladder/run/run_files.h"
#include "arbiter/ladder/slurm/slurm.h"
#include "protocol/memory.h"
#include "arbiter/base/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* keep: faults+sample keeps one set in so many. */
#define SAMPLE_EVERY 20
#define PATH_ROOM    (LADDER_PATH_MAX + 300)

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* What killed runs left under live/. */
static void remove_old_runs(const struct ladder *ladder, bool adopt_tasks)
{
	char live[LADDER_PATH_MAX], path[PATH_ROOM];
	struct dirent **entries;
	int n;

	ladder_file(ladder, "live", live);
	n = scandir(live, &entries, visible, alphasort);
	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;

		snprintf(path, sizeof(path), "%s/%s", live, name);
		if (!adopt_tasks || strncmp(name, SLURM_PREFIX, strlen(SLURM_PREFIX)))
			remove_tree(path);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

/* Replays that were moved, but whose set was not committed. */
static bool remove_orphans(struct ladder *ladder)
{
	struct store_set *sets;
	int count;
	bool ok = store_sets(ladder->store, SET_PLANNED, 0, &sets, &count);

	for (int i = 0; ok && i < count; i++)
		for (int r = 0; r < sets[i].rotations; r++) {
			char name[64], path[LADDER_PATH_MAX];

			ladder_replay_name(sets[i].id, r, name, sizeof(name));
			ladder_file(ladder, name, path);
			unlink(path);
			strcat(name, ".zst");
			ladder_file(ladder, name, path);
			unlink(path);
		}
	free(sets);
	return ok;
}

/* Submissions that were killed halfway. */
static void remove_staging(const struct ladder *ladder)
{
	char bots[LADDER_PATH_MAX], folder[PATH_ROOM], path[2 * PATH_ROOM];
	struct dirent **entries;
	int n;

	ladder_file(ladder, "bots", bots);
	n = scandir(bots, &entries, visible, alphasort);
	for (int i = 0; i < n; i++) {
		DIR *versions;
		const struct dirent *version;

		snprintf(folder, sizeof(folder), "%s/%s", bots, entries[i]->d_name);
		versions = opendir(folder);
		while (versions && (version = readdir(versions)))
			if (!strncmp(version->d_name, ".new-", 5)) {
				struct stat info;

				snprintf(path, sizeof(path), "%s/%s", folder,
					version->d_name);
				/* Younger ones may be in use at this moment. */
				if (stat(path, &info) == 0 &&
					time(NULL) - info.st_mtime > 3600)
					remove_tree(path);
			}
		if (versions)
			closedir(versions);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

struct log_file {
	struct timespec changed;
	int64_t bytes;
	char path[PATH_ROOM];
};

static int compare_logs(const void *x, const void *y)
{
	const struct log_file *a = x, *b = y;

	if (a->changed.tv_sec != b->changed.tv_sec)
		return a->changed.tv_sec < b->changed.tv_sec ? -1 : 1;
	return (a->changed.tv_nsec > b->changed.tv_nsec) -
	       (a->changed.tv_nsec < b->changed.tv_nsec);
}

void run_files_limit_logs(const struct run_files *files, int64_t mb_max)
{
	struct dirent **entries;
	int n = scandir(files->logs, &entries, visible, alphasort);
	struct log_file *list = xcalloc(n > 0 ? (size_t)n : 1, sizeof(*list));
	int64_t total = 0;

	for (int i = 0; i < n; i++) {
		struct stat info;

		snprintf(list[i].path, sizeof(list[i].path), "%s/%s", files->logs,
			entries[i]->d_name);
		if (stat(list[i].path, &info) == 0) {
			list[i].changed = info.st_mtim;
			list[i].bytes = info.st_size;
			total += info.st_size;
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	if (n > 0)
		qsort(list, (size_t)n, sizeof(*list), compare_logs);
	for (int i = 0; i < n && mb_max && total > mb_max << 20; i++) {
		unlink(list[i].path);
		total -= list[i].bytes;
	}
	free(list);
}

bool run_files_open(
	struct run_files *files, struct ladder *ladder, bool adopt_tasks, struct why *why)
{
	char name[96];

	memset(files, 0, sizeof(*files));
	files->folder = -1;
	files->tasks = adopt_tasks;
	snprintf(files->root, sizeof(files->root), "%s", ladder->path);
	ladder_file(ladder, "logs", files->logs);
	remove_old_runs(ladder, adopt_tasks);
	remove_staging(ladder);
	if (!remove_orphans(ladder) ||
		!store_replay_bytes(ladder->store, &files->replay_bytes))
		return why_set(why, "%s", store_why(ladder->store));
	if (!temporary_folder(files->runtime, 0700, why))
		return false;
	snprintf(name, sizeof(name), "live/run-%s", strrchr(files->runtime, '/') + 1);
	ladder_file(ladder, name, files->live);
	if (make_folder(files->live, 0777) && make_folder(files->logs, 0777))
		return true;
	why_set(why, "%s: %s", files->live, strerror(errno));
	rmdir(files->runtime);
	return false;
}

void run_files_close(struct run_files *files, const struct ladder *ladder)
{
	remove_tree(files->live);
	remove_tree(files->runtime);
	run_files_limit_logs(files, ladder->config.logs_mb_max);
}

void run_files_live(
	const struct run_files *files, int64_t set, int rotation, char *path, size_t size)
{
	snprintf(
		path, size, "%s/%08lld-%d.replay", files->live, (long long)set, rotation);
}

bool run_files_sync(struct run_files *files)
{
	char path[PATH_ROOM];
	bool ok = true;

	if (files->folder >= 0) {
		snprintf(path, sizeof(path), "%s/replays/%06lld", files->root,
			(long long)files->folder);
		ok = sync_folder(path);
		files->folder = -1;
	}
	if (files->unsynced_root) {
		snprintf(path, sizeof(path), "%s/replays", files->root);
		ok = sync_folder(path) && ok;
		files->unsynced_root = false;
	}
	return ok;
}

static bool wanted(const struct ladder_settings *config, int64_t set,
	const struct match_record *record)
{
	return config->keep == KEEP_ALL ||
	       (config->keep == KEEP_FAULTS &&
		       (match_record_faulted(record) || set % SAMPLE_EVERY == 0));
}

static bool move_replay(struct run_files *files, int64_t set, struct match_record *record)
{
	const char *dot = strrchr(record->replay, '.');
	char name[96], path[PATH_ROOM], folder[PATH_ROOM];
	struct stat info;

	ladder_replay_name(set, record->rotation, name, sizeof(name));
	if (dot && !strcmp(dot, ".zst"))
		strcat(name, ".zst");
	snprintf(path, sizeof(path), "%s/%s", files->root, name);
	snprintf(folder, sizeof(folder), "%s/replays/%06lld", files->root,
		(long long)set / 1000);
	/* The folder changes only once in a thousand sets. */
	if (files->folder >= 0 && files->folder != set / 1000 && !run_files_sync(files))
		return false;
	if (mkdir(folder, 0777) == 0)
		files->unsynced_root = true;
	if (stat(record->replay, &info) ||
		(files->tasks ? link : rename)(record->replay, path))
		return false;
	files->folder = set / 1000;
	files->replay_bytes += info.st_size;
	record->replay_bytes = info.st_size;
	snprintf(record->replay, sizeof(record->replay), "%s", name);
	return true;
}

bool run_files_keep(struct run_files *files, const struct ladder_settings *config,
	int64_t set, struct match_record *record, struct why *why)
{
	if (!*record->replay)
		return true;
	if (!wanted(config, set, record)) {
		if (!files->tasks)
			unlink(record->replay);
		*record->replay = 0;
		return true;
	}
	if (move_replay(files, set, record))
		return true;
	return why_set(why, "%s cannot be moved to replays/: %s", record->replay,
		strerror(errno));
}

bool run_files_limit(struct run_files *files, struct ladder *ladder)
{
	int64_t bytes_max = ladder->config.disk_mb_max << 20;
	bool faulted = false;

	while (bytes_max && files->replay_bytes > bytes_max) {
		char name[512], path[LADDER_PATH_MAX];
		int64_t set, bytes;
		int rotation;

		if (!store_oldest_replay(ladder->store, faulted, &set, &rotation, name,
			    sizeof(name), &bytes))
			return false;
		if (!*name && faulted)
			return true;
		if (!*name) {
			faulted = true;
			continue;
		}
		/* The store first: a file that it does not know does no harm. */
		if (!store_forget_replay(ladder->store, set, rotation))
			return false;
		ladder_file(ladder, name, path);
		unlink(path);
		files->replay_bytes -= bytes;
	}
	return true;
}
