#include "arbiter/ladder/slurm/slurm.h"
#include "protocol/memory.h"
#include "arbiter/base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_MS_MAX 60000
#define JOB_PREFIX    "pigpen-"

/* Room for the fixed words of sbatch and the user's. */
#define WORDS_MAX (SLURM_EXTRA_MAX + 16)

struct answer {
	bool ok;
	char *out;       /* the caller's to free */
	char words[400]; /* the last line of stderr */
};

static char *read_all(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = xmalloc((size_t)size + 1);

	if (pread(fd, text, (size_t)size, 0) != size)
		abort();
	text[size] = 0;
	return text;
}

static void keep_last_line(char *text, char *line, size_t size)
{
	size_t length = strlen(text);
	const char *start;

	while (length && text[length - 1] == '\n')
		text[--length] = 0;
	start = strrchr(text, '\n');
	snprintf(line, size, "%s", start ? start + 1 : text);
}

_Noreturn static void become(char *const *argv, const int *fd)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* A ^C on the terminal is for the host alone. */
	setpgid(0, 0);
	for (int i = 0; i < 3; i++)
		dup2(fd[i], i);
	close_range(3, ~0u, 0);
	execvp(argv[0], argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static int wait_for(pid_t pid)
{
	const struct timespec pause = {0, 2000000};
	int status = -1;

	for (int ms = 0; waitpid(pid, &status, WNOHANG) == 0; ms += 2) {
		if (ms == ANSWER_MS_MAX)
			kill(pid, SIGKILL);
		nanosleep(&pause, NULL);
	}
	return status;
}

/* Input and output are files in memory: neither side ever waits for the other. */
static struct answer ask(const char *const *words, const char *input)
{
	struct answer answer = {.ok = false};
	int fd[3], status = -1;
	pid_t pid;
	char *error;

	for (int i = 0; i < 3; i++) {
		fd[i] = memfd_create("slurm", MFD_CLOEXEC);
		if (fd[i] < 0)
			abort();
	}
	if (input &&
		(write(fd[0], input, strlen(input)) < 0 || lseek(fd[0], 0, SEEK_SET)))
		abort();
	pid = fork();
	if (pid == 0)
		become((char *const *)words, fd);
	if (pid > 0)
		status = wait_for(pid);
	answer.ok = status == 0;
	answer.out = read_all(fd[1]);
	error = read_all(fd[2]);
	keep_last_line(error, answer.words, sizeof(answer.words));
	if (!answer.ok && !*answer.words)
		snprintf(answer.words, sizeof(answer.words), "no answer from %s",
			words[0]);
	free(error);
	for (int i = 0; i < 3; i++)
		close(fd[i]);
	return answer;
}

static bool on_path(const char *command)
{
	char *path = strdup(getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin"),
	     *rest = path;
	const char *folder;
	bool found = false;

	while ((folder = strsep(&rest, ":"))) {
		char file[4096];

		snprintf(file, sizeof(file), "%s/%s", folder, command);
		found |= access(file, X_OK) == 0;
	}
	free(path);
	return found;
}

bool slurm_available(struct why *why)
{
	static const char *const commands[] = {"sbatch", "squeue", "scancel", NULL};
	struct answer answer;

	for (int i = 0; commands[i]; i++)
		if (!on_path(commands[i]))
			return why_set(why,
				"--on slurm needs Slurm's command %s, which is not on "
				"the "
				"PATH; install it (on Debian: apt install slurm-client) "
				"and point it at your cluster, or run without --on slurm",
				commands[i]);
	answer = ask((const char *const[]){"squeue", "--me", "--noheader", NULL}, NULL);
	if (!answer.ok)
		why_set(why,
			"the cluster does not answer: %s; is slurmctld running, and does "
			"`squeue` work here?",
			answer.words);
	free(answer.out);
	return answer.ok;
}

/* Appends the text as one word of a shell. */
static void quote(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", out);
		else
			fputc(*text, out);
	fputc('\'', out);
}

static char *write_script(const char *folder)
{
	char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	fputs("#!/bin/sh\nexec ", out);
	quote(out, program_path());
	fputs(" ladder task ", out);
	quote(out, folder);
	fputs(".\"$SLURM_ARRAY_TASK_ID\"\n", out);
	xclose(out);
	return text;
}

bool slurm_submit(const struct slurm_options *options, uint64_t array, int count,
	int cores, const char *folder, const char *log, struct why *why)
{
	const char *words[WORDS_MAX] = {"sbatch", "--parsable", "--no-requeue",
		"--open-mode=append", "--chdir=/"};
	char name[64], indices[32], cpus[32], output[4200], partition[200];
	int n = 5;
	char *script = write_script(folder);
	struct answer answer;

	snprintf(name, sizeof(name), "--job-name=" JOB_PREFIX "%016llx",
		(unsigned long long)array);
	snprintf(indices, sizeof(indices), "--array=0-%d", count - 1);
	snprintf(cpus, sizeof(cpus), "--cpus-per-task=%d", cores);
	snprintf(output, sizeof(output), "--output=%s", log);
	words[n++] = name;
	words[n++] = indices;
	words[n++] = cpus;
	words[n++] = output;
	if (options->partition) {
		snprintf(partition, sizeof(partition), "--partition=%s",
			options->partition);
		words[n++] = partition;
	}
	for (int i = 0; options->extra[i]; i++)
		words[n++] = options->extra[i];
	answer = ask(words, script);
	if (!answer.ok)
		why_set(why, "%s", answer.words);
	free(answer.out);
	free(script);
	return answer.ok;
}

/* NAME|INDEX|STATE|REASON */
static bool read_state(char *line, struct slurm_state *state)
{
	static const char *const alive[] = {"PENDING", "RUNNING", "CONFIGURING",
		"COMPLETING", "SUSPENDED", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED",
		"RESIZING", "SIGNALING", "STAGE_OUT", "STOPPED", "SPECIAL_EXIT", NULL};
	const char *name = strsep(&line, "|"), *index = strsep(&line, "|");

	state->state = strsep(&line, "|");
	state->reason = line;
	if (!line || strncmp(name, JOB_PREFIX, strlen(JOB_PREFIX)))
		return false;
	state->array = strtoull(name + strlen(JOB_PREFIX), NULL, 16);
	state->index = atoi(index);
	state->pending = !strcmp(state->state, "PENDING");
	state->alive = false;
	for (int i = 0; alive[i]; i++)
		state->alive |= !strcmp(state->state, alive[i]);
	return true;
}

bool slurm_states(void (*each)(void *context, const struct slurm_state *state),
	void *context, struct why *why)
{
	struct answer answer =
		ask((const char *const[]){"squeue", "--me", "--array", "--noheader",
			    "--states=all", "--format=%j|%K|%T|%r", NULL},
			NULL);
	char *rest = answer.out, *line;
	struct slurm_state state;

	if (!answer.ok)
		why_set(why, "%s", answer.words);
	while (answer.ok && (line = strsep(&rest, "\n")))
		if (read_state(line, &state))
			each(context, &state);
	free(answer.out);
	return answer.ok;
}

void slurm_cancel(uint64_t array)
{
	char name[64];

	snprintf(name, sizeof(name), "--name=" JOB_PREFIX "%016llx",
		(unsigned long long)array);
	free(ask((const char *const[]){"scancel", "--me", "--quiet", name, NULL}, NULL)
			.out);
}
