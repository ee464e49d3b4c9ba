/*
 * JSON over a pipe, one object per line, without blocking on what is not there yet.
 */
#ifndef ARBITER_LADDER_RUN_LINES_H
#define ARBITER_LADDER_RUN_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <jansson.h>

#define LINE_BYTES_MAX (1 << 20)

struct lines {
	int fd;
	char *data;
	size_t size, capacity, taken;
	bool ended; /* end of file, an error, or a line that is too long */
};

void lines_init(struct lines *lines, int fd);
void lines_release(struct lines *lines);
/* Reads what is there; the descriptor is non-blocking. */
void lines_fill(struct lines *lines);
/* The next whole line as an object, or NULL if there is none. A line that is no object
 * ends the stream. */
json_t *lines_next(struct lines *lines);

/* Writes the object and a newline, whole, waiting if it must; gives the object back.
 * False: the other side is gone. */
bool lines_write(int fd, json_t *object);

#endif
