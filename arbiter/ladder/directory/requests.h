/*
 * Requests to a ladder: add, remove, bench, unbench. They are posted as files in inbox/
 * and applied by whoever holds the ladder's lock, in the order in which they were posted.
 */
#ifndef ARBITER_LADDER_DIRECTORY_REQUESTS_H
#define ARBITER_LADDER_DIRECTORY_REQUESTS_H

#include "arbiter/ladder/directory/ladder.h"

/* {"do": "add", "name", "hash", "version", "author", "language", "owner", "remote"} or
 * {"do": "remove" | "bench" | "unbench", "name": NAME[@HASH], "reason"}. It is
 * on disk when this returns. False: it could not be written; see errno. */
bool request_post(const struct ladder *ladder, const json_t *request);
/* Posts the request to add an entrant whose bot is in bots/ already. */
bool request_post_add(const struct ladder *ladder, const struct store_entrant *entrant);

/* Applies all requests, in a transaction each; reports what was done on `out` unless it
 * is NULL. The lock is held. False: the store cannot be written, store_why(). */
bool requests_apply(struct ladder *ladder, FILE *out);

/* The owner of a name by the first request to add it that has not been applied yet.
 * False: there is none. */
bool request_owner_of(const struct ladder *ladder, const char *name, char owner[65]);

/* The entrant meant by NAME or NAME@HASH-PREFIX: the latest that is not removed, else
 * the latest. NULL: there is none. */
const struct store_entrant *entrant_by_name(
	const struct store_entrant *list, int count, const char *name);

#endif
