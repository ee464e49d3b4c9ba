/*
 * The files that browsers get, built into the program so that it needs none of them where
 * it runs: all files of arbiter/web/pages and arbiter/web/viewer. The Makefile lists
 * them, so a new file needs nothing but to be there.
 */
#ifndef ARBITER_WEB_SITE_ASSETS_H
#define ARBITER_WEB_SITE_ASSETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define ASSET_PAGES "pages/"

struct asset {
	const char *name; /* "viewer/viewer.js", its path below arbiter/web */
	const char *start, *end;
};

extern const struct asset assets[]; /* ends with a NULL name */

/* NULL if there is no asset of that name. */
const struct asset *asset_find(const char *name);
/* "text/css" */
const char *asset_type(const struct asset *asset);
/* Is it a whole page of the site? */
bool asset_is_page(const struct asset *asset);

static inline size_t asset_size(const struct asset *asset)
{
	return (size_t)(asset->end - asset->start);
}

/*
 * Writes the viewer's scripts (specs/viewer.md) in the order in which they need each
 * other, with the drawing of every game, viewer/<id>.js. They need pages/dom.js before
 * them.
 */
void assets_write_viewer(FILE *out);

#endif
