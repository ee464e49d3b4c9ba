/* The coordinator of a run: sets are handed out, stored when complete, and planned. */
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
struct open_set {
	struct open_set *next;
	struct store_set set;
	uint8_t seed[CHANCE_SEED_SIZE];
	int handed_out, done;
	int absent;  /* matches that came back because a remote bot was offline */
	bool remote; /* a remote bot plays: every match has a deal of its own */
	struct match_record *record; /* by rotation */
	void **task;                 /* by rotation, for pool_stored() */
};

struct coordinator {
	struct ladder *ladder;
	const struct run_options *options;
	struct pool *pool;
	struct run_files files;
	struct run_progress progress;
	struct store_set
		*planned; /* of the epoch at hand, not started yet from `next` on */
	int planned_count, next;
	struct open_set *open_sets; /* the latest first */
	int64_t started, stored;
	mono_ns deadline;
	mono_ns look_again; /* for remote bots, when there is nobody to play */
	bool failed;
	bool finished; /* the goal is reached, or there is nobody to play */
	struct why why;
	char key_path[LADDER_PATH_MAX]; /* the ladder's own key, for remote bots */
};

static bool fail(struct coordinator *coordinator, const char *why)
{
	if (!coordinator->failed && why != coordinator->why.text)
		why_set(&coordinator->why, "%s", why);
	coordinator->failed = true;
	return false;
}

static bool fail_store(struct coordinator *coordinator)
{
	return fail(coordinator, store_why(coordinator->ladder->store));
}

/* Are all active entrants' intervals as narrow as requested? */
static bool precise(
	const struct coordinator *coordinator, const struct standings *standings)
{
	bool any = false;

	for (int i = 0; i < standings->count; i++) {
		const struct standing *s = &standings->list[i];

		if (s->entrant.state != ENTRANT_ACTIVE)
			continue;
		any = true;
		if (standing_uncertainty(s) > coordinator->options->until_interval)
			return false;
	}
	return any;
}

static void name_bots(struct coordinator *coordinator, const struct standings *standings)
{
	char relative[160], folder[LADDER_PATH_MAX];

	for (int i = 0; i < standings->count; i++) {
		const struct store_entrant *e = &standings->list[i].entrant;

		if (*e->remote) {
			pool_add_remote_bot(
				coordinator->pool, e->id, e->name, e->hash, e->remote);
			continue;
		}
		ladder_bot_folder(e, relative, sizeof(relative));
		ladder_file(coordinator->ladder, relative, folder);
		pool_add_bot(coordinator->pool, e->id, folder, e->name, e->hash);
	}
}

static bool load_planned(struct coordinator *coordinator)
{
	free(coordinator->planned);
	coordinator->next = 0;
	if (store_sets(coordinator->ladder->store, SET_PLANNED, 0, &coordinator->planned,
		    &coordinator->planned_count))
		return true;
	return fail_store(coordinator);
}

/* Leaves remote bots that are offline out of the plan. Their state in the store stays. */
static int hide_absent(struct coordinator *coordinator, struct standings *standings)
{
	int hidden = 0;

	for (int i = 0; i < standings->count; i++) {
		struct store_entrant *e = &standings->list[i].entrant;

		if (e->state == ENTRANT_ACTIVE &&
			!pool_online(coordinator->pool, e->id)) {
			e->state = ENTRANT_BENCHED;
			hidden++;
		}
	}
	return hidden;
}

static bool is_playable(
	const struct coordinator *coordinator, const struct store_set *set)
{
	for (int place = 0; place < set->seats; place++)
		if (!pool_online(coordinator->pool, set->entrant[place]))
			return false;
	return true;
}

/* Moves a planned set whose bots are all online to the front; false if there is none. */
static bool choose_planned(struct coordinator *coordinator)
{
	for (int i = coordinator->next; i < coordinator->planned_count; i++)
		if (is_playable(coordinator, &coordinator->planned[i])) {
			struct store_set chosen = coordinator->planned[i];

			coordinator->planned[i] = coordinator->planned[coordinator->next];
			coordinator->planned[coordinator->next] = chosen;
			return true;
		}
	return false;
}

