/*
 * A replay for people: `pigpen replay show`.
 *
 * Shows everything, or only what one seat knew: no card orders, no moves but its own, of
 * the other seats only the events it was told, and none of their notes, times or faults.
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
	bool json;    /* one JSON object per line */
};

/* Returns how the playback ended and sets `why` unless it is PLAYBACK_DONE;
 * PLAYBACK_UNREADABLE also if there is no decision `at`. */
enum playback_status replay_show(
	const char *path, const struct show_options *options, FILE *out, struct why *why);

#define SHOW_WIDTH 96 /* of a view that is not printed on a screen */

/* Prints a view as a table: a row for each seat, then one line for each field that
 * belongs to no seat or is too long for a cell. Only a long field exceeds `width`. */
void replay_print_view(const struct game *game, const void *view, int width, FILE *out);

/* 0.31 ms, 12.5 ms, 3.20 s */
void replay_print_time(int64_t us, FILE *out);

/* Prints untrusted text; control characters are escaped (\x1b). */
void replay_print_text(struct text text, FILE *out);

#endif
