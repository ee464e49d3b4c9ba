/*
 * The stdio bridge: ZeroMQ and msgpack to the arbiter, one JSON object per line to a
 * child process. specs/bridge.md is the manual for bot authors.
 *
 *     arbiter ◄── link ──► bridge ── stdin ──► child
 *                                 ◄── stdout ──
 *
 * The bridge says hello and reconnects; all other messages pass through in both
 * directions. It ends when the child ends, and the child, with all of its process group,
 * ends with the bridge.
 */
#ifndef ARBITER_BRIDGE_BRIDGE_H
#define ARBITER_BRIDGE_BRIDGE_H

#include "arbiter/bridge/bridge_child.h"
#include "protocol/link.h"

struct bridge_options {
	const char *name, *version, *lang; /* for hello; NULL: left out */
	int matches;                       /* at once */
	bool events;
	char **command; /* ends with NULL */
};

/* Runs until either side ends; returns the exit status: the child's own after a bye, 1 if
 * something went wrong, 2 if the environment or the command cannot be used. */
int bridge_run(const struct bridge_options *options);

#endif
