/* The processes of the pool: starting, talking, ending. */
#include "arbiter/ladder/workers/pool_internal.h"
#include "arbiter/ladder/workers/worker.h"
#include "arbiter/loop/loop.h"
#include "protocol/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define END_MS_MAX 15000

/* The soft limit alone: bots get theirs by other means and must not inherit this one. */
static void cap_memory(int mb_max)
{
	struct rlimit limit;

#ifdef __SANITIZE_ADDRESS__
	/* Its shadow memory alone is far beyond any cap. */
	mb_max = 0;
#endif
	if (!mb_max || getrlimit(RLIMIT_AS, &limit))
		return;
	limit.rlim_cur = (rlim_t)mb_max << 20;
	if (limit.rlim_max == RLIM_INFINITY || limit.rlim_cur < limit.rlim_max)
		setrlimit(RLIMIT_AS, &limit);
}

_Noreturn static void become_worker(
	const struct pool_options *options, int input, int output, const char *log)
{
	static char *const argv[] = {"pigpen", "ladder", "worker", NULL};
	int error = log ? open(log, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
	sigset_t none;

	/* One that stands still must notice that its coordinator is gone. */
	prctl(PR_SET_PDEATHSIG, SIGCONT);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* A ^C on the terminal is for the coordinator alone. */
	setpgid(0, 0);
	dup2(input, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	if (error >= 0)
		dup2(error, STDERR_FILENO);
	close_range(3, ~0u, 0);
	setenv("XDG_RUNTIME_DIR", options->runtime, 1);
	cap_memory(options->worker_mb_max);
	execv("/proc/self/exe", argv);
	_exit(127);
}

bool worker_start(struct pool *pool, struct pool_worker *worker)
{
	int input[2], output[2];
	char log[4200];
	json_t *rules;
	pid_t pid;

	if (pipe2(input, O_CLOEXEC))
		return false;
	if (pipe2(output, O_CLOEXEC)) {
		close(input[0]);
		close(input[1]);
		return false;
	}
	if (pool->options.log_folder)
		snprintf(log, sizeof(log), "%s/workers.log", pool->options.log_folder);
	pid = fork();
	if (pid == 0)
		become_worker(&pool->options, input[0], output[1],
			pool->options.log_folder ? log : NULL);
	close(input[0]);
	close(output[1]);
	if (pid < 0) {
		close(input[1]);
		close(output[0]);
		return false;
	}
	fcntl(output[0], F_SETFL, O_NONBLOCK);
	*worker = (struct pool_worker){.pid = pid, .to = input[1]};
	lines_init(&worker->from, output[0], WORKER_LINE_MAX);
	rules = pool_rules_line(&pool->options);
	if (pool->options.listen && worker == pool->worker) {
		json_object_set_new(rules, "listen", json_string(pool->options.listen));
		json_object_set_new(rules, "key", json_string(pool->options.key_path));
	}
	lines_write_json(worker->to, rules);
	worker_send_remotes(pool, worker);
	return true;
}

static void send_bot(struct pool *pool, struct pool_worker *worker, int64_t id)
{
	const struct pool_bot *bot = pool_find_bot(pool, id);
	int index;

	if (!bot)
		abort();
	index = (int)(bot - pool->bot);
	if (index >= worker->knows_size) {
		worker->knows = xrealloc(worker->knows, (size_t)pool->bots);
		memset(worker->knows + worker->knows_size, 0,
			(size_t)(pool->bots - worker->knows_size));
		worker->knows_size = pool->bots;
	}
	if (worker->knows[index])
		return;
	worker->knows[index] = true;
	lines_write_json(worker->to, pool_bot_line(bot));
}

void worker_send_remotes(struct pool *pool, struct pool_worker *worker)
{
	if (!pool->options.listen || worker != pool->worker || !worker->pid)
		return;
	for (int i = 0; i < pool->bots; i++)
		if (*pool->bot[i].remote)
			send_bot(pool, worker, pool->bot[i].id);
}

/* How often it may still be late on a starved host, over all workers. */
static int64_t excuses_left(const struct pool_bot *bot)
{
	int64_t left = LOOP_EXCUSES + bot->matches / LOOP_EXCUSE_MATCHES - bot->excused;

	return left > 0 ? left : 0;
}

void worker_send(
	struct pool *pool, struct pool_worker *worker, const struct assignment *a)
{
	int seats = pool->options.rules.seats;
	json_t *line = pool_play_line(&a->job, a->number, seats, a->barred);
	json_t *excuses = json_array();

	for (int seat = 0; seat < seats; seat++) {
		send_bot(pool, worker, a->job.bot[seat]);
		json_array_append_new(excuses, json_integer(excuses_left(pool_find_bot(
						       pool, a->job.bot[seat]))));
	}
	json_object_set_new(line, "excuses", excuses);
	/* If it is gone, its end of file says so next. */
	lines_write_json(worker->to, line);
}

void worker_note(
	const struct pool *pool, const struct pool_worker *worker, const char *what)
{
	char path[4200];
	FILE *log;

	if (!pool->options.log_folder)
		return;
	snprintf(path, sizeof(path), "%s/workers.log", pool->options.log_folder);
	log = fopen(path, "ae");
	if (!log)
		return;
	fprintf(log, "pigpen: worker %d %s; %d matches were under way\n",
		(int)worker->pid, what, worker->count);
	fclose(log);
}

void worker_tell_end(struct pool_worker *worker)
{
	if (worker->pid && worker->to >= 0)
		close(worker->to);
	worker->to = -1;
}

int worker_end(struct pool_worker *worker, bool kill_now)
{
	const struct timespec pause = {0, 5 * NS_PER_MS};
	int status = 0;

	if (!worker->pid)
		return 0;
	worker_tell_end(worker);
	if (kill_now)
		kill(worker->pid, SIGKILL);
	for (int ms = 0; waitpid(worker->pid, &status, WNOHANG) == 0; ms += 5) {
		if (ms == END_MS_MAX)
			kill(worker->pid, SIGKILL);
		nanosleep(&pause, NULL);
	}
	close(worker->from.fd);
	lines_release(&worker->from);
	free(worker->knows);
	worker->knows = NULL;
	worker->knows_size = 0;
	worker->pid = 0;
	return status;
}
