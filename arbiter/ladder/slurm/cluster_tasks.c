/*
 * Tasks: reading what they hand in, noticing that they are lost, clearing up after them.
 *
 * A task is over when its `end` is there and all results that it names are read. It is
 * lost when the cluster says it has ended, or does not know it, and no `end` has come for
 * a while: a shared file system may show files late. What a lost task has handed in
 * counts; the rest is queued again. Whatever it writes later is not read any more.
 */
#include "arbiter/ladder/slurm/cluster_internal.h"
#include "arbiter/ladder/slurm/task.h"
#include "arbiter/base/files.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOSSES_MAX        5
#define GRACE_NS          (5 * NS_PER_S)
#define LOOK_EVERY_NS     (2 * NS_PER_S)
#define LOOK_FAILURES_MAX 300

/* A run that was killed may have moved the replay, but not stored the result; the next
 * one has removed it. */
static bool is_good(const struct cluster *cluster, const struct match_record *record)
{
	return !record->void_cause &&
	       record->seats == cluster->pool->options.rules.seats &&
	       (!*record->replay || access(record->replay, R_OK) == 0);
}

void cluster_deliver(struct cluster *cluster, struct cluster_task *task,
	struct task_match *match, struct match_record *record)
{
	if (!is_good(cluster, record))
		return;
	match->done = true;
	task->open--;
	task->unstored++;
	cluster->open--;
	cluster->pool->numbers.under_way--;
	match->job.task = task;
	pool_deliver(cluster->pool, &match->job, record);
}

static void take_done(
	struct cluster *cluster, struct cluster_task *task, struct done_message *done)
{
	struct task_match *match;

	if (done->job >= task->count)
		return;
	match = &task->match[done->job];
	if (match->done || match->early)
		return;
	if (match->claimed) {
		cluster_deliver(cluster, task, match, &done->record);
		return;
	}
	match->early = xmalloc(sizeof(*match->early));
	*match->early = done->record;
}

static void read_results(struct cluster *cluster, struct cluster_task *task)
{
	struct worker_message *message = xmalloc(sizeof(*message));
	struct why why;
	json_t *lines, *line;
	char name[32];
	size_t i;

	for (;;) {
		snprintf(name, sizeof(name), "results.%d", task->files);
		lines = task_read(task->folder, name);
		if (!lines)
			break;
		task->files++;
		json_array_foreach(lines, i, line)
		{
			if (!worker_message_read(message, line, &why))
				fprintf(stderr, "%s/%s: %s\n", task->folder, name,
					why.text);
			else if (message->type == WORKER_DONE)
				take_done(cluster, task, &message->done);
		}
		json_decref(lines);
	}
	free(message);
}

/* Its matches that were not played go back into the queue. */
static void finish_task(
	struct cluster *cluster, struct cluster_task *task, const char *why)
{
	task->over = true;
	task->pending = task->running = false;
	cluster->pool->numbers.tasks_over++;
	cluster->pool->numbers.tasks_lost += why != NULL;
	for (int i = task->count - 1; i >= 0; i--) {
		struct task_match *match = &task->match[i];

		if (!match->claimed || match->done)
			continue;
		match->claimed = false;
		task->open--;
		cluster->open--;
		cluster->pool->numbers.under_way--;
		if (++match->losses > LOSSES_MAX)
			pool_fail(cluster->pool,
				"rotation %d of set %lld was given to %d tasks and none "
				"played it to its end; the last one: %s. See slurm.log "
				"and workers.log in %s, and give tasks more time "
				"(--sbatch=--time=…) or fewer sets (--sets-per-task)",
				match->job.rotation, (long long)match->job.set,
				match->losses, why ? why : "it ended early",
				cluster->pool->options.log_folder);
		cluster_enqueue(cluster, &match->job, match->losses, true);
	}
}

static void collect(struct cluster *cluster, struct cluster_task *task)
{
	int64_t grace_ns = cluster->winding_up ? 0 : GRACE_NS;
	struct task_end end;
	/* Read before the results: those that it names exist by then. */
	bool ended = task_read_end(task->folder, &end);

	read_results(cluster, task);
	if (ended && task->files >= end.files) {
		finish_task(cluster, task, *end.why.text ? end.why.text : NULL);
	} else if (task->missing_since &&
		   time_now(&time_system) - task->missing_since > grace_ns) {
		why_set(&end.why, "the cluster says %s", task->state);
		finish_task(cluster, task, end.why.text);
	}
}

void cluster_collect(struct cluster *cluster)
{
	for (struct cluster_task *task = cluster->tasks; task; task = task->next)
		if (!task->over)
			collect(cluster, task);
}

static void note_state(void *context, const struct slurm_state *state)
{
	struct cluster *cluster = context;

	for (struct cluster_task *task = cluster->tasks; task; task = task->next) {
		if (task->index != state->index || task->array != state->array)
			continue;
		utf8_format(task->state, sizeof(task->state), "%s", state->state);
		task->seen |= state->alive;
		if (state->alive) {
			task->pending = state->pending;
			task->running = !state->pending;
		}
		return;
	}
}

static void judge(struct cluster_task *task)
{
	if (task->seen) {
		task->missing_since = 0;
		return;
	}
	task->pending = task->running = false;
	if (!task->missing_since)
		task->missing_since = time_now(&time_system);
}

void cluster_look(struct cluster *cluster)
{
	struct pool_numbers *numbers = &cluster->pool->numbers;
	mono_ns now = time_now(&time_system);
	struct why why;

	if (now < cluster->look_at)
		return;
	cluster->look_at =
		now + (cluster->winding_up ? LOOK_EVERY_NS / 4 : LOOK_EVERY_NS);
	for (struct cluster_task *task = cluster->tasks; task; task = task->next) {
		task->seen = false;
		snprintf(task->state, sizeof(task->state), "nothing about it");
	}
	if (!slurm_states(note_state, cluster, &why)) {
		/* Nothing is known; tasks go on without the controller. */
		if (++cluster->look_failures > LOOK_FAILURES_MAX)
			pool_fail(cluster->pool, "the cluster has stopped answering: %s",
				why.text);
		return;
	}
	cluster->look_failures = 0;
	numbers->tasks_pending = numbers->tasks_running = 0;
	for (struct cluster_task *task = cluster->tasks; task; task = task->next) {
		if (task->over)
			continue;
		judge(task);
		numbers->tasks_pending += task->pending;
		numbers->tasks_running += task->running;
	}
}

static bool waits_for_claim(const struct cluster_task *task)
{
	for (int i = 0; i < task->count; i++)
		if (task->match[i].early && !task->match[i].claimed)
			return true;
	return false;
}

static void free_task(struct cluster *cluster, struct cluster_task *task)
{
	cluster_forget_adopted(cluster, task);
	for (int i = 0; i < task->count; i++)
		free(task->match[i].early);
	free(task->match);
	free(task);
}

void cluster_remove_tasks(struct cluster *cluster, bool all)
{
	for (struct cluster_task **at = &cluster->tasks; *at;) {
		struct cluster_task *task = *at;

		if (!all && (!task->over || task->unstored || waits_for_claim(task))) {
			at = &task->next;
			continue;
		}
		remove_tree(task->folder);
		*at = task->next;
		free_task(cluster, task);
	}
}
