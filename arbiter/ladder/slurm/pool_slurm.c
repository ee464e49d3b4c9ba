/* The pool's jobs on a cluster: queue, tasks, the loop of the host. */
#include "arbiter/ladder/slurm/farm_internal.h"
#include "arbiter/ladder/slurm/task.h"
#include "protocol/memory.h"
#include "arbiter/base/files.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TICK_MS             200
#define SUBMIT_AGAIN_NS     (10 * NS_PER_S)
#define SUBMIT_FAILURES_MAX 60
/* Slurm itself kills a cancelled task after KillWait, 30 s if nobody says otherwise. */
#define WIND_UP_NS_MAX (60 * NS_PER_S)

struct farm *farm_new(struct pool *pool)
{
	struct farm *farm = xcalloc(1, sizeof(*farm));

	farm->pool = pool;
	farm->options = pool->options.slurm;
	farm->queue_end = &farm->queue;
	farm_adopt(farm);
	return farm;
}

void farm_free(struct farm **farm_)
{
	struct farm *farm = *farm_;

	*farm_ = NULL;
	farm_remove_tasks(farm, true);
	while (farm->queue) {
		struct queued *q = farm->queue;

		farm->queue = q->next;
		free(q);
	}
	free(farm->adopted);
	free(farm);
}

void farm_enqueue(struct farm *farm, const struct pool_job *job, int losses, bool first)
{
	struct queued *q = xcalloc(1, sizeof(*q));

	q->job = *job;
	q->losses = losses;
	if (first) {
		q->next = farm->queue;
		farm->queue = q;
		if (!q->next)
			farm->queue_end = &q->next;
	} else {
		*farm->queue_end = q;
		farm->queue_end = &q->next;
	}
	farm->queued++;
}

static void dequeue(struct farm *farm, struct entry *entry)
{
	struct queued *q = farm->queue;

	*entry = (struct entry){.job = q->job, .losses = q->losses, .claimed = true};
	farm->queue = q->next;
	if (!farm->queue)
		farm->queue_end = &farm->queue;
	farm->queued--;
	free(q);
}

static int queued_sets(const struct farm *farm)
{
	int64_t last = -1;
	int sets = 0;

	for (const struct queued *q = farm->queue; q; q = q->next) {
		sets += q->job.set != last;
		last = q->job.set;
	}
	return sets;
}

/* Asks the client for so many sets, and for all that tasks of an earlier run may have. */
static void fill_queue(struct farm *farm, int sets_wanted)
{
	struct pool *pool = farm->pool;
	int sets = queued_sets(farm);
	int64_t last = 0;

	/* One set too many, so that the last one wanted is whole. */
	while ((sets <= sets_wanted || last < farm->adopted_last) && !pool->later &&
		!pool->no_more && !pool->failed) {
		struct pool_job job = {0};
		enum pool_next next = farm->client->next(farm->client->context, &job);

		pool->later |= next == POOL_LATER;
		pool->no_more |= next == POOL_NONE;
		if (next != POOL_JOB)
			return;
		if (farm_claim(farm, &job)) {
			last = job.set;
			continue;
		}
		sets += job.set != last;
		last = job.set;
		farm_enqueue(farm, &job, 0, false);
	}
	if (!pool->later)
		farm->adopted_last = 0;
}

/* The replay grows in the task's own folder: what a lost task writes disturbs nobody. */
static void move_replay(struct pool_job *job, const char *folder)
{
	char name[64];
	const char *slash = strrchr(job->replay, '/');

	if (!slash)
		return;
	snprintf(name, sizeof(name), "%.63s", slash + 1);
	snprintf(job->replay, sizeof(job->replay), "%.440s/%s", folder, name);
}

static void add_bots(struct farm *farm, const struct farm_task *task, json_t *lines)
{
	struct pool *pool = farm->pool;
	bool *named = calloc((size_t)pool->bots + 1, sizeof(*named));

	for (int i = 0; i < task->count; i++)
		for (int seat = 0; seat < pool->options.rules.seats; seat++) {
			const struct pool_bot *bot =
				pool_find_bot(pool, task->entry[i].job.bot[seat]);

			if (!bot)
				abort();
			if (!named[bot - pool->bot])
				json_array_append_new(lines, pool_bot_line(bot));
			named[bot - pool->bot] = true;
		}
	free(named);
}

static bool write_jobs(struct farm *farm, const struct farm_task *task)
{
	const struct pool_options *options = &farm->pool->options;
	json_t *lines = json_array(), *rules = pool_rules_line(options);

	json_object_set_new(rules, "workers", json_integer(options->workers));
	json_object_set_new(rules, "worker_mb", json_integer(options->worker_mb_max));
	json_array_append_new(lines, rules);
	add_bots(farm, task, lines);
	for (int i = 0; i < task->count; i++)
		json_array_append_new(lines,
			pool_play_line(&task->entry[i].job, i, options->rules.seats, 0));
	return task_write(task->folder, "jobs", lines, 0600);
}

/* Takes whole sets from the queue. */
static struct farm_task *make_task(
	struct farm *farm, uint64_t array, int index, int sets_max)
{
	struct farm_task *task = xcalloc(1, sizeof(*task));
	int64_t last = -1;

