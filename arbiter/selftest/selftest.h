/*
 * What a host wants to know before admitting strangers' bots: does this machine contain
 * them (selftest_attempts), and how many matches can it carry (selftest_ramp)? The bots
 * of both are this program itself (hostile.c). specs/selftest.md defines what is
 * measured.
 */
#ifndef ARBITER_SELFTEST_SELFTEST_H
#define ARBITER_SELFTEST_SELFTEST_H

#include "arbiter/bots/bot_spec.h"
#include "arbiter/table/clock.h"
#include "protocol/why.h"

struct selftest_options {
	const char *folder;  /* an empty one of the test's own, readable by all */
	bool boxed;          /* sandboxes work */
	int level_max;       /* the ramp's last number of matches at once */
	int64_t move_ns_max; /* the ramp's clock */
	bool quiet;          /* no progress on stderr */
};

/* A bot that is this program; up to four words, then NULL. Release it as any spec. */
void selftest_bot(struct bot_spec *spec, const char *folder, const char *mode,
	const char *const *words);

struct selftest_attempt {
	const char *name;    /* "network" */
	const char *promise; /* what must hold, a sentence */
	bool held;
	struct why why; /* not held: what happened */
};

#define SELFTEST_ATTEMPTS 15
/* Fills the list; returns how many promises did not hold. */
int selftest_attempts(const struct selftest_options *options,
	struct selftest_attempt list[SELFTEST_ATTEMPTS]);

/* Microseconds that 50 %, 99 % and 99.9 % of all did not exceed. */
struct selftest_quantiles {
	int64_t p50, p99, p999, max;
};

struct selftest_level {
	int at_once;
	int matches, decisions;
	int late; /* matches with a fault, or void: a bot was late */
	double seconds;
	struct selftest_quantiles overhead, answer;
	struct why why; /* the first that was late */
};

#define SELFTEST_LEVELS_MAX 16
/* Plays 1, 2, 4 … matches at once, until a bot is late or level_max is reached. Returns
 * the number of levels played; `carried` is the largest without a late bot, or 0. */
int selftest_ramp(const struct selftest_options *options,
	struct selftest_level list[SELFTEST_LEVELS_MAX], int *carried);

/* `pigpen hostile MODE`: the bots that attempt it (hostile.c). */
int selftest_hostile(int argc, char **argv);

#endif
