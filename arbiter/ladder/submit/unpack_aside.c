/* Unpacking in the workshop: starting it, and what it does there. */
#include "arbiter/base/files.h"
#include "arbiter/ladder/submit/unpack.h"
#include "arbiter/ladder/submit/workshop.h"
#include "arbiter/process/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECONDS_MAX     60
#define MEMORY_MAX      (UINT64_C(512) << 20)
#define DESCRIPTORS_MAX 64
#define ARCHIVE_NAME    "archive"

static void limit(int resource, rlim_t value)
{
	setrlimit(resource, &(struct rlimit){value, value});
}

bool unpack_inside(const char *folder, struct why *why)
{
	int archive = open_file(AT_FDCWD, ARCHIVE_NAME);
	bool ok;

	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, SECONDS_MAX);
	limit(RLIMIT_DATA, MEMORY_MAX);
	limit(RLIMIT_NOFILE, DESCRIPTORS_MAX);
	limit(RLIMIT_FSIZE, (rlim_t)unpack_limits_default.bytes_max + 1);
	/* Names are bytes, but libarchive wants to know which characters they mean. */
	setlocale(LC_CTYPE, "C.UTF-8");
	umask(022);
	if (archive < 0)
		return why_set(why, "%s", strerror(errno));
	ok = unpack_here(archive, folder, &unpack_limits_default, why);
	close(archive);
	return ok;
}

/* A folder with nothing but the archive in it, which the workshop's user may read. */
static bool lay_out(const char *archive, const char *folder, struct why *why)
{
	char path[PATH_MAX + 16];
	struct stat info;

	if (stat(archive, &info) == 0 &&
		info.st_size > unpack_limits_default.packed_bytes_max)
		return why_set(why, "it has more than %lld bytes",
			(long long)unpack_limits_default.packed_bytes_max);
	snprintf(path, sizeof(path), "%s/" ARCHIVE_NAME, folder);
	return (mkdir(folder, 0755) == 0 && chmod(folder, 0755) == 0 &&
		       copy_file(archive, path, false)) ||
	       why_set(why, "%s: %s", archive, strerror(errno));
}

bool unpack_aside(
	const char *archive, const char *work, mono_ns deadline, struct why *why)
{
	const struct tree_limits limits = {.bytes_max = unpack_limits_default.bytes_max,
		.entries_max = unpack_limits_default.entries_max,
		.path_max = unpack_limits_default.path_max,
		.depth_max = unpack_limits_default.depth_max};
	char packed[PATH_MAX], tree[PATH_MAX];
	struct workshop workshop = {.step = "unpack",
		.folder = packed,
		.scratch = work,
		.made = tree,
		.limits = &limits,
		.boxed = sandbox_available(why),
		.seconds_max = SECONDS_MAX,
		.deadline = deadline,
		.log = -1};

	snprintf(packed, sizeof(packed), "%s/packed", work);
	snprintf(tree, sizeof(tree), "%s/tree", work);
	return lay_out(archive, packed, why) && workshop_run(&workshop, why);
}
