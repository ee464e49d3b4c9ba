#include "arbiter/ladder/run/lines.h"
#include "protocol/memory.h"
#include "arbiter/base/json_text.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_SIZE 65536

void lines_init(struct lines *lines, int fd)
{
	*lines = (struct lines){.fd = fd};
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
		if (n <= 0) {
			lines->ended = true;
			return;
		}
		lines->size += (size_t)n;
		if (lines->size > LINE_BYTES_MAX &&
			!memchr(lines->data, '\n', lines->size))
			lines->ended = true;
	}
}

json_t *lines_next(struct lines *lines)
{
	char *start = lines->data + lines->taken, *end;
	json_t *object;

	if (lines->taken == lines->size)
		return NULL;
	end = memchr(start, '\n', lines->size - lines->taken);
	if (!end)
		return NULL;
	lines->taken += (size_t)(end - start) + 1;
	object = json_loadb(start, (size_t)(end - start), 0, NULL);
	if (json_is_object(object))
		return object;
	json_decref(object);
	lines->ended = true;
	lines->taken = lines->size;
	return NULL;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno == EAGAIN) {
			struct pollfd wait = {fd, POLLOUT, 0};

			poll(&wait, 1, -1);
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		bytes += n;
		size -= (size_t)n;
	}
	return true;
}

bool lines_write(int fd, json_t *object)
{
	char *text = json_to_text(object, JSON_COMPACT);
	size_t size;
	bool ok;

	json_decref(object);
	size = strlen(text);
	text[size] = '\n'; /* in the place of the NUL */
	ok = write_all(fd, text, size + 1);
	free(text);
	return ok;
}
