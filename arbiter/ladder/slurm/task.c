#include "arbiter/ladder/slurm/task.h"
#include "arbiter/base/exit.h"
#include "arbiter/base/files.h"
#include "arbiter/ladder/workers/pool_internal.h"
#include "protocol/memory.h"

#include <limits.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sodium.h>

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
	json_t *line = match_record_write(record);

	json_object_set_new(line, "t", json_string("done"));
	json_object_set_new(line, "job",
		json_integer((const struct pool_job *)job->user - task->job));
	json_array_append_new(task->results, line);
}

static void hand_in(struct task *task)
{
	char name[32];

	if (!json_array_size(task->results) || task->gone)
		return;
	snprintf(name, sizeof(name), "results.%d", task->files++);
	task->gone = !task_write(task->folder, name, task->results, 0600);
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

static bool read_rules(const json_t *line, struct pool_options *options)
{
	struct why why;

	if (!match_rules_read(&options->rules, line, &why)) {
		user_error("ladder task: %s", why.text);
		return false;
	}
	options->workers = (int)json_integer_value(json_object_get(line, "workers"));
	options->at_once = (int)json_integer_value(json_object_get(line, "at_once"));
	options->worker_mb_max =
		(int)json_integer_value(json_object_get(line, "worker_mb"));
	options->log_folder = json_string_value(json_object_get(line, "logs"));
	return options->workers > 0 && options->at_once > 0;
}

/* Bots go to the pool, jobs to the task. */
static bool read_jobs(struct task *task, const json_t *lines, struct pool *pool,
	const struct pool_options *options)
{
	const json_t *line;
	size_t i;

	task->job = xcalloc(json_array_size(lines), sizeof(*task->job));
	json_array_foreach(lines, i, line)
	{
		const char *kind = json_string_value(json_object_get(line, "t"));

		if (kind && !strcmp(kind, "bot"))
			pool_bot(pool, json_integer_value(json_object_get(line, "id")),
				json_string_value(json_object_get(line, "folder")),
				json_string_value(json_object_get(line, "name")),
				json_string_value(json_object_get(line, "hash")));
		if (kind && !strcmp(kind, "play") &&
			!pool_play_read(
				&task->job[task->count++], options->rules.seats, line))
			return false;
	}
	return true;
}

static bool hand_in_end(struct task *task, const char *why)
{
	hand_in(task);
	if (task->gone)
		return false;
	return task_write(task->folder, "end",
		json_pack("[{s:i,s:s?}]", "files", task->files, "why", why), 0600);
}

static int play(struct task *task, const json_t *lines, struct pool_options *options)
{
	const struct pool_client client = {
		.next = on_next, .done = on_done, .settle = on_settle, .context = task};
	struct pool *pool = pool_new(options);
	enum pool_end end;
	bool ok = read_jobs(task, lines, pool, options);

	if (!ok) {
		pool_free(&pool);
		return user_error("ladder task: %s/jobs makes no sense", task->folder);
	}
	end = pool_run(pool, &client);
	ok = hand_in_end(task, end == POOL_DONE     ? NULL
			       : end == POOL_FAILED ? pool_why(pool)
						    : "it was told to stop");
	pool_free(&pool);
	if (!ok)
		return user_error("ladder task: %s cannot be written; its host has given "
				  "it up, or the disk is full",
			task->folder);
	return end == POOL_DONE ? EXIT_OK : EXIT_FAILED;
}

int task_run(const char *folder)
{
	struct task task = {.folder = folder,
		.results = json_array(),
		.interval_ns = HAND_IN_NS_FIRST,
		.hand_in_at = time_now(&time_system) + HAND_IN_NS_FIRST};
	struct pool_options options = {0};
	char runtime[] = "/tmp/pigpen-XXXXXX";
	json_t *lines;
	int status = EXIT_USER;

	if (sodium_init() < 0)
		abort();
	lines = task_read(folder, "jobs");
	if (!lines || !read_rules(json_array_get(lines, 0), &options)) {
		user_error("ladder task: %s/jobs is not there; its host has given it up",
			folder);
	} else if (claim(folder)) {
		options.runtime = mkdtemp(runtime);
		if (options.runtime)
			status = play(&task, lines, &options);
		else
			user_error("ladder task: %s: %s", runtime, strerror(errno));
		remove_tree(runtime);
	}
	json_decref(task.results);
	json_decref(lines);
	free(task.job);
	return status;
}
