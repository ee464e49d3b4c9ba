/* Admission of one bot: found, copied, built, checked, put in its place. */
#include "arbiter/ladder/submit/admission.h"
#include "arbiter/base/files.h"
#include "arbiter/base/json_text.h"
#include "arbiter/base/program.h"
#include "arbiter/ladder/directory/owner.h"
#include "arbiter/ladder/submit/unpack.h"
#include "protocol/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BUILD_S_MAX   600
#define PATH_ROOM     (LADDER_PATH_MAX + 300)
#define OUTPUT_KEPT   32768
#define WORK_NAME     ".new-XXXXXX"
#define MANIFEST_NAME "bot.json"

/* Shows what a command wrote before it failed. */
static void show_output(int fd)
{
	char bytes[4096];
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		fwrite(bytes, 1, (size_t)n, stderr);
}

/* The end of what a command wrote, as JSON: what it printed as such, or a text. */
static json_t *read_output(int fd)
{
	static char text[OUTPUT_KEPT + 1];
	off_t size = lseek(fd, 0, SEEK_END);
	ssize_t n =
		pread(fd, text, OUTPUT_KEPT, size > OUTPUT_KEPT ? size - OUTPUT_KEPT : 0);
	json_t *json;

	text[n > 0 ? n : 0] = 0;
	json = json_loads(text, 0, NULL);
	return json ? json : json_of_bytes(text, strlen(text));
}

/* Runs a command in a folder, in a sandbox or not. What it wrote goes into the report
 * under `key`, or is shown if it fails. True if it exits with 0. */
static bool run_command(const struct admission_order *order, const char *key,
	char *const *argv, const char *folder, bool boxed)
{
	int output = memfd_create("output", MFD_CLOEXEC), status = -1;
	bool ok;

	if (output >= 0)
		status = sandbox_run_build(argv, folder, boxed, BUILD_S_MAX, output);
	ok = status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	if (order->report && output >= 0)
		json_object_set_new(order->report, key, read_output(output));
	else if (!ok && output >= 0)
		show_output(output);
	if (output >= 0)
		close(output);
	return ok;
}

static void tell(const struct admission_order *order, const char *stage)
{
	if (order->stage)
		order->stage(order->context, stage);
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

static bool build(const struct admission_order *order, const char *folder, bool boxed,
	struct why *why)
{
	char *words[BOT_WORDS_MAX + 1];
	json_t *root;
	bool ok = !build_words(folder, words, &root) ||
		  run_command(order, "build", words, folder, boxed);

	if (!ok)
		why_set(why,
			"build: '%s …' failed or took more than %d s; its output is %s",
			words[0], BUILD_S_MAX, order->report ? "below" : "above");
	json_decref(root);
	return ok;
}

static bool check(const struct admission_order *order, const char *folder,
	const struct match_rules *rules, bool boxed, struct why *why)
{
	char limits[160];
	char *argv[] = {(char *)program_path(), "check", (char *)folder, "--game",
		(char *)rules->game->id, "--sandbox", boxed ? "require" : "off",
		"--limits", limits, order->report ? "--json" : NULL, NULL};

	sandbox_limits_format(&rules->limits, limits, sizeof(limits));
	tell(order, "checking");
	if (run_command(order, "check", argv, "/", false))
		return true;
	return why_set(why, "check: the bot failed `pigpen check`; the step is named %s",
		order->report ? "below" : "above");
}

/* Some systems add a folder of their own to every archive. */
static int keep_unpacked(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, "__MACOSX") != 0;
}

static bool only_folder(const char *path, char name[256])
{
	struct dirent **entries;
	int n = scandir(path, &entries, keep_unpacked, alphasort);
	bool one = n == 1 && entries[0]->d_type == DT_DIR;

	if (one)
		snprintf(name, 256, "%s", entries[0]->d_name);
	for (int i = 0; i < n; i++)
		free(entries[i]);
	if (n >= 0)
		free(entries);
	return one;
}

/* Unpacks and finds the bot in what came out: at the top, or in the only folder there. */
static bool find_unpacked(
	const char *archive, const char *work, char source[PATH_MAX], struct why *why)
{
	char name[256], manifest[PATH_MAX + 16];

	if (!unpack_aside(archive, work, why))
		return why_before(why, "unpack: ");
	utf8_format(source, PATH_MAX, "%s/tree", work);
	if (only_folder(source, name))
		utf8_format(source, PATH_MAX, "%s/tree/%s", work, name);
	snprintf(manifest, sizeof(manifest), "%s/" MANIFEST_NAME, source);
	if (access(manifest, F_OK) == 0)
		return true;
	return why_set(why,
		"unpack: there is no bot.json at the top of the archive, nor in its only folder");
}

/* A folder to copy: the bot's own, or for a lone executable one made for it. */
static bool find_source(const char *what, const char *work, char source[PATH_MAX],
	bool *lone, struct why *why)
{
	struct bot_spec spec;
	struct stat info;

	*lone = false;
	if (realpath(what, source) && stat(source, &info) == 0) {
		if (S_ISREG(info.st_mode) && unpack_wanted(source))
			return find_unpacked(what, work, source, why);
		*lone = !S_ISDIR(info.st_mode);
		if (!*lone)
			return true;
	}
	if (!bot_spec_load(&spec, what, why))
		return false;
	snprintf(source, PATH_MAX, "%s", *lone ? spec.command[0] : spec.folder);
	bot_spec_release(&spec);
	return true;
}

