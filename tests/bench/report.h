/*
 * What a benchmark program leaves behind: build/bench/<name>.json with all that it
 * measured, and under "table" its rows for the one table of `make bench`
 * (tests/bench/run.py), each {what, value, unit, floor?, target?, better?}.
 */
#ifndef TESTS_BENCH_REPORT_H
#define TESTS_BENCH_REPORT_H

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RUNS_MAX = 15 };

/* Which way is better decides whether a target is met. */
enum better { BETTER_LESS, BETTER_MORE };

/* A row. `floor` is the same without us, measured in the same run; 0: there is none.
 * `target` 0: none. */
static inline void report_row(json_t *table, const char *what, double value,
	const char *unit, double floor, double target, enum better better)
{
	json_t *row =
		json_pack("{s:s, s:f, s:s}", "what", what, "value", value, "unit", unit);

	if (floor > 0)
		json_object_set_new(row, "floor", json_real(floor));
	if (target > 0) {
		json_object_set_new(row, "target", json_real(target));
		json_object_set_new(row, "better",
			json_string(better == BETTER_MORE ? "more" : "less"));
	}
	json_array_append_new(table, row);
}

/* Takes `piece` over. */
static inline int report_write(const char *name, json_t *piece)
{
	char path[256];
	int status;

	snprintf(path, sizeof(path), "build/bench/%s.json", name);
	mkdir("build", 0777);
	mkdir("build/bench", 0777);
	status = json_dump_file(piece, path, JSON_INDENT(1));
	if (status)
		fprintf(stderr, "%s cannot be written\n", path);
	json_decref(piece);
	return status ? 1 : 0;
}

static inline int report_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static inline double report_median(const double *values, int n)
{
	double sorted[RUNS_MAX];

	memcpy(sorted, values, (size_t)n * sizeof(*sorted));
	qsort(sorted, (size_t)n, sizeof(*sorted), report_compare);
	return sorted[n / 2];
}

#endif
