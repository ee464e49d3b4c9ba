/* The hash of a bot's files, which tells its versions apart. */
#include "arbiter/bots/bot_spec.h"
#include "arbiter/base/files.h"
#include "arbiter/base/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sodium.h>

static void hash_text(crypto_generichash_state *state, const char *text, size_t size)
{
	crypto_generichash_update(state, (const uint8_t *)text, size);
}

static bool hash_content(crypto_generichash_state *state, int folder, const char *name)
{
	int file = open_file(folder, name);
	char bytes[1 << 16];
	ssize_t n = -1;

	while (file >= 0 && (n = read(file, bytes, sizeof(bytes))) > 0)
		hash_text(state, bytes, (size_t)n);
	if (file >= 0)
		close(file);
	return n == 0;
}

/* A link counts as what it says, not as what it leads to. */
static bool hash_link(crypto_generichash_state *state, int folder, const char *name)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(folder, name, target, sizeof(target));

	if (n > 0)
		hash_text(state, target, (size_t)n);
	return n >= 0;
}

/* Each file is preceded by its path, mode and size, so that different folders never give
 * the same input to the hash. */
static bool hash_entry(void *context, const struct tree_entry *entry, struct why *why)
{
	crypto_generichash_state *state = context;
	mode_t mode = entry->info.st_mode;
	char head[64];
	int size;

	if (!S_ISREG(mode) && !S_ISLNK(mode))
		return true;
	size = snprintf(head, sizeof(head), "%c%lld\n",
		S_ISLNK(mode) ? 'l'
		: mode & 0100 ? 'x'
			      : '-',
		(long long)entry->info.st_size);
	hash_text(state, "/", 1);
	hash_text(state, entry->path, strlen(entry->path) + 1);
	hash_text(state, head, (size_t)size);
	if (S_ISLNK(mode) ? hash_link(state, entry->folder, entry->name)
			  : hash_content(state, entry->folder, entry->name))
		return true;
	return why_set(why, "%s: %s", entry->path, strerror(errno));
}

bool bot_hash(const char *path, char hash[BOT_HASH_SIZE], struct why *why)
{
	crypto_generichash_state state;
	uint8_t sum[32];
	struct stat info;

	crypto_generichash_init(&state, NULL, 0, sizeof(sum));
	if (stat(path, &info))
		return why_set(why, "%s: %s", path, strerror(errno));
	if (S_ISDIR(info.st_mode)) {
		if (!tree_walk(path, TREE_VISIBLE, hash_entry, &state, why))
			return why_before(why, "%s/", path);
	} else if (!hash_content(&state, AT_FDCWD, path)) {
		return why_set(why, "%s: %s", path, strerror(errno));
	}
	crypto_generichash_final(&state, sum, sizeof(sum));
	sodium_bin2hex(hash, BOT_HASH_SIZE, sum, sizeof(sum));
	return true;
}
