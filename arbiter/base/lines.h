/*
 * Reads lines from a descriptor without blocking. For pipes and sockets whose other end
 * is not trusted: the length of a line is limited.
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
	bool too_long; /* why it ended */
};

/* The descriptor must be non-blocking; the caller still owns it. */
void lines_init(struct lines *lines, int fd, size_t line_max);
void lines_release(struct lines *lines);
/* Reads what has arrived, but at most one line and one block beyond it per call. */
void lines_fill(struct lines *lines);
/* The next complete line, without its newline and ended with NUL; NULL if there is none.
 * Valid until the next lines_fill(). */
char *lines_next(struct lines *lines, size_t *size);
/* Bytes after the last newline. */
size_t lines_rest(const struct lines *lines);

/* The next line as a JSON object; NULL if there is none. A line that is not an object
 * ends the stream. */
json_t *lines_next_json(struct lines *lines);
/* Writes the object and a newline, waiting if it must; takes the reference. False: the
 * other side is gone. */
bool lines_write_json(int fd, json_t *object);

#endif
