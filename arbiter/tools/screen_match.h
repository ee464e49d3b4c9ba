/*
 * A replay in memory, for a viewer that moves back and forth: every table at which a
 * decision was made, the decision, and what it led to. About a kilobyte per decision.
 *
 * Position i is the table of decision i + 1; the last position is the end.
 */
#ifndef ARBITER_TOOLS_SCREEN_MATCH_H
#define ARBITER_TOOLS_SCREEN_MATCH_H

#include "arbiter/replay/playback.h"
#include "protocol/why.h"

#include <stdio.h>

struct screen_position {
	int round;               /* deals so far */
	uint8_t *state;          /* game.state_size bytes */
	size_t happening;        /* index of the first event after the previous table */
	size_t trouble;          /* index of the first fault or refusal after it */
	struct replay_move move; /* not set at the end; texts are the match's */
};

/* A fault, refused answer or lost connection. */
struct screen_trouble {
	int seat;
	bool fault;
	char *text;
};

struct screen_match {
	struct replay_info info;
	const struct game *game;
	struct screen_position *position;
	int last; /* index of the end */
	struct event *event;
	size_t events;
	struct screen_trouble *trouble;
	size_t troubles;
	char *ending; /* the result, or why the file ends here */
};

/* Reads a file. PLAYBACK_DONE or PLAYBACK_CUT: it can be shown; otherwise `why` says what
 * is wrong. Release the match in every case. */
enum playback_status screen_match_read(
	struct screen_match *match, const char *path, struct why *why);
void screen_match_release(struct screen_match *match);

/* All that a viewer (a seat, SPECTATOR, OMNISCIENT) knows at a position, as lines of
 * text for a screen of this width. */
void screen_match_print(
	const struct screen_match *match, int position, int viewer, int width, FILE *out);

/* Positions to jump to; `position` itself if there is none. Faults and times count only
 * if the viewer knows of them. */
int screen_match_round(const struct screen_match *match, int position, int direction);
int screen_match_fault(const struct screen_match *match, int position, int viewer);
int screen_match_slowest(const struct screen_match *match, int position, int viewer);

#endif
