/* Unpacking in a process of its own: starting it, and what it does. */
#include "arbiter/process/sandbox.h"
#include "arbiter/ladder/submit/unpack.h"
#include "arbiter/base/files.h"
#include "arbiter/base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS_MAX     60
#define MEMORY_MAX      (UINT64_C(512) << 20)
#define DESCRIPTORS_MAX 32
#define ARCHIVE_NAME    "archive"
#define TREE_NAME       "tree"

static void limit(int resource, rlim_t value)
{
	setrlimit(resource, &(struct rlimit){value, value});
}

int unpack_main(void)
{
	int archive = open(ARCHIVE_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct why why;

	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, SECONDS_MAX);
	limit(RLIMIT_DATA, MEMORY_MAX);
	limit(RLIMIT_NOFILE, DESCRIPTORS_MAX);
	limit(RLIMIT_FSIZE, (rlim_t)unpack_limits_default.bytes_max + 1);
	/* Names are bytes, but libarchive wants to know which characters they mean. */
	setlocale(LC_CTYPE, "C.UTF-8");
	umask(022);
	if (archive < 0 || mkdir(TREE_NAME, 0755)) {
		printf("%s\n", strerror(errno));
		return 1;
	}
	if (unpack_here(archive, TREE_NAME, &unpack_limits_default, &why))
		return 0;
	printf("%s\n", why.text);
	return 1;
}

/* The reason that it gave, or what became of it. */
static void read_reason(int output, int status, struct why *why)
{
	ssize_t n = pread(output, why->text, sizeof(why->text) - 1, 0);

	why->text[n > 0 ? n : 0] = 0;
	why->text[strcspn(why->text, "\n")] = 0;
	if (!*why->text || !WIFEXITED(status) || WEXITSTATUS(status) != 1)
		why_set(why, "the archive could not be read within %d s and %d MiB",
			SECONDS_MAX, (int)(MEMORY_MAX >> 20));
}

bool unpack_aside(const char *archive, const char *work, struct why *why)
{
	char path[PATH_MAX];
	char *argv[] = {(char *)program_path(), "ladder", "unpack", NULL};
	int output = memfd_create("output", MFD_CLOEXEC), status = -1;
	struct stat info;
	bool ok;

	snprintf(path, sizeof(path), "%s/" ARCHIVE_NAME, work);
	if (stat(archive, &info) == 0 &&
		info.st_size > unpack_limits_default.packed_bytes_max) {
		why_set(why, "it has more than %lld bytes",
			(long long)unpack_limits_default.packed_bytes_max);
		ok = false;
	} else if (output < 0 || !copy_file(archive, path, false)) {
		why_set(why, "%s: %s", archive, strerror(errno));
		ok = false;
	} else {
		bool boxed = sandbox_available(why);

		status = sandbox_run_build(argv, work, boxed, SECONDS_MAX, output);
		ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
		if (!ok)
			read_reason(output, status, why);
	}
	if (output >= 0)
		close(output);
	return ok;
}
