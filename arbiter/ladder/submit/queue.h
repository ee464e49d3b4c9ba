/*
 * Submissions that wait to be checked, in a ladder's submissions/:
 *
 *     queue/ID.archive, queue/ID.json     waiting, or being checked
 *     done/ID.json                        accepted or refused, with the report
 *     work/                               of the one that is being checked
 *     lock                                held (flock) by the one process that checks
 *
 * Files come whole, by renaming. Whoever checks may be killed at any moment: the next one
 * begins with the same submission again. An ID begins with the time, so that names sort
 * by age, and ends with 128 random bits, so that only who was told it finds the report.
 *
 *     queued ──► building ──► checking ──► accepted
 *                    └────────────┴──────► refused
 *
 * A submission's document is {id, owner, received, bytes, state, attempts}, then
 * {started}, at last {finished, why, name, version, hash, build, check}; what is not
 * known is missing. `build` is what the build wrote, `check` the conformance report.
 */
#ifndef ARBITER_LADDER_SUBMIT_QUEUE_H
#define ARBITER_LADDER_SUBMIT_QUEUE_H

#include "arbiter/ladder/directory/ladder.h"
#include "protocol/why.h"

#define SUBMISSION_ID_SIZE 50
#define QUEUE_WAITING_MAX  4  /* of one owner */
#define QUEUE_DAY_MAX      24 /* of one owner in 24 hours */
#define QUEUE_ALL_MAX      64 /* waiting, of all together */
#define QUEUE_ATTEMPTS_MAX 5  /* then the host's trouble is not waited for any more */
#define QUEUE_KEPT_MAX     1000
#define QUEUE_KEPT_DAYS    30

enum queue_answer {
	QUEUE_TAKEN,
	QUEUE_TOO_MANY, /* the owner's limit; `why` names it */
	QUEUE_FULL,     /* everybody's limit */
	QUEUE_FAILED    /* the ladder cannot be written */
};

/* May the owner leave one more? */
enum queue_answer queue_room(
	const struct ladder *ladder, const char *owner, struct why *why);
/* Leaves an archive, from the beginning of a file; QUEUE_TAKEN gives the id. */
enum queue_answer queue_leave(const struct ladder *ladder, const char *owner, int file,
	int64_t bytes, char id[SUBMISSION_ID_SIZE], struct why *why);
/* A submission's document, and with it the number of those before it as `before`; NULL:
 * there is none. */
json_t *queue_read(const struct ladder *ladder, const char *id);
/* Does anybody wait? */
bool queue_waiting(const struct ladder *ladder);

/*
 * Checks all that wait, the oldest first, and tells on `out`. False with a sentence if
 * it cannot be done here; somebody else doing it is no failure.
 */
bool queue_admit(const char *path, FILE *out, struct why *why);

#endif
