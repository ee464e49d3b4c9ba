/* The JSON form of one seat's log: a log that is written and read back the same, or a
 * reason. */
#include "arbiter/tools/seat_log.h"
#include "tests/fuzz/fuzz.h"

static bool same_entry(const struct seat_entry *a, const struct seat_entry *b)
{
	return a->kind == b->kind && a->size == b->size &&
	       (!a->size || !memcmp(a->bytes, b->bytes, a->size)) &&
	       (a->kind != SEAT_DECISION || action_equal(&a->action, &b->action));
}

static void round_trip(const struct seat_log *log)
{
	struct seat_log again;
	struct fuzz_file file;
	struct why why;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert(out);
	seat_log_write_json(log, out);
	fclose(out);
	file = fuzz_file_open(text, size);
	assert(seat_log_from_json(&again, file.path, &why));
	assert(log->game == again.game && log->count == again.count);
	for (size_t i = 0; i < log->count; i++)
		assert(same_entry(&log->entry[i], &again.entry[i]));
	seat_log_release(&again);
	fuzz_file_close(&file);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_file file = fuzz_file_open(data, size);
	struct seat_log log;
	struct why why = {""};

	if (seat_log_from_json(&log, file.path, &why)) {
		round_trip(&log);
		seat_log_release(&log);
	} else {
		assert(*why.text);
	}
	fuzz_file_close(&file);
	return 0;
}
