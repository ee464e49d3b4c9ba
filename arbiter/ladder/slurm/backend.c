/* The backend for a cluster: queues jobs and submits them as tasks. */
#include "arbiter/ladder/slurm/backend.h"
#include "arbiter/base/files.h"
#include "arbiter/ladder/slurm/cluster_internal.h"
#include "arbiter/ladder/slurm/task.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

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
/* Slurm itself kills a cancelled task after KillWait, by default 30 s. */
#define WIND_UP_NS_MAX (60 * NS_PER_S)

static void *open_cluster(struct pool *pool)
{
	struct cluster *cluster = xcalloc(1, sizeof(*cluster));

	cluster->pool = pool;
	cluster->options = pool->options.backend_options;
	cluster->queue_end = &cluster->queue;
	cluster_adopt(cluster);
	return cluster;
}

static void close_cluster(void *state)
{
	struct cluster *cluster = state;

	cluster_remove_tasks(cluster, true);
	while (cluster->queue) {
		struct queued_match *q = cluster->queue;

		cluster->queue = q->next;
		free(q);
	}
	free(cluster->adopted);
	free(cluster);
}

void cluster_enqueue(
	struct cluster *cluster, const struct pool_job *job, int losses, bool first)
{
	struct queued_match *q = xcalloc(1, sizeof(*q));

	q->job = *job;
	q->losses = losses;
	if (first) {
		q->next = cluster->queue;
		cluster->queue = q;
		if (!q->next)
			cluster->queue_end = &q->next;
	} else {
		*cluster->queue_end = q;
		cluster->queue_end = &q->next;
	}
	cluster->queued++;
}

static void dequeue(struct cluster *cluster, struct task_match *match)
{
	struct queued_match *q = cluster->queue;

	*match = (struct task_match){.job = q->job, .losses = q->losses, .claimed = true};
	cluster->queue = q->next;
	if (!cluster->queue)
		cluster->queue_end = &cluster->queue;
	cluster->queued--;
	free(q);
}

static int queued_sets(const struct cluster *cluster)
{
	int64_t last = -1;
	int sets = 0;

	for (const struct queued_match *q = cluster->queue; q; q = q->next) {
		sets += q->job.set != last;
		last = q->job.set;
	}
	return sets;
}

/* Asks the client for this many sets, and for all sets that tasks of an earlier run may
 * have. */
static void fill_queue(struct cluster *cluster, int sets_wanted)
{
	struct pool *pool = cluster->pool;
	int sets = queued_sets(cluster);
	int64_t last = 0;

	/* One set too many, so that the last one wanted is whole. */
	while ((sets <= sets_wanted || last < cluster->adopted_last) && !pool->later &&
		!pool->no_more && !pool->failed) {
		struct pool_job job;

		if (!pool_ask(pool, &job))
			return;
		if (cluster_claim(cluster, &job)) {
			last = job.set;
			continue;
		}
		sets += job.set != last;
		last = job.set;
		cluster_enqueue(cluster, &job, 0, false);
	}
	if (!pool->later)
		cluster->adopted_last = 0;
}

/* The replay grows in the task's own folder: what a lost task writes disturbs nobody. */
static void move_replay(struct pool_job *job, const char *folder)
{
	const char *slash = strrchr(job->replay, '/');
	char *moved;

	if (!slash)
		return;
	moved = xasprintf("%s%s", folder, slash);
	utf8_format(job->replay, sizeof(job->replay), "%s", moved);
	free(moved);
}

static void append(json_t *lines, const struct worker_message *message)
{
	json_array_append_new(lines, worker_message_write(message));
}

static void add_bots(
	struct cluster *cluster, const struct cluster_task *task, json_t *lines)
{
	struct pool *pool = cluster->pool;
	bool *named = xcalloc((size_t)pool->bots + 1, sizeof(*named));

	for (int i = 0; i < task->count; i++)
		for (int seat = 0; seat < pool->options.rules.seats; seat++) {
			const struct pool_bot *bot =
				pool_find_bot(pool, task->match[i].job.bot[seat]);

			if (!bot)
				abort();
			if (!named[bot - pool->bot])
				append(lines, &(struct worker_message){.type = WORKER_BOT,
						      .bot = bot->facts});
			named[bot - pool->bot] = true;
		}
	free(named);
}

static bool write_jobs(struct cluster *cluster, const struct cluster_task *task)
{
	const struct pool *pool = cluster->pool;
	struct worker_message message = {.type = WORKER_RULES};
	json_t *lines = json_array();

	pool_rules_message(pool, &message.rules);
	message.rules.workers = pool->options.workers;
	message.rules.worker_mb_max = pool->options.worker_mb_max;
	append(lines, &message);
	add_bots(cluster, task, lines);
	message.type = WORKER_PLAY;
	for (int i = 0; i < task->count; i++) {
		pool_play_message(pool, &task->match[i].job, i, &message.play);
		append(lines, &message);
	}
	return task_write(task->folder, "jobs", lines);
}

/* Takes whole sets from the queue. */
static struct cluster_task *make_task(
	struct cluster *cluster, uint64_t array, int index, int sets_max)
{
	struct cluster_task *task = xcalloc(1, sizeof(*task));
	int64_t last = -1;

