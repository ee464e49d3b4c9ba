/* Shared by the files of the site; nobody else includes this. */
#ifndef ARBITER_WEB_SITE_SITE_INTERNAL_H
#define ARBITER_WEB_SITE_SITE_INTERNAL_H

#include "arbiter/web/site/live_streams.h"
#include "arbiter/web/site/site_ladder.h"

struct site {
	int count;
	bool play, upload;
	struct live *live; /* NULL: matches under way are not shown */
	struct site_ladder ladder[SITE_LADDERS_MAX];
};

#endif
