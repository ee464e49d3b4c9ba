/*
 * A replay for people: `pigpen replay show`.
 *
 * Seen by all, or by one seat: then nothing is written that this seat did not know (no
 * card orders, no moves but its own, of the others only the events it was told; no
 * others' notes, times or faults).
 */
#ifndef ARBITER_TOOLS_SHOW_H
#define ARBITER_TOOLS_SHOW_H

#include "arbiter/replay/playback.h"
#include "protocol/why.h"

#include <stdio.h>

struct show_options {
	int viewer;   /* a seat, or OMNISCIENT */
	int at;       /* only this decision, with view and legal moves; 0: all */
	int from, to; /* only these decisions */
	bool events;  /* every event on a line of its own */
	bool json;    /* a JSON object a line */
};

/* How it ended. `why` is for everything but PLAYBACK_DONE; a decision `at` that does not
 * exist is PLAYBACK_UNREADABLE. */
enum playback_status replay_show(
	const char *path, const struct show_options *options, FILE *out, struct why *why);

#define SHOW_WIDTH 96 /* of a view where no screen sets a limit */

/* A view as a table: a row for each seat, then what belongs to no seat or is too long
 * for a cell, a line each. Only a single long field gets beyond `width` columns. */
void replay_print_view(const struct game *game, const void *view, int width, FILE *out);

/* 0.31 ms, 12.5 ms, 3.20 s */
void replay_print_time(int64_t us, FILE *out);

/* A text that somebody else wrote: what could steer a terminal is escaped (\x1b). */
void replay_print_text(struct text text, FILE *out);

#endif
