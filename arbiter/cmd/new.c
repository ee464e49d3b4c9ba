/*
 * `pigpen new`: writes a complete bot from a template.
 *
 * A template is a folder sample_bots/templates/LANGUAGE. Its template.json says
 *
 *     {"about": "one line for the list",
 *      "edit": "the file that decides what the bot plays",
 *      "first": "shell command to be run once in the folder, if there is one",
 *      "copy": {"file in the bot": "file, relative to sample_bots"},
 *      "needs": [["shell command that succeeds if it is there", "package"]]}
 *
 * and all its other files are copied, with @NAME@ replaced by the bot's name.
 */
#include "arbiter/bots/bot_spec.h"
#include "arbiter/cmd/cmd.h"
#include "protocol/utf8.h"
#include "protocol/memory.h"

#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <jansson.h>

#define PLACEHOLDER "@NAME@"
#define PATH_SIZE   (PATH_MAX + 512)

struct scaffold {
	const char *language, *target;
	int words;
	char samples[PATH_MAX]; /* where the sample bots are */
	char folder[PATH_SIZE]; /* of the template */
	char name[65];
	json_t *manifest;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct scaffold *scaffold = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (scaffold->words == 0)
		scaffold->language = arg;
	else if (scaffold->words == 1)
		scaffold->target = arg;
	scaffold->words++;
	return 0;
}

static json_t *read_manifest(const char *samples, const char *language)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%s/templates/%s/template.json", samples, language);
	return json_load_file(path, 0, NULL);
}

static void print_languages(FILE *out, const char *samples)
{
	char path[PATH_SIZE];
	struct dirent **entries;
	int count;

	snprintf(path, sizeof(path), "%s/templates", samples);
	count = scandir(path, &entries, NULL, alphasort);
	fputs("The languages are:\n", out);
	for (int i = 0; i < count; i++) {
		json_t *manifest = read_manifest(samples, entries[i]->d_name);

		if (manifest)
			fprintf(out, "  %-12s %s\n", entries[i]->d_name,
				json_string_value(json_object_get(manifest, "about")));
		json_decref(manifest);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/* Makes the folder, or checks that it is empty. */
static int make_target(const char *target)
{
	struct dirent **entries;
	int count;

	if (mkdir(target, 0777) == 0)
		return EXIT_OK;
	if (errno != EEXIST)
		return user_error(
			"new: cannot make the folder %s: %s", target, strerror(errno));
	count = scandir(target, &entries, NULL, NULL);
	if (count < 0)
		return user_error(
			"new: %s: %s; name a new folder", target, strerror(errno));
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	/* An empty folder holds itself and its parent. */
	if (count > 2)
		return user_error(
			"new: %s exists and is not empty; name a new folder", target);
	return EXIT_OK;
}

/* Derives the bot's name from the folder's, with the allowed characters. */
static void make_name(struct scaffold *scaffold)
{
	char path[PATH_MAX];
	const char *base = "bot";

	if (realpath(scaffold->target, path) && strrchr(path, '/')[1])
		base = strrchr(path, '/') + 1;
	while (*base == '.')
		base++;
	utf8_format(scaffold->name, sizeof(scaffold->name), "%s", *base ? base : "bot");
	for (char *c = scaffold->name; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+",
			    *c))
			*c = '-';
}

/* Reads a whole file, ended with NUL; NULL: see errno. */
static char *read_file(const char *path, mode_t *mode)
{
	FILE *file = fopen(path, "rb");
	struct stat info;
	char *text = NULL;

	if (!file)
		return NULL;
	if (fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode)) {
		text = xcalloc(1, (size_t)info.st_size + 1);
		if (fread(text, 1, (size_t)info.st_size, file) != (size_t)info.st_size) {
			free(text);
			text = NULL;
		}
		*mode = info.st_mode & 0777;
	}
	fclose(file);
	return text;
}

static void write_named(FILE *file, const char *text, const char *name)
{
	const char *at;

	while ((at = strstr(text, PLACEHOLDER))) {
		fwrite(text, 1, (size_t)(at - text), file);
		fputs(name, file);
		text = at + strlen(PLACEHOLDER);
	}
	fputs(text, file);
}

static int copy_file(const struct scaffold *scaffold, const char *from, const char *to)
{
	mode_t mode = 0666;
	char *text = read_file(from, &mode);
	FILE *file;
	int fd;

	if (!text)
		return user_error("new: cannot read %s: %s", from, strerror(errno));
	fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode | 0600);
	file = fd >= 0 ? fdopen(fd, "wb") : NULL;
	if (!file) {
		free(text);
		return user_error("new: cannot write %s: %s", to, strerror(errno));
	}
	write_named(file, text, scaffold->name);
	free(text);
	if (fclose(file))
		return user_error("new: cannot write %s: %s", to, strerror(errno));
	return EXIT_OK;
}

