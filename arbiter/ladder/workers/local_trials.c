/* Who is to blame when workers die: matches are played again alone, then their bots are
 * tried one by one. */
#include "arbiter/ladder/workers/local_internal.h"
#include "protocol/memory.h"

#include <stdlib.h>

#define TRIAL_ROUNDS_MAX 3
/* A trial that the worker does not survive is held once more: workers can be killed by
 * others than bots. */
#define TRIAL_DEATHS_MAX 2
/* Rotation of trials, so that they have processes of their own. */
#define TRIAL_ROTATION 1000

static void bar(struct assignment *a, int seat)
{
	a->barred |= (uint16_t)(1u << seat);
}

void local_trial_over(struct local *local, struct assignment *trial, bool guilty)
{
	struct assignment *a = trial->trial_of;

	for (int seat = 0; guilty && seat < local->pool->options.rules.seats; seat++)
		if (a->job.bot[seat] == trial->accused)
			bar(a, seat);
	free(trial);
	if (--a->trials)
		return;
	local->waiting_trials--;
	a->deaths = 0;
	local_requeue(local, a);
}

void local_fail_barren(struct local *local)
{
	const struct pool_options *options = &local->pool->options;

	pool_fail(local->pool,
		"workers exit before they have played a match; "
		"is their memory cap of %d MB large enough?%s%s",
		options->worker_mb_max, options->log_folder ? " See workers.log in " : "",
		options->log_folder ? options->log_folder : "");
}

/* Remote bots cannot be tried alone: they are barred when all others were acquitted. */
static void bar_remotes(struct local *local, struct assignment *a)
{
	for (int seat = 0; seat < local->pool->options.rules.seats; seat++)
		if (pool_is_remote(local->pool, a->job.bot[seat]))
			bar(a, seat);
}

static void add_trial(struct local *local, struct assignment *a, int64_t accused)
{
	struct assignment *trial = xcalloc(1, sizeof(*trial));

	trial->number = ++local->next_number;
	trial->alone = true;
	trial->trial_of = a;
	trial->accused = accused;
	trial->job.rotation = TRIAL_ROTATION;
	chance_fresh(trial->job.seed, sizeof(trial->job.seed));
	for (int seat = 0; seat < local->pool->options.rules.seats; seat++)
		trial->job.bot[seat] = accused;
	a->trials++;
	local_enqueue(local, trial);
}

static void give_up(struct local *local, struct assignment *a)
{
	if (local->barren == (int)local->pool->numbers.deaths)
		local_fail_barren(local);
	pool_fail(local->pool, "workers keep dying during one match, and none of "
			       "its bots does it "
			       "alone; look at the logs of workers and bots");
	free(a);
}

static void put_on_trial(struct local *local, struct assignment *a)
{
	if (++a->trial_rounds > TRIAL_ROUNDS_MAX) {
		give_up(local, a);
		return;
	}
	local->waiting_trials++;
	if (a->trial_rounds > 1)
		bar_remotes(local, a);
	for (int seat = 0; seat < local->pool->options.rules.seats; seat++) {
		bool seen = game_seat_in(a->barred, seat);

		for (int other = 0; other < seat; other++)
			seen |= a->job.bot[other] == a->job.bot[seat];
		/* A remote bot cannot play against itself. */
		if (!seen && !pool_is_remote(local->pool, a->job.bot[seat]))
			add_trial(local, a, a->job.bot[seat]);
	}
	/* All are barred already: it was none of them. */
	if (!a->trials) {
		local->waiting_trials--;
		local_requeue(local, a);
	}
}

/* A worker that hung is no evidence against a bot: bots can only make it die. */
void local_after_hang(struct local *local, struct assignment *a)
{
	if (++a->voids <= LOCAL_VOIDS_MAX) {
		local_requeue(local, a);
		return;
	}
	pool_fail(local->pool, "workers keep hanging during one "
			       "match; look at the logs of workers and bots");
	free(a);
}

void local_after_death(struct local *local, struct assignment *a)
{
	a->deaths++;
	if (a->trial_of) {
		if (a->deaths < TRIAL_DEATHS_MAX)
			local_requeue(local, a);
		else
			local_trial_over(local, a, true);
		return;
	}
	a->alone = true;
	if (a->deaths < 2)
		local_requeue(local, a);
	else
		put_on_trial(local, a);
}
