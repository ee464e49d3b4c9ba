/*
 * How much of the disk the bots of a ladder may take: `bots_mb` of ladder.json for all of
 * them together, old versions too, and a quarter of that for one owner's.
 */
#ifndef ARBITER_LADDER_SUBMIT_QUOTA_H
#define ARBITER_LADDER_SUBMIT_QUOTA_H

#include "arbiter/ladder/directory/ladder.h"
#include "protocol/why.h"

#define QUOTA_OWNERS_SHARE 4 /* an owner may take one part in so many */

/* Is there room for the bot in `folder`, too? The host's own ("") count for all only. */
bool quota_allows(const struct ladder *ladder, const char *owner, const char *folder,
	struct why *why);

#endif
