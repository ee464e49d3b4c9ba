#include "arbiter/ladder/run/run.h"
#include "arbiter/base/exit.h"
#include "arbiter/ladder/directory/requests.h"
#include "arbiter/ladder/run/plan.h"
#include "arbiter/ladder/run/run_files.h"
#include "arbiter/ladder/run/run_progress.h"
#include "arbiter/ladder/slurm/backend.h"
#include "protocol/keys.h"
#include "protocol/memory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A set of which some matches are under way or over. */
struct flight {
	struct flight *next;
	struct store_set set;
	uint8_t seed[CHANCE_SEED_SIZE];
	int handed_out, done;
	int absent;  /* matches that came back because a remote bot was not there */
	bool remote; /* one plays: every match has a deal of its own */
	struct match_record *record; /* by rotation */
	void **task;                 /* by rotation, for pool_stored() */
};

struct run {
	struct ladder *ladder;
	const struct run_options *options;
	struct pool *pool;
	struct run_files files;
	struct run_progress progress;
	struct store_set
		*planned; /* of the epoch at hand, not started yet from `next` on */
	int planned_count, next;
	struct flight *flights; /* the latest first */
	int64_t started, stored;
	mono_ns deadline;
	mono_ns look_again; /* for remote bots, when there is nobody to play */
	bool failed;
	bool finished; /* the goal is reached, or there is nobody to play */
	struct why why;
	char key_path[LADDER_PATH_MAX]; /* of our own key, where remote bots come */
};

static bool fail(struct run *run, const char *why)
{
	if (!run->failed && why != run->why.text)
		why_set(&run->why, "%s", why);
	run->failed = true;
	return false;
}

static bool fail_store(struct run *run)
{
	return fail(run, store_why(run->ladder->store));
}

/* Everybody within the interval asked for? */
static bool precise(const struct run *run, const struct standings *standings)
{
	bool any = false;

	for (int i = 0; i < standings->count; i++) {
		const struct standing *s = &standings->list[i];

		if (s->entrant.state != ENTRANT_ACTIVE)
			continue;
		any = true;
		if (standing_uncertainty(s) > run->options->until_interval)
			return false;
	}
	return any;
}

static void name_bots(struct run *run, const struct standings *standings)
{
	char relative[160], folder[LADDER_PATH_MAX];

	for (int i = 0; i < standings->count; i++) {
		const struct store_entrant *e = &standings->list[i].entrant;

		if (*e->remote) {
			pool_add_remote_bot(run->pool, e->id, e->name, e->hash, e->remote);
			continue;
		}
		ladder_bot_folder(e, relative, sizeof(relative));
		ladder_file(run->ladder, relative, folder);
		pool_add_bot(run->pool, e->id, folder, e->name, e->hash);
	}
}

static bool load_planned(struct run *run)
{
	free(run->planned);
	run->next = 0;
	if (store_sets(run->ladder->store, SET_PLANNED, 0, &run->planned,
		    &run->planned_count))
		return true;
	return fail_store(run);
}

/* Those who are not there are not planned with. Their state in the store stays. */
static int hide_absent(struct run *run, struct standings *standings)
{
	int hidden = 0;

	for (int i = 0; i < standings->count; i++) {
		struct store_entrant *e = &standings->list[i].entrant;

		if (e->state == ENTRANT_ACTIVE && !pool_online(run->pool, e->id)) {
			e->state = ENTRANT_BENCHED;
			hidden++;
		}
	}
	return hidden;
}

static bool is_playable(const struct run *run, const struct store_set *set)
{
	for (int place = 0; place < set->seats; place++)
		if (!pool_online(run->pool, set->entrant[place]))
			return false;
	return true;
}

/* Brings a planned set whose bots are all there to the front; false if there is none. */
static bool choose_planned(struct run *run)
{
	for (int i = run->next; i < run->planned_count; i++)
		if (is_playable(run, &run->planned[i])) {
			struct store_set chosen = run->planned[i];

			run->planned[i] = run->planned[run->next];
			run->planned[run->next] = chosen;
			return true;
		}
	return false;
}

/* Gives up planned sets of remote bots that are not there, so that the others play on. */
static bool drop_absent(struct run *run)
{
	int64_t dropped;

	for (int i = 0; i < run->planned_count; i++)
		for (int place = 0; place < run->planned[i].seats; place++)
			if (!pool_online(run->pool, run->planned[i].entrant[place]) &&
				!store_drop_sets(run->ladder->store,
					run->planned[i].entrant[place], &dropped))
				return fail_store(run);
	return load_planned(run);
}

/* The last epoch is complete: benches whom it must, and draws up the next one. */
static bool next_epoch(struct run *run, struct standings *standings)
{
	int planned = 0, hidden;

	if (!plan_bench(run->ladder, standings, stderr))
		return fail_store(run);
	hidden = hide_absent(run, standings);
	if (!plan_epoch(run->ladder, standings, &planned))
		return fail_store(run);
	if (planned)
		return load_planned(run);
	if (hidden && run->options->listen) {
		run->look_again = time_now(&time_system) + NS_PER_S;
		return true;
	}
	run->finished = true;
	fprintf(stderr,
		"fewer than two entrants are active: nothing to play; `pigpen ladder add "
		"%s BOT` enters one\n",
		run->ladder->path);
	return true;
}