	task->array = array;
	task->index = index;
	task->pending = true;
	utf8_format(task->folder, sizeof(task->folder), "%s/" SLURM_PREFIX "%016llx.%d",
		cluster->options->folder, (unsigned long long)array, index);
	task->match = xcalloc((size_t)cluster->queued, sizeof(*task->match));
	for (int sets = 0; cluster->queue;) {
		sets += cluster->queue->job.set != last;
		if (sets > sets_max)
			break;
		last = cluster->queue->job.set;
		dequeue(cluster, &task->match[task->count]);
		move_replay(&task->match[task->count++].job, task->folder);
	}
	task->open = task->count;
	cluster->open += task->count;
	cluster->pool->numbers.under_way += task->count;
	return task;
}

/* Back into the queue, in the order in which they were. */
static void unmake_task(struct cluster *cluster, struct cluster_task *task)
{
	for (int i = task->count - 1; i >= 0; i--)
		cluster_enqueue(
			cluster, &task->match[i].job, task->match[i].losses, true);
	cluster->open -= task->count;
	cluster->pool->numbers.under_way -= task->count;
	remove_tree(task->folder);
	free(task->match);
	free(task);
}

static void submit_failed(struct cluster *cluster, const char *why)
{
	cluster->submit_at = time_now(&time_system) + SUBMIT_AGAIN_NS;
	if (!cluster->accepted || ++cluster->submit_failures > SUBMIT_FAILURES_MAX)
		pool_fail(cluster->pool, "the cluster does not accept tasks: %s", why);
	else
		fprintf(stderr, "the cluster does not accept tasks, trying again: %s\n",
			why);
}

/* Hands the folders' tasks to the cluster; false: it did not take them. */
static bool submit_array(struct cluster *cluster, uint64_t array, int count)
{
	const struct pool_options *options = &cluster->pool->options;
	char *prefix = xasprintf("%s/" SLURM_PREFIX "%016llx", cluster->options->folder,
		(unsigned long long)array);
	char *log = xasprintf("%s/slurm.log", options->log_folder);
	struct why why = {""};
	bool ok = slurm_submit(
		cluster->options, array, count, options->workers, prefix, log, &why);

	free(prefix);
	free(log);
	if (ok) {
		cluster->accepted = true;
		cluster->submit_failures = 0;
	} else {
		submit_failed(cluster, why.text);
	}
	return ok;
}

/* One array of at most `room` tasks. */
static void submit(struct cluster *cluster, int room)
{
	struct cluster_task *list = NULL;
	int sets = queued_sets(cluster), each = (sets + room - 1) / room, count = 0;
	int each_max = cluster->options->sets_per_task;
	uint64_t array;
	bool ok = true;

	chance_fresh(&array, sizeof(array));
	while (ok && cluster->queue && count < room) {
		struct cluster_task *task = make_task(
			cluster, array, count++, each < each_max ? each : each_max);

		task->next = list;
		list = task;
		ok = mkdir(task->folder, 0700) == 0 && write_jobs(cluster, task);
	}
	if (ok)
		ok = submit_array(cluster, array, count);
	else
		pool_fail(cluster->pool, "%s cannot be written; is the disk full?",
			list->folder);
	while (list) {
		struct cluster_task *task = list;

		list = task->next;
		task->next = cluster->tasks;
		if (ok)
			cluster->tasks = task;
		else
			unmake_task(cluster, task);
	}
}

static void feed(void *state)
{
	struct cluster *cluster = state;
	int room = cluster->options->tasks;

	cluster_remove_tasks(cluster, false);
	for (struct cluster_task *task = cluster->tasks; task; task = task->next)
		room -= !task->over;
	room = room < SLURM_ARRAY_MAX ? room : SLURM_ARRAY_MAX;
	if (room <= 0 && !cluster->adopted_last)
		return;
	fill_queue(cluster, room > 0 ? room * cluster->options->sets_per_task : 0);
	if (room > 0 && cluster->queue && !cluster->pool->failed &&
		time_now(&time_system) >= cluster->submit_at)
		submit(cluster, room);
}

static bool idle(const void *state)
{
	const struct cluster *cluster = state;

	return !cluster->open && !cluster->queue;
}

static void wait_and_look(void *state)
{
	struct cluster *cluster = state;
	struct pollfd watched = {cluster->pool->signals, POLLIN, 0};

	/* What is unread when a signal comes is read by wind_up(). */
	if (poll(&watched, 1, TICK_MS) > 0)
		return;
	cluster_look(cluster);
	cluster_collect(cluster);
}

static bool all_over(const struct cluster *cluster)
{
	for (const struct cluster_task *task = cluster->tasks; task; task = task->next)
		if (!task->over)
			return false;
	return true;
}

static void cancel(struct cluster *cluster)
{
	uint64_t last = 0;

	/* Tasks of an array are next to each other in the list. */
	for (struct cluster_task *task = cluster->tasks; task; task = task->next) {
		if (task->over || task->array == last)
			continue;
		slurm_cancel(task->array);
		last = task->array;
	}
}

/* Cancels what is still there and takes what it had finished. */
static void wind_up(void *state)
{
	struct cluster *cluster = state;
	mono_ns end = time_now(&time_system) + WIND_UP_NS_MAX;

	if (all_over(cluster))
		return;
	cancel(cluster);
	cluster->look_at = 0;
	cluster->winding_up = true;
	do {
		cluster_look(cluster);
		cluster_collect(cluster);
		poll(NULL, 0, TICK_MS);
	} while (!all_over(cluster) && time_now(&time_system) < end);
}

static void stored(void *state, void *task)
{
	(void)state;
	((struct cluster_task *)task)->unstored--;
}

const struct pool_backend slurm_backend = {
	.open = open_cluster,
	.close = close_cluster,
	.feed = feed,
	.idle = idle,
	.wait = wait_and_look,
	.wind_up = wind_up,
	.stored = stored,
};