static int copy_template(const struct scaffold *scaffold)
{
	char from[PATH_SIZE + 512], to[PATH_SIZE];
	struct dirent **entries;
	int count = scandir(scaffold->folder, &entries, NULL, alphasort);
	int status = EXIT_OK;

	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		snprintf(from, sizeof(from), "%s/%s", scaffold->folder, name);
		snprintf(to, sizeof(to), "%s/%s", scaffold->target, name);
		if (!status && name[0] != '.' && strcmp(name, "template.json"))
			status = copy_file(scaffold, from, to);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return status;
}

/* Copies files from elsewhere, such as the SDK: a bot's folder is self-contained. */
static int copy_others(const struct scaffold *scaffold)
{
	char from[PATH_SIZE], to[PATH_SIZE], *slash;
	const char *name;
	json_t *source;

	json_object_foreach(json_object_get(scaffold->manifest, "copy"), name, source)
	{
		snprintf(from, sizeof(from), "%s/%s", scaffold->samples,
			json_string_value(source));
		snprintf(to, sizeof(to), "%s/%s", scaffold->target, name);
		slash = strrchr(to, '/');
		*slash = 0;
		mkdir(to, 0777);
		*slash = '/';
		if (copy_file(scaffold, from, to))
			return EXIT_USER;
	}
	return EXIT_OK;
}

static bool is_there(const char *command)
{
	char quiet[512];

	snprintf(quiet, sizeof(quiet), "{ %s; } >/dev/null 2>&1 </dev/null", command);
	return system(quiet) == 0;
}

static void print_missing(const struct scaffold *scaffold)
{
	json_t *need;
	size_t i;
	bool any = false;

	json_array_foreach(json_object_get(scaffold->manifest, "needs"), i, need)
	{
		if (is_there(json_string_value(json_array_get(need, 0))))
			continue;
		if (!any)
			printf("\nMissing on this machine; on Debian:\n"
			       "  apt-get install");
		printf(" %s", json_string_value(json_array_get(need, 1)));
		any = true;
	}
	if (any)
		putchar('\n');
}

static void print_next(const struct scaffold *scaffold)
{
	char path[PATH_SIZE];
	const char *first =
		json_string_value(json_object_get(scaffold->manifest, "first"));
	json_t *bot, *word;
	size_t i;

	printf("%s is a bot named %s; what it plays is decided in %s/%s.\n",
		scaffold->target, scaffold->name, scaffold->target,
		json_string_value(json_object_get(scaffold->manifest, "edit")));
	print_missing(scaffold);
	puts("\nNext:");
	if (first)
		printf("  (cd %s && %s)\n", scaffold->target, first);
	snprintf(path, sizeof(path), "%s/bot.json", scaffold->target);
	bot = json_load_file(path, 0, NULL);
	if (json_object_get(bot, "build")) {
		printf("  (cd %s &&", scaffold->target);
		json_array_foreach(json_object_get(bot, "build"), i, word)
			printf(" %s", json_string_value(word));
		puts(")");
	}
	json_decref(bot);
	printf("  pigpen match dirty_pig %s random\n", scaffold->target);
}

int cmd_new(int argc, char **argv)
{
	static const struct argp argp = {NULL, parse, "LANGUAGE FOLDER",
		"Writes a complete bot to start from. Without arguments, lists the languages.\v"
		"Examples:\n"
		"  pigpen new\n"
		"  pigpen new python mybot",
		NULL, NULL, NULL};
	struct scaffold scaffold = {0};
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &scaffold);
	bot_samples_folder(scaffold.samples, sizeof(scaffold.samples));
	if (scaffold.words == 0) {
		print_languages(stdout, scaffold.samples);
		return EXIT_OK;
	}
	if (scaffold.words != 2) {
		status = user_error("new: name a language and a folder: "
				    "`pigpen new LANGUAGE FOLDER`");
		print_languages(stderr, scaffold.samples);
		return status;
	}
	if (!strchr(scaffold.language, '/'))
		scaffold.manifest = read_manifest(scaffold.samples, scaffold.language);
	if (!scaffold.manifest) {
		status = user_error("new: there is no template for the language '%s'",
			scaffold.language);
		print_languages(stderr, scaffold.samples);
		return status;
	}
	snprintf(scaffold.folder, sizeof(scaffold.folder), "%s/templates/%s",
		scaffold.samples, scaffold.language);
	status = make_target(scaffold.target);
	if (!status) {
		make_name(&scaffold);
		status = copy_template(&scaffold);
	}
	if (!status)
		status = copy_others(&scaffold);
	if (!status)
		print_next(&scaffold);
	json_decref(scaffold.manifest);
	return status;
}
