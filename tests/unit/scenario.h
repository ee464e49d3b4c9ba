/*
 * Runs the scenario files of tests/rules/<game>/: a table, actions, and what must
 * follow, in the text form of arbiter/table/notation.h.
 *
 *   scenario: TITLE              begins a scenario
 *   proves: PP-5.1 PP-5.3        the clauses it proves
 *   seats: 3
 *   options: deal=dealt          what is not named has its default
 *   table:                       the position, one indented `field: tokens` a line;
 *                                without it the match starts afresh
 *   legal 0: play 8 | take       the exact legal list of seat 0
 *   legal 0 has: …, lacks: …     part of it, none of it
 *   refuse 0: play 3 -> PP-4.2   check() refuses with this clause
 *   raw 0: JSON -> PP-0.3        the same from a map as a bot would send it
 *   do 0: play 8                 a legal action
 *   offence 0: play 9S -> C      refused with clause C and punished (faults=penalty)
 *   chance deal: 5 W 3           these tokens on top, the others follow sorted
 *   forced                       all forced moves until somebody must be asked
 *   events: play seat=0 8 ; …    all events of the last step; `events 1:`,
 *                                `events spectator:` as that viewer sees them
 *   expect:                      indented fields of the true state
 *   view 1:                      indented fields of the view of seat 1
 *   result: scores 3 2 ranks 1 2 reason rounds
 *
 * Invariants are looked at after every step. A line that is not understood fails, and
 * so does a scenario that demands nothing.
 */
#ifndef TESTS_UNIT_SCENARIO_H
#define TESTS_UNIT_SCENARIO_H

#include "games/game.h"

#include <stdio.h>

struct scenario_count {
	int scenarios;
	int failed;
};

/* Runs one file; writes each failure as `file:line: title: what` to `out`. */
void scenario_run_file(const struct game *game, const char *path, FILE *out,
	struct scenario_count *count);

#endif
