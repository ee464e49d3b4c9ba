/* Takes over the tasks of a run that was killed: they went on, and what they play need
 * not be played again. */
#include "arbiter/ladder/slurm/cluster_internal.h"
#include "arbiter/ladder/slurm/task.h"
#include "arbiter/base/files.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_adopted(const void *x, const void *y)
{
	const struct pool_job *a = &((const struct adopted_match *)x)->match->job,
			      *b = &((const struct adopted_match *)y)->match->job;

	if (a->set != b->set)
		return a->set < b->set ? -1 : 1;
	return a->rotation - b->rotation;
}

static bool read_jobs(const struct cluster *cluster, struct cluster_task *task)
{
	struct worker_message *message = xmalloc(sizeof(*message));
	json_t *lines = task_read(task->folder, "jobs"), *line;
	bool ok = lines != NULL;
	struct why why;
	size_t i;

	task->match = xcalloc(json_array_size(lines) + 1, sizeof(*task->match));
	json_array_foreach(lines, i, line)
	{
		ok = ok && worker_message_read(message, line, &why);
		if (!ok || message->type != WORKER_PLAY)
			continue;
		pool_job_of(&message->play, &task->match[task->count++].job);
		ok = message->play.seats == cluster->pool->options.rules.seats;
	}
	json_decref(lines);
	free(message);
	return ok;
}

static void adopt_folder(struct cluster *cluster, const char *name)
{
	struct cluster_task *task = xcalloc(1, sizeof(*task));
	unsigned long long array;
	size_t old = (size_t)cluster->adopted_count;

	utf8_format(task->folder, sizeof(task->folder), "%s/%s", cluster->options->folder,
		name);
	if (sscanf(name, SLURM_PREFIX "%llx.%d", &array, &task->index) != 2 ||
		!read_jobs(cluster, task)) {
		/* It was killed before the array was submitted. */
		remove_tree(task->folder);
		free(task->match);
		free(task);
		return;
	}
	task->array = array;
	task->next = cluster->tasks;
	cluster->tasks = task;
	cluster->accepted = true;
	cluster->adopted_count += task->count;
	cluster->adopted = xreallocarray(cluster->adopted, (size_t)cluster->adopted_count,
		sizeof(*cluster->adopted));
	for (int i = 0; i < task->count; i++) {
		cluster->adopted[old + (size_t)i] =
			(struct adopted_match){task, &task->match[i]};
		if (task->match[i].job.set > cluster->adopted_last)
			cluster->adopted_last = task->match[i].job.set;
	}
}

void cluster_adopt(struct cluster *cluster)
{
	DIR *folder = opendir(cluster->options->folder);
	const struct dirent *item;

	while (folder && (item = readdir(folder)))
		if (!strncmp(item->d_name, SLURM_PREFIX, strlen(SLURM_PREFIX)))
			adopt_folder(cluster, item->d_name);
	if (folder)
		closedir(folder);
	if (cluster->adopted_count)
		qsort(cluster->adopted, (size_t)cluster->adopted_count,
			sizeof(*cluster->adopted), compare_adopted);
}

/* Of several tasks with the same job (one was given up), the one that has played it. */
static struct adopted_match *find(struct cluster *cluster, const struct pool_job *job)
{
	struct adopted_match *best = NULL;
	int low = 0, high = cluster->adopted_count;

	while (low < high) {
		int middle = (low + high) / 2;
		const struct pool_job *other = &cluster->adopted[middle].match->job;

		if (other->set < job->set ||
			(other->set == job->set && other->rotation < job->rotation))
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < cluster->adopted_count; low++) {
		struct adopted_match *a = &cluster->adopted[low];

		if (a->match->job.set != job->set ||
			a->match->job.rotation != job->rotation)
			break;
		if (!a->match->early && (a->task->over || best))
			continue;
		if (!best || !best->match->early)
			best = a;
	}
	return best;
}

bool cluster_claim(struct cluster *cluster, const struct pool_job *job)
{
	struct adopted_match *adopted = find(cluster, job);
	struct task_match *match = adopted ? adopted->match : NULL;
	struct cluster_task *task = adopted ? adopted->task : NULL;
	char replay[sizeof(job->replay)];

	if (!match || match->claimed || match->done ||
		memcmp(match->job.bot, job->bot, sizeof(job->bot)) ||
		memcmp(match->job.seed, job->seed, sizeof(job->seed)))
		return false;
	snprintf(replay, sizeof(replay), "%s", match->job.replay);
	match->job = *job;
	memcpy(match->job.replay, replay, sizeof(replay));
	match->claimed = true;
	task->open++;
	cluster->open++;
	cluster->pool->numbers.under_way++;
	if (match->early) {
		cluster_deliver(cluster, task, match, match->early);
		free(match->early);
		match->early = NULL;
	}
	if (match->done || !task->over)
		return true;
	/* Its record was invalid, and there will be no other. */
	match->claimed = false;
	task->open--;
	cluster->open--;
	cluster->pool->numbers.under_way--;
	return false;
}

void cluster_forget_adopted(struct cluster *cluster, const struct cluster_task *task)
{
	int kept = 0;

	for (int i = 0; i < cluster->adopted_count; i++)
		if (cluster->adopted[i].task != task)
			cluster->adopted[kept++] = cluster->adopted[i];
	cluster->adopted_count = kept;
}
