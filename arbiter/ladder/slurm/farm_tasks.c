/*
 * Tasks: reading what they hand in, noticing that they are lost, clearing up after them.
 *
 * A task is over when its `end` is there and all results that it names are read. It is
 * lost when the cluster says it has ended, or does not know it, and no `end` has come for
 * a while: a shared file system may show files late. What a lost task has handed in
 * counts; the rest is queued again. Whatever it writes later is not read any more.
 */
#include "arbiter/ladder/slurm/farm_internal.h"
#include "arbiter/ladder/slurm/task.h"
#include "protocol/memory.h"
#include "arbiter/base/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOSSES_MAX        5
#define GRACE_NS          (5 * NS_PER_S)
#define LOOK_EVERY_NS     (2 * NS_PER_S)
#define LOOK_FAILURES_MAX 300

void farm_deliver(
	struct farm *farm, struct farm_task *task, struct entry *entry, json_t *line)
{
	struct match_record *record = xmalloc(sizeof(*record));
	struct pool *pool = farm->pool;

	/* A run that was killed may have moved the replay, but not stored the result;
	 * the next one has removed it. */
	if (match_record_read(record, line) && !record->is_void &&
		record->seats == pool->options.rules.seats &&
		(!*record->replay || access(record->replay, R_OK) == 0)) {
		entry->done = true;
		task->open--;
		task->unstored++;
		farm->open--;
		pool->numbers.under_way--;
		pool->numbers.matches++;
		pool->later = false;
		record->rotation = entry->job.rotation;
		for (int seat = 0; seat < record->seats; seat++)
			record->seat[seat].entrant = entry->job.bot[seat];
		entry->job.task = task;
		farm->client->done(farm->client->context, &entry->job, record);
	}
	free(record);
}

static void take_line(struct farm *farm, struct farm_task *task, json_t *line)
{
	json_int_t number = json_integer_value(json_object_get(line, "job"));
	struct entry *entry;

	if (number < 0 || number >= task->count)
		return;
	entry = &task->entry[number];
	if (entry->done || entry->early)
		return;
	if (entry->claimed)
		farm_deliver(farm, task, entry, line);
	else
		entry->early = json_incref(line);
}

static void read_results(struct farm *farm, struct farm_task *task)
{
	for (;;) {
		char name[32];
		json_t *lines, *line;
		size_t i;

		snprintf(name, sizeof(name), "results.%d", task->files);
		lines = task_read(task->folder, name);
		if (!lines)
			return;
		task->files++;
		json_array_foreach(lines, i, line) take_line(farm, task, line);
		json_decref(lines);
	}
}

/* Its matches that were not played go back into the queue. */
static void finish_task(struct farm *farm, struct farm_task *task, const char *why)
{
	task->over = true;
	task->pending = task->running = false;
	farm->pool->numbers.tasks_over++;
	farm->pool->numbers.tasks_lost += why != NULL;
	for (int i = task->count - 1; i >= 0; i--) {
		struct entry *entry = &task->entry[i];

		if (!entry->claimed || entry->done)
			continue;
		entry->claimed = false;
		task->open--;
		farm->open--;
		farm->pool->numbers.under_way--;
		if (++entry->losses > LOSSES_MAX)
			pool_fail(farm->pool,
				"rotation %d of set %lld was given to %d tasks and none "
				"played it to its end; the last one: %s. See slurm.log "
				"and workers.log in %s, and give tasks more time "
				"(--sbatch=--time=…) or fewer sets (--sets-per-task)",
				entry->job.rotation, (long long)entry->job.set,
				entry->losses, why ? why : "it ended early",
				farm->pool->options.log_folder);
		farm_enqueue(farm, &entry->job, entry->losses, true);
	}
}

static void collect(struct farm *farm, struct farm_task *task)
{
	json_t *end = task_read(task->folder, "end");
	const json_t *line = json_array_get(end, 0);

	read_results(farm, task);
	if (end && task->files >= json_integer_value(json_object_get(line, "files"))) {
		finish_task(farm, task, json_string_value(json_object_get(line, "why")));
	} else if (task->missing_since && time_now(&time_system) - task->missing_since >
						  (farm->winding_up ? 0 : GRACE_NS)) {
		struct why why;

		why_set(&why, "the cluster says %s", task->state);
		finish_task(farm, task, why.text);
	}
	json_decref(end);
}

void farm_collect(struct farm *farm)
{
	for (struct farm_task *task = farm->tasks; task; task = task->next)
		if (!task->over)
			collect(farm, task);
}

static void note_state(void *context, const struct slurm_state *state)
{
	struct farm *farm = context;

	for (struct farm_task *task = farm->tasks; task; task = task->next) {
		if (task->index != state->index || task->array != state->array)
			continue;
		snprintf(task->state, sizeof(task->state), "%s", state->state);
		task->seen |= state->alive;
		if (state->alive) {
			task->pending = state->pending;
			task->running = !state->pending;
		}
		return;
	}
}

static void judge(struct farm_task *task)
{
	if (task->seen) {
		task->missing_since = 0;
		return;
	}
	task->pending = task->running = false;
	if (!task->missing_since)
		task->missing_since = time_now(&time_system);
}

void farm_look(struct farm *farm)
{
	struct pool_numbers *numbers = &farm->pool->numbers;
	mono_ns now = time_now(&time_system);
	struct why why;

	if (now < farm->look_at)
		return;
	farm->look_at = now + (farm->winding_up ? LOOK_EVERY_NS / 4 : LOOK_EVERY_NS);
	for (struct farm_task *task = farm->tasks; task; task = task->next) {
		task->seen = false;
		snprintf(task->state, sizeof(task->state), "nothing of it");
	}
	if (!slurm_states(note_state, farm, &why)) {
		/* Nothing is known; tasks go on without the controller. */
		if (++farm->look_failures > LOOK_FAILURES_MAX)
			pool_fail(farm->pool, "the cluster has stopped answering: %s",
				why.text);
		return;
	}
	farm->look_failures = 0;
	numbers->tasks_pending = numbers->tasks_running = 0;
	for (struct farm_task *task = farm->tasks; task; task = task->next) {
		if (task->over)
			continue;
		judge(task);
		numbers->tasks_pending += task->pending;
		numbers->tasks_running += task->running;
	}
}

static bool waits_for_claim(const struct farm_task *task)
{
	for (int i = 0; i < task->count; i++)
		if (task->entry[i].early && !task->entry[i].claimed)
			return true;
	return false;
}

static void free_task(struct farm *farm, struct farm_task *task)
{
	farm_forget_adopted(farm, task);
	for (int i = 0; i < task->count; i++)
		json_decref(task->entry[i].early);
	free(task->entry);
	free(task);
}

void farm_remove_tasks(struct farm *farm, bool all)
{
	for (struct farm_task **at = &farm->tasks; *at;) {
		struct farm_task *task = *at;

		if (!all && (!task->over || task->unstored || waits_for_claim(task))) {
			at = &task->next;
			continue;
		}
		remove_tree(task->folder);
		*at = task->next;
		free_task(farm, task);
	}
}

void farm_stored(struct farm *farm, void *task)
{
	(void)farm;
	((struct farm_task *)task)->unstored--;
}
