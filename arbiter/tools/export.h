/*
 * A replay as JSON (specs/replay.md). Steps are written as they are read, one per line,
 * so that exporting a large file takes little memory. A file that ends early or is
 * damaged still gives a well-formed document, with the steps up to that point.
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

/* Returns PLAYBACK_DONE, or why it stopped; never PLAYBACK_STEP. If nothing could be
 * read, nothing is written. */
enum playback_status replay_export(const char *path, const struct export_options *options,
	FILE *out, struct why *why);

#endif
