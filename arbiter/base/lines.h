/*
 * Lines from a descriptor, without blocking on what is not there yet. For pipes and
 * sockets whose other end may send anything: a line has a limit.
 *
 *     lines_fill(&lines);
 *     while ((line = lines_next(&lines, &size)))
 *             …
 *     if (lines.ended)
 *             …
 */
#ifndef ARBITER_BASE_LINES_H
#define ARBITER_BASE_LINES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct lines {
	int fd;
	size_t line_max;
	char *data;
	size_t size, capacity, taken;
	bool ended;    /* end of file, an error, or a line that is too long */
	bool too_long; /* it was that */
};

/* The descriptor is not blocking; it stays the caller's. */
void lines_init(struct lines *lines, int fd, size_t line_max);
void lines_release(struct lines *lines);
/* Reads what is there, but no more than a line and a block beyond it at a time. */
void lines_fill(struct lines *lines);
/* The next whole line, without its newline and ended with a NUL; NULL: there is none. It
 * stays valid until the next lines_fill(). */
char *lines_next(struct lines *lines, size_t *size);
/* Bytes after the last newline. */
size_t lines_rest(const struct lines *lines);

/* The next line as a JSON object; NULL: there is none. A line that is no object ends the
 * stream. */
json_t *lines_next_json(struct lines *lines);
/* Writes the object and a newline, whole, waiting if it must; takes the reference. False:
 * the other side is gone. */
bool lines_write_json(int fd, json_t *object);

#endif
