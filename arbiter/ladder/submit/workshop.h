/*
 * The workshop: where a stranger's archive is unpacked and a stranger's bot is built.
 *
 *     host                                 the workshop, a process in a sandbox
 *     starts it in a folder            ──► reads the folder, writes to its own /tmp
 *     tree_receive() into a new folder ◄── tree_send() of what it has made
 *
 * The two steps differ only in what is done with the folder. Nothing of the host's can be
 * written in there, and what comes out is made anew by the host within limits
 * (arbiter/base/tree_stream.h), so that neither can fill its disk, leave anything behind
 * or make it follow a link.
 */
#ifndef ARBITER_LADDER_SUBMIT_WORKSHOP_H
#define ARBITER_LADDER_SUBMIT_WORKSHOP_H

#include "arbiter/base/tree_stream.h"
#include "protocol/why.h"

#include <stdbool.h>

struct workshop {
	const char *step;    /* "unpack" or "build" */
	char *const *words;  /* the build command, which ends with NULL; NULL: none */
	const char *folder;  /* with the archive, or with the bot's files */
	const char *scratch; /* a folder to work in where there is no sandbox */
	const char *made;    /* the new folder for what comes out */
	const struct tree_limits *limits;
	bool boxed;
	int seconds_max;
	mono_ns deadline; /* or earlier, if that many seconds pass first */
	int log;          /* gets what was written on the way; -1: nobody wants to know */
};

/* 256 MiB, 16384 files and folders, paths of 400 bytes and 30 folders, and links. */
extern const struct tree_limits workshop_limits;

/* False: `why` says what was wrong; what came out until then stays in `made`. */
bool workshop_run(const struct workshop *workshop, struct why *why);

/* What runs in the workshop: `pigpen ladder workshop SCRATCH unpack|build WORDS…`. Returns
 * its exit status. */
int workshop_main(int argc, char **argv);

#endif
