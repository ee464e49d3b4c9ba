/*
 * What the fuzz targets share. A target is one file fuzz_<name>.c with one function,
 * LLVMFuzzerTestOneInput(), on the real libraries: it reads the bytes as the part that
 * it is named after would, and asserts what must hold of everything that was read.
 *
 * `make fuzz` links it with libFuzzer; `make test` links it with driver.c, which runs it
 * on the files that are in git. tests/fuzz/run.py does both.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Always 0. The bytes are the caller's, and nothing may be kept of them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A target that is made of choices takes them from the front of its input. */
struct fuzz_input {
	const uint8_t *at;
	size_t left;
};

/* 0 at the end. */
static inline uint8_t fuzz_byte(struct fuzz_input *input)
{
	if (input->left == 0)
		return 0;
	input->left--;
	return *input->at++;
}

/* In 0..n-1. */
static inline int fuzz_below(struct fuzz_input *input, int n)
{
	return fuzz_byte(input) % n;
}

/* For readers that want a path: a file in memory that lives until fuzz_file_close(). */
struct fuzz_file {
	int fd;
	char path[32];
};

static inline struct fuzz_file fuzz_file_open(const void *bytes, size_t size)
{
	struct fuzz_file file = {.fd = memfd_create("input", MFD_CLOEXEC)};

	assert(file.fd >= 0);
	if (write(file.fd, bytes, size) != (ssize_t)size)
		abort();
	snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
	return file;
}

static inline void fuzz_file_close(struct fuzz_file *file)
{
	close(file->fd);
}

/* Where printers print to: nobody reads it, but every byte of it is made. */
static inline FILE *fuzz_nowhere(void)
{
	static FILE *nowhere;

	if (!nowhere)
		nowhere = fopen("/dev/null", "we");
	assert(nowhere);
	return nowhere;
}

#endif
