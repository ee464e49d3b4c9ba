/* Guarded output streams: what steers a terminal is shown, not sent. */
#include "arbiter/base/terminal.h"
#include "arbiter/base/files.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

struct guard {
	int fd;
	bool owned;
	/* The beginning of a character whose rest has not been printed yet. */
	char rest[4];
	uint32_t rest_size;
};

struct chunk {
	const struct guard *guard;
	char bytes[8192];
	size_t size;
	bool failed;
};

static FILE *bare_stdout;
/* Of stdout and stderr. */
static struct guard standard[2] = {{.fd = STDOUT_FILENO}, {.fd = STDERR_FILENO}};
static FILE *guarded[2];

static void send_chunk(struct chunk *chunk)
{
	if (!chunk->failed)
		chunk->failed = !write_all(chunk->guard->fd, chunk->bytes, chunk->size);
	chunk->size = 0;
}

static void add(struct chunk *chunk, const char *bytes, size_t size)
{
	if (size > sizeof(chunk->bytes) - chunk->size)
		send_chunk(chunk);
	memcpy(chunk->bytes + chunk->size, bytes, size);
	chunk->size += size;
}

/* Most of what is printed. */
static size_t plain_size(struct text text)
{
	size_t n = 0, max = text.size < 1024 ? text.size : 1024;

	while (n < max && ((text.bytes[n] >= 0x20 && text.bytes[n] < 0x7f) ||
				  text.bytes[n] == '\n' || text.bytes[n] == '\t'))
		n++;
	return n;
}

/* The next piece of the text, which becomes shorter: *piece of the size that is returned,
 * which is in the text itself or in `out`. */
static size_t next_piece(struct text *text, const char **piece, char out[UTF8_SHOWN_SIZE])
{
	size_t taken = plain_size(*text), size = taken;

	*piece = text->bytes;
	if (!taken) {
		taken = utf8_show_one(*text, out);
		*piece = out;
		size = strlen(out);
	}
	text->bytes += taken;
	text->size -= (uint32_t)taken;
	return size;
}

static void show(struct chunk *chunk, struct text text)
{
	char out[UTF8_SHOWN_SIZE];
	const char *piece;

	while (text.size) {
		size_t size = next_piece(&text, &piece, out);

		add(chunk, piece, size);
	}
}

char *terminal_text(const char *string)
{
	struct text text = text_of(string);
	char out[UTF8_SHOWN_SIZE], *shown = xmalloc(6 * (size_t)text.size + 1);
	const char *piece;
	size_t used = 0;

	while (text.size) {
		size_t size = next_piece(&text, &piece, out);

		memcpy(shown + used, piece, size);
		used += size;
	}
	shown[used] = 0;
	return shown;
}

/* The character that began in an earlier call, if it ends in this one; returns how many
 * of the bytes belong to it. */
static size_t finish_rest(
	struct guard *guard, struct chunk *chunk, const char *bytes, size_t size)
{
	size_t taken = 0;

	while (guard->rest_size && taken < size) {
		bool goes_on = ((uint8_t)bytes[taken] & 0xc0) == 0x80;
		struct text rest = {guard->rest, guard->rest_size + goes_on};

		if (goes_on)
			guard->rest[guard->rest_size++] = bytes[taken++];
		if (goes_on && utf8_unfinished(rest))
			continue;
		show(chunk, rest);
		guard->rest_size = 0;
	}
	return taken;
}

static ssize_t guard_write(void *cookie, const char *bytes, size_t size)
{
	struct guard *guard = cookie;
	struct chunk chunk = {.guard = guard};
	size_t taken = finish_rest(guard, &chunk, bytes, size);
	struct text text = {bytes + taken, (uint32_t)(size - taken)};

	if (!guard->rest_size) {
		uint32_t kept = (uint32_t)utf8_unfinished(text);

		text.size -= kept;
		show(&chunk, text);
		memcpy(guard->rest, text.bytes + text.size, kept);
		guard->rest_size = kept;
	}
	send_chunk(&chunk);
	return chunk.failed ? 0 : (ssize_t)size;
}

static int guard_close(void *cookie)
{
	struct guard *guard = cookie;
	struct chunk chunk = {.guard = guard};
	int result = 0;

	show(&chunk, (struct text){guard->rest, guard->rest_size});
	guard->rest_size = 0;
	send_chunk(&chunk);
	if (guard->owned) {
		result = close(guard->fd);
		free(guard);
	}
	return chunk.failed ? -1 : result;
}

static FILE *open_guarded(struct guard *guard)
{
	cookie_io_functions_t functions = {.write = guard_write, .close = guard_close};
	FILE *stream = fopencookie(guard, "w", functions);

	if (stream && isatty(guard->fd))
		setvbuf(stream, NULL, _IOLBF, BUFSIZ);
	return stream;
}

FILE *terminal_open(int fd)
{
	struct guard *guard = xcalloc(1, sizeof(*guard));
	FILE *stream;

	guard->fd = fd;
	guard->owned = true;
	stream = open_guarded(guard);
	if (!stream)
		free(guard);
	return stream;
}

void terminal_guard(void)
{
	bare_stdout = stdout;
	for (int i = 0; i < 2; i++) {
		guarded[i] = open_guarded(&standard[i]);
		/* Without memory for a stream nothing can be said either. */
		if (!guarded[i])
			abort();
	}
	stdout = guarded[0];
	stderr = guarded[1];
	setvbuf(stderr, NULL, _IONBF, 0);
}

void terminal_control(FILE *stream, const char *sequence)
{
	for (int i = 0; i < 2; i++)
		if (stream == guarded[i] && stream) {
			fflush(stream);
			write_all(standard[i].fd, sequence, strlen(sequence));
			return;
		}
	fputs(sequence, stream);
}

FILE *terminal_bare(void)
{
	return bare_stdout ? bare_stdout : stdout;
}
