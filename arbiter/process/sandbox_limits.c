/* Parsing, printing and combining the limits of a sandbox. */
#include "arbiter/process/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB INT64_C(1048576)

struct sandbox_limits sandbox_limits_default(void)
{
	return (struct sandbox_limits){.memory_bytes = 1024 * MIB,
		.processes = 128,
		.descriptors = 256,
		.disk_bytes = 64 * MIB};
}

static const struct name {
	const char *name;
	size_t offset;
	int64_t min, max;
} names[] = {
	{"memory", offsetof(struct sandbox_limits, memory_bytes), 16 * MIB,
		INT64_C(1) << 46},
	{"processes", offsetof(struct sandbox_limits, processes), 1, 1 << 20},
	{"descriptors", offsetof(struct sandbox_limits, descriptors), 16, 1 << 20},
	{"disk", offsetof(struct sandbox_limits, disk_bytes), 4096, INT64_C(1) << 46},
	{"cpu", offsetof(struct sandbox_limits, cpu_s), 1, 1 << 30},
};

static int64_t *field(struct sandbox_limits *limits, const struct name *name)
{
	return (int64_t *)(void *)((char *)limits + name->offset);
}

static int64_t unit(const char *text)
{
	switch (*text) {
	case 0:
		return 1;
	case 'k':
		return 1024;
	case 'm':
		return MIB;
	case 'g':
		return 1024 * MIB;
	default:
		return 0;
	}
}

static bool parse_item(struct sandbox_limits *limits, char *item, struct why *why)
{
	char *value = strchr(item, '='), *end = NULL;
	long long number = value ? strtoll(value + 1, &end, 10) : 0;

	if (value)
		*value = 0;
	for (size_t i = 0; value && i < sizeof(names) / sizeof(*names); i++) {
		int64_t scale = unit(end);

		if (strcmp(names[i].name, item) || end == value + 1 || !scale ||
			(*end && end[1]))
			continue;
		if (number < 0 || number > names[i].max / scale ||
			(number && number * scale < names[i].min))
			break;
		*field(limits, &names[i]) = number * scale;
		return true;
	}
	return why_set(why,
		"limits: '%s' is not one of memory= (16m and more), processes=, "
		"descriptors= (16 and more), disk= (4k and more), cpu= (seconds) with a "
		"number, such as memory=2g,processes=64; 0 means no limit",
		item);
}

bool sandbox_limits_parse(
	const char *text, struct sandbox_limits *limits, struct why *why)
{
	struct sandbox_limits parsed = *limits;
	char copy[256], *rest = copy, *item;

	snprintf(copy, sizeof(copy), "%s", text);
	while ((item = strsep(&rest, ",")))
		if (!parse_item(&parsed, item, why))
			return false;
	*limits = parsed;
	return true;
}

void sandbox_limits_format(const struct sandbox_limits *limits, char *text, size_t size)
{
	snprintf(text, size,
		"memory=%lld,processes=%lld,descriptors=%lld,disk=%lld,cpu=%lld",
		(long long)limits->memory_bytes, (long long)limits->processes,
		(long long)limits->descriptors, (long long)limits->disk_bytes,
		(long long)limits->cpu_s);
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a && (!b || a < b) ? a : b;
}

struct sandbox_limits sandbox_limits_tightest(
	const struct sandbox_limits *a, const struct sandbox_limits *b)
{
	return (struct sandbox_limits){
		.memory_bytes = smaller(a->memory_bytes, b->memory_bytes),
		.processes = smaller(a->processes, b->processes),
		.descriptors = smaller(a->descriptors, b->descriptors),
		.disk_bytes = smaller(a->disk_bytes, b->disk_bytes),
		.cpu_s = smaller(a->cpu_s, b->cpu_s)};
}
