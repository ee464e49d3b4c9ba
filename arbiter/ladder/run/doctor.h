/* Checks a ladder's store and replays against each other; specs/ladder.md lists what. */
#ifndef ARBITER_LADDER_RUN_DOCTOR_H
#define ARBITER_LADDER_RUN_DOCTOR_H

#include "arbiter/ladder/directory/ladder.h"

struct doctor_report {
	int64_t sets, matches, replays; /* looked at */
	int64_t problems;
};

/* Every problem is reported on `out`, a line each. */
struct doctor_report ladder_doctor(struct ladder *ladder, FILE *out);

#endif