	task->array = array;
	task->index = index;
	task->pending = true;
	snprintf(task->folder, sizeof(task->folder), "%.4000s/" SLURM_PREFIX "%016llx.%d",
		farm->options->folder, (unsigned long long)array, index);
	task->entry = xcalloc((size_t)farm->queued, sizeof(*task->entry));
	for (int sets = 0; farm->queue;) {
		sets += farm->queue->job.set != last;
		if (sets > sets_max)
			break;
		last = farm->queue->job.set;
		dequeue(farm, &task->entry[task->count]);
		move_replay(&task->entry[task->count++].job, task->folder);
	}
	task->open = task->count;
	farm->open += task->count;
	farm->pool->numbers.under_way += task->count;
	return task;
}

/* Back into the queue, in the order in which they were. */
static void unmake_task(struct farm *farm, struct farm_task *task)
{
	for (int i = task->count - 1; i >= 0; i--)
		farm_enqueue(farm, &task->entry[i].job, task->entry[i].losses, true);
	farm->open -= task->count;
	farm->pool->numbers.under_way -= task->count;
	remove_tree(task->folder);
	free(task->entry);
	free(task);
}

static void submit_failed(struct farm *farm, const char *why)
{
	farm->submit_at = time_now(&time_system) + SUBMIT_AGAIN_NS;
	if (!farm->accepted || ++farm->submit_failures > SUBMIT_FAILURES_MAX)
		pool_fail(farm->pool, "the cluster does not take tasks: %s", why);
	else
		fprintf(stderr, "the cluster does not take tasks, trying again: %s\n",
			why);
}

/* One array of at most `room` tasks. */
static void submit(struct farm *farm, int room)
{
	struct farm_task *list = NULL;
	struct why why = {""};
	char prefix[PATH_MAX], log[PATH_MAX];
	int sets = queued_sets(farm), each = (sets + room - 1) / room, count = 0;
	uint64_t array;
	bool ok = true;

	each = each < farm->options->sets_per_task ? each : farm->options->sets_per_task;
	chance_fresh(&array, sizeof(array));
	while (ok && farm->queue && count < room) {
		struct farm_task *task = make_task(farm, array, count++, each);

		task->next = list;
		list = task;
		ok = mkdir(task->folder, 0700) == 0 && write_jobs(farm, task);
	}
	if (!ok)
		pool_fail(farm->pool, "%s cannot be written; is the disk full?",
			list->folder);
	snprintf(prefix, sizeof(prefix), "%.4000s/" SLURM_PREFIX "%016llx",
		farm->options->folder, (unsigned long long)array);
	snprintf(log, sizeof(log), "%.4000s/slurm.log", farm->pool->options.log_folder);
	if (ok && slurm_submit(farm->options, array, count, farm->pool->options.workers,
			  prefix, log, &why)) {
		farm->accepted = true;
		farm->submit_failures = 0;
	} else if (ok) {
		submit_failed(farm, why.text);
		ok = false;
	}
	while (list) {
		struct farm_task *task = list;

		list = task->next;
		task->next = farm->tasks;
		if (ok)
			farm->tasks = task;
		else
			unmake_task(farm, task);
	}
}

static void feed(struct farm *farm)
{
	int room = farm->options->tasks;

	for (struct farm_task *task = farm->tasks; task; task = task->next)
		room -= !task->over;
	room = room < SLURM_ARRAY_MAX ? room : SLURM_ARRAY_MAX;
	if (room <= 0 && !farm->adopted_last)
		return;
	fill_queue(farm, room > 0 ? room * farm->options->sets_per_task : 0);
	if (room > 0 && farm->queue && !farm->pool->failed &&
		time_now(&time_system) >= farm->submit_at)
		submit(farm, room);
}

/* False: a signal says stop. */
static bool wait_a_tick(struct pool *pool)
{
	struct pollfd watched = {pool->signals, POLLIN, 0};

	poll(&watched, 1, TICK_MS);
	return !pool_signalled(pool);
}

static bool all_over(const struct farm *farm)
{
	for (const struct farm_task *task = farm->tasks; task; task = task->next)
		if (!task->over)
			return false;
	return true;
}

static void cancel(struct farm *farm)
{
	uint64_t last = 0;

	/* Tasks of an array stand one after another. */
	for (struct farm_task *task = farm->tasks; task; task = task->next) {
		if (task->over || task->array == last)
			continue;
		slurm_cancel(task->array);
		last = task->array;
	}
}

/* Cancels what is still there and takes what it had finished. */
static void wind_up(struct farm *farm)
{
	mono_ns end = time_now(&time_system) + WIND_UP_NS_MAX;

	if (all_over(farm))
		return;
	cancel(farm);
	farm->look_at = 0;
	farm->winding_up = true;
	do {
		farm_look(farm);
		farm_collect(farm);
		poll(NULL, 0, TICK_MS);
	} while (!all_over(farm) && time_now(&time_system) < end);
}

enum pool_end farm_run(struct farm *farm, const struct pool_client *client)
{
	struct pool *pool = farm->pool;
	enum pool_end end = POOL_STOPPED;
	sigset_t before;

	farm->client = client;
	pool->no_more = pool->later = false;
	pool_open_signals(pool, &before);
	for (;;) {
		feed(farm);
		if (pool->failed || (pool->no_more && !farm->open && !farm->queue)) {
			end = pool->failed ? POOL_FAILED : POOL_DONE;
			break;
		}
		if (!wait_a_tick(pool))
			break;
		farm_look(farm);
		farm_collect(farm);
		if (!client->settle(client->context))
			break;
		client->tick(client->context);
		farm_remove_tasks(farm, false);
	}
	wind_up(farm);
	client->settle(client->context);
	farm_remove_tasks(farm, true);
	pool_close_signals(pool, &before);
	return end;
}