static bool copy_lone(const char *source, const char *to)
{
	const char *name = strrchr(source, '/') + 1;
	char path[2 * PATH_ROOM], command[300];
	json_t *root = json_object(), *words = json_array();
	bool ok;

	snprintf(path, sizeof(path), "%s/%s", to, name);
	ok = make_folder(to, 0777) && copy_file(source, path, true);
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
static bool name_of(const char *source, bool lone, char name[65], struct why *why)
{
	char path[PATH_ROOM];
	const char *text;
	json_t *root;
	bool ok;

	snprintf(path, sizeof(path), "%s/" MANIFEST_NAME, source);
	root = lone ? NULL : json_load_file(path, 0, NULL);
	text = json_string_value(json_object_get(root, "name"));
	text = text ? text : strrchr(source, '/') + 1;
	ok = owner_name_ok(text);
	if (ok)
		snprintf(name, 65, "%s", text);
	else
		why_set(why,
			"\"name\" in its bot.json must be made of letters, digits and . "
			"_ - +, 64 at most");
	json_decref(root);
	return ok;
}

static void fill_entrant(struct store_entrant *entrant, const struct bot_spec *spec)
{
	utf8_format(entrant->version, sizeof(entrant->version), "%s", spec->version);
	utf8_format(entrant->author, sizeof(entrant->author), "%s", spec->author);
	utf8_format(entrant->language, sizeof(entrant->language), "%s", spec->language);
}

/* Builds and checks the copy in `folder` and reads what it is. */
static bool build_and_check(const struct ladder *ladder,
	const struct admission_order *order, const char *folder,
	struct store_entrant *entrant, struct why *why)
{
	const struct match_rules *rules = &ladder->config.rules;
	struct bot_spec spec;
	const struct sandbox_limits *sandbox;
	bool plays, same;

	if (sandbox_choose(rules->sandbox, &rules->limits, &sandbox))
		return why_set(why, "a bot is built and checked in a sandbox");
	tell(order, "building");
	if (!build(order, folder, sandbox, why) || !bot_spec_load(&spec, folder, why))
		return false;
	fill_entrant(entrant, &spec);
	plays = bot_spec_plays(&spec, rules->game->id);
	same = !strcmp(spec.name, entrant->name);
	bot_spec_release(&spec);
	if (!same)
		why_set(why, "build: it may not change the bot's name");
	else if (!plays)
		why_set(why,
			"%s does not play %s; its bot.json lists "
			"the games it plays under \"games\"",
			entrant->name, rules->game->id);
	return same && plays &&
	       (order->no_check || check(order, folder, rules, sandbox, why));
}

/* From the work folder to where it will play. */
static bool put_in_place(const struct ladder *ladder, const char *folder,
	const struct store_entrant *entrant, struct why *why)
{
	char relative[160], place[LADDER_PATH_MAX], parent[LADDER_PATH_MAX];

	ladder_bot_folder(entrant, relative, sizeof(relative));
	ladder_file(ladder, relative, place);
	snprintf(parent, sizeof(parent), "%s", place);
	*strrchr(parent, '/') = 0;
	/* If an earlier admission has put it there, it stays as it is. */
	if (make_folder(parent, 0777) &&
		(rename(folder, place) == 0 || !access(place, F_OK)))
		return true;
	return why_set(why, "%s: %s", place, strerror(errno));
}

static bool admit_in(struct ladder *ladder, const struct admission_order *order,
	const char *work, struct store_entrant *entrant, struct why *why)
{
	char source[PATH_MAX], folder[PATH_ROOM];
	bool lone;

	if (!find_source(order->what, work, source, &lone, why) ||
		!bot_hash(source, entrant->hash, why) ||
		!name_of(source, lone, entrant->name, why) ||
		!owner_settle(ladder, entrant->name, entrant->owner, why))
		return false;
	/* The folder is named after the bot, since that is the name of a bot whose
	 * bot.json has none. */
	snprintf(folder, sizeof(folder), "%s/bot", work);
	if (!make_folder(folder, 0777))
		return false;
	snprintf(folder, sizeof(folder), "%s/bot/%s", work, entrant->name);
	if (lone ? !copy_lone(source, folder) : !copy_tree(source, folder, why))
		return false;
	return build_and_check(ladder, order, folder, entrant, why) &&
	       put_in_place(ladder, folder, entrant, why);
}

bool admit_bot(struct ladder *ladder, const struct admission_order *order,
	struct store_entrant *entrant, struct why *why)
{
	char work[LADDER_PATH_MAX];
	bool ok;

	memset(entrant, 0, sizeof(*entrant));
	snprintf(entrant->owner, sizeof(entrant->owner), "%s",
		order->owner ? order->owner : "");
	why_set(why, "it cannot be copied");
	ladder_file(ladder, order->work ? order->work : "bots/" WORK_NAME, work);
	/* In its sandbox the bot is another user. */
	if (!mkdtemp(work) || chmod(work, 0755))
		return why_set(why, "%s: %s", work, strerror(errno));
	ok = admit_in(ladder, order, work, entrant, why);
	remove_tree(work);
	return ok;
}
