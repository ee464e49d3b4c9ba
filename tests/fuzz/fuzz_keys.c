/* A list of keys: every line is an entry, a comment or blank, or there is a reason. A key
 * file: what is taken is written and read back the same. */
#include <ctype.h>
#include "protocol/keys.h"
#include "protocol/zap.h"
#include "tests/fuzz/fuzz.h"

struct reading {
	struct zap *zap;
	size_t entries;
};

static enum err take_entry(
	void *context, const char *name, const char *public_text, struct why *why)
{
	struct reading *reading = context;
	uint8_t bytes[KEY_BYTES];
	enum err err = zap_admit(reading->zap, name, public_text, why);

	if (err)
		return err;
	assert(key_name_valid(name) && key_from_text(public_text, bytes));
	reading->entries++;
	return ERR_OK;
}

/* Lines that are neither blank nor a comment. */
static size_t count_entries(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;
	size_t count = 0;

	while (data < end) {
		const uint8_t *line_end = memchr(data, '\n', (size_t)(end - data));
		const uint8_t *next = line_end ? line_end + 1 : end;
		bool comment = *data == '#';

		while (data < next && memchr(" \t\r\n", *data, 4))
			data++;
		count += !comment && data < next;
		data = next;
	}
	return count;
}

static void read_list(const char *path, const uint8_t *data, size_t size)
{
	struct reading reading = {.zap = zap_new()};
	struct why why = {.text = ""};

	assert(reading.zap);
	if (key_list_read(path, take_entry, &reading, &why) == ERR_OK)
		assert(reading.entries == count_entries(data, size));
	else
		assert(*why.text && reading.entries < count_entries(data, size));
	zap_free(&reading.zap);
}

static void read_pair(const char *path, const uint8_t *data, size_t size)
{
	struct key_pair pair, again;
	struct why why = {.text = ""};
	struct fuzz_file file;
	char text[256];
	int length;

	if (key_pair_read(&pair, path, &why)) {
		assert(*why.text);
		return;
	}
	/* Nothing of it was cut. */
	assert(memmem(data, size, pair.name, strlen(pair.name)));
	assert(memmem(data, size, pair.secret_text, KEY_TEXT_SIZE - 1));
	length = snprintf(text, sizeof(text), "name %s\npublic %s\nsecret %s\n",
		pair.name, pair.public_text, pair.secret_text);
	file = fuzz_file_open(text, (size_t)length);
	assert(key_pair_read(&again, file.path, &why) == ERR_OK);
	assert(!memcmp(&pair, &again, sizeof(pair)));
	fuzz_file_close(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = {data, size};
	bool list = fuzz_below(&input, 2) == 0;
	struct fuzz_file file = fuzz_file_open(input.at, input.left);

	if (list)
		read_list(file.path, input.at, input.left);
	else
		read_pair(file.path, input.at, input.left);
	fuzz_file_close(&file);
	return 0;
}
