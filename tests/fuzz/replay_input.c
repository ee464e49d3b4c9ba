/* Makes a replay file from a fuzzer's input. */
#include "tests/fuzz/replay_input.h"
#include "arbiter/replay/format.h"
#include "protocol/limits.h"
#include "protocol/scan.h"

#include <sodium.h>
#include <zstd.h>

#define FILE_BYTES_MAX (4 << 20)

/* Payloads in a replay nest deeper than messages, by the record and its list. */
#define PAYLOAD_NESTING (NESTING_MAX + 2)

static uint8_t file_bytes[FILE_BYTES_MAX], packed[FILE_BYTES_MAX];

/* The value at the front; what is no value is a payload to its end. */
static size_t payload_size(const struct fuzz_input *input)
{
	struct scan scan = {input->at, input->at + input->left};

	if (scan_skip(&scan, PAYLOAD_NESTING, NULL) != ERR_OK)
		return input->left;
	return (size_t)(scan.at - input->at);
}

/* One record behind the chain that ends at `at`; returns its end. */
static uint8_t *put_record(uint8_t *at, struct fuzz_input *input)
{
	uint8_t *start = at - REPLAY_CHAIN_SIZE;
	uint8_t type = fuzz_byte(input);
	size_t size = payload_size(input);

	for (int i = 0; i < 4; i++)
		*at++ = (uint8_t)(size >> 8 * i);
	*at++ = type;
	memcpy(at, input->at, size);
	at += size;
	input->at += size;
	input->left -= size;
	crypto_generichash(at, REPLAY_CHAIN_SIZE, start, (size_t)(at - start), NULL, 0);
	return at + REPLAY_CHAIN_SIZE;
}

static size_t put_records(struct fuzz_input *input)
{
	uint8_t *at = file_bytes + REPLAY_MAGIC_SIZE;

	memcpy(file_bytes, REPLAY_MAGIC, REPLAY_MAGIC_SIZE);
	while (input->left && at + input->left + 64 < file_bytes + FILE_BYTES_MAX)
		at = put_record(at, input);
	return (size_t)(at - file_bytes);
}

struct fuzz_file replay_input(const uint8_t *data, size_t size)
{
	struct fuzz_input input = {data, size};
	int kind = fuzz_below(&input, 3);
	size_t n;

	if (kind == 0)
		return fuzz_file_open(input.at, input.left);
	n = put_records(&input);
	if (kind == 1)
		return fuzz_file_open(file_bytes, n);
	n = ZSTD_compress(packed, sizeof(packed), file_bytes, n, 1);
	assert(!ZSTD_isError(n));
	return fuzz_file_open(packed, n);
}
