/*
 * The files that the browser gets (arbiter/web/viewer and whatever else is listed in
 * assets.c), built into the program so that it needs none of them where it runs.
 */
#ifndef ARBITER_WEB_ASSETS_H
#define ARBITER_WEB_ASSETS_H

#include <stddef.h>

struct asset {
	const char *name; /* "viewer/viewer.js", its path below arbiter/web */
	const char *type; /* "text/css" */
	const char *start, *end;
};

extern const struct asset assets[]; /* ends with a NULL name */

/* NULL if there is no asset of that name. */
const struct asset *asset_find(const char *name);

static inline size_t asset_size(const struct asset *asset)
{
	return (size_t)(asset->end - asset->start);
}

#endif
