/* Real processes: shell scripts stand in for bots. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "arbiter/process/launch.h"
#include "arbiter/base/child.h"

#define PATIENCE_MS 60000

struct started {
	struct process process;
	struct output output;
};

static void start_with(struct started *s, const char *script, const char *log)
{
	char *argv[] = {"/bin/sh", "-c", (char *)script, NULL};
	char *environment[] = {"PIGPEN_TOKEN=secret", NULL};
	struct launch_spec spec = {
		.argv = argv, .folder = "/", .environment = environment};

	output_init(&s->output, log, 1000);
	cr_assert_eq(process_start(&s->process, &spec), 0);
}

static void start(struct started *s, const char *script)
{
	start_with(s, script, NULL);
}

/* One wait for anything from the process. */
static void wait_a_little(struct started *s)
{
	struct pollfd fds[] = {
		{s->process.report, POLLIN, 0}, {s->process.output, POLLIN, 0}};

	cr_assert_gt(poll(fds, 2, PATIENCE_MS), 0, "nothing came");
	if (s->process.output >= 0 && fds[1].revents &&
		!output_drain(&s->output, s->process.output)) {
		close(s->process.output);
		s->process.output = -1;
	}
	process_report(&s->process);
}

static void wait_gone(struct started *s)
{
	while (!s->process.gone || s->process.output >= 0)
		wait_a_little(s);
}

static void finish(struct started *s)
{
	process_release(&s->process);
	output_release(&s->output);
}

static const char *last_line(struct started *s)
{
	static char line[256];

	output_last_line(&s->output, line, sizeof(line));
	return line;
}

static void wait_line(struct started *s)
{
	while (!*last_line(s))
		wait_a_little(s);
}

Test(launch, status_and_output_come_back)
{
	struct started s;
	char text[96];

	start(&s, "echo out; echo err >&2; exit 3");
	wait_gone(&s);
	cr_assert(s.process.exited);
	child_status_text(s.process.status, text, sizeof(text));
	cr_assert_str_eq(text, "exited with status 3");
	cr_assert_str_eq(last_line(&s), "err");
	cr_assert_eq(s.output.bytes, 8);
	finish(&s);
}

Test(launch, a_signal_is_named)
{
	struct started s;
	char text[96];

	start(&s, "kill -SEGV $$");
	wait_gone(&s);
	child_status_text(s.process.status, text, sizeof(text));
	cr_assert_str_eq(text, "killed by SIGSEGV (Segmentation fault)");
	finish(&s);
}

Test(launch, a_command_that_does_not_exist_gives_its_errno)
{
	char *argv[] = {"/nowhere/bot", NULL}, *environment[] = {NULL};
	struct started s;

	output_init(&s.output, NULL, 0);
	cr_assert_eq(process_start(&s.process, &(struct launch_spec){.argv = argv,
						       .folder = "/",
						       .environment = environment}),
		0);
	wait_gone(&s);
	cr_assert_eq(s.process.start_errno, ENOENT);
	finish(&s);
}

Test(launch, the_bot_has_a_clean_room)
{
	struct started s;
	int secret = open("/dev/null", O_RDONLY); /* not close-on-exec */

	setenv("PIGPEN_ENDPOINT", "the arbiter's own", 1);
	start(&s, "test \"$PIGPEN_TOKEN\" = secret || echo token; "
		  "test -z \"$PIGPEN_ENDPOINT\" || echo environment; "
		  "test \"$(readlink /proc/self/fd/0)\" = /dev/null || echo stdin; "
		  "test $(cut -d' ' -f6 /proc/$$/stat) = $$ || echo session; "
		  "test $(cut -d' ' -f5 /proc/$$/stat) = $$ || echo group; "
		  /* Without a pipe, whose ends the shell would hold for a moment, and not
		   * as the last command, which might become the shell. */
		  "ls /proc/$$/fd; true");
	wait_gone(&s);
	cr_assert_str_eq(last_line(&s), "2");
	cr_assert_eq(s.output.bytes, 6, "something else was said, or is open");
	close(secret);
	finish(&s);
}

static bool alive(pid_t pid)
{
	return kill(pid, 0) == 0;
}

/* Waits until a process is no more, or only a zombie of somebody else. */
static void wait_dead(pid_t pid)
{
	for (int i = 0; alive(pid); i++) {
		cr_assert_lt(i, PATIENCE_MS / 10, "%d lives on", pid);
		poll(NULL, 0, 10);
	}
}

Test(launch, killing_takes_the_whole_tree)
{
	struct started s;
	int in_group, in_session;

	start(&s,
		"sleep 1000 & a=$!; setsid sleep 1000 & echo $a $!; trap '' TERM; wait");
	wait_line(&s);
	cr_assert_eq(sscanf(last_line(&s), "%d %d", &in_group, &in_session), 2);
	cr_assert(alive(in_group) && alive(in_session));
	process_kill(&s.process);
	wait_gone(&s);
	cr_assert(!alive(in_group) && !alive(in_session) && !alive(s.process.pid));
	finish(&s);
}

