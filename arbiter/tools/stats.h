/* Numbers about one replay: thinking times, decisions by phase, what went wrong. */
#ifndef ARBITER_TOOLS_STATS_H
#define ARBITER_TOOLS_STATS_H

#include "arbiter/replay/playback.h"
#include "protocol/why.h"

#include <stdio.h>

/* How the file ended; see replay_show(). */
enum playback_status replay_stats(
	const char *path, bool json, FILE *out, struct why *why);

#endif
