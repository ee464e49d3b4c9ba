/* The workshop: starting it and taking what it made, and what runs in it. */
#include "arbiter/ladder/submit/workshop.h"
#include "arbiter/base/exit.h"
#include "arbiter/base/files.h"
#include "arbiter/base/program.h"
#include "arbiter/base/tree.h"
#include "arbiter/ladder/submit/unpack.h"
#include "arbiter/base/child.h"
#include "arbiter/process/sandbox_build.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX    64
#define LOOK_MS      20
#define BOXED_FOLDER "/tmp"

enum { SCRATCH = 1, STEP, WORDS };

const struct tree_limits workshop_limits = {.bytes_max = INT64_C(256) << 20,
	.entries_max = 16384,
	.path_max = 400,
	.depth_max = 30,
	.links = true};

static mono_ns deadline_of(const struct workshop *workshop)
{
	mono_ns end = time_now(&time_system) + workshop->seconds_max * NS_PER_S;

	return end < workshop->deadline ? end : workshop->deadline;
}

/* Why nothing came out of it, if it did not say so itself. */
static bool gave_nothing(const struct sandbox_build *build, int status, struct why *why)
{
	char text[128];

	if (time_now(&time_system) >= build->deadline)
		return why_set(why, "it took too long");
	child_status_text(status, text, sizeof(text));
	return why_set(why, "it %s", text);
}

bool workshop_run(const struct workshop *workshop, struct why *why)
{
	char *argv[WORDS_MAX] = {(char *)program_path(), "ladder", "workshop",
		(char *)(workshop->boxed ? BOXED_FOLDER : workshop->scratch),
		(char *)workshop->step};
	struct sandbox_build build = {.argv = argv,
		.folder = workshop->folder,
		.boxed = workshop->boxed,
		.deadline = deadline_of(workshop),
		.log = workshop->log,
		.pipe = true};
	struct why fault = {""};
	int err, status;
	bool ok;

	for (int i = 0; workshop->words && workshop->words[i] && i < WORDS_MAX - 6; i++)
		argv[5 + i] = workshop->words[i];
	err = sandbox_build_start(&build);
	if (err)
		return why_set(why, "it cannot be started: %s", strerror(err));
	ok = tree_receive(build.process.output, build.deadline, workshop->made,
		workshop->limits, &fault);
	status = sandbox_build_end(&build);
	if (!ok && !*fault.text)
		gave_nothing(&build, status, &fault);
	return ok || why_set(why, "%s", fault.text);
}

static void end_group(int number)
{
	(void)number;
	kill(0, SIGKILL);
}

/* Waits for the build. If nobody reads from us any more, whoever started us has ended, and
 * in a sandbox everything ends with us. */
static int wait_for(struct child *child)
{
	struct pollfd reader = {STDOUT_FILENO, 0, 0};
	int status;

	while (!child_ended(child, &status)) {
		poll(&reader, 1, LOOK_MS);
		if (reader.revents & POLLERR)
			end_group(0);
	}
	return status;
}

/* It stays in our process group, which is killed as a whole when its time is over. Its
 * output goes to the log, as ours does not. */
static bool run_words(char *const *words, const char *folder, struct why *why)
{
	struct child child = {.argv = words,
		.input = CHILD_NULL,
		.output = CHILD_FD,
		.output_fd = STDERR_FILENO,
		.folder = folder};
	int err = child_start(&child), status;
	char text[128];

	if (err)
		return why_set(why, "'%s' cannot be run: %s", words[0], strerror(err));
	status = wait_for(&child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	child_status_text(status, text, sizeof(text));
	return why_set(why, "'%s …' %s", words[0], text);
}

static bool make(int argc, char **argv, const char *made, struct why *why)
{
	if (!strcmp(argv[STEP], "unpack"))
		return (make_folder(made, 0755) || why_set(why, "%s", strerror(errno))) &&
		       unpack_inside(made, why);
	return (argc > WORDS || why_set(why, "there is nothing to run")) &&
	       tree_copy(".", made, why) && run_words(argv + WORDS, made, why);
}

int workshop_main(int argc, char **argv)
{
	char place[PATH_MAX], made[PATH_MAX + 8];
	struct why why = {""};
	bool ok;

	if (argc <= STEP)
		return user_error("`pigpen ladder workshop` is internal: bots are "
				  "unpacked and built in it; do not run it by hand");
	/* Without a sandbox this tells that whoever started us has ended. */
	signal(SIGTERM, end_group);
	snprintf(place, sizeof(place), "%s/workshop-XXXXXX", argv[SCRATCH]);
	if (!mkdtemp(place)) {
		ok = why_set(&why, "%s: %s", place, strerror(errno));
	} else {
		snprintf(made, sizeof(made), "%s/made", place);
		ok = make(argc, argv, made, &why);
	}
	if (!ok)
		tree_send_failure(STDOUT_FILENO, why.text);
	return ok && tree_send(STDOUT_FILENO, made) ? EXIT_OK : EXIT_FAILED;
}
