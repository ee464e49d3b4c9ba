/*
 * Submitting a bot: copy it into the ladder, build it there, check it.
 */
#ifndef ARBITER_LADDER_SUBMIT_SUBMIT_H
#define ARBITER_LADDER_SUBMIT_SUBMIT_H

#include "arbiter/ladder/directory/ladder.h"
#include "protocol/why.h"

struct submit_order {
	const char *what;  /* a folder, an executable, an archive, the name of a sample */
	const char *owner; /* NULL or "": the host (arbiter/ladder/directory/owner.h) */
	bool no_check;
	/* Where to work, relative to the ladder, ending in XXXXXX; NULL: in bots/. */
	const char *work;
	/* Told "building" and "checking" as they begin; may be NULL. */
	void (*stage)(void *context, const char *stage);
	void *context;
	/* Takes what the build wrote ("build", a text) and the conformance report
	 * ("check", as `pigpen check --json`). NULL: on failure they go to stderr. */
	json_t *report;
};

/*
 * Unpacks the bot if it is an archive, copies it to bots/NAME/HASH, builds it and runs
 * `pigpen check` on it. On success *entrant is filled in, but for its id, and the bot
 * lies in its place. On failure nothing is left behind and `why` names the step that
 * failed.
 */
bool submit_bot(struct ladder *ladder, const struct submit_order *order,
	struct store_entrant *entrant, struct why *why);
/* Leaves the request to enter it in the inbox. */
bool submit_request(struct ladder *ladder, const struct store_entrant *entrant);

#endif
