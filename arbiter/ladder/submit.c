#include "arbiter/ladder/submit.h"
#include "arbiter/cmd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEPTH_MAX     32
#define BUILD_S_MAX   600
#define PATH_ROOM     (LADDER_PATH_MAX + 300)
#define STAGING_NAME  ".new-XXXXXX"
#define MANIFEST_NAME "bot.json"

static bool copy_file(const char *from, const char *to, const struct stat *info)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = in < 0 ? -1
			 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
				   info->st_mode & 0111 ? 0755 : 0644);
	ssize_t n = 1;
	bool ok = out >= 0;

	while (ok && n > 0)
		n = sendfile(out, in, NULL, 1 << 24);
	ok = ok && n == 0;
	if (in >= 0)
		close(in);
	if (out >= 0)
		ok = close(out) == 0 && ok;
	return ok;
}

static int keep(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, "__pycache__") != 0;
}

static bool copy_level(
	const char *from, const char *to, int depth, char *why, size_t why_size);

static bool copy_entry(const char *from, const char *to, const char *name, int depth,
	char *why, size_t why_size)
{
	char source[PATH_ROOM], target[PATH_ROOM];
	struct stat info;
	bool ok = snprintf(source, sizeof(source), "%s/%s", from, name) < PATH_ROOM &&
		  snprintf(target, sizeof(target), "%s/%s", to, name) < PATH_ROOM &&
		  lstat(source, &info) == 0;

	/* A link of a stranger's may point at what only we may read. */
	if (ok && S_ISLNK(info.st_mode)) {
		snprintf(why, why_size,
			"%.400s is a symbolic link; put the file itself in its place",
			source);
		return false;
	}
	if (ok && S_ISDIR(info.st_mode))
		return copy_level(source, target, depth + 1, why, why_size);
	if (ok && S_ISREG(info.st_mode))
		ok = copy_file(source, target, &info);
	if (!ok)
		snprintf(why, why_size, "%.400s cannot be copied: %s", source,
			strerror(errno));
	return ok;
}

static bool copy_level(
	const char *from, const char *to, int depth, char *why, size_t why_size)
{
	struct dirent **entries;
	int n = depth < DEPTH_MAX && make_folder(to)
			? scandir(from, &entries, keep, alphasort)
			: -1;
	bool ok = n >= 0;

	if (n < 0)
		snprintf(why, why_size, "%.400s cannot be copied: %s", from,
			depth < DEPTH_MAX ? strerror(errno)
					  : "too many folders in folders");
	for (int i = 0; i < n; i++) {
		ok = ok && copy_entry(from, to, entries[i]->d_name, depth, why, why_size);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return ok;
}

bool copy_tree(const char *from, const char *to, char *why, size_t why_size)
{
	return copy_level(from, to, 0, why, why_size);
}

/* Shows what a command wrote before it failed. */
static void show_output(int fd)
{
	char bytes[4096];
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		fwrite(bytes, 1, (size_t)n, stderr);
}

/* Runs a command in a folder, in a sandbox or not; its output is shown if it fails. True
 * if it exits with 0. */
static bool run_command(
	char *const *argv, const char *folder, bool boxed, int seconds_max)
{
	int output = memfd_create("output", MFD_CLOEXEC), status = -1;
	bool ok;

	if (output >= 0)
		status = sandbox_run_build(argv, folder, boxed, seconds_max, output);
	ok = status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	if (!ok && output >= 0)
		show_output(output);
	if (output >= 0)
		close(output);
	return ok;
}

/* The words of "build" in a bot.json; false: there are none. */
static bool build_words(const char *folder, char *words[BOT_WORDS_MAX + 1], json_t **root)
{
	char path[2 * PATH_ROOM];
	json_t *build;

	snprintf(path, sizeof(path), "%s/" MANIFEST_NAME, folder);
	*root = json_load_file(path, 0, NULL);
	build = json_object_get(*root, "build");
	memset(words, 0, (BOT_WORDS_MAX + 1) * sizeof(*words));
	if (json_is_string(build)) {
		words[0] = "/bin/sh";
		words[1] = "-c";
		words[2] = (char *)json_string_value(build);
	}
	for (size_t i = 0; json_is_array(build) && i < BOT_WORDS_MAX; i++)
		words[i] = (char *)json_string_value(json_array_get(build, i));
	return words[0] != NULL;
}

static bool build(const char *folder, bool boxed, char *why, size_t why_size)
{
	char *words[BOT_WORDS_MAX + 1];
	json_t *root;
	bool ok = !build_words(folder, words, &root) ||
		  run_command(words, folder, boxed, BUILD_S_MAX);

	if (!ok)
		snprintf(why, why_size,
			"build: '%s …' failed or took more than %d s; its output is "
			"above",
			words[0], BUILD_S_MAX);
	json_decref(root);
	return ok;
}

static bool check(const char *folder, const struct match_rules *rules, bool boxed,
	char *why, size_t why_size)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char limits[160];
	char *argv[] = {self, "check", (char *)folder, "--game", (char *)rules->game->id,
		"--sandbox", boxed ? "require" : "off", "--limits", limits, NULL};

	self[n > 0 ? n : 0] = 0;
	sandbox_limits_format(&rules->limits, limits, sizeof(limits));
	if (run_command(argv, "/", false, BUILD_S_MAX))
		return true;
	snprintf(why, why_size,
		"check: `pigpen check` found the bot wanting; the step is named above");
	return false;
}

