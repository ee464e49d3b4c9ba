/*
 * Time. All times of the arbiter are nanoseconds of one monotonic clock (`mono_ns`); only
 * their differences mean anything. Code that needs the time takes a `struct time_source`,
 * so that a test can pass its own.
 */
#ifndef ARBITER_BASE_TIME_H
#define ARBITER_BASE_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int64_t mono_ns;

#define NS_PER_US  INT64_C(1000)
#define NS_PER_MS  INT64_C(1000000)
#define NS_PER_S   INT64_C(1000000000)
#define TIME_NEVER INT64_MAX

struct time_source {
	mono_ns (*now)(void *context);
	void *context;
};

/* CLOCK_MONOTONIC. */
extern const struct time_source time_system;

static inline mono_ns time_now(const struct time_source *source)
{
	return source->now(source->context);
}

/* Parses one duration such as "250ms"; the units are us, ms, s and min. False if it is
 * not a duration or longer than a week. */
bool duration_parse(const char *text, int64_t *ns);
/* Writes a duration in the largest unit up to seconds that leaves no remainder. */
void duration_format(int64_t ns, char *text, size_t size);

#endif
