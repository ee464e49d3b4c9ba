/* The loop with real processes: the sample bots, and shell scripts for bad ones. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "arbiter/loop/loop.h"

#define MATCHES_MAX_HERE 64

struct run_all {
	struct loop *loop;
	struct bot_spec spec[4];
	struct entrant *entrant[4];
	int seats, matches, added, done;
	struct game_result result[MATCHES_MAX_HERE];
	bool is_void[MATCHES_MAX_HERE];
	struct fault fault[4];      /* of the last match that had one */
	const struct fault *out[4]; /* given to the loop with each match */
	char void_reason[FAULT_WHY_SIZE];
	bool later; /* add matches only when the pipe says so */
	int pipe[2];
};

static void load_sample(struct bot_spec *spec, const char *path)
{
	struct why why;

	cr_assert(bot_spec_load(spec, path, &why), "%s (make all first)", why.text);
}

static void load_script(struct bot_spec *spec, const char *script)
{
	memset(spec, 0, sizeof(*spec));
	strcpy(spec->name, "script");
	strcpy(spec->folder, "/");
	spec->command[0] = strdup("/bin/sh");
	spec->command[1] = strdup("-c");
	spec->command[2] = strdup(script);
	spec->matches = 1;
}

static struct loop *open_loop(int jobs, bool fresh)
{
	struct why why;
	struct loop *loop =
		loop_new(&(struct loop_options){.jobs_max = jobs, .fresh = fresh}, &why);

	cr_assert(loop, "%s", why.text);
	return loop;
}

static void add(struct run_all *all, int number)
{
	struct loop_match request = {
		.config = {.setup = {.game = game_find("dirty_pig"),
				   .seats = all->seats,
				   .match_id = 1000 + number,
				   .clock = clock_rules_default},
			.ready_ns_max = 60 * NS_PER_S},
		.user = &all->result[number],
	};

	game_defaults(request.config.setup.game, request.config.setup.option);
	request.config.seed[0] = (uint8_t)number;
	memcpy(request.entrant, all->entrant, sizeof(all->entrant));
	memcpy(request.fault, all->out, sizeof(all->out));
	loop_add_match(all->loop, &request);
}

static enum loop_next on_next(void *context, struct loop *loop)
{
	struct run_all *all = context;
	char word;

	(void)loop;
	if (all->added == all->matches)
		return NEXT_NONE;
	if (all->later && read(all->pipe[0], &word, 1) != 1)
		return NEXT_LATER;
	add(all, all->added++);
	return NEXT_ADDED;
}

static void on_done(void *context, const struct loop_report *report)
{
	struct run_all *all = context;
	struct game_result *slot = report->user;

	*slot = report->match->result;
	all->is_void[slot - all->result] = report->match->is_void;
	strcpy(all->void_reason, report->match->void_reason);
	for (int seat = 0; seat < all->seats; seat++)
		if (report->fault[seat])
			all->fault[seat] = *report->fault[seat];
	all->done++;
	if (all->later && write(all->pipe[1], "x", 1) != 1)
		cr_assert_fail("pipe");
}

static bool run(struct run_all *all, int jobs, bool fresh)
{
	struct loop_client client = {.next = on_next, .done = on_done, .context = all};

	all->loop = open_loop(jobs, fresh);
	for (int i = 0; i < all->seats; i++)
		all->entrant[i] = loop_entrant(all->loop, &all->spec[i], jobs);
	return loop_run(all->loop, &client);
}

static void finish(struct run_all *all)
{
	loop_free(&all->loop);
	cr_assert_null(all->loop);
	for (int i = 0; i < all->seats; i++)
		bot_spec_release(&all->spec[i]);
	cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1);
	cr_assert_eq(errno, ECHILD, "a process is left");
}

static void two_sample_bots(struct run_all *all, int matches)
{
	memset(all, 0, sizeof(*all));
	all->seats = 2;
	all->matches = matches;
	load_sample(&all->spec[0], "sample_bots/c/random");
	load_sample(&all->spec[1], "sample_bots/c/first");
}

