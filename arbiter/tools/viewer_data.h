/*
 * A replay as the viewer in the browser wants it (specs/viewer.md): a head with the
 * first table, then steps that say what happened and how the table changed.
 *
 * It is made for one audience. For OMNISCIENT it holds the whole truth and beside it
 * the view of every seat and of the spectator, so that the viewer can switch; for a seat
 * or SPECTATOR it holds nothing that they did not know at that time.
 *
 * Steps come one at a time and never change afterwards, so a running match can be
 * followed by sending on each step as it comes.
 */
#ifndef ARBITER_TOOLS_VIEWER_DATA_H
#define ARBITER_TOOLS_VIEWER_DATA_H

#include "arbiter/replay/playback.h"
#include "protocol/why.h"

#include <jansson.h>
#include <stdio.h>

struct viewer_data;

/* For a playback that has just been opened, whose steps are taken with
 * viewer_data_step() from its first on. */
struct viewer_data *viewer_data_new(struct playback *playback, int viewer);
void viewer_data_free(struct viewer_data **data);

/* All but "steps". The caller owns the reference, here and below. */
json_t *viewer_data_head(const struct viewer_data *data);
/* Applies the step that was handed out last. NULL: the audience learns nothing. */
json_t *viewer_data_step(struct viewer_data *data, const struct playback_step *step);

/* Applies a step that was handed out before, of which nothing is wanted any more. */
void viewer_data_skip(struct viewer_data *data, const struct playback_step *step);

/* Writes a value on one line, safe to stand in a <script> of a page. */
void viewer_data_print(json_t *json, FILE *out);

/*
 * Writes head and steps of a file. PLAYBACK_DONE, or why it stopped: the steps before
 * are there, and a last one says why. Nothing is written if nothing could be read or
 * there is no such seat (PLAYBACK_UNREADABLE). Without `evidence` faults are named, but
 * not what the bot wrote.
 */
enum playback_status viewer_data_write(
	const char *path, int viewer, bool evidence, FILE *out, struct why *why);

#endif
