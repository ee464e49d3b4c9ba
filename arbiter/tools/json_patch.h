/*
 * A compact patch that turns one JSON value into another, for the viewer
 * (specs/viewer.md). Objects must have the same keys.
 *
 *   object   {key: patch, …} for the keys that differ
 *   array    {index: patch, …} for entries that differ; or {"-": n, "+": […]}: drop the
 *            last n, then append; or the new array
 *   other    the new value
 */
#ifndef ARBITER_TOOLS_JSON_PATCH_H
#define ARBITER_TOOLS_JSON_PATCH_H

#include <jansson.h>

/* NULL if both are equal. The caller owns the patch; it may share values with `to`. */
json_t *json_patch(json_t *from, json_t *to);

#endif
