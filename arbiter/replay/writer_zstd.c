/* Compressing a finished replay. */
#include "arbiter/replay/writer_internal.h"
#include "arbiter/base/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
#include <zstd.h>
#include <zstd_errors.h>

#define COMPRESSION_LEVEL 6

static int put(int fd, const uint8_t *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno != EINTR)
			return errno;
		if (n > 0) {
			bytes += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

/* Compresses as a stream, so that memory use does not depend on the file's size. */
static int compress_stream(ZSTD_CCtx *context, int in, int out)
{
	uint8_t from[1 << 16], to[1 << 16];
	ssize_t n;
	size_t left;
	int err;

	do {
		n = read(in, from, sizeof(from));
		if (n < 0)
			return errno;
		ZSTD_inBuffer input = {from, (size_t)n, 0};
		do {
			ZSTD_outBuffer output = {to, sizeof(to), 0};

			left = ZSTD_compressStream2(context, &output, &input,
				n ? ZSTD_e_continue : ZSTD_e_end);
			/* Out of memory ends the program here as everywhere; it is not a
			 * disk error. */
			if (ZSTD_isError(left) &&
				ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
				abort();
			if (ZSTD_isError(left))
				return EIO;
			err = put(out, to, output.pos);
			if (err)
				return err;
		} while (input.pos < input.size || (!n && left));
	} while (n);
	return 0;
}

static int compress_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out = -1, err = 0;
	ZSTD_CCtx *context = ZSTD_createCCtx();

	if (!context)
		abort();
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	if (in >= 0)
		out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (in < 0 || out < 0)
		err = errno;
	if (!err)
		err = compress_stream(context, in, out);
	if (!err && fsync(out))
		err = errno;
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	ZSTD_freeCCtx(context);
	return err;
}

int replay_compress_beside(char *path, size_t size)
{
	char whole[600], partial[600];
	int err;

	snprintf(whole, sizeof(whole), "%s.zst", path);
	snprintf(partial, sizeof(partial), "%s.zst.part", path);
	if (strlen(whole) >= size)
		return ENAMETOOLONG;
	err = compress_file(path, partial);
	if (!err && rename(partial, whole))
		err = errno;
	if (err) {
		unlink(partial);
		return err;
	}
	memcpy(path, whole, strlen(whole) + 1);
	return 0;
}

void replay_remove_plain(const char *path)
{
	char plain[600];

	snprintf(
		plain, sizeof(plain), "%.*s", (int)(strlen(path) - strlen(".zst")), path);
	unlink(plain);
}

int replay_compress(char *path, size_t size)
{
	int err = replay_compress_beside(path, size);

	if (!err && !sync_folder_of(path))
		err = errno;
	if (!err)
		replay_remove_plain(path);
	return err;
}
