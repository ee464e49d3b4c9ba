/*
 * A ladder of the site, for those who make documents from it or let people do more with
 * it than read (arbiter/web/play, arbiter/web/upload).
 */
#ifndef ARBITER_WEB_SITE_SITE_LADDER_H
#define ARBITER_WEB_SITE_SITE_LADDER_H

#include "arbiter/base/time.h"
#include "arbiter/ladder/directory/ladder.h"
#include "arbiter/web/site/cache.h"
#include "arbiter/web/site/site.h"

#include <pthread.h>

/*
 * Standings and matrix are made from all results at once, which takes seconds where there
 * are many. When the results change new ones are made by a thread of their own, while
 * everybody gets the old ones.
 */
struct site_standings {
	char *table, *matrix; /* JSON; NULL: not made yet */
	int64_t version;      /* of the data they were made from */
	mono_ns made, cost;
};

struct site_ladder {
	char name[65]; /* of its folder; unique, and safe in a path */
	pthread_mutex_t mutex;
	/* Used by whoever holds the mutex. */
	struct ladder ladder;
	struct site_standings standings;
	struct document_cache cache;
	bool making;       /* the thread is at work on new standings */
	bool maker_exists; /* there is a thread to be joined */
	pthread_t maker;
};

int site_ladder_count(const struct site *site);
struct site_ladder *site_ladder_at(struct site *site, int index);
/* By its name, which ends with a NUL or a slash; NULL: there is none. */
struct site_ladder *site_find_ladder(struct site *site, const char *name);

#endif
