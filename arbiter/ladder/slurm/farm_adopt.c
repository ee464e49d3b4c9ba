/* Tasks of a run that was killed: they went on, and what they play need not be played
 * again. */
#include "arbiter/ladder/slurm/farm_internal.h"
#include "arbiter/ladder/slurm/task.h"
#include "protocol/memory.h"
#include "arbiter/base/files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_adopted(const void *x, const void *y)
{
	const struct pool_job *a = &((const struct adopted *)x)->entry->job,
			      *b = &((const struct adopted *)y)->entry->job;

	if (a->set != b->set)
		return a->set < b->set ? -1 : 1;
	return a->rotation - b->rotation;
}

static bool read_jobs(struct farm *farm, struct farm_task *task)
{
	json_t *lines = task_read(task->folder, "jobs"), *line;
	bool ok = lines != NULL;
	size_t i;

	task->entry = xcalloc(json_array_size(lines) + 1, sizeof(*task->entry));
	json_array_foreach(lines, i, line)
	{
		const char *kind = json_string_value(json_object_get(line, "t"));

		if (kind && !strcmp(kind, "play"))
			ok &= pool_play_read(&task->entry[task->count++].job,
				farm->pool->options.rules.seats, line);
	}
	json_decref(lines);
	return ok;
}

static void adopt_folder(struct farm *farm, const char *name)
{
	struct farm_task *task = xcalloc(1, sizeof(*task));
	unsigned long long array;
	size_t old = (size_t)farm->adopted_count;

	snprintf(
		task->folder, sizeof(task->folder), "%s/%s", farm->options->folder, name);
	if (sscanf(name, SLURM_PREFIX "%llx.%d", &array, &task->index) != 2 ||
		!read_jobs(farm, task)) {
		/* It was killed before the array was submitted. */
		remove_tree(task->folder);
		free(task->entry);
		free(task);
		return;
	}
	task->array = array;
	task->next = farm->tasks;
	farm->tasks = task;
	farm->accepted = true;
	farm->adopted_count += task->count;
	farm->adopted = realloc(
		farm->adopted, (size_t)farm->adopted_count * sizeof(*farm->adopted));
	for (int i = 0; i < task->count; i++) {
		farm->adopted[old + (size_t)i] = (struct adopted){task, &task->entry[i]};
		if (task->entry[i].job.set > farm->adopted_last)
			farm->adopted_last = task->entry[i].job.set;
	}
}

void farm_adopt(struct farm *farm)
{
	DIR *folder = opendir(farm->options->folder);
	const struct dirent *item;

	while (folder && (item = readdir(folder)))
		if (!strncmp(item->d_name, SLURM_PREFIX, strlen(SLURM_PREFIX)))
			adopt_folder(farm, item->d_name);
	if (folder)
		closedir(folder);
	if (farm->adopted_count)
		qsort(farm->adopted, (size_t)farm->adopted_count, sizeof(*farm->adopted),
			compare_adopted);
}

/* Of several tasks with the same job (one was given up), the one that has played it. */
static struct adopted *find(struct farm *farm, const struct pool_job *job)
{
	struct adopted *best = NULL;
	int low = 0, high = farm->adopted_count;

	while (low < high) {
		int middle = (low + high) / 2;
		const struct pool_job *other = &farm->adopted[middle].entry->job;

		if (other->set < job->set ||
			(other->set == job->set && other->rotation < job->rotation))
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < farm->adopted_count; low++) {
		struct adopted *a = &farm->adopted[low];

		if (a->entry->job.set != job->set ||
			a->entry->job.rotation != job->rotation)
			break;
		if (!a->entry->early && (a->task->over || best))
			continue;
		if (!best || !best->entry->early)
			best = a;
	}
	return best;
}

bool farm_claim(struct farm *farm, const struct pool_job *job)
{
	struct adopted *adopted = find(farm, job);
	struct entry *entry = adopted ? adopted->entry : NULL;
	struct farm_task *task = adopted ? adopted->task : NULL;
	char replay[sizeof(job->replay)];

	if (!entry || entry->claimed || entry->done ||
		memcmp(entry->job.bot, job->bot, sizeof(job->bot)) ||
		memcmp(entry->job.seed, job->seed, sizeof(job->seed)))
		return false;
	snprintf(replay, sizeof(replay), "%s", entry->job.replay);
	entry->job = *job;
	memcpy(entry->job.replay, replay, sizeof(replay));
	entry->claimed = true;
	task->open++;
	farm->open++;
	farm->pool->numbers.under_way++;
	if (entry->early) {
		farm_deliver(farm, task, entry, entry->early);
		json_decref(entry->early);
		entry->early = NULL;
	}
	if (entry->done || !task->over)
		return true;
	/* Its record was no good, and there will be no other. */
	entry->claimed = false;
	task->open--;
	farm->open--;
	farm->pool->numbers.under_way--;
	return false;
}

void farm_forget_adopted(struct farm *farm, const struct farm_task *task)
{
	int kept = 0;

	for (int i = 0; i < farm->adopted_count; i++)
		if (farm->adopted[i].task != task)
			farm->adopted[kept++] = farm->adopted[i];
	farm->adopted_count = kept;
}
