/* The commands of Slurm, run as children. */
#include "arbiter/ladder/slurm/slurm.h"
#include "arbiter/base/child.h"
#include "arbiter/base/program.h"
#include "arbiter/base/time.h"
#include "protocol/memory.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_MS_MAX 60000
#define LOOK_MS       2
#define JOB_PREFIX    "pigpen-"

/* Room for the fixed words of sbatch and the user's. */
#define WORDS_MAX (SLURM_EXTRA_MAX + 16)

struct answer {
	bool ok;
	char *out;      /* the caller's to free */
	struct why why; /* the last line of stderr */
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

static void keep_last_line(char *text, struct why *why)
{
	size_t length = strlen(text);
	const char *start;

	while (length && text[length - 1] == '\n')
		text[--length] = 0;
	start = strrchr(text, '\n');
	why_set(why, "%s", start ? start + 1 : text);
}

static int wait_for(struct child *child)
{
	const struct timespec pause = {0, LOOK_MS * NS_PER_MS};
	int status = -1;

	for (int ms = 0; !child_ended(child, &status); ms += LOOK_MS) {
		if (ms == ANSWER_MS_MAX)
			kill(child->pid, SIGKILL);
		nanosleep(&pause, NULL);
	}
	return status;
}

/* Input and output are files in memory: neither side ever waits for the other. */
static void open_streams(struct child *child, const char *input)
{
	int *fd[] = {&child->input_fd, &child->output_fd, &child->error_fd};

	child->input = child->output = child->error = CHILD_FD;
	for (int i = 0; i < 3; i++) {
		*fd[i] = memfd_create("slurm", MFD_CLOEXEC);
		if (*fd[i] < 0)
			abort();
	}
	if (input && (write(child->input_fd, input, strlen(input)) < 0 ||
			     lseek(child->input_fd, 0, SEEK_SET)))
		abort();
}

static struct answer ask(const char *const *words, const char *input)
{
	/* A ^C on the terminal is for the host alone, and what was asked for is done even
	 * if the host is killed. */
	struct child child = {
		.argv = (char *const *)words, .own_group = true, .survives = true};
	struct answer answer = {.ok = false};
	char *error;
	int err;

	open_streams(&child, input);
	err = child_start(&child);
	answer.ok = !err && wait_for(&child) == 0;
	answer.out = read_all(child.output_fd);
	error = read_all(child.error_fd);
	keep_last_line(error, &answer.why);
	if (err)
		why_set(&answer.why, "%s: %s", words[0], strerror(err));
	else if (!answer.ok && !*answer.why.text)
		why_set(&answer.why, "no answer from %s", words[0]);
	free(error);
	close(child.input_fd);
	close(child.output_fd);
	close(child.error_fd);
	return answer;
}

static bool on_path(const char *command)
{
	char *path = xstrdup(getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
	char *rest = path;
	const char *folder;
	bool found = false;

	while ((folder = strsep(&rest, ":"))) {
		char *file = xasprintf("%s/%s", folder, command);

		found |= access(file, X_OK) == 0;
		free(file);
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
				"--on slurm needs Slurm's command %s, which "
				"is not on the PATH; install it (on Debian: "
				"apt install slurm-client) and point it at "
				"your cluster, or run without --on slurm",
				commands[i]);
	answer = ask((const char *const[]){"squeue", "--me", "--noheader", NULL}, NULL);
	if (!answer.ok)
		why_set(why,
			"the cluster does not answer: %s; is slurmctld running, and does "
			"`squeue` work here?",
			answer.why.text);
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
	char *made[] = {
		xasprintf("--job-name=" JOB_PREFIX "%016llx", (unsigned long long)array),
		xasprintf("--array=0-%d", count - 1),
		xasprintf("--cpus-per-task=%d", cores),
		xasprintf("--output=%s", log),
		options->partition ? xasprintf("--partition=%s", options->partition)
				   : NULL,
		write_script(folder),
	};
	struct answer answer;
	int n = 5;

	for (int i = 0; i < 5 && made[i]; i++)
		words[n++] = made[i];
	for (int i = 0; options->extra[i]; i++)
		words[n++] = options->extra[i];
	answer = ask(words, made[5]);
	if (!answer.ok)
		why_set(why, "%s", answer.why.text);
	free(answer.out);
	for (int i = 0; i < 6; i++)
		free(made[i]);
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
		why_set(why, "%s", answer.why.text);
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
