/*
 * Where two replays part: the first card order, decision or result that differs. Times,
 * ids, player names and notes are not compared.
 */
#ifndef ARBITER_TOOLS_DIFF_H
#define ARBITER_TOOLS_DIFF_H

#include "arbiter/replay/playback.h"
#include "protocol/why.h"

#include <stdio.h>

struct diff_side {
	const char *path;
	enum playback_status status; /* how reading it ended */
	struct why why;
};

/* Writes what it found; true if the two are the same match. If a side could not be read,
 * its status is neither PLAYBACK_STEP nor PLAYBACK_DONE and the result is false. */
bool replay_diff(struct diff_side *a, struct diff_side *b, FILE *out);

#endif