/* Drops planned sets of remote bots that are offline, so that the others play on. */
static bool drop_absent(struct coordinator *coordinator)
{
	int64_t dropped;

	for (int i = 0; i < coordinator->planned_count; i++)
		for (int place = 0; place < coordinator->planned[i].seats; place++)
			if (!pool_online(coordinator->pool,
				    coordinator->planned[i].entrant[place]) &&
				!store_drop_sets(coordinator->ladder->store,
					coordinator->planned[i].entrant[place], &dropped))
				return fail_store(coordinator);
	return load_planned(coordinator);
}

/* The last epoch is complete: benches the bots that fault too often, and plans the next
 * one. */
static bool next_epoch(struct coordinator *coordinator, struct standings *standings)
{
	int planned = 0, hidden;

	if (!plan_bench(coordinator->ladder, standings, stderr))
		return fail_store(coordinator);
	hidden = hide_absent(coordinator, standings);
	if (!plan_epoch(coordinator->ladder, standings, &planned))
		return fail_store(coordinator);
	if (planned)
		return load_planned(coordinator);
	if (hidden && coordinator->options->listen) {
		coordinator->look_again = time_now(&time_system) + NS_PER_S;
		return true;
	}
	coordinator->finished = true;
	fprintf(stderr,
		"fewer than two entrants are active: nothing to play; `pigpen ladder add "
		"%s BOT` enters one\n",
		coordinator->ladder->path);
	return true;
}

/* Takes requests, and plans if nothing is planned any more. */
static bool plan_more(struct coordinator *coordinator)
{
	struct standings standings;
	bool ok = true;

	if (!requests_apply(coordinator->ladder, stderr))
		return fail_store(coordinator);
	if (!load_planned(coordinator) ||
		!standings_load(&standings, coordinator->ladder, &coordinator->why))
		return fail(coordinator, coordinator->why.text);
	name_bots(coordinator, &standings);
	run_files_limit_logs(
		&coordinator->files, coordinator->ladder->config.logs_mb_max);
	run_progress_standings(&coordinator->progress, &standings);
	if (coordinator->options->until_interval > 0 && precise(coordinator, &standings))
		coordinator->finished = true;
	else if (!choose_planned(coordinator))
		ok = drop_absent(coordinator) &&
		     (coordinator->planned_count || next_epoch(coordinator, &standings));
	standings_release(&standings);
	return ok;
}

static bool may_start(const struct coordinator *coordinator)
{
	if (coordinator->options->sets &&
		coordinator->started >= coordinator->options->sets)
		return false;
	return !coordinator->finished && time_now(&time_system) < coordinator->deadline;
}

static struct open_set *open_next_set(struct coordinator *coordinator)
{
	struct open_set *open = xcalloc(1, sizeof(*open));

	open->set = coordinator->planned[coordinator->next++];
	for (int place = 0; place < open->set.seats; place++)
		open->remote |=
			pool_is_remote(coordinator->pool, open->set.entrant[place]);
	open->record = xcalloc((size_t)open->set.rotations, sizeof(*open->record));
	open->task = xcalloc((size_t)open->set.rotations, sizeof(*open->task));
	ladder_set_seed(coordinator->ladder, open->set.id, open->seed);
	open->next = coordinator->open_sets;
	coordinator->open_sets = open;
	coordinator->started++;
	return open;
}

static void hand_out(
	struct coordinator *coordinator, struct open_set *open, struct pool_job *job)
{
	int seats = open->set.seats;

	job->set = open->set.id;
	job->rotation = open->handed_out++;
	job->user = open;
	job->compress = coordinator->ladder->config.compress;
	memcpy(job->seed, open->seed, sizeof(job->seed));
	job->remote = open->remote;
	/* What a remote bot remembers cannot be known: no deal comes twice, not even when
	 * the set is played again. */
	if (open->remote)
		chance_fresh(job->seed, sizeof(job->seed));
	for (int place = 0; place < seats; place++)
		job->bot[(place + job->rotation) % seats] = open->set.entrant[place];
	if (coordinator->ladder->config.keep != KEEP_NONE)
		run_files_live(&coordinator->files, open->set.id, job->rotation,
			job->replay, sizeof(job->replay));
}

