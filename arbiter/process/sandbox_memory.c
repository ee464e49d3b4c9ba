/*
 * The memory of the processes in a sandbox, as its first process sees it.
 *
 * RLIMIT_DATA counts what a process could write to. A process can fill memory and then give
 * up the right to write to it, or make page tables without end for memory that it only
 * reads; neither counts. A control group counts all of it. Where there is none with that
 * controller, process 1 looks from time to time: often enough that nobody can fill what is
 * left of its limit in between.
 */
#include "arbiter/process/sandbox.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES_PER_MS     (INT64_C(1) << 20) /* the pace at which memory can be filled */
#define INTERVAL_MS_MIN  50
#define INTERVAL_MS_MAX  2000
#define BESIDE_BYTES_MAX (INT64_C(128) << 20) /* the stack, and what libraries change */

/* The number after this word of /proc/PID/status, in bytes. */
static int64_t number_of(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? strtoll(at + strlen(word), NULL, 10) * 1024 : 0;
}

static int64_t memory_of(const char *pid)
{
	char path[300], text[4096];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return number_of(text, "\nRssAnon:") + number_of(text, "\nVmSwap:") +
	       number_of(text, "\nVmPTE:");
}

/* The most that any process has, and whose it is. */
static int64_t find_most(pid_t *who)
{
	const struct dirent *entry;
	DIR *processes = opendir("/proc");
	int64_t most = 0;

	while (processes && (entry = readdir(processes))) {
		pid_t pid = (pid_t)atoi(entry->d_name);
		int64_t memory = pid > 1 ? memory_of(entry->d_name) : 0;

		if (memory > most) {
			most = memory;
			*who = pid;
		}
	}
	if (processes)
		closedir(processes);
	return most;
}

pid_t sandbox_memory_look(int64_t limit_bytes, int *next_ms)
{
	pid_t who = 0;
	int64_t left = limit_bytes + BESIDE_BYTES_MAX - find_most(&who);
	int64_t ms = left / BYTES_PER_MS;

	*next_ms = (int)(ms < INTERVAL_MS_MIN   ? INTERVAL_MS_MIN
			 : ms > INTERVAL_MS_MAX ? INTERVAL_MS_MAX
						: ms);
	return left < 0 ? who : 0;
}