/* A folder to copy: the bot's own, or for a lone executable one made for it. */
static bool find_source(
	const char *what, char source[PATH_MAX], bool *lone, char *why, size_t why_size)
{
	struct bot_spec spec;
	struct stat info;

	*lone = false;
	if (realpath(what, source) && stat(source, &info) == 0) {
		*lone = !S_ISDIR(info.st_mode);
		if (!*lone)
			return true;
	}
	if (!bot_spec_load(&spec, what, why, why_size))
		return false;
	snprintf(source, PATH_MAX, "%s", *lone ? spec.command[0] : spec.folder);
	bot_spec_release(&spec);
	return true;
}

static bool copy_lone(const char *source, const char *to)
{
	const char *name = strrchr(source, '/') + 1;
	char path[2 * PATH_ROOM], command[300];
	struct stat info;
	json_t *root = json_object(), *words = json_array();
	bool ok;

	snprintf(path, sizeof(path), "%s/%s", to, name);
	ok = make_folder(to) && stat(source, &info) == 0 &&
	     copy_file(source, path, &info);
	snprintf(command, sizeof(command), "./%s", name);
	json_array_append_new(words, json_string(command));
	json_object_set_new(root, "name", json_string(name));
	json_object_set_new(root, "command", words);
	snprintf(path, sizeof(path), "%s/" MANIFEST_NAME, to);
	ok = ok && json_dump_file(root, path, 0) == 0;
	json_decref(root);
	return ok;
}

/* What bot.json, or the name of the folder, says before anything is built. */
static void name_of(const char *source, bool lone, char name[65])
{
	char path[PATH_ROOM];
	const char *text;
	json_t *root;

	snprintf(path, sizeof(path), "%s/" MANIFEST_NAME, source);
	root = lone ? NULL : json_load_file(path, 0, NULL);
	text = json_string_value(json_object_get(root, "name"));
	snprintf(name, 65, "%.64s", text ? text : strrchr(source, '/') + 1);
	for (char *c = name; *c; c++)
		if (*c == '/')
			*c = '_';
	json_decref(root);
}

static void fill_entrant(struct store_entrant *entrant, const struct bot_spec *spec)
{
	snprintf(entrant->name, sizeof(entrant->name), "%s", spec->name);
	snprintf(entrant->version, sizeof(entrant->version), "%s", spec->version);
	snprintf(entrant->author, sizeof(entrant->author), "%s", spec->author);
	snprintf(entrant->language, sizeof(entrant->language), "%s", spec->language);
}

/* Builds and checks the copy in `staging` and reads what it is. */
static bool prove(const struct ladder *ladder, const char *staging, bool checked,
	struct store_entrant *entrant, char *why, size_t why_size)
{
	const struct match_rules *rules = &ladder->config.rules;
	struct bot_spec spec;
	bool ok, boxed;

	if (sandbox_settle(rules->sandbox, &boxed)) {
		snprintf(why, why_size, "a bot is built and checked in a sandbox");
		return false;
	}
	if (!build(staging, boxed, why, why_size) ||
		!bot_spec_load(&spec, staging, why, why_size))
		return false;
	fill_entrant(entrant, &spec);
	ok = bot_spec_plays(&spec, rules->game->id);
	bot_spec_release(&spec);
	if (!ok)
		snprintf(why, why_size,
			"%s does not play %s; its bot.json lists the games it plays "
			"under "
			"\"games\"",
			entrant->name, rules->game->id);
	return ok && (!checked || check(staging, rules, boxed, why, why_size));
}

bool submit_bot(struct ladder *ladder, const char *what, bool checked,
	struct store_entrant *entrant, char *why, size_t why_size)
{
	char source[PATH_MAX], name[65], relative[160];
	char parent[LADDER_PATH_MAX], staging[PATH_ROOM], place[LADDER_PATH_MAX];
	bool lone, ok;

	memset(entrant, 0, sizeof(*entrant));
	if (!find_source(what, source, &lone, why, why_size) ||
		!bot_hash(source, entrant->hash, why, why_size))
		return false;
	name_of(source, lone, name);
	snprintf(relative, sizeof(relative), "bots/%s", name);
	ladder_file(ladder, relative, parent);
	snprintf(staging, sizeof(staging), "%s/" STAGING_NAME, parent);
	/* In its sandbox the bot is another user. */
	if (!make_folder(parent) || !mkdtemp(staging) || chmod(staging, 0755)) {
		snprintf(why, why_size, "%.400s: %s", parent, strerror(errno));
		return false;
	}
	ok = lone ? copy_lone(source, staging)
		  : copy_tree(source, staging, why, why_size);
	ok = ok && prove(ladder, staging, checked, entrant, why, why_size);
	if (ok) {
		ladder_bot_folder(entrant, relative, sizeof(relative));
		ladder_file(ladder, relative, place);
		/* It may be there from an earlier time: then it stays as it is. */
		if (rename(staging, place) && access(place, F_OK)) {
			snprintf(why, why_size, "%.400s: %s", place, strerror(errno));
			ok = false;
		}
	}
	remove_tree(staging);
	rmdir(parent);
	return ok;
}
