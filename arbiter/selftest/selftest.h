/*
 * What a host asks before strangers' bots come: does this machine keep them in
 * (selftest_attempts), and how many matches can it carry (selftest_ramp)? Bots of both
 * are this program itself (hostile.c). specs/selftest.md defines what is
 * measured.
 */
#ifndef ARBITER_SELFTEST_SELFTEST_H
#define ARBITER_SELFTEST_SELFTEST_H

#include "arbiter/bots/bot_spec.h"
#include "arbiter/table/clock.h"
#include "protocol/why.h"

struct selftest_options {
	const char *folder;  /* an empty one of the test's own, readable by all */
	bool boxed;          /* a sandbox can be had */
	int level_max;       /* the ramp's last number of matches at once */
	int64_t move_ns_max; /* the ramp's clock */
	bool quiet;          /* no progress on stderr */
};

/* A bot that is this program; up to four words, NULL at the end. Give it back with
 * bot_spec_release(). */
void selftest_bot(struct bot_spec *spec, const char *folder, const char *mode,
	const char *const *words);

struct selftest_attempt {
	const char *name;    /* "network" */
	const char *promise; /* what must hold, a sentence */
	bool held;
	struct why why; /* not held: what happened */
};

#define SELFTEST_ATTEMPTS 15
/* Fills the list; the number that did not hold. */
int selftest_attempts(const struct selftest_options *options,
	struct selftest_attempt list[SELFTEST_ATTEMPTS]);

/* Microseconds: half, 99 % and 99.9 % of all were not above. */
struct selftest_quantiles {
	int64_t p50, p99, p999, max;
};

struct selftest_level {
	int at_once;
	int matches, decisions;
	int late; /* matches with a fault, or void: somebody was too late */
	double seconds;
	struct selftest_quantiles overhead, answer;
	struct why why; /* the first that was late */
};

#define SELFTEST_LEVELS_MAX 16
/* 1, 2, 4 … matches at once, until somebody is late or level_max is reached. Returns the
 * number of levels played; `carried` is the largest without anybody late, 0: none. */
int selftest_ramp(const struct selftest_options *options,
	struct selftest_level list[SELFTEST_LEVELS_MAX], int *carried);

/* `pigpen hostile MODE`: the bots that attempt it (hostile.c). */
int selftest_hostile(int argc, char **argv);

#endif
