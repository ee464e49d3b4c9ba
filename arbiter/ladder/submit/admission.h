/*
 * Admission: a bot is copied into the ladder, built there and checked. What comes out is
 * an entrant that a request (arbiter/ladder/directory/requests.h) may add.
 */
#ifndef ARBITER_LADDER_SUBMIT_ADMISSION_H
#define ARBITER_LADDER_SUBMIT_ADMISSION_H

#include "arbiter/ladder/directory/ladder.h"
#include "protocol/why.h"

struct admission_order {
	const char *what;  /* a folder, an executable, an archive, the name of a sample */
	const char *owner; /* NULL or "": the host (arbiter/ladder/directory/owner.h) */
	bool no_check;
	/* Where to work, relative to the ladder, ending in XXXXXX; NULL: in bots/. */
	const char *work;
	/* Told "building" and "checking" as they begin; may be NULL. */
	void (*stage)(void *context, const char *stage);
	void *context;
	/* Gets what the build wrote ("build", a text) and the conformance report
	 * ("check", as `pigpen check --json`). NULL: on failure they go to stderr. */
	json_t *report;
};

/*
 * Unpacks the bot if it is an archive, copies it to bots/NAME/HASH, builds it and runs
 * `pigpen check` on it. On success *entrant is filled in, but for its id, and the bot
 * lies in its place. On failure nothing is left behind and `why` names the step that
 * failed; what of the entrant was known until then is filled in.
 */
bool admit_bot(struct ladder *ladder, const struct admission_order *order,
	struct store_entrant *entrant, struct why *why);

#endif
