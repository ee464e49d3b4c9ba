/* What the text and the JSON form of `replay show` share. */
#ifndef ARBITER_TOOLS_SHOW_INTERNAL_H
#define ARBITER_TOOLS_SHOW_INTERNAL_H

#include "arbiter/tools/show.h"

struct show {
	const struct show_options *options;
	struct playback *playback;
	const struct replay_info *info;
	const struct game *game;
	FILE *out;
	int round;         /* deals so far */
	int heading;       /* the round of the last heading printed, plus 1 */
	const char *phase; /* in which the current step was taken */
};

/* May the viewer know who did this and how? */
static inline bool show_is_open(const struct show *show, int seat)
{
	return show->options->viewer == OMNISCIENT || show->options->viewer == seat;
}

/* A form of output. A step that changes the state is passed after it was applied, with
 * its events; `question` is called before the decision of --at is applied. */
struct show_form {
	void (*header)(struct show *show);
	void (*step)(struct show *show, const struct playback_step *step,
		const struct events *events);
	void (*question)(struct show *show, const struct playback_step *step);
};

extern const struct show_form show_text, show_json;

#endif
