/*
 * Forms of paths: "/api/@/bots/#.json". In a form
 *
 *     @   is a ladder's name
 *     #   is a number from 0 on, at most two of them, written in one way only
 *     *   is a word of any characters but slashes, at most one, with nothing of these
 *         behind it
 *
 * and everything else stands for itself. A path is compared with forms and never joined
 * to a folder.
 */
#ifndef ARBITER_WEB_SITE_PATH_FORM_H
#define ARBITER_WEB_SITE_PATH_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATH_SIZE 257 /* of a path with its final NUL; longer ones are not found */

/* What stands in a path in the places of a form. */
struct path_parts {
	char ladder[65];
	int64_t number[2];
	char word[PATH_SIZE];
};

/* Is the path of this form? Then `parts` is filled. */
bool path_match(const char *form, const char *path, struct path_parts *parts);
/* The path of this form with these parts. */
void path_write(const char *form, const struct path_parts *parts, char path[PATH_SIZE]);

#endif
