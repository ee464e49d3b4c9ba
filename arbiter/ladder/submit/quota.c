/* Measuring the bots of a ladder against what they may take of the disk. */
#include "arbiter/ladder/submit/quota.h"
#include "arbiter/base/tree.h"
#include "arbiter/ladder/directory/owner.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB (INT64_C(1) << 20)

struct taken {
	int64_t all, own; /* bytes */
};

/* Folders that begin with a dot are those of admissions under way. */
static int is_bot(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* A name is an owner's if they may enter a bot under it: everything here is somebody's. */
static bool add_name(const struct ladder *ladder, const char *name, const char *owner,
	struct taken *taken, struct why *why)
{
	char path[LADDER_PATH_MAX], relative[300], whose[OWNER_NAME_SIZE];
	struct why other;
	int64_t bytes;

	snprintf(relative, sizeof(relative), "bots/%s", name);
	ladder_file(ladder, relative, path);
	if (!tree_measure(path, &bytes, why))
		return false;
	taken->all += bytes;
	snprintf(whose, sizeof(whose), "%s", owner);
	if (*owner && owner_settle(ladder, name, whose, &other))
		taken->own += bytes;
	return true;
}

static bool measure(const struct ladder *ladder, const char *owner, struct taken *taken,
	struct why *why)
{
	char path[LADDER_PATH_MAX];
	struct dirent **names = NULL;
	bool ok = true;
	int n;

	ladder_file(ladder, "bots", path);
	n = scandir(path, &names, is_bot, NULL);
	for (int i = 0; i < n; i++) {
		ok = ok && add_name(ladder, names[i]->d_name, owner, taken, why);
		free(names[i]);
	}
	free(names);
	return ok;
}

bool quota_allows(const struct ladder *ladder, const char *owner, const char *folder,
	struct why *why)
{
	int64_t max = ladder->config.bots_mb_max * MIB, bytes;
	struct taken taken = {0, 0};

	if (!max)
		return true;
	if (!tree_measure(folder, &bytes, why) || !measure(ladder, owner, &taken, why))
		return false;
	if (taken.own + bytes > max / QUOTA_OWNERS_SHARE && *owner)
		return why_set(why,
			"it needs %lld MiB, and with all versions of your other bots that is "
			"more than the %lld MiB that an owner may take; ask the host to remove "
			"old versions",
			(long long)(bytes / MIB + 1),
			(long long)(max / QUOTA_OWNERS_SHARE / MIB));
	return taken.all + bytes <= max ||
	       why_set(why,
		       "it needs %lld MiB, and the bots of this ladder may take %lld MiB "
		       "together; the host can remove bots/NAME/HASH of versions that no "
		       "longer play, or raise bots_mb in ladder.json",
		       (long long)(bytes / MIB + 1),
		       (long long)ladder->config.bots_mb_max);
}
