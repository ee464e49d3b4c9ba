/* What a bot writes to stdout and stderr. */
#include "arbiter/process/launch.h"
#include "protocol/limits.h"
#include "protocol/utf8.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A bot that floods its pipe must not keep the arbiter from its other work: the rest is
 * read at the next wake-up. */
#define DRAIN_BYTES_MAX (256 * 1024)

void output_init(struct output *output, const char *path, int64_t bytes_max)
{
	memset(output, 0, sizeof(*output));
	output->bytes_left = output->bytes_max = bytes_max;
	output->fd = -1;
	if (path)
		snprintf(output->path, sizeof(output->path), "%s", path);
}

void output_release(struct output *output)
{
	if (output->fd >= 0)
		close(output->fd);
	output->fd = -1;
}

static void put(struct output *output, const char *bytes, size_t size)
{
	if (!output->path[0] || output->bytes_left <= 0)
		return;
	if (output->fd < 0)
		output->fd = open(
			output->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if ((int64_t)size > output->bytes_left)
		size = (size_t)output->bytes_left;
	output->bytes_left -= (int64_t)size;
	if (write(output->fd, bytes, size) < 0 || output->bytes_left > 0)
		return;
	static const char cut[] = "\n[pigpen: the rest of the output is not kept]\n";
	if (write(output->fd, cut, sizeof(cut) - 1) < 0)
		output->bytes_left = 0;
}

static void put_mark(struct output *output)
{
	char mark[96];

	snprintf(mark, sizeof(mark), "[pigpen: match %lld turn %u]\n",
		(long long)output->match, output->turn);
	put(output, mark, strlen(mark));
	output->mark_due = false;
}

static void keep_tail(struct output *output, const char *bytes, size_t size)
{
	const size_t max = sizeof(output->tail);

	if (size > max) {
		bytes += size - max;
		size = max;
	}
	if (output->tail_size + size > max) {
		size_t drop = output->tail_size + size - max;

		memmove(output->tail, output->tail + drop, output->tail_size - drop);
		output->tail_size -= drop;
	}
	memcpy(output->tail + output->tail_size, bytes, size);
	output->tail_size += size;
}

bool output_drain(struct output *output, int pipe)
{
	char bytes[16384];
	ssize_t n;

	for (size_t total = 0; total < DRAIN_BYTES_MAX; total += (size_t)n) {
		n = read(pipe, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN;
		if (n == 0)
			return false;
		if (output->mark_due)
			put_mark(output);
		put(output, bytes, (size_t)n);
		keep_tail(output, bytes, (size_t)n);
		output->bytes += n;
	}
	return true;
}

void output_next_match(struct output *output)
{
	if (output->bytes_left >= output->bytes_max / 2)
		return;
	output->bytes_left = output->bytes_max;
	if (output->fd >= 0 && ftruncate(output->fd, 0))
		output->bytes_left = 0;
}

void output_mark(struct output *output, int64_t match, uint32_t turn)
{
	output->match = match;
	output->turn = turn;
	output->mark_due = true;
}

void output_note(struct output *output, struct text text)
{
	char line[WHY_BYTES_MAX + 64];

	utf8_format(line, sizeof(line), "[pigpen: the bot reports: %.*s]\n",
		(int)text.size, text.bytes);
	if (output->mark_due)
		put_mark(output);
	put(output, line, strlen(line));
	keep_tail(output, line, strlen(line));
}

static size_t line_start(const char *text, size_t end)
{
	while (end && text[end - 1] != '\n')
		end--;
	return end;
}

void output_last_line(const struct output *output, char *line, size_t size)
{
	size_t end = output->tail_size, start;

	while (end && isspace((unsigned char)output->tail[end - 1]))
		end--;
	start = line_start(output->tail, end);
	utf8_show(
		(struct text){output->tail + start, (uint32_t)(end - start)}, line, size);
}
