/*
 * Everything that is printed of a replay that nobody has proved: for people, as JSON,
 * for the page, as numbers. The first byte says who looks on.
 */
#include "arbiter/tools/export.h"
#include "arbiter/tools/seat_log.h"
#include "arbiter/tools/show.h"
#include "arbiter/tools/stats.h"
#include "arbiter/tools/viewer_data.h"
#include "tests/fuzz/replay_input.h"

#define DECISIONS_ALL 1000000

static void show(const char *path, int viewer, int at, bool json)
{
	struct show_options options = {.viewer = viewer,
		.at = at,
		.from = 1,
		.to = DECISIONS_ALL,
		.events = !json,
		.json = json};
	struct why why;

	replay_show(path, &options, fuzz_nowhere(), &why);
}

static void log_of_seat(const char *path, int seat)
{
	struct seat_log log;
	struct why why;

	seat_log_from_replay(&log, path, seat, &why);
	if (log.game)
		seat_log_write_json(&log, fuzz_nowhere());
	seat_log_release(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = {data, size};
	int choice = fuzz_byte(&input), viewer = choice % 6 - 2;
	struct export_options export = {.full = choice & 1, .canonical = choice & 2};
	struct fuzz_file file = replay_input(input.at, input.left);
	struct why why;

	viewer_data_write(file.path, viewer, choice & 32, fuzz_nowhere(), &why);
	replay_export(file.path, &export, fuzz_nowhere(), &why);
	replay_stats(file.path, choice & 4, fuzz_nowhere(), &why);
	if (viewer != SPECTATOR)
		show(file.path, viewer, choice & 8 ? 3 : 0, choice & 16);
	if (viewer >= 0)
		log_of_seat(file.path, viewer);
	fuzz_file_close(&file);
	return 0;
}