static void expect_all_played(const struct run_all *all)
{
	cr_assert_eq(all->done, all->matches);
	for (int i = 0; i < all->matches; i++)
		cr_assert(!all->is_void[i]);
	for (int seat = 0; seat < all->seats; seat++)
		cr_assert_eq(
			all->fault[seat].class, FAULT_NONE, "%s", all->fault[seat].why);
}

Test(loop, results_do_not_depend_on_how_many_are_played_at_once)
{
	static struct run_all one, many;

	two_sample_bots(&one, 30);
	two_sample_bots(&many, 30);
	cr_assert(run(&one, 1, false));
	expect_all_played(&one);
	cr_assert_eq(loop_entrant_starts(one.entrant[0]), 1);
	finish(&one);
	cr_assert(run(&many, 16, false));
	expect_all_played(&many);
	for (int i = 0; i < 30; i++)
		cr_assert_arr_eq(one.result[i].score, many.result[i].score,
			2 * sizeof(one.result[i].score[0]));
	cr_assert_eq(loop_numbers(many.loop).matches, 30);
	cr_assert_gt(loop_numbers(many.loop).decisions, 300);
	finish(&many);
}

Test(loop, fresh_processes_for_every_match)
{
	static struct run_all all;

	two_sample_bots(&all, 5);
	cr_assert(run(&all, 2, true));
	expect_all_played(&all);
	cr_assert_eq(loop_entrant_starts(all.entrant[0]), 5);
	cr_assert_eq(loop_entrant_starts(all.entrant[1]), 5);
	finish(&all);
}

Test(loop, a_bot_that_does_not_start_forfeits_with_evidence)
{
	static struct run_all all;

	two_sample_bots(&all, 30);
	bot_spec_release(&all.spec[1]);
	load_script(&all.spec[1], "echo no such module >&2; exit 4");
	cr_assert(run(&all, 3, false));
	cr_assert_eq(all.done, 30);
	cr_assert_eq(all.fault[0].class, FAULT_NONE);
	cr_assert_eq(all.fault[1].class, FAULT_STARTUP);
	cr_assert_eq(WEXITSTATUS(all.fault[1].exit_status), 4);
	cr_assert_str_eq(all.fault[1].stderr_tail, "no such module");
	cr_assert(
		strstr(all.fault[1].why, "exited with status 4"), "%s", all.fault[1].why);
	for (int i = 0; i < 30; i++)
		cr_assert_eq(all.result[i].rank[0], 1);
	/* Given up after three in a row; up to two more may have been on their way. */
	cr_assert_leq(loop_entrant_starts(all.entrant[1]), 5);
	finish(&all);
}

Test(loop, a_seat_that_is_out_from_the_start_needs_no_process)
{
	static const struct fault barred = {
		.class = FAULT_FLOOD, .why = "it may not play", .exit_status = -1};
	static struct run_all all;

	two_sample_bots(&all, 3);
	bot_spec_release(&all.spec[1]);
	strcpy(all.spec[1].name, "barred");
	all.out[1] = &barred;
	cr_assert(run(&all, 2, false));
	cr_assert_eq(all.done, 3);
	cr_assert_eq(all.fault[0].class, FAULT_NONE);
	cr_assert_eq(all.fault[1].class, FAULT_FLOOD);
	cr_assert_eq(all.fault[1].phase, PHASE_START);
	cr_assert_str_eq(all.fault[1].why, "it may not play");
	for (int i = 0; i < 3; i++) {
		cr_assert_not(all.is_void[i]);
		cr_assert_eq(all.result[i].rank[0], 1);
		cr_assert_eq(all.result[i].rank[1], 2);
	}
	cr_assert_eq(loop_entrant_starts(all.entrant[1]), 0);
	finish(&all);
}

Test(loop, a_bot_that_never_says_hello_is_put_out)
{
	struct loop_client client = {.next = on_next, .done = on_done};
	static struct run_all all;
	struct why why;

	two_sample_bots(&all, 1);
	bot_spec_release(&all.spec[1]);
	load_script(&all.spec[1], "sleep 1000");
	client.context = &all;
	all.loop =
		loop_new(&(struct loop_options){.hello_ns_max = 300 * NS_PER_MS}, &why);
	for (int i = 0; i < 2; i++)
		all.entrant[i] = loop_entrant(all.loop, &all.spec[i], 1);
	cr_assert(loop_run(all.loop, &client));
	cr_assert_eq(all.fault[1].class, FAULT_STARTUP);
	cr_assert(strstr(all.fault[1].why, "no hello within 300 ms"), "%s",
		all.fault[1].why);
	finish(&all);
}