/* Takes requests, and plans if nothing is planned any more. */
static bool plan_more(struct run *run)
{
	struct standings standings;
	bool ok = true;

	if (!requests_apply(run->ladder, stderr))
		return fail_store(run);
	if (!load_planned(run) || !standings_load(&standings, run->ladder, &run->why))
		return fail(run, run->why.text);
	name_bots(run, &standings);
	run_files_limit_logs(&run->files, run->ladder->config.logs_mb_max);
	run_progress_standings(&run->progress, &standings);
	if (run->options->until_interval > 0 && precise(run, &standings))
		run->finished = true;
	else if (!choose_planned(run))
		ok = drop_absent(run) &&
		     (run->planned_count || next_epoch(run, &standings));
	standings_release(&standings);
	return ok;
}

static bool may_start(const struct run *run)
{
	if (run->options->sets && run->started >= run->options->sets)
		return false;
	return !run->finished && time_now(&time_system) < run->deadline;
}

static struct flight *start_flight(struct run *run)
{
	struct flight *flight = xcalloc(1, sizeof(*flight));

	flight->set = run->planned[run->next++];
	for (int place = 0; place < flight->set.seats; place++)
		flight->remote |= pool_is_remote(run->pool, flight->set.entrant[place]);
	flight->record = calloc((size_t)flight->set.rotations, sizeof(*flight->record));
	flight->task = calloc((size_t)flight->set.rotations, sizeof(*flight->task));
	if (!flight->record || !flight->task)
		abort();
	ladder_set_seed(run->ladder, flight->set.id, flight->seed);
	flight->next = run->flights;
	run->flights = flight;
	run->started++;
	return flight;
}

static void hand_out(struct run *run, struct flight *flight, struct pool_job *job)
{
	int seats = flight->set.seats;

	job->set = flight->set.id;
	job->rotation = flight->handed_out++;
	job->user = flight;
	job->compress = run->ladder->config.compress;
	memcpy(job->seed, flight->seed, sizeof(job->seed));
	job->remote = flight->remote;
	/* What a remote bot remembers cannot be known: no deal comes twice, not even when
	 * the set is played again. */
	if (flight->remote)
		chance_fresh(job->seed, sizeof(job->seed));
	for (int place = 0; place < seats; place++)
		job->bot[(place + job->rotation) % seats] = flight->set.entrant[place];
	if (run->ladder->config.keep != KEEP_NONE)
		run_files_live(&run->files, flight->set.id, job->rotation, job->replay,
			sizeof(job->replay));
}

static enum pool_next on_next(void *context, struct pool_job *job)
{
	struct run *run = context;
	struct flight *flight = run->flights;

	if (flight && flight->handed_out < flight->set.rotations) {
		hand_out(run, flight, job);
		return POOL_JOB;
	}
	if (run->failed || !may_start(run))
		return POOL_NONE;
	if (!choose_planned(run)) {
		/* The next epoch follows from the results of this one. */
		if (run->flights || time_now(&time_system) < run->look_again)
			return POOL_LATER;
		if (!plan_more(run) || run->finished)
			return POOL_NONE;
		if (!choose_planned(run))
			return POOL_LATER;
	}
	hand_out(run, start_flight(run), job);
	return POOL_JOB;
}

static void free_flight(struct flight *flight)
{
	free(flight->record);
	free(flight->task);
	free(flight);
}

/* Once all of it is back, a set whose remote bot was not there is given up for now; what
 * was played of it is forgotten. */
static void settle_absent(struct run *run, struct flight *flight)
{
	if (!flight->absent || flight->done + flight->absent < flight->handed_out)
		return;
	for (struct flight **at = &run->flights; *at; at = &(*at)->next)
		if (*at == flight) {
			*at = flight->next;
			break;
		}
	run->started--;
	free_flight(flight);
}

static void on_done(
	void *context, const struct pool_job *job, const struct match_record *record)
{
	struct flight *flight = job->user;

	flight->record[job->rotation] = *record;
	flight->task[job->rotation] = job->task;
	flight->done++;
	settle_absent(context, flight);
}

static void on_absent(void *context, const struct pool_job *job)
{
	struct flight *flight = job->user;

	flight->absent++;
	/* No more of it. */
	flight->set.rotations = flight->handed_out;
	settle_absent(context, flight);
}

static bool is_complete(const struct flight *flight)
{
	return flight->done == flight->set.rotations && !flight->absent;
}

