/* Whether bots are sandboxed, and whether they can be. */
#include "arbiter/process/sandbox.h"
#include "arbiter/base/exit.h"
#include "arbiter/base/words.h"
#include "arbiter/process/launch.h"

#include <errno.h>
#include <string.h>

const char *const sandbox_mode_names[] = {"off", "auto", "require", NULL};

/* A program that ends at once, in the sandbox. */
static bool try_sandbox(struct why *why)
{
	const struct sandbox_limits limits = sandbox_limits_default();
	char *argv[] = {"/bin/true", NULL}, *none[] = {NULL}, line[200] = "";
	struct process process;
	struct output output;
	int err = process_start(&process, &(struct launch_spec){.argv = argv,
						  .folder = "/",
						  .environment = none,
						  .sandbox = &limits});

	output_init(&output, NULL, 0);
	if (!err) {
		process_wait(&process, &output);
		err = process.start_errno;
	}
	output_last_line(&output, line, sizeof(line));
	process_release(&process);
	if (!err && process.status == 0)
		return true;
	if (err == ENOENT)
		return why_set(why, "bubblewrap is not installed; `apt-get install "
				    "bubblewrap` installs it");
	return why_set(why,
		"bubblewrap does not work here (%s); bots need user namespaces "
		"(sysctl user.max_user_namespaces, "
		"kernel.apparmor_restrict_unprivileged_userns), or run pigpen as root",
		err     ? strerror(err)
		: *line ? line
			: "no message");
}

bool sandbox_available(struct why *why)
{
	static enum { UNKNOWN, YES, NO } known;
	static struct why reason;

	if (known == UNKNOWN)
		known = try_sandbox(&reason) ? YES : NO;
	if (known == NO)
		why_set(why, "%s", reason.text);
	return known == YES;
}

bool sandbox_mode_parse(const char *text, enum sandbox_mode *mode, struct why *why)
{
	int index = word_index(sandbox_mode_names, text);

	if (index < 0)
		return why_set(
			why, "sandbox: '%s' is not one of auto, require, off", text);
	*mode = (enum sandbox_mode)index;
	return true;
}

int sandbox_choose(enum sandbox_mode mode, const struct sandbox_limits *limits,
	const struct sandbox_limits **sandbox)
{
	struct why why;

	*sandbox = mode != SANDBOX_OFF && sandbox_available(&why) ? limits : NULL;
	if (mode == SANDBOX_OFF || *sandbox)
		return 0;
	if (mode == SANDBOX_REQUIRE)
		return user_error("bots cannot be sandboxed: %s. Without a "
				  "sandbox they can do whatever you can; "
				  "--sandbox off says that you trust them",
			why.text);
	user_error("warning: bots are not sandboxed: %s", why.text);
	return 0;
}

void sandbox_warn_of_hidden_time(void)
{
	if (!group_place()->path[0])
		user_error("warning: CPU clocks are not safe here: cgroup v2 cannot be "
			   "written, so that a bot can hide the time of children for "
			   "whom it does not wait; `pigpen doctor` says more");
}

bool sandbox_memory_words(const char *text, size_t size)
{
	static const char *const words[] = {"MemoryError", "std::bad_alloc",
		"out of memory", "OutOfMemoryError", "Out of memory",
		"memory allocation of", "annot allocate memory",
		"failed to allocate memory", "Cannot allocate", "memory exhausted",
		"Allowed memory size"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (memmem(text, size, words[i], strlen(words[i])))
			return true;
	return false;
}
