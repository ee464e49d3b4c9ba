/*
 * Replays: any file is played to an end that is named, with and without proof. What is
 * proved can also be played, and what a playback lets through leaves a sound table at
 * every step.
 */
#include "arbiter/replay/playback.h"
#include "tests/fuzz/replay_input.h"

static enum playback_status play(const char *path, bool prove)
{
	static struct compose_scratch *scratch;
	struct playback_options options = {.prove = prove};
	struct playback_step step;
	struct playback *playback;
	enum playback_status status;
	struct why why = {""};

	/* Megabytes, which would be most of the work of a small file. */
	if (!scratch)
		scratch = compose_scratch_new();
	options.scratch = scratch;
	playback = playback_open(path, &options, &status, &why);
	if (!playback) {
		assert(*why.text && status != PLAYBACK_STEP && status != PLAYBACK_DONE);
		return status;
	}
	while ((status = playback_next(playback, &step)) == PLAYBACK_STEP) {
		playback_apply(playback);
		assert(!playback_info(playback)->setup.game->invariants(
			playback_state(playback)));
	}
	assert(status == PLAYBACK_DONE || *playback_why(playback));
	playback_free(&playback);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_file file = replay_input(data, size);
	enum playback_status proved = play(file.path, true);
	enum playback_status played = play(file.path, false);

	assert(proved == PLAYBACK_WRONG || proved == played);
	fuzz_file_close(&file);
	return 0;
}
