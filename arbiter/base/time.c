/* The system's monotonic clock, and durations as people write them. */
#include "arbiter/base/time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct {
	const char *name;
	int64_t ns;
} units[] = {
	{"us", NS_PER_US},
	{"ms", NS_PER_MS},
	{"s", NS_PER_S},
	{"min", 60 * NS_PER_S},
};

#define DURATION_NS_MAX (7 * 24 * 3600 * NS_PER_S)

static mono_ns system_now(void *context)
{
	struct timespec t;

	(void)context;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

const struct time_source time_system = {system_now, NULL};

bool duration_parse(const char *text, int64_t *ns)
{
	char *end;
	double number;

	if (*text < '0' || *text > '9')
		return false;
	number = strtod(text, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name))
			continue;
		if (!(number * (double)units[i].ns <= (double)DURATION_NS_MAX))
			return false;
		*ns = (int64_t)(number * (double)units[i].ns);
		return true;
	}
	return false;
}

void duration_format(int64_t ns, char *text, size_t size)
{
	for (int i = 2; i >= 0; i--)
		if (ns % units[i].ns == 0 || i == 0) {
			snprintf(text, size, "%lld%s", (long long)(ns / units[i].ns),
				units[i].name);
			return;
		}
}