static enum pool_next on_next(void *context, struct pool_job *job)
{
	struct coordinator *coordinator = context;
	struct open_set *open = coordinator->open_sets;

	if (open && open->handed_out < open->set.rotations) {
		hand_out(coordinator, open, job);
		return POOL_JOB;
	}
	if (coordinator->failed || !may_start(coordinator))
		return POOL_NONE;
	if (!choose_planned(coordinator)) {
		/* The next epoch follows from the results of this one. */
		if (coordinator->open_sets ||
			time_now(&time_system) < coordinator->look_again)
			return POOL_LATER;
		if (!plan_more(coordinator) || coordinator->finished)
			return POOL_NONE;
		if (!choose_planned(coordinator))
			return POOL_LATER;
	}
	hand_out(coordinator, open_next_set(coordinator), job);
	return POOL_JOB;
}

static void free_open_set(struct open_set *open)
{
	free(open->record);
	free(open->task);
	free(open);
}

/* Once all its matches are back, a set whose remote bot was offline is given up for now,
 * and what was played of it is discarded. */
static void settle_absent(struct coordinator *coordinator, struct open_set *open)
{
	if (!open->absent || open->done + open->absent < open->handed_out)
		return;
	for (struct open_set **at = &coordinator->open_sets; *at; at = &(*at)->next)
		if (*at == open) {
			*at = open->next;
			break;
		}
	coordinator->started--;
	free_open_set(open);
}

static void on_done(
	void *context, const struct pool_job *job, const struct match_record *record)
{
	struct open_set *open = job->user;

	open->record[job->rotation] = *record;
	open->task[job->rotation] = job->task;
	open->done++;
	settle_absent(context, open);
}

static void on_absent(void *context, const struct pool_job *job)
{
	struct open_set *open = job->user;

	open->absent++;
	/* Its other matches are not handed out. */
	open->set.rotations = open->handed_out;
	settle_absent(context, open);
}

static bool is_complete(const struct open_set *open)
{
	return open->done == open->set.rotations && !open->absent;
}

static bool store_open_set(struct coordinator *coordinator, struct open_set *open)
{
	const struct ladder_settings *config = &coordinator->ladder->config;

	for (int r = 0; r < open->set.rotations; r++) {
		struct why why;

		if (!run_files_keep(&coordinator->files, config, open->set.id,
			    &open->record[r], &why))
			return fail(coordinator, why.text);
	}
	return store_complete_set(coordinator->ladder->store, &open->set, open->record,
		       time(NULL)) ||
	       fail_store(coordinator);
}

/* Replays first, then one transaction for all sets that are complete by now. */
static bool on_settle(void *context)
{
	struct coordinator *coordinator = context;
	bool any = false, ok = true;

	for (struct open_set *open = coordinator->open_sets; open; open = open->next)
		any |= is_complete(open);
	if (!any || coordinator->failed)
		return !coordinator->failed;
	if (!store_begin(coordinator->ladder->store))
		return fail_store(coordinator);
	for (struct open_set *open = coordinator->open_sets; open && ok;
		open = open->next)
		ok = !is_complete(open) || store_open_set(coordinator, open);
	ok = ok && (run_files_sync(&coordinator->files) ||
			   fail(coordinator, "replays cannot be synced to the disk"));
	ok = ok && (store_commit(coordinator->ladder->store) || fail_store(coordinator));
	if (!ok) {
		store_rollback(coordinator->ladder->store);
		return false;
	}
	for (struct open_set **at = &coordinator->open_sets; *at;) {
		struct open_set *open = *at;

		if (!is_complete(open)) {
			at = &open->next;
			continue;
		}
		*at = open->next;
		coordinator->stored++;
		for (int r = 0; r < open->set.rotations; r++)
			pool_stored(coordinator->pool, open->task[r]);
		free_open_set(open);
	}
	return run_files_limit(&coordinator->files, coordinator->ladder) ||
	       fail_store(coordinator);
}

