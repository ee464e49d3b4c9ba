/* `pigpen ladder site DIR… OUT`: writes the pages of `pigpen serve` as files. */
#include "arbiter/cmd/cmd.h"
#include "arbiter/cmd/ladder.h"
#include "arbiter/base/files.h"
#include "arbiter/web/site/site.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MATCHES_DEFAULT 500

struct site_command {
	char **names;
	int count;
	int64_t matches;
};

struct writing {
	struct site *site;
	const char *out;
	int64_t files, bytes;
	char why[PATH_MAX + 256]; /* "": no error */
};

static const struct argp_option argp_options[] = {
	{"matches", 'm', "N", 0, "write the newest N matches with their replays (500)",
		0},
	{0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct site_command *command = state->input;
	char *end;

	switch (key) {
	case 'm':
		command->matches = strtoll(text, &end, 10);
		if (end == text || *end || command->matches < 0)
			argp_error(
				state, "--matches is a number from 0 on, not '%s'", text);
		return 0;
	case ARGP_KEY_ARG:
		command->names[command->count++] = text;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {argp_options, parse, "DIR… OUT",
	"Writes the pages of `pigpen serve` as files to the folder OUT, for "
	"any web host. All matches are listed; older ones have no page of their own.",
	NULL, NULL, NULL};

static bool copy_answer(const struct http_answer *answer, FILE *file)
{
	char block[65536];
	ssize_t n;

	if (answer->bytes)
		return fwrite(answer->bytes, 1, answer->size, file) == answer->size;
	for (off_t at = 0; (n = pread(answer->file, block, sizeof(block), at)) > 0;
		at += n)
		if (fwrite(block, 1, (size_t)n, file) != (size_t)n)
			return false;
	return n == 0;
}

static void write_path(void *context, const char *path)
{
	struct writing *writing = context;
	struct http_answer answer;
	char name[PATH_MAX];
	FILE *file = NULL;
	bool ok;

	if (*writing->why)
		return;
	site_answer(writing->site, path, NULL, &answer);
	/* A match whose replay was not kept. */
	if (answer.status == 404) {
		http_answer_release(&answer);
		return;
	}
	snprintf(name, sizeof(name), "%s%s", writing->out, path);
	ok = answer.status == 200 && make_folders_for(name) && (file = fopen(name, "we"));
	ok = ok && copy_answer(&answer, file);
	if (file && fclose(file))
		ok = false;
	if (!ok)
		snprintf(writing->why, sizeof(writing->why), "%s: %s", name,
			answer.status == 200 ? strerror(errno)
					     : "the ladder cannot be read just now");
	writing->files++;
	writing->bytes += (int64_t)answer.size;
	http_answer_release(&answer);
}

static int write_site(const struct site_command *command)
{
	struct writing writing = {.out = command->names[command->count - 1]};
	struct why why;
	char ladder[PATH_MAX];

	/* Otherwise the ladder's key and tokens would be copied to the web host too. */
	snprintf(ladder, sizeof(ladder), "%s/ladder.json", writing.out);
	if (access(ladder, F_OK) == 0)
		return user_error(
			"%s is a ladder; name another folder to write to", writing.out);
	writing.site = site_open(command->names, command->count - 1, false, &why);
	if (!writing.site)
		return user_error("%s", why.text);
	if (!site_list_paths(writing.site, command->matches, write_path, &writing, &why))
		utf8_format(writing.why, sizeof(writing.why), "%s", why.text);
	site_close(&writing.site);
	if (*writing.why)
		return user_error("%s", writing.why);
	printf("%lld files, %.1f MB in %s: copy them to any web host\n",
		(long long)writing.files, (double)writing.bytes / 1e6, writing.out);
	return EXIT_OK;
}

int cmd_ladder_site(int argc, char **argv)
{
	struct site_command command = {.matches = MATCHES_DEFAULT};
	int status;

	command.names = xcalloc((size_t)argc + 1, sizeof(*command.names));
	argp_parse(&argp, argc, argv, 0, NULL, &command);
	status = command.count < 2
			 ? user_error("name a ladder's directory and the folder to write "
				      "to: pigpen ladder site DIR OUT")
			 : write_site(&command);
	free(command.names);
	return status;
}
