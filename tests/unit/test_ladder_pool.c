/* The pool with a backend that only pretends to play: who is called when. */
#include "arbiter/ladder/workers/pool_backend.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* What happened, a letter each: f fed, l asked for a job when there was none
 * yet, w waited, d done, s settled, u wound up. */
static char events[256];

static struct pool *given;     /* to the backend */
static struct pool_job queued; /* the backend has one job at most */
static bool busy;
static int jobs_left, later_left, settles_left, bots_added, stored;
static bool fail_at_wait, signal_at_wait, wind_up_delivers, ask_twice;

static void note(char event)
{
	size_t used = strlen(events);

	cr_assert_lt(used, sizeof(events) - 1);
	events[used] = event;
	events[used + 1] = 0;
}

static void *fake_open(struct pool *pool)
{
	given = pool;
	return events;
}

static void fake_close(void *state)
{
	cr_assert_eq(state, events);
	given = NULL;
}

static void fake_feed(void *state)
{
	(void)state;
	note('f');
	if (!busy)
		busy = pool_ask(given, &queued);
	/* While it has nothing, it is not asked. */
	for (int i = 0; ask_twice && i < 2; i++) {
		struct pool_job second;

		if (pool_ask(given, &second))
			cr_assert_fail("a job that was not there");
	}
	ask_twice = false;
}

static bool fake_idle(const void *state)
{
	(void)state;
	return !busy;
}

static void deliver(void)
{
	struct match_record record = {.seats = 2};

	if (!busy)
		return;
	busy = false;
	queued.task = &stored;
	pool_deliver(given, &queued, &record);
}

static void fake_wait(void *state)
{
	(void)state;
	note('w');
	if (fail_at_wait)
		pool_fail(given, "reason %d", 1);
	else if (signal_at_wait)
		raise(SIGINT);
	else
		deliver();
}

static void fake_wind_up(void *state)
{
	(void)state;
	note('u');
	if (wind_up_delivers)
		deliver();
}

static void fake_stored(void *state, void *task)
{
	(void)state;
	++*(int *)task;
}

static void fake_bot_added(void *state)
{
	(void)state;
	bots_added++;
}

static const struct pool_backend fake = {
	.open = fake_open,
	.close = fake_close,
	.feed = fake_feed,
	.idle = fake_idle,
	.wait = fake_wait,
	.wind_up = fake_wind_up,
	.stored = fake_stored,
	.bot_added = fake_bot_added,
};

static enum pool_next on_next(void *context, struct pool_job *job)
{
	(void)context;
	if (later_left && jobs_left == 1) {
		later_left--;
		note('l');
		return POOL_LATER;
	}
	if (!jobs_left)
		return POOL_NONE;
	jobs_left--;
	job->rotation = 1;
	job->bot[0] = 7;
	job->bot[1] = 9;
	return POOL_JOB;
}

static void on_done(
	void *context, const struct pool_job *job, const struct match_record *record)
{
	note('d');
	cr_expect_eq(record->rotation, 1);
	cr_expect_eq(record->seat[0].entrant, 7);
	cr_expect_eq(record->seat[1].entrant, 9);
	pool_stored(context, job->task);
}

static bool on_settle(void *context)
{
	(void)context;
	note('s');
	return settles_left-- > 0;
}

static enum pool_end run(int jobs)
{
	struct pool *pool = pool_new(&(struct pool_options){.backend = &fake});
	const struct pool_client client = {
		.next = on_next, .done = on_done, .settle = on_settle, .context = pool};
	enum pool_end end;

	jobs_left = jobs;
	settles_left = settles_left ? settles_left : 100;
	pool_add_bot(pool, 7, "/x", "one", "00");
	pool_add_bot(pool, 7, "/x", "one", "00");
	pool_add_remote_bot(pool, 9, "two", "00", "key");
	cr_expect_eq(bots_added, 2);
	cr_expect(pool_online(pool, 7) && !pool_online(pool, 9));
	end = pool_run(pool, &client);
	if (end == POOL_FAILED)
		cr_expect_str_eq(pool_why(pool), "reason 1");
	pool_free(&pool);
	cr_expect_null(given);
	return end;
}

Test(ladder_pool, feeds_and_settles_until_there_are_no_more_jobs)
{
	cr_expect_eq(run(2), POOL_DONE);
	cr_expect_str_eq(events, "fwdsfwdsfus");
	cr_expect_eq(stored, 2);
}

/* The first job is under way when the client is asked for the second. */
Test(ladder_pool, a_client_without_a_job_is_asked_again_after_the_next_record)
{
	later_left = 1;
	ask_twice = true;
	cr_expect_eq(run(2), POOL_DONE);
	cr_expect_str_eq(events, "flwdsfwdsfus");
}

Test(ladder_pool, what_comes_while_it_winds_up_is_settled)
{
	signal_at_wait = wind_up_delivers = true;
	cr_expect_eq(run(1), POOL_STOPPED);
	cr_expect_str_eq(events, "fwuds");
}

Test(ladder_pool, a_client_that_refused_to_settle_is_not_asked_again)
{
	settles_left = 1;
	cr_expect_eq(run(3), POOL_STOPPED);
	cr_expect_str_eq(events, "fwdsfwdsu");
}

Test(ladder_pool, a_backend_that_fails_ends_the_run_with_its_reason)
{
	fail_at_wait = true;
	cr_expect_eq(run(1), POOL_FAILED);
	cr_expect_str_eq(events, "fwsfus");
}