/* One that gets ready and then never answers. */
static void load_silent(struct bot_spec *spec)
{
	memset(spec, 0, sizeof(*spec));
	strcpy(spec->name, "silent");
	cr_assert(getcwd(spec->folder, sizeof(spec->folder)));
	spec->command[0] = realpath("pigpen", NULL);
	spec->command[1] = strdup("hostile");
	spec->command[2] = strdup("silent");
	spec->matches = 1;
	cr_assert(spec->command[0], "make all first");
}

/* Both bots have said hello and `ready`: the match is being played. */
static void stop_in_play(void *context, struct loop *loop)
{
	(void)context;
	if (loop_numbers(loop).frames_in >= 4)
		loop_stop(loop, "enough");
}

Test(loop, stopping_voids_what_runs)
{
	static struct run_all all;
	struct loop_client client = {
		.next = on_next, .done = on_done, .tick = stop_in_play, .context = &all};

	two_sample_bots(&all, 5);
	bot_spec_release(&all.spec[1]);
	load_silent(&all.spec[1]);
	all.loop = open_loop(2, false);
	for (int i = 0; i < 2; i++)
		all.entrant[i] = loop_entrant(all.loop, &all.spec[i], 1);
	cr_assert(!loop_run(all.loop, &client));
	cr_assert_eq(all.added, 2, "one plays, one waits for the silent bot");
	cr_assert_eq(all.done, 1, "%d were reported", all.done);
	cr_assert(all.is_void[0]);
	cr_assert_str_eq(all.void_reason, "enough");
	cr_assert_eq(all.fault[0].class, FAULT_NONE);
	cr_assert_eq(all.fault[1].class, FAULT_NONE);
	cr_assert_eq(loop_numbers(all.loop).running, 0);
	finish(&all);
}

static void on_pipe(void *context)
{
	(void)context;
}

Test(loop, a_client_may_have_more_matches_later)
{
	static struct run_all all;
	struct loop_client client = {.next = on_next, .done = on_done, .context = &all};

	two_sample_bots(&all, 4);
	all.later = true;
	cr_assert_eq(pipe2(all.pipe, O_NONBLOCK), 0);
	all.loop = open_loop(2, false);
	for (int i = 0; i < 2; i++)
		all.entrant[i] = loop_entrant(all.loop, &all.spec[i], 1);
	loop_watch(all.loop, all.pipe[0], on_pipe, NULL);
	cr_assert_eq(write(all.pipe[1], "x", 1), 1);
	cr_assert(loop_run(all.loop, &client));
	expect_all_played(&all);
	finish(&all);
}

Test(loop, a_retired_entrant_gets_a_new_process)
{
	static struct run_all all;
	struct loop_client client = {.next = on_next, .done = on_done, .context = &all};

	two_sample_bots(&all, 1);
	cr_assert(run(&all, 1, false));
	loop_entrant_retire(all.loop, all.entrant[0]);
	all.added = all.done = 0;
	cr_assert(loop_run(all.loop, &client));
	expect_all_played(&all);
	cr_assert_eq(loop_entrant_starts(all.entrant[0]), 2);
	cr_assert_eq(loop_entrant_starts(all.entrant[1]), 1);
	finish(&all);
}

Test(loop, four_seats_of_the_same_bot_are_four_processes)
{
	static struct run_all all;

	memset(&all, 0, sizeof(all));
	all.seats = 4;
	all.matches = 3;
	for (int i = 0; i < 4; i++)
		load_sample(&all.spec[i], "sample_bots/c/random");
	cr_assert(run(&all, 2, false));
	expect_all_played(&all);
	for (int i = 0; i < 4; i++)
		cr_assert_eq(loop_entrant_starts(all.entrant[i]), 1);
	finish(&all);
}
