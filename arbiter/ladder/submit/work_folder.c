/* Folders to work in: made and locked, and removed where their owner is gone. */
#include "arbiter/ladder/submit/work_folder.h"
#include "arbiter/base/files.h"
#include "protocol/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATTERN_END  "XXXXXX"
#define ATTEMPTS_MAX 10

/* -1: somebody else works there, or it is gone. */
static int lock_folder(const char *path)
{
	int descriptor = open_folder(AT_FDCWD, path);
	struct stat info;

	if (descriptor >= 0 &&
		(flock(descriptor, LOCK_EX | LOCK_NB) || lstat(path, &info))) {
		close(descriptor);
		descriptor = -1;
	}
	return descriptor;
}

static void remove_abandoned(const char *pattern)
{
	char *any = xstrdup(pattern);
	glob_t found = {0};

	strcpy(any + strlen(any) - strlen(PATTERN_END), "??????");
	if (glob(any, GLOB_NOSORT, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++) {
			int descriptor = lock_folder(found.gl_pathv[i]);

			if (descriptor >= 0)
				work_folder_close(found.gl_pathv[i], descriptor);
		}
	globfree(&found);
	free(any);
}

int work_folder_open(char *path, struct why *why)
{
	char *end = path + strlen(path) - strlen(PATTERN_END);
	int descriptor = -1;

	remove_abandoned(path);
	/* Between the two steps somebody else may take it for abandoned. */
	for (int i = 0; descriptor < 0 && i < ATTEMPTS_MAX; i++) {
		strcpy(end, PATTERN_END);
		if (!mkdtemp(path))
			break;
		descriptor = lock_folder(path);
	}
	/* In its sandbox the bot is another user. */
	if (descriptor >= 0 && fchmod(descriptor, 0755) == 0)
		return descriptor;
	why_set(why, "%s: %s", path, strerror(errno));
	if (descriptor >= 0)
		work_folder_close(path, descriptor);
	return -1;
}

void work_folder_close(const char *path, int descriptor)
{
	remove_tree(path);
	close(descriptor);
}
