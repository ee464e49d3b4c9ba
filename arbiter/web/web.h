/*
 * What the page shows of one or more ladders: every path of the site and what lies there
 * (specs/web.md). It only reads.
 *
 * web_answer() is all there is to it: `pigpen serve` sends what it gives to browsers,
 * `pigpen ladder site` writes it to files. No path has parameters, so both are the same
 * site. Answers may be asked for from several threads at once.
 */
#ifndef ARBITER_WEB_WEB_H
#define ARBITER_WEB_WEB_H

#include "protocol/why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEB_LADDERS_MAX 64
#define WEB_PATH_MAX    256 /* longer ones are not found */
#define WEB_LIST_SIZE   50  /* matches on a page of a list */

struct web;

/* What lies at a path: bytes, or a file open for reading. */
struct web_answer {
	int status; /* of HTTP: 200, 404, 503 */
	const char *type;
	const char *bytes; /* NULL: it is a file */
	char *owned;       /* to be freed; NULL if the bytes are part of the program */
	int file;          /* descriptor, -1: none */
	uint64_t size;
	bool lasting; /* the path will never hold anything else */
};

/* Opens ladders by their directories; `live`: with what shows matches under way. NULL
 * with a sentence. */
struct web *web_open(char *const *paths, int count, bool live, struct why *why);
void web_close(struct web **web);

/* `path` begins with a slash and is decoded. Some documents hold more for whoever has an
 * owner's token (arbiter/ladder/directory/owner.h); NULL: none. */
void web_answer(
	struct web *web, const char *path, const char *token, struct web_answer *answer);
/* Is this the path of a stream (arbiter/web/live.h) of a match under way? Then the file
 * to follow, of at most `size` bytes. */
bool web_live_find(struct web *web, const char *path, char *file, size_t size);
/* The pages link to the one for submitting (arbiter/web/submit.h). */
void web_offer_submit(struct web *web);
/* The pages link to the one for playing (arbiter/web/play.h). */
void web_offer_play(struct web *web);
/* Frees the bytes and closes the file. */
void web_answer_release(struct web_answer *answer);

/*
 * Calls `each` with every path of the site, but for the matches themselves only those of
 * the newest `matches` of each ladder. False with a sentence if a ladder cannot be read.
 */
bool web_each_path(struct web *web, int64_t matches,
	void (*each)(void *context, const char *path), void *context, struct why *why);

#endif