static void on_tick(void *context)
{
	struct coordinator *coordinator = context;

	run_progress_update(&coordinator->progress, coordinator->stored,
		pool_numbers(coordinator->pool), coordinator->options,
		coordinator->deadline);
}

static enum pool_end play(struct coordinator *coordinator)
{
	const struct pool_client client = {.next = on_next,
		.done = on_done,
		.absent = on_absent,
		.settle = on_settle,
		.tick = on_tick,
		.context = coordinator};
	enum pool_end end;

	coordinator->pool = pool_new(&(struct pool_options){
		.backend = coordinator->options->slurm ? &slurm_backend : &pool_local,
		.backend_options = coordinator->options->slurm,
		.rules = coordinator->ladder->config.rules,
		.workers = coordinator->options->jobs,
		.at_once = coordinator->options->at_once,
		.worker_mb_max = coordinator->ladder->config.worker_mb_max,
		.log_folder = coordinator->files.logs,
		.runtime = coordinator->files.runtime,
		.listen = coordinator->options->listen,
		.key_path = coordinator->options->listen ? coordinator->key_path : NULL,
	});
	end = plan_more(coordinator) ? pool_run(coordinator->pool, &client) : POOL_FAILED;
	if (end == POOL_FAILED && !coordinator->failed)
		fail(coordinator, pool_why(coordinator->pool));
	run_progress_end(&coordinator->progress, coordinator->stored,
		pool_numbers(coordinator->pool), coordinator->options);
	pool_free(&coordinator->pool);
	while (coordinator->open_sets) {
		struct open_set *open = coordinator->open_sets;

		coordinator->open_sets = open->next;
		free_open_set(open);
	}
	free(coordinator->planned);
	return end;
}

/* The ladder has one key for life, made when it is first needed. */
static bool open_key(struct coordinator *coordinator)
{
	char base[LADDER_PATH_MAX];
	struct key_pair pair;
	struct why why;
	enum err err;

	ladder_file(coordinator->ladder, "server.key", coordinator->key_path);
	ladder_file(coordinator->ladder, "server", base);
	if (!coordinator->options->listen || access(coordinator->key_path, F_OK) == 0)
		return true;
	err = key_pair_make(&pair, "server");
	if (!err)
		err = key_pair_write(&pair, base, &why);
	return !err || fail(coordinator, why.text);
}

int ladder_run(struct ladder *ladder, const struct run_options *options)
{
	struct coordinator coordinator = {.ladder = ladder, .options = options};
	bool goal = options->sets || options->for_ns || options->until_interval > 0;
	struct match_rules *rules = &ladder->config.rules;
	const struct sandbox_limits *sandbox;
	enum pool_end end;

	if (options->slurm && !slurm_available(&coordinator.why))
		return user_error("%s", coordinator.why.text);
	if (!open_key(&coordinator))
		return user_error("%s", coordinator.why.text);
	if (sandbox_choose(rules->sandbox, &rules->limits, &sandbox))
		return EXIT_USER;
	if (rules->clock.kind == CLOCK_KIND_CPU)
		sandbox_warn_of_hidden_time();
	/* Workers need not find out again, nor warn again. */
	rules->sandbox = sandbox ? SANDBOX_REQUIRE : SANDBOX_OFF;
	coordinator.deadline =
		options->for_ns ? time_now(&time_system) + options->for_ns : TIME_NEVER;
	if (!run_files_open(&coordinator.files, ladder, options->slurm, &coordinator.why))
		return user_error("%s", coordinator.why.text);
	run_progress_init(&coordinator.progress, options->quiet);
	end = play(&coordinator);
	run_files_close(&coordinator.files, ladder);
	if (coordinator.failed)
		return user_error(
			"%s; what was complete is stored, and `pigpen ladder run "
			"%s` goes on from there",
			coordinator.why.text, ladder->path);
	if (end == POOL_STOPPED)
		fprintf(stderr, "stopped; sets under way were given up, "
				"`pigpen ladder run` plays them again\n");
	return end == POOL_STOPPED && goal ? EXIT_FAILED : EXIT_OK;
}