static bool store_flight(struct run *run, struct flight *flight)
{
	const struct ladder_settings *config = &run->ladder->config;

	for (int r = 0; r < flight->set.rotations; r++) {
		struct why why;

		if (!run_files_keep(&run->files, config, flight->set.id,
			    &flight->record[r], &why))
			return fail(run, why.text);
	}
	return store_complete_set(
		       run->ladder->store, &flight->set, flight->record, time(NULL)) ||
	       fail_store(run);
}

/* Replays first, then one transaction for all sets that are complete by now. */
static bool on_settle(void *context)
{
	struct run *run = context;
	bool any = false, ok = true;

	for (struct flight *f = run->flights; f; f = f->next)
		any |= is_complete(f);
	if (!any || run->failed)
		return !run->failed;
	if (!store_begin(run->ladder->store))
		return fail_store(run);
	for (struct flight *f = run->flights; f && ok; f = f->next)
		ok = !is_complete(f) || store_flight(run, f);
	ok = ok && (run_files_sync(&run->files) ||
			   fail(run, "replays cannot be brought to the disk"));
	ok = ok && (store_commit(run->ladder->store) || fail_store(run));
	if (!ok) {
		store_rollback(run->ladder->store);
		return false;
	}
	for (struct flight **at = &run->flights; *at;) {
		struct flight *f = *at;

		if (!is_complete(f)) {
			at = &f->next;
			continue;
		}
		*at = f->next;
		run->stored++;
		for (int r = 0; r < f->set.rotations; r++)
			pool_stored(run->pool, f->task[r]);
		free_flight(f);
	}
	return run_files_limit(&run->files, run->ladder) || fail_store(run);
}

static void on_tick(void *context)
{
	struct run *run = context;

	run_progress_update(&run->progress, run->stored, pool_numbers(run->pool),
		run->options, run->deadline);
}

static enum pool_end play(struct run *run)
{
	const struct pool_client client = {.next = on_next,
		.done = on_done,
		.absent = on_absent,
		.settle = on_settle,
		.tick = on_tick,
		.context = run};
	enum pool_end end;

	run->pool = pool_new(&(struct pool_options){
		.rules = run->ladder->config.rules,
		.workers = run->options->jobs,
		.at_once = run->options->at_once,
		.worker_mb_max = run->ladder->config.worker_mb_max,
		.log_folder = run->files.logs,
		.runtime = run->files.runtime,
		.backend = run->options->slurm ? &slurm_backend : &pool_local,
		.backend_options = run->options->slurm,
		.listen = run->options->listen,
		.key_path = run->options->listen ? run->key_path : NULL,
	});
	end = plan_more(run) ? pool_run(run->pool, &client) : POOL_FAILED;
	if (end == POOL_FAILED && !run->failed)
		fail(run, pool_why(run->pool));
	run_progress_end(
		&run->progress, run->stored, pool_numbers(run->pool), run->options);
	pool_free(&run->pool);
	while (run->flights) {
		struct flight *flight = run->flights;

		run->flights = flight->next;
		free_flight(flight);
	}
	free(run->planned);
	return end;
}

/* The ladder has one key for life, made when it is first needed. */
static bool open_key(struct run *run)
{
	char base[LADDER_PATH_MAX];
	struct key_pair pair;
	struct why why;
	enum err err;

	ladder_file(run->ladder, "server.key", run->key_path);
	ladder_file(run->ladder, "server", base);
	if (!run->options->listen || access(run->key_path, F_OK) == 0)
		return true;
	err = key_pair_make(&pair, "server");
	if (!err)
		err = key_pair_write(&pair, base, &why);
	return !err || fail(run, why.text);
}

int ladder_run(struct ladder *ladder, const struct run_options *options)
{
	struct run run = {.ladder = ladder, .options = options};
	bool goal = options->sets || options->for_ns || options->until_interval > 0;
	enum pool_end end;
	bool boxed;

	if (options->slurm && !slurm_available(&run.why))
		return user_error("%s", run.why.text);
	if (!open_key(&run))
		return user_error("%s", run.why.text);
	if (sandbox_settle(ladder->config.rules.sandbox, &boxed))
		return EXIT_USER;
	/* Workers need not find out, nor warn, again. */
	ladder->config.rules.sandbox = boxed ? SANDBOX_REQUIRE : SANDBOX_OFF;
	run.deadline =
		options->for_ns ? time_now(&time_system) + options->for_ns : TIME_NEVER;
	if (!run_files_open(&run.files, ladder, options->slurm, &run.why))
		return user_error("%s", run.why.text);
	run_progress_init(&run.progress, options->quiet);
	end = play(&run);
	run_files_close(&run.files, ladder);
	if (run.failed)
		return user_error(
			"%s; what was complete is stored, and `pigpen ladder run "
			"%s` goes on from there",
			run.why.text, ladder->path);
	if (end == POOL_STOPPED)
		fprintf(stderr, "stopped; sets under way were given up, `pigpen ladder "
				"run` plays "
				"them again\n");
	return end == POOL_STOPPED && goal ? EXIT_FAILED : EXIT_OK;
}
