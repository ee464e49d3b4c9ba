/* `pigpen replay verify FILE…`: proves replays by playing them again. */
#include "arbiter/cmd/replay.h"

#include <argp.h>
#include <stdio.h>

struct verify {
	char **files;
	int count;
	bool quiet;
	struct compose_scratch *scratch;
};

static const struct argp_option argp_options[] = {
	{"quiet", 'q', 0, 0, "print nothing about replays that are proved", 0},
	{0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct verify *verify = state->input;

	(void)text;
	if (key == 'q') {
		verify->quiet = true;
	} else if (key == ARGP_KEY_ARGS) {
		verify->files = state->argv + state->next;
		verify->count = state->argc - state->next;
	} else if (key == ARGP_KEY_NO_ARGS) {
		argp_error(state, "name at least one replay");
	} else {
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {argp_options, parse, "FILE…",
	"Proves replays: plays each again by the rules and compares all "
	"that it says.\vIt recomputes the commitment from nonce, match and "
	"seed; every card order from the seed; the legality of every "
	"action; the digest of every message to every seat; the hash chain; "
	"and the result. The first record that is wrong is named. The exit "
	"status is 1 if any file is not proved, 2 if one cannot be read.\n\n"
	"Examples:\n"
	"  pigpen replay verify replays/*.replay",
	NULL, NULL, NULL};

static int verify_file(const struct verify *verify, const char *path)
{
	struct playback_options options = {.prove = true, .scratch = verify->scratch};
	enum playback_status status;
	struct why why;
	struct playback *p = playback_open(path, &options, &status, &why);
	struct playback_step step = {0};
	int exit_status;

	if (!p)
		return replay_exit(path, status, why.text);
	while ((status = playback_next(p, &step)) == PLAYBACK_STEP)
		;
	exit_status = replay_exit(path, status, playback_why(p));
	if (exit_status == EXIT_OK && !verify->quiet) {
		printf("%s: proved: %llu records, %d decisions, chain ", path,
			(unsigned long long)step.record + 1, step.decision);
		for (int i = 0; i < REPLAY_CHAIN_SIZE; i++)
			printf("%02x", playback_chain(p)[i]);
		putchar('\n');
	}
	playback_free(&p);
	return exit_status;
}

int cmd_replay_verify(int argc, char **argv)
{
	struct verify verify = {0};
	int worst = EXIT_OK;

	if (argp_parse(&argp, argc, argv, 0, NULL, &verify))
		return EXIT_USER;
	verify.scratch = compose_scratch_new();
	for (int i = 0; i < verify.count; i++) {
		int status = verify_file(&verify, verify.files[i]);

		if (status > worst)
			worst = status;
	}
	compose_scratch_free(&verify.scratch);
	return worst;
}
