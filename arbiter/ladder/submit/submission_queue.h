/*
 * The submission queue: archives that were sent to the page wait for their admission
 * (admission.h), in a ladder's submissions/:
 *
 *     queue/ID.archive, queue/ID.json     waiting, or being admitted
 *     done/ID.json                        accepted or refused, with the report
 *     work/                               of the one that is being admitted
 *     lock                                held (flock) by the one process that admits
 *
 * Files appear atomically, by rename(), and are on disk before anybody is told. Whoever
 * admits may be killed at any moment: the next one begins with the same submission again.
 * An ID begins with the time, so that names sort by age, and ends with 128 random bits, so
 * that only who knows it finds the report.
 *
 * Nobody can block the queue. Each submission is admitted by a process of its own, which
 * is killed when the ladder's `admission_s` are over, and which may die. Whose turn it is
 * goes by how many submissions the owner had in the last 24 hours when it came (`turn`),
 * then by age: the first of everybody before the second of anybody.
 *
 *     queued ──► building ──► checking ──► accepted
 *                    └────────────┴──────► refused
 *
 * A submission's document is {id, owner, received, bytes, state, attempts, turn}, then
 * {started}, at last {finished, why, name, version, hash, build, check}; what is not
 * known is missing. `build` is what the build wrote, `check` the conformance report.
 */
#ifndef ARBITER_LADDER_SUBMIT_SUBMISSION_QUEUE_H
#define ARBITER_LADDER_SUBMIT_SUBMISSION_QUEUE_H

#include "arbiter/ladder/directory/ladder.h"
#include "protocol/why.h"

#define SUBMISSION_ID_SIZE      50
#define SUBMISSIONS_WAITING_MAX 4  /* of one owner */
#define SUBMISSIONS_DAY_MAX     24 /* of one owner in 24 hours */
#define SUBMISSIONS_ALL_MAX     64 /* waiting, of all together */
#define SUBMISSION_ATTEMPTS_MAX 5  /* interrupted admissions, then it is refused */
#define SUBMISSION_GRACE_S_MAX  10 /* to refuse itself, after its time is over */
#define SUBMISSIONS_KEPT_MAX    1000
#define SUBMISSIONS_KEPT_DAYS   30

enum submission_answer {
	SUBMISSION_QUEUED,
	SUBMISSION_TOO_MANY,   /* the owner's limit; `why` names it */
	SUBMISSION_QUEUE_FULL, /* everybody's limit */
	SUBMISSION_FAILED      /* the ladder cannot be written */
};

/* May the owner add one more? */
enum submission_answer submission_room(
	const struct ladder *ladder, const char *owner, struct why *why);
/* Adds an archive, from the beginning of a file; SUBMISSION_QUEUED gives the id. */
enum submission_answer submission_add(const struct ladder *ladder, const char *owner,
	int file, int64_t bytes, char id[SUBMISSION_ID_SIZE], struct why *why);
/* A submission's document, and with it the number of those before it as `before`; NULL:
 * there is none. */
json_t *submission_read(const struct ladder *ladder, const char *id);
/* Is any submission waiting? */
bool submission_waiting(const struct ladder *ladder);

/*
 * Admits all that wait, by turns, posts a request to add each that passes, and reports on
 * stdout. False: it cannot be done here, and `why` says why not; somebody else doing it is
 * no failure.
 */
bool submissions_admit(const char *path, struct why *why);
/* What the process of one submission does: `pigpen ladder admit DIR --one ID`. */
bool submission_admit_one(const char *path, const char *id, struct why *why);

#endif
