/*
 * Thinking time. A seat has a bank; an answer takes its thinking time from the bank and
 * puts the increment on it. One decision may never take longer than move_ns_max.
 */
#ifndef ARBITER_TABLE_CLOCK_H
#define ARBITER_TABLE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arbiter/base/time.h"
#include "protocol/message.h"
#include "protocol/why.h"

/*
 * CLOCK_KIND_WALL charges the time between question and answer, CLOCK_KIND_CPU the CPU
 * time that the bot's process tree burned in between.
 */
extern const char *const clock_kind_names[]; /* "wall", "cpu", NULL */

/*
 * Zero means "no such limit" for bank and move; at least one of the two is set.
 * wall_ns_max is used by CLOCK_KIND_CPU only: the longest a decision may take by the wall
 * clock, however little CPU time it burns.
 */
struct clock_rules {
	enum clock_kind kind;
	int64_t bank_ns;
	int64_t increment_ns;
	int64_t move_ns_max;
	int64_t wall_ns_max;
};

/* bank=30s,inc=100ms,move=5s of wall time. */
extern const struct clock_rules clock_rules_default;

/*
 * Parses "bank=10s,inc=100ms,move=2s[,wall=60s]"; units are us, ms, s, min. Keys that are
 * not given are 0 (no limit), except wall, which is ten times the move limit or the bank.
 * The kind is not changed. False: `why` says what was wrong, and *rules is unchanged.
 */
bool clock_rules_parse(const char *text, struct clock_rules *rules, struct why *why);

/* Writes the rules as clock_rules_parse() reads them. */
void clock_rules_format(const struct clock_rules *rules, char *text, size_t size);

/* How long the next decision may take: the smaller of bank and move limit. */
int64_t clock_budget(const struct clock_rules *rules, int64_t bank_left_ns);

/* Subtracts `spent` from the bank and adds the increment. False if the budget was
 * exceeded; the bank is then 0. */
bool clock_charge(
	const struct clock_rules *rules, int64_t *bank_left_ns, int64_t spent_ns);

#endif
