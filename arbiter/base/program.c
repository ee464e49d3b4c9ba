/* The path of this program's own executable. */
#include "arbiter/base/program.h"

#include <limits.h>
#include <pthread.h>
#include <unistd.h>

static char path[PATH_MAX];

static void find(void)
{
	ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[size > 0 ? size : 0] = 0;
}

const char *program_path(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find);
	return path;
}
