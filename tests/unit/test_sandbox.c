/* The parts of the sandbox that need no bubblewrap; tests/e2e/sandbox.py has the rest. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "arbiter/process/sandbox.h"
#include "arbiter/process/tree.h"
#include "arbiter/loop/sentinel.h"

#define MIB INT64_C(1048576)

Test(sandbox, limits_are_read_and_written)
{
	struct sandbox_limits limits = sandbox_limits_default(), again = {0};
	struct why why;
	char text[200];

	cr_assert(sandbox_limits_parse("memory=2g,processes=7,disk=4k", &limits, &why));
	cr_assert_eq(limits.memory_bytes, 2048 * MIB);
	cr_assert_eq(limits.processes, 7);
	cr_assert_eq(limits.disk_bytes, 4096);
	cr_assert_eq(limits.descriptors, sandbox_limits_default().descriptors);
	sandbox_limits_format(&limits, text, sizeof(text));
	cr_assert(sandbox_limits_parse(text, &again, &why), "%s", why.text);
	cr_assert_arr_eq(&again, &limits, sizeof(limits));
}

Test(sandbox, limits_that_make_no_sense_are_refused)
{
	static const char *const bad[] = {"", "memory", "memory=", "memory=1",
		"memory=1q", "memory=1gg", "oink=3", "processes=-1",
		"memory=99999999999g", "memory=1g,,disk=1m", "descriptors=1"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct sandbox_limits limits = {0}, before = limits;
		struct why why = {""};

		cr_assert_not(sandbox_limits_parse(bad[i], &limits, &why), "%s", bad[i]);
		cr_assert(strstr(why.text, "limits:"), "%s", bad[i]);
		cr_assert_arr_eq(&limits, &before, sizeof(limits));
	}
}

Test(sandbox, the_tighter_limit_counts)
{
	struct sandbox_limits a = {.memory_bytes = 5, .processes = 0, .cpu_s = 3};
	struct sandbox_limits b = {.memory_bytes = 9, .processes = 4, .cpu_s = 0};
	struct sandbox_limits c = sandbox_limits_tightest(&a, &b);

	cr_assert_eq(c.memory_bytes, 5);
	cr_assert_eq(c.processes, 4);
	cr_assert_eq(c.cpu_s, 3);
	cr_assert_eq(c.disk_bytes, 0);
}

static int index_of(char *const *argv, const char *word)
{
	for (int i = 0; argv[i]; i++)
		if (!strcmp(argv[i], word))
			return i;
	return -1;
}

Test(sandbox, a_bot_with_a_manifest_sees_its_folder_and_its_socket)
{
	char folder[] = "/tmp/pigpen-test-XXXXXX", manifest[64],
	     *argv[] = {"./bot", NULL};
	struct sandbox_limits limits = sandbox_limits_default();
	struct sandbox_command *command = calloc(1, sizeof(*command));
	struct sandbox_task task = {.argv = argv,
		.folder = folder,
		.socket = "/tmp/pigpen-socket/7",
		.limits = &limits};
	int at;

	cr_assert(mkdtemp(folder));
	snprintf(manifest, sizeof(manifest), "%s/bot.json", folder);
	close(open(manifest, O_CREAT | O_WRONLY, 0644));
	cr_assert(sandbox_command_fill(command, &task));
	at = index_of(command->argv, folder);
	cr_assert_gt(at, 0);
	cr_assert_str_eq(command->argv[at - 1], "--ro-bind");
	cr_assert_gt(index_of(command->argv, "/tmp/pigpen-socket/7"), 0);
	cr_assert_gt(index_of(command->argv, "--unshare-all") +
			     index_of(command->argv, "--unshare-net"),
		0);
	cr_assert_str_eq(command->argv[command->count - 1], "./bot");
	unlink(manifest);
	rmdir(folder);
	free(command);
}

Test(sandbox, the_whole_file_system_is_never_shown)
{
	char *argv[] = {"/bin/false", NULL};
	struct sandbox_limits limits = sandbox_limits_default();
	struct sandbox_command *command = calloc(1, sizeof(*command));
	struct sandbox_task task = {.argv = argv, .folder = "/", .limits = &limits};

	cr_assert(sandbox_command_fill(command, &task));
	for (int i = 1; i < command->count; i++)
		cr_assert(strcmp(command->argv[i], "/") ||
			  (strcmp(command->argv[i - 1], "--ro-bind") &&
				  strcmp(command->argv[i - 1], "--bind")));
	free(command);
}

Test(sandbox, no_two_wardens_have_the_same_user)
{
	char first[] = "0000000000", second[] = "0000000000";

	sandbox_command_own_user(first, 4194304);
	sandbox_command_own_user(second, 4194303);
	cr_assert_str_neq(first, second);
	cr_assert_leq(strtoul(first, NULL, 10), INT_MAX);
}

Test(sandbox, last_words_about_memory_are_known)
{
	const char *python = "Traceback …\nMemoryError\n", *none = "I give up\n";

	cr_assert(sandbox_memory_words(python, strlen(python)));
	cr_assert_not(sandbox_memory_words(none, strlen(none)));
}

static pid_t forked(void (*child)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		/* One that stands still would outlive a test that fails. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		child();
		_exit(0);
	}
	return pid;
}

static void try_filter(void)
{
	if (sandbox_filter_load(sandbox_filter_program(false)))
		_exit(1);
	if (socket(AF_INET, SOCK_STREAM, 0) >= 0)
		_exit(2);
	if (socket(AF_UNIX, SOCK_STREAM, 0) < 0)
		_exit(3);
	if (fork() == 0)
		_exit(0);
	_exit(wait(NULL) > 0 ? 0 : 4);
}

/* Calls that no list of what is refused would hold, because they are new or do not exist. */
static void try_unknown_calls(void)
{
	static const long numbers[] = {
		SYS_vhangup, SYS_unshare, SYS_io_uring_setup, 470, 999};

	if (sandbox_filter_load(sandbox_filter_program(false)))
		_exit(1);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (syscall(numbers[i], 0, 0, 0, 0, 0, 0) != -1 || errno != ENOSYS)
			_exit(2 + (int)i);
	_exit(0);
}

