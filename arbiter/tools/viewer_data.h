/*
 * A replay in the form that the viewer in the browser reads (specs/viewer.md): a head
 * with the first table, then steps that say what happened and how the table changed.
 *
 * It is made for one audience. For OMNISCIENT it holds the full state and also the view
 * of every seat and of the spectator, so that the viewer can switch; for a seat or
 * SPECTATOR it holds nothing that they did not know at that time.
 *
 * Steps come one at a time and never change afterwards, so a running match can be
 * followed by forwarding each step.
 */
#ifndef ARBITER_TOOLS_VIEWER_DATA_H
#define ARBITER_TOOLS_VIEWER_DATA_H

#include "arbiter/replay/playback.h"
#include "protocol/why.h"

#include <jansson.h>
#include <stdio.h>

struct viewer_data;

/* For a playback that has just been opened; pass all its steps to viewer_data_step(). */
struct viewer_data *viewer_data_new(struct playback *playback, int viewer);
void viewer_data_free(struct viewer_data **data);

/* All but "steps". The caller owns the reference, here and below. */
json_t *viewer_data_head(const struct viewer_data *data);
/* Applies the step that was handed out last. NULL: the audience learns nothing. */
json_t *viewer_data_step(struct viewer_data *data, const struct playback_step *step);

/* Applies a step without describing it. */
void viewer_data_skip(struct viewer_data *data, const struct playback_step *step);

/* Writes a value on one line, safe inside a <script> element. */
void viewer_data_print(json_t *json, FILE *out);

/*
 * Writes the head and the steps of a file. Returns PLAYBACK_DONE, or why it stopped: the
 * steps up to there are written, and a last one says why. Nothing is written if nothing
 * could be read or there is no such seat (PLAYBACK_UNREADABLE). Without `evidence` faults
 * are named, but what the bot wrote is left out.
 */
enum playback_status viewer_data_write(
	const char *path, int viewer, bool evidence, FILE *out, struct why *why);

#endif
