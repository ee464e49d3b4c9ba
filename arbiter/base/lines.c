/* Reading lines from a descriptor without blocking. */
#include "arbiter/base/lines.h"
#include "arbiter/base/files.h"
#include "arbiter/base/json_text.h"
#include "protocol/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_SIZE 65536

void lines_init(struct lines *lines, int fd, size_t line_max)
{
	*lines = (struct lines){.fd = fd, .line_max = line_max};
}

void lines_release(struct lines *lines)
{
	free(lines->data);
	*lines = (struct lines){.fd = -1};
}

static void make_room(struct lines *lines)
{
	if (lines->taken) {
		memmove(lines->data, lines->data + lines->taken,
			lines->size - lines->taken);
		lines->size -= lines->taken;
		lines->taken = 0;
	}
	if (lines->size + READ_SIZE > lines->capacity) {
		lines->capacity = 2 * lines->capacity + READ_SIZE;
		lines->data = xrealloc(lines->data, lines->capacity);
	}
}

void lines_fill(struct lines *lines)
{
	while (!lines->ended) {
		ssize_t n;

		make_room(lines);
		n = read(lines->fd, lines->data + lines->size, READ_SIZE);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		lines->ended = n <= 0;
		lines->size += n > 0 ? (size_t)n : 0;
		if (lines->size <= lines->line_max)
			continue;
		/* Complete lines are handed out before a long one is judged. */
		if (memchr(lines->data, '\n', lines->size))
			return;
		lines->ended = lines->too_long = true;
	}
}

char *lines_next(struct lines *lines, size_t *size)
{
	char *start = lines->data + lines->taken, *end;

	if (lines->taken == lines->size)
		return NULL;
	end = memchr(start, '\n', lines->size - lines->taken);
	if (!end)
		return NULL;
	*end = 0;
	*size = (size_t)(end - start);
	lines->taken += *size + 1;
	if (*size <= lines->line_max)
		return start;
	lines->ended = lines->too_long = true;
	lines->taken = lines->size;
	return NULL;
}

size_t lines_rest(const struct lines *lines)
{
	return lines->size - lines->taken;
}

json_t *lines_next_json(struct lines *lines)
{
	size_t size;
	const char *line = lines_next(lines, &size);
	json_t *object = line ? json_loadb(line, size, 0, NULL) : NULL;

	if (!line || json_is_object(object))
		return object;
	json_decref(object);
	lines->ended = true;
	lines->taken = lines->size;
	return NULL;
}

bool lines_write_json(int fd, json_t *object)
{
	char *text = json_to_text(object, JSON_COMPACT);
	size_t size = strlen(text);
	bool ok;

	text[size] = '\n';
	ok = write_all(fd, text, size + 1);
	free(text);
	json_decref(object);
	return ok;
}
