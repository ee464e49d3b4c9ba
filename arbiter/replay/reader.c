/* The records of a replay's file, plain or compressed. */
#include "arbiter/replay/reader.h"
#include "protocol/memory.h"

#include <errno.h>
#include <sodium.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define CHUNK_SIZE (1 << 16)

/* The largest window that a compressed file may ask for, as a power of two: 8 MiB, enough
 * for every level up to 19. A few untrusted bytes could ask for 128 MiB. */
#define WINDOW_LOG_MAX 23

/*
 * `data` holds plain bytes from `start` to `end`; the 16 bytes before `start` are the
 * chain of the record before (or the magic), so that a record is hashed in one piece.
 */
struct replay_reader {
	int fd;
	ZSTD_DStream *zstd; /* NULL: the file is plain */
	ZSTD_inBuffer input;
	bool at_end; /* the file has no more bytes */
	uint8_t raw[CHUNK_SIZE];
	uint8_t *data;
	size_t start, end, capacity;
	uint64_t offset; /* of data[start] in the plain file */
	uint64_t number;
	bool sealed, begun;
	enum replay_status status;
	struct why why;
};

static enum replay_status stop(struct replay_reader *r, enum replay_status status,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

static enum replay_status stop(
	struct replay_reader *r, enum replay_status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	why_set_list(&r->why, format, args);
	va_end(args);
	r->status = status;
	return status;
}

/* One read from the file; 0 at its end, -1 on error. */
static ssize_t read_raw(struct replay_reader *r, void *bytes, size_t size)
{
	ssize_t n;

	do
		n = read(r->fd, bytes, size);
	while (n < 0 && errno == EINTR);
	return n;
}

/* Appends some plain bytes to `data`, which has room. False: see `why`. */
static bool fill_plain(struct replay_reader *r)
{
	ssize_t n = read_raw(r, r->data + r->end, r->capacity - r->end);

	if (n < 0) {
		stop(r, REPLAY_UNREADABLE, "cannot read: %s", strerror(errno));
		return false;
	}
	r->at_end = n == 0;
	r->end += (size_t)n;
	return true;
}

static bool fill_zstd(struct replay_reader *r)
{
	ZSTD_outBuffer output = {r->data + r->end, r->capacity - r->end, 0};
	size_t result;

	if (r->input.pos == r->input.size) {
		ssize_t n = read_raw(r, r->raw, sizeof(r->raw));

		if (n < 0) {
			stop(r, REPLAY_UNREADABLE, "cannot read: %s", strerror(errno));
			return false;
		}
		r->input = (ZSTD_inBuffer){r->raw, (size_t)n, 0};
		r->at_end = n == 0;
	}
	result = ZSTD_decompressStream(r->zstd, &output, &r->input);
	if (ZSTD_isError(result)) {
		stop(r, REPLAY_BROKEN,
			"the compressed file is damaged after byte %llu: %s",
			(unsigned long long)(r->offset + r->end - r->start),
			ZSTD_getErrorName(result));
		return false;
	}
	/* zstd may still hold output back although the file has ended. */
	if (output.pos)
		r->at_end = false;
	r->end += output.pos;
	return true;
}

/* Makes `size` bytes from `start` available; fewer at the end of the file. */
static bool want(struct replay_reader *r, size_t size)
{
	while (r->end - r->start < size && !r->at_end) {
		if (r->start > CHUNK_SIZE) {
			size_t keep = r->start - REPLAY_CHAIN_SIZE;

			memmove(r->data, r->data + keep, r->end - keep);
			r->start -= keep;
			r->end -= keep;
		}
		if (r->capacity - r->end < CHUNK_SIZE) {
			r->capacity += r->capacity / 2 + CHUNK_SIZE;
			r->data = xrealloc(r->data, r->capacity);
		}
		if (!(r->zstd ? fill_zstd(r) : fill_plain(r)))
			return false;
	}
	return true;
}

static void detect_compression(struct replay_reader *r)
{
	static const uint8_t zstd_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
	uint8_t head[4];
	ssize_t n = pread(r->fd, head, sizeof(head), 0);

	if (n == sizeof(head) && !memcmp(head, zstd_magic, sizeof(head))) {
		r->zstd = ZSTD_createDStream();
		ZSTD_initDStream(r->zstd);
		ZSTD_DCtx_setParameter(r->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	}
}

struct replay_reader *replay_reader_open(const char *path, struct why *why)
{
	struct replay_reader *r;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		why_set(why, "cannot be opened: %s", strerror(errno));
		return NULL;
	}
	r = xcalloc(1, sizeof(*r));
	r->fd = fd;
	r->capacity = 4 * CHUNK_SIZE;
	r->data = xmalloc(r->capacity);
	detect_compression(r);
	return r;
}

void replay_reader_free(struct replay_reader **reader)
{
	struct replay_reader *r = *reader;

	if (!r)
		return;
	close(r->fd);
	ZSTD_freeDStream(r->zstd);
	free(r->data);
	free(r);
	*reader = NULL;
}

static uint32_t get_u32(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

/* "pigpen replay N\n" */
static enum replay_status read_magic(struct replay_reader *r)
{
	size_t there;

	if (!want(r, REPLAY_MAGIC_SIZE))
		return r->status;
	there = r->end - r->start;
	if (there < REPLAY_MAGIC_SIZE && !memcmp(r->data + r->start, REPLAY_MAGIC, there))
		return stop(r, REPLAY_CUT,
			"the file ends after %zu bytes, within its first line", there);
	if (there >= 14 && !memcmp(r->data + r->start, REPLAY_MAGIC, 14) &&
		r->data[r->start + 14] > REPLAY_MAGIC[14] &&
		r->data[r->start + 14] <= '9')
		return stop(r, REPLAY_NEWER,
			"the replay has format %c, this program reads %d; use a newer pigpen",
			r->data[r->start + 14], REPLAY_FORMAT);
	if (there < REPLAY_MAGIC_SIZE ||
		memcmp(r->data + r->start, REPLAY_MAGIC, REPLAY_MAGIC_SIZE))
		return stop(r, REPLAY_BROKEN, "byte 0: this is not a pigpen replay");
	r->start += REPLAY_MAGIC_SIZE;
	r->offset = REPLAY_MAGIC_SIZE;
	r->begun = true;
	return REPLAY_RECORD;
}

static enum replay_status cut(struct replay_reader *r)
{
	if (r->end == r->start && r->sealed) {
		r->status = REPLAY_DONE;
		return REPLAY_DONE;
	}
	return stop(r, REPLAY_CUT,
		"the file ends at byte %llu, %s; %llu records before it are whole",
		(unsigned long long)(r->offset + r->end - r->start),
		r->end == r->start ? "without a seal" : "within a record",
		(unsigned long long)r->number);
}

/* Checks the record that starts at data[start]. */
static enum replay_status check_record(
	struct replay_reader *r, struct replay_record *record)
{
	uint8_t chain[REPLAY_CHAIN_SIZE];
	const uint8_t *at;
	size_t size, hashed;

	if (!want(r, REPLAY_HEAD_SIZE))
		return r->status;
	if (r->end - r->start < REPLAY_HEAD_SIZE)
		return cut(r);
	size = get_u32(r->data + r->start);
	if (r->sealed || size > REPLAY_RECORD_MAX)
		return stop(r, REPLAY_BROKEN, "record %llu at byte %llu: %s",
			(unsigned long long)r->number, (unsigned long long)r->offset,
			r->sealed ? "there is something behind the seal"
				  : "its length is impossible");
	hashed = REPLAY_HEAD_SIZE + size;
	if (!want(r, hashed + REPLAY_CHAIN_SIZE))
		return r->status;
	if (r->end - r->start < hashed + REPLAY_CHAIN_SIZE)
		return cut(r);
	at = r->data + r->start;
	crypto_generichash(chain, sizeof(chain), at - REPLAY_CHAIN_SIZE,
		REPLAY_CHAIN_SIZE + hashed, NULL, 0);
	if (memcmp(chain, at + hashed, sizeof(chain)))
		return stop(r, REPLAY_BROKEN,
			"record %llu at byte %llu: its hash is wrong, "
			"so a byte from there to %llu was changed",
			(unsigned long long)r->number, (unsigned long long)r->offset,
			(unsigned long long)(r->offset + hashed + REPLAY_CHAIN_SIZE - 1));
	*record = (struct replay_record){
		.type = at[4],
		.number = r->number++,
		.offset = r->offset,
		.payload = {at + REPLAY_HEAD_SIZE, (uint32_t)size},
		.chain = at + hashed,
	};
	r->sealed = record->type == REPLAY_SEAL;
	r->start += hashed + REPLAY_CHAIN_SIZE;
	r->offset += hashed + REPLAY_CHAIN_SIZE;
	return REPLAY_RECORD;
}

enum replay_status replay_reader_next(
	struct replay_reader *reader, struct replay_record *record)
{
	if (reader->status != REPLAY_RECORD)
		return reader->status;
	if (!reader->begun && read_magic(reader) != REPLAY_RECORD)
		return reader->status;
	return check_record(reader, record);
}

const char *replay_reader_why(const struct replay_reader *reader)
{
	return reader->why.text;
}
