/*
 * Requests to a ladder: add, remove, bench, unbench. They are left as files in inbox/ and
 * taken by whoever holds the lock, in the order of their leaving.
 */
#ifndef ARBITER_LADDER_DIRECTORY_INBOX_H
#define ARBITER_LADDER_DIRECTORY_INBOX_H

#include "arbiter/ladder/directory/ladder.h"

/* {"do": "add", "name", "hash", "version", "author", "language", "owner"} or {"do":
 * "remove" | "bench" | "unbench", "name": NAME[@HASH], "reason"}. False: it could not be
 * written. */
bool inbox_leave(struct ladder *ladder, const json_t *request);
/* Takes all requests, in a transaction each; what was done is told on `out` unless NULL.
 * False with store_why() if the store cannot be written. */
bool inbox_take(struct ladder *ladder, FILE *out);

/* Whom a name belongs to by the first request that adds it and was not taken yet. */
bool inbox_waiting_owner(const struct ladder *ladder, const char *name, char owner[65]);

/* The entrant meant by NAME or NAME@HASH-PREFIX: the latest that is not removed, else
 * the latest. NULL: there is none. */
const struct store_entrant *entrant_by_name(
	const struct store_entrant *list, int count, const char *name);

#endif