Test(launch, nobody_outlives_the_bot)
{
	struct started s;
	int daemon_pid;

	start(&s, "setsid sleep 1000 & echo $!; exit 0");
	wait_gone(&s);
	cr_assert_eq(sscanf(last_line(&s), "%d", &daemon_pid), 1);
	cr_assert(!alive(daemon_pid));
	cr_assert_eq(s.process.status, 0);
	finish(&s);
}

Test(launch, when_the_arbiter_is_killed_the_bots_go_and_the_socket_too)
{
	char folder[] = "/tmp/pigpen-test-XXXXXX", path[64], line[64] = "";
	int pipes[2], bot, child;
	pid_t arbiter;
	FILE *file;

	cr_assert(mkdtemp(folder) && pipe(pipes) == 0);
	snprintf(path, sizeof(path), "%s/socket", folder);
	fclose(fopen(path, "w"));
	arbiter = fork();
	if (arbiter == 0) {
		char *argv[] = {
			"/bin/sh", "-c", "setsid sleep 1000 & echo $$ $!; wait", NULL};
		char *environment[] = {NULL};
		struct started s;

		output_init(&s.output, NULL, 0);
		process_start(&s.process, &(struct launch_spec){.argv = argv,
						  .folder = "/",
						  .environment = environment,
						  .socket = path});
		wait_line(&s);
		dprintf(pipes[1], "%s\n", last_line(&s));
		pause();
	}
	close(pipes[1]);
	file = fdopen(pipes[0], "r");
	cr_assert(fgets(line, sizeof(line), file));
	cr_assert_eq(sscanf(line, "%d %d", &bot, &child), 2);
	kill(arbiter, SIGKILL);
	waitpid(arbiter, NULL, 0);
	wait_dead(bot);
	wait_dead(child);
	for (int i = 0; access(folder, F_OK) == 0; i++) {
		cr_assert_lt(i, PATIENCE_MS / 10);
		poll(NULL, 0, 10);
	}
	fclose(file);
}

Test(launch, a_killed_warden_takes_its_bot_along)
{
	struct started s;

	start(&s, "echo up; sleep 1000");
	wait_line(&s);
	kill(s.process.warden, SIGKILL);
	wait_gone(&s);
	wait_dead(s.process.pid);
	finish(&s);
}

Test(launch, cpu_time_of_the_tree_includes_children_and_never_falls)
{
	struct started s;
	int64_t own, tree;

	start(&s, "sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo done; "
		  "exec sleep 1000'; true");
	wait_line(&s);
	own = process_cpu_ns(&s.process);
	tree = process_tree_cpu_ns(&s.process);
	cr_assert_gt(own, 0);
	cr_assert_gt(tree, own);
	process_kill(&s.process);
	wait_gone(&s);
	cr_assert_geq(process_cpu_ns(&s.process), own);
	cr_assert_geq(process_tree_cpu_ns(&s.process), tree);
	finish(&s);
}

static long file_size(const char *path)
{
	struct stat info;

	return stat(path, &info) ? -1 : (long)info.st_size;
}

static void read_file(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "r");

	cr_assert(file);
	text[fread(text, 1, size - 1, file)] = 0;
	fclose(file);
}

Test(launch, output_is_kept_up_to_a_limit_with_marks)
{
	char path[] = "/tmp/pigpen-test-XXXXXX", text[4096];
	struct started s;

	close(mkstemp(path));
	unlink(path);
	start_with(&s,
		"echo hello; head -c 100000 /dev/zero | tr '\\0' x; echo; echo end",
		path);
	output_mark(&s.output, 7, 12);
	wait_gone(&s);
	cr_assert_str_eq(last_line(&s), "end");
	cr_assert_eq(s.output.bytes, 6 + 100000 + 1 + 4);
	cr_assert_lt(file_size(path), 1200);
	read_file(path, text, sizeof(text));
	cr_assert_eq(
		strncmp(text, "[pigpen: match 7 turn 12]\nhello\n", 32), 0, "%s", text);
	cr_assert(strstr(text, "the rest of the output is not kept"));
	unlink(path);
	finish(&s);
}

Test(launch, a_silent_bot_leaves_no_file)
{
	char path[] = "/tmp/pigpen-test-XXXXXX";
	struct started s;

	close(mkstemp(path));
	unlink(path);
	start_with(&s, "true", path);
	wait_gone(&s);
	cr_assert_eq(file_size(path), -1);
	finish(&s);
}

Test(launch, the_last_line_cannot_steer_a_terminal)
{
	struct started s;

	start(&s, "printf 'a\\033[2Jb ä\\377\\n\\n  \\n'");
	wait_gone(&s);
	cr_assert_str_eq(last_line(&s), "a\\x1b[2Jb ä\\xff");
	finish(&s);
}

Test(launch, a_bot_may_close_its_streams_and_live)
{
	struct started s;

	start(&s, "exec <&- >&- 2>&-; sleep 1000");
	while (s.process.output >= 0)
		wait_a_little(&s);
	cr_assert(!s.process.exited);
	finish(&s);
}
