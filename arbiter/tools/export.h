/*
 * A replay as JSON (specs/replay.md). Steps are written as they are read, one a line,
 * so that a file of any size is exported in little memory. A file that ends early or is
 * damaged gives the steps up to there and a well-formed document.
 */
#ifndef ARBITER_TOOLS_EXPORT_H
#define ARBITER_TOOLS_EXPORT_H

#include "arbiter/replay/playback.h"
#include "protocol/why.h"

#include <stdio.h>

struct export_options {
	bool canonical; /* without timings, ids, nonces and digests */
	bool full;      /* with the view and the legal actions of every decision */
};

/* PLAYBACK_DONE, or why it stopped. PLAYBACK_STEP is never returned. When nothing could
 * be read, nothing is written. */
enum playback_status replay_export(const char *path, const struct export_options *options,
	FILE *out, struct why *why);

#endif
