/* The hash of a bot's files, which tells its versions apart. */
#include "arbiter/bots/bot_spec.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sodium.h>

#define DEPTH_MAX 32

struct hashing {
	crypto_generichash_state state;
	struct why *why;
};

static bool hash_content(struct hashing *hashing, const char *path)
{
	uint8_t bytes[1 << 16];
	FILE *file = fopen(path, "rbe");
	size_t n;
	bool ok;

	while (file && (n = fread(bytes, 1, sizeof(bytes), file)) > 0)
		crypto_generichash_update(&hashing->state, bytes, n);
	ok = file && !ferror(file);
	if (!ok)
		why_set(hashing->why, "%s: %s", path, strerror(errno));
	if (file)
		fclose(file);
	return ok;
}

/* Each file is preceded by its path, mode and size, so that different folders never give
 * the same input to the hash. */
static bool hash_file(struct hashing *hashing, const char *path, const char *relative,
	const struct stat *info)
{
	char head[64];
	int size = snprintf(head, sizeof(head), "%c%lld\n",
		info->st_mode & 0100 ? 'x' : '-', (long long)info->st_size);

	crypto_generichash_update(
		&hashing->state, (const uint8_t *)relative, strlen(relative) + 1);
	crypto_generichash_update(&hashing->state, (const uint8_t *)head, (size_t)size);
	return hash_content(hashing, path);
}

static int keep(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, "__pycache__") != 0;
}

static bool hash_tree(
	struct hashing *hashing, const char *root, const char *path, int depth)
{
	struct dirent **entries;
	int n = depth < DEPTH_MAX ? scandir(path, &entries, keep, alphasort) : -1;
	bool ok = n >= 0;

	if (n < 0)
		why_set(hashing->why, "%s: %s", path,
			depth < DEPTH_MAX ? strerror(errno)
					  : "folders are nested too deeply");
	for (int i = 0; i < n; i++) {
		char below[PATH_MAX];
		struct stat info;

		snprintf(below, sizeof(below), "%s/%s", path, entries[i]->d_name);
		if (ok && stat(below, &info) == 0) {
			if (S_ISDIR(info.st_mode))
				ok = hash_tree(hashing, root, below, depth + 1);
			else if (S_ISREG(info.st_mode))
				ok = hash_file(
					hashing, below, below + strlen(root), &info);
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return ok;
}

bool bot_hash(const char *path, char hash[BOT_HASH_SIZE], struct why *why)
{
	struct hashing hashing = {.why = why};
	uint8_t sum[32];
	struct stat info;
	bool ok;

	crypto_generichash_init(&hashing.state, NULL, 0, sizeof(sum));
	if (stat(path, &info))
		return why_set(why, "%s: %s", path, strerror(errno));
	ok = S_ISDIR(info.st_mode) ? hash_tree(&hashing, path, path, 0)
				   : hash_content(&hashing, path);
	if (!ok)
		return false;
	crypto_generichash_final(&hashing.state, sum, sizeof(sum));
	sodium_bin2hex(hash, BOT_HASH_SIZE, sum, sizeof(sum));
	return true;
}
