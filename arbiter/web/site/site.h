/*
 * The site of one or more ladders: every path and its document (specs/web.md). It only
 * reads.
 *
 * All documents come from site_answer(): `pigpen serve` sends them to browsers, `pigpen
 * ladder site` writes them to files. No path has parameters, so both are the same site.
 * It may be called by several threads at once.
 *
 * The table in arbiter/web/site/documents.c has all paths, and for whom each document
 * is.
 */
#ifndef ARBITER_WEB_SITE_SITE_H
#define ARBITER_WEB_SITE_SITE_H

#include "arbiter/web/server/server.h"
#include "protocol/why.h"

#define SITE_LADDERS_MAX 64
#define SITE_LIST_SIZE   50 /* matches on a page of a list */

struct site;

/* Opens ladders by their directories; `live`: with what shows matches under way. NULL:
 * `why` says what was wrong. */
struct site *site_open(char *const *paths, int count, bool live, struct why *why);
void site_close(struct site **site);

/* `path` begins with a slash and is decoded. Some documents hold more for whoever has an
 * owner's token (arbiter/ladder/directory/owner.h); NULL: none. */
void site_answer(struct site *site, const char *path, const char *token,
	struct http_answer *answer);

/* The pages link to the one for submitting (arbiter/web/upload/upload.h). */
void site_offer_upload(struct site *site);
/* The pages link to the one for playing (arbiter/web/play/play.h). */
void site_offer_play(struct site *site);

/* The route of a server for everything of the site, with the streams of matches under
 * way. */
struct server_route site_route(struct site *site);
/* Reads what is new in the matches that are followed; server_options.look. */
void site_look(void *site);

/*
 * Calls `each` with every path of the site, but for the matches themselves only those of
 * the newest `matches` of each ladder. False: `why` says which ladder cannot be read.
 */
bool site_list_paths(struct site *site, int64_t matches,
	void (*each)(void *context, const char *path), void *context, struct why *why);

#endif