Test(sandbox, calls_that_are_not_on_the_list_do_not_exist)
{
	int status;

	cr_assert_gt(waitpid(forked(try_unknown_calls), &status, 0), 0);
	cr_assert_eq(status, 0, "status %d", status);
}

Test(sandbox, the_filter_refuses_networks_and_leaves_the_rest)
{
	int status;

	cr_assert_gt(waitpid(forked(try_filter), &status, 0), 0);
	cr_assert_eq(status, 0, "status %d", status);
}

static void wait_a_minute(void)
{
	alarm(60);
	for (;;)
		pause();
}

/* A tree of two generations, as below a warden; ends by itself after a minute. */
static void family(void)
{
	forked(wait_a_minute);
	wait_a_minute();
}

static void warden(void)
{
	forked(family);
	wait_a_minute();
}

/* The first child that the kernel lists; waits until there is one. */
static pid_t child_of(pid_t pid)
{
	char path[64];
	int child = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	while (!child) {
		FILE *file = fopen(path, "re");

		if (file && fscanf(file, "%d", &child) != 1)
			child = 0;
		if (file)
			fclose(file);
	}
	return child;
}

static char state_of(pid_t pid)
{
	char path[64], text[512];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	cr_assert(file);
	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = 0;
	fclose(file);
	return strrchr(text, ')')[2];
}

Test(tree, signals_stop_the_whole_tree_and_let_it_go_on)
{
	pid_t top = forked(warden), bot = child_of(top), child = child_of(bot);

	tree_stop(top, true);
	cr_assert_eq(state_of(bot), 'T');
	cr_assert_eq(state_of(child), 'T');
	cr_assert_neq(state_of(top), 'T', "the warden must go on");
	tree_stop(top, false);
	while (state_of(bot) == 'T' || state_of(child) == 'T')
		poll(NULL, 0, 1);
	kill(child, SIGKILL);
	kill(bot, SIGKILL);
	kill(top, SIGKILL);
	waitpid(top, NULL, 0);
}

Test(sentinel, it_answers_and_its_lateness_adds_up)
{
	struct sentinel sentinel;
	struct pollfd wait;

	cr_assert(sentinel_init(&sentinel));
	wait = (struct pollfd){sentinel.fd, POLLIN, 0};
	cr_assert_eq(sentinel_late_ns(&sentinel, 100), 0);
	sentinel_ping(&sentinel, 1000);
	cr_assert_eq(poll(&wait, 1, 60000), 1);
	cr_assert(sentinel_take(&sentinel, 1000 + SENTINEL_USUAL_NS + 500));
	cr_assert_eq(sentinel_late_ns(&sentinel, 1 << 30), 500);
	kill(sentinel.pid, SIGSTOP);
	sentinel_ping(&sentinel, NS_PER_S);
	cr_assert_not(sentinel_take(&sentinel, NS_PER_S));
	cr_assert_eq(sentinel_late_ns(&sentinel, 2 * NS_PER_S),
		500 + NS_PER_S - SENTINEL_USUAL_NS);
	sentinel_release(&sentinel);
}
