/* A task of a cluster: the matches of its file, played by a pool, and their results. */
#include "arbiter/ladder/slurm/task.h"
#include "arbiter/base/exit.h"
#include "arbiter/base/temporary.h"
#include "arbiter/base/files.h"
#include "arbiter/ladder/workers/pool.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <limits.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Results are handed in after a second, then more and more seldom: many tasks share one
 * file system, and the end of a task hands in the rest. */
#define HAND_IN_NS_FIRST (1 * NS_PER_S)
#define HAND_IN_NS_MAX   (30 * NS_PER_S)

struct task {
	const char *folder;
	struct pool_job *job;
	int count, next;
	json_t *results; /* not handed in yet */
	int files;
	mono_ns hand_in_at, interval_ns;
	bool gone; /* the folder cannot be written */
};

static enum pool_next on_next(void *context, struct pool_job *job)
{
	struct task *task = context;

	if (task->next == task->count)
		return POOL_NONE;
	*job = task->job[task->next];
	job->user = &task->job[task->next++];
	return POOL_JOB;
}

static void on_done(
	void *context, const struct pool_job *job, const struct match_record *record)
{
	struct task *task = context;
	const struct worker_message message = {.type = WORKER_DONE,
		.done = {.job = (const struct pool_job *)job->user - task->job,
			.record = *record}};

	json_array_append_new(task->results, worker_message_write(&message));
}

static void hand_in(struct task *task)
{
	char name[32];

	if (!json_array_size(task->results) || task->gone)
		return;
	snprintf(name, sizeof(name), "results.%d", task->files++);
	task->gone = !task_write(task->folder, name, task->results);
	task->results = json_array();
}

static bool on_settle(void *context)
{
	struct task *task = context;
	mono_ns now = time_now(&time_system);

	if (now >= task->hand_in_at) {
		hand_in(task);
		task->interval_ns = 2 * task->interval_ns < HAND_IN_NS_MAX
					    ? 2 * task->interval_ns
					    : HAND_IN_NS_MAX;
		task->hand_in_at = now + task->interval_ns;
	}
	return !task->gone;
}

static bool claim(const char *folder)
{
	char path[PATH_MAX], host[256] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/started", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		user_error("ladder task: %s: %s", path,
			errno == EEXIST   ? "another task plays this already"
			: errno == ENOENT ? "its host has given it up"
					  : strerror(errno));
		return false;
	}
	gethostname(host, sizeof(host) - 1);
	dprintf(fd, "%s %d\n", host, (int)getpid());
	close(fd);
	return true;
}

/* Bots go to the pool, jobs to the task. */
static bool take_jobs(struct task *task, const json_t *lines, struct pool *pool,
	int seats, struct why *why)
{
	struct worker_message *message = xmalloc(sizeof(*message));
	const struct bot_message *bot = &message->bot;
	bool ok = true;

	task->job = xcalloc(json_array_size(lines), sizeof(*task->job));
	/* The first line was the rules. */
	for (size_t i = 1; ok && i < json_array_size(lines); i++) {
		ok = worker_message_read(message, json_array_get(lines, i), why);
		if (!ok)
			break;
		if (message->type == WORKER_BOT)
			pool_add_bot(pool, bot->id, bot->folder, bot->name, bot->hash);
		else if (message->type == WORKER_PLAY && message->play.seats == seats)
			pool_job_of(&message->play, &task->job[task->count++]);
		else
			ok = why_set(why, "%s is not a match that can be played",
				worker_message_names[message->type]);
	}
	free(message);
	return ok;
}

static bool hand_in_end(struct task *task, const char *why)
{
	struct task_end end;

	hand_in(task);
	end.files = task->files;
	utf8_format(end.why.text, sizeof(end.why.text), "%s", why);
	return !task->gone && task_write_end(task->folder, &end);
}

static int play(struct task *task, const json_t *lines, struct pool_options *options)
{
	const struct pool_client client = {
		.next = on_next, .done = on_done, .settle = on_settle, .context = task};
	struct pool *pool = pool_new(options);
	enum pool_end end;
	struct why why;
	bool ok = take_jobs(task, lines, pool, options->rules.seats, &why);

	if (!ok) {
		pool_free(&pool);
		return user_error("ladder task: %s/jobs: %s", task->folder, why.text);
	}
	end = pool_run(pool, &client);
	ok = hand_in_end(task, end == POOL_DONE     ? ""
			       : end == POOL_FAILED ? pool_why(pool)
						    : "it was told to stop");
	pool_free(&pool);
	if (!ok)
		return user_error("ladder task: %s cannot be written; its host has given "
				  "it up, or the disk is full",
			task->folder);
	return end == POOL_DONE ? EXIT_OK : EXIT_FAILED;
}

/* Reads the rules, which are the first line. */
static bool take_rules(const json_t *lines, struct rules_message *rules, struct why *why)
{
	struct worker_message *message = xmalloc(sizeof(*message));
	bool ok = worker_message_read(message, json_array_get(lines, 0), why);

	if (ok && (message->type != WORKER_RULES || !message->rules.workers))
		ok = why_set(why, "it does not begin with the rules of a task");
	if (ok)
		*rules = message->rules;
	free(message);
	return ok;
}

static int claim_and_play(
	struct task *task, const json_t *lines, const struct rules_message *rules)
{
	char runtime[TEMPORARY_PATH_SIZE];
	struct why why;
	struct pool_options options = {.backend = &pool_local,
		.rules = rules->rules,
		.workers = rules->workers,
		.at_once = rules->at_once,
		.worker_mb_max = rules->worker_mb_max,
		.log_folder = *rules->logs ? rules->logs : NULL};
	int status;

	if (!claim(task->folder))
		return EXIT_USER;
	if (!temporary_folder(runtime, 0700, &why))
		return user_error("ladder task: %s", why.text);
	options.runtime = runtime;
	status = play(task, lines, &options);
	remove_tree(runtime);
	return status;
}

int task_run(const char *folder)
{
	struct task task = {.folder = folder,
		.results = json_array(),
		.interval_ns = HAND_IN_NS_FIRST,
		.hand_in_at = time_now(&time_system) + HAND_IN_NS_FIRST};
	struct rules_message rules;
	struct why why;
	json_t *lines;
	int status;

	lines = task_read(folder, "jobs");
	if (!lines)
		status = user_error(
			"ladder task: %s/jobs is not there; its host has given it up",
			folder);
	else if (!take_rules(lines, &rules, &why))
		status = user_error("ladder task: %s/jobs: %s", folder, why.text);
	else
		status = claim_and_play(&task, lines, &rules);
	json_decref(task.results);
	json_decref(lines);
	free(task.job);
	return status;
}
