/*
 * A replay that grows, followed as server-sent events (specs/web.md): `head` with the
 * viewer's head, `step` with each step, and what the caller adds in between. They are
 * made for one audience, so they hold nothing that it does not know at that time.
 *
 * The events are one text that only grows; every reader has a place in it. An event
 * `now` follows what was in the text when the place was taken: until then a reader gets
 * what is past, and a question in it may have been answered since. It says how long ago
 * the last question was put, which the text cannot know.
 */
#ifndef ARBITER_WEB_SITE_FOLLOW_H
#define ARBITER_WEB_SITE_FOLLOW_H

#include "arbiter/base/time.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define FOLLOW_TEXT_MAX  (16 << 20) /* bytes of one match; it is followed no further */
#define FOLLOW_SILENCE_S 5          /* then a stream says that it is still there */

struct follow {
	int file; /* stays open: its name may go before the last step is read; -1: none */
	int audience;
	off_t seen; /* bytes of the file */
	int steps;  /* of the replay, in the text */
	bool begun;
	bool over; /* nothing will be added any more */
	char *text;
	size_t size;
	mono_ns asked; /* when the last question was put; 0: none was, or nobody says */
};

/* A place in the text. */
struct follow_place {
	size_t at;
	size_t past;     /* where the text ended when the place was taken */
	bool up_to_date; /* `now` was said */
	mono_ns spoke;   /* when something was read from it last */
	/* What is being said beside the text: `now`, or that the stream is still there. */
	char aside[64];
	size_t aside_at;
};

/* A file that cannot be opened is a match that is over. */
void follow_init(struct follow *follow, const char *path, int audience);
void follow_release(struct follow *follow);
/* Takes what is new in the file. False: nothing more will come from it. */
bool follow_look(struct follow *follow);
/* One event of the caller's; takes the reference. */
void follow_say(struct follow *follow, const char *name, json_t *data);

void follow_place_init(struct follow_place *place, const struct follow *follow);
/* Bytes to send next; 0: nothing now, -1: that was all. */
ssize_t follow_read(const struct follow *follow, struct follow_place *place, char *bytes,
	size_t size);
/* Would follow_read() give something? */
bool follow_ready(const struct follow *follow, const struct follow_place *place);

#endif
