/* `pigpen doctor`: what this machine can do, and how to get what is missing. */
#include "arbiter/cmd/cmd.h"
#include "arbiter/process/group.h"
#include "arbiter/process/sandbox.h"
#include "protocol/utf8.h"
#include "arbiter/base/child.h"

#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* `look` fills `text` with what was found or what is missing; true: it is available. */
struct ability {
	const char *name;
	bool (*look)(char *text, size_t size);
	const char *what_for;
	const char *remedy; /* NULL: there is no simple one */
};

/* Puts the first line of the command's output into `text`; true: it exited with 0. */
static bool run(const char *shell, char *text, size_t size)
{
	char *argv[] = {"sh", "-c", (char *)(uintptr_t)shell, NULL};
	struct child child = {.argv = argv};
	int status = -1;

	*text = 0;
	child_run(&child, text, size, &status);
	text[strcspn(text, "\n")] = 0;
	return status == 0;
}

static bool look_bwrap(char *text, size_t size)
{
	return run("bwrap --version 2>/dev/null", text, size);
}

static bool look_sandbox(char *text, size_t size)
{
	struct why why = {""};
	bool works = sandbox_available(&why);

	if (works)
		why_set(&why, "works, %s",
			geteuid() ? "bots share your user id"
				  : "each bot gets a user id of its own");
	utf8_format(text, size, "%s", why.text);
	return works;
}

static bool look_namespaces(char *text, size_t size)
{
	bool works = run("unshare -Ur true 2>&1", text, size);

	if (works)
		snprintf(text, size, "available to all users");
	return works;
}

static bool look_seccomp(char *text, size_t size)
{
	const struct scmp_version *version = seccomp_version();

	snprintf(text, size, "libseccomp %u.%u.%u", version->major, version->minor,
		version->micro);
	return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
}

static bool look_groups(char *text, size_t size)
{
	const struct group_place *place = group_place();

	if (!place->path[0]) {
		snprintf(text, size,
			"cgroup v2 cannot be written; memory is limited for each process "
			"alone, and a bot can hide CPU time from a CPU clock");
		return false;
	}
	snprintf(text, size, "%s, counts CPU time and freezes bots; %s", place->path,
		place->limits_memory
			? "limits hold for whole bots"
			: "its memory controller is not to be had, so memory is limited "
			  "for each process alone");
	return true;
}

static bool look_pidfd(char *text, size_t size)
{
	int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	snprintf(text, size, "%s", fd < 0 ? strerror(errno) : "there");
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool look_descriptors(char *text, size_t size)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	snprintf(text, size, "%llu, enough for about %llu bots at once",
		(unsigned long long)limit.rlim_max,
		(unsigned long long)limit.rlim_max / 8);
	return limit.rlim_max >= 1024;
}

static bool look_python(char *text, size_t size)
{
	return run("/usr/bin/python3 -c 'import zmq, msgpack, sys; print(\"Python\", "
		   "sys.version.split()[0], \"zmq\", zmq.__version__)' 2>/dev/null",
		text, size);
}

static bool look_node(char *text, size_t size)
{
	return run("node --version 2>/dev/null", text, size);
}

static bool look_slurm(char *text, size_t size)
{
	if (run("sbatch --version 2>/dev/null", text, size))
		return true;
	if (run("command -v sbatch", text, size))
		snprintf(text, size, "sbatch is installed, but finds no cluster");
	return false;
}

static const struct ability abilities[] = {
	{"bubblewrap", look_bwrap, "sandboxes", "apt-get install bubblewrap"},
	{"sandbox", look_sandbox, "untrusted bots", NULL},
	{"user namespaces", look_namespaces, "sandboxes without being root",
		"sysctl -w user.max_user_namespaces=10000"},
	{"seccomp", look_seccomp, "sandboxes", NULL},
	{"cgroup v2", look_groups, "CPU clocks, --ponder off, limits on whole bots",
		"systemd-run --user --scope -p Delegate=yes pigpen …"},
	{"pidfd", look_pidfd, "watching processes", NULL},
	{"descriptors", look_descriptors, "many bots at once", "ulimit -n 65536"},
	{"Python", look_python, "bots in Python",
		"apt-get install python3 python3-zmq python3-msgpack"},
	{"Node", look_node, "bots in JavaScript", "apt-get install nodejs npm"},
	{"Slurm", look_slurm, "ladders on many machines",
		"apt-get install slurm-client, and the cluster's slurm.conf"},
};

#define ABILITIES (sizeof(abilities) / sizeof(*abilities))

static void print_one(const struct ability *ability, bool there, const char *text)
{
	printf("%-3s %-16s %s\n", there ? "yes" : "no", ability->name,
		*text ? text : "missing");
	if (there)
		return;
	printf("    %-16s for %s", "", ability->what_for);
	if (ability->remedy)
		printf("; try: %s", ability->remedy);
	putchar('\n');
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	bool *json = state->input;

	(void)text;
	if (key != KEY_JSON)
		return ARGP_ERR_UNKNOWN;
	*json = true;
	return 0;
}

int cmd_doctor(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"json", KEY_JSON, 0, 0, "print it as JSON", 0}, {0}};
	static const struct argp argp = {options, parse, NULL,
		"Says what this machine can do and how to get what is missing.\v"
		"The exit status is 0 if bots can be sandboxed, else 1.",
		NULL, NULL, NULL};
	json_t *root = json_object();
	bool json = false, sandboxed = false;

	argp_parse(&argp, argc, argv, 0, NULL, &json);
	for (size_t i = 0; i < ABILITIES; i++) {
		char text[512] = "";
		bool there = abilities[i].look(text, sizeof(text));

		if (abilities[i].look == look_sandbox)
			sandboxed = there;
		if (!json)
			print_one(&abilities[i], there, text);
		json_object_set_new(root, abilities[i].name,
			json_pack("{s:b,s:s}", "there", there, "found", text));
	}
	if (json) {
		json_dumpf(root, stdout, JSON_INDENT(1));
		putchar('\n');
	}
	json_decref(root);
	return sandboxed ? EXIT_OK : EXIT_FAILED;
}
