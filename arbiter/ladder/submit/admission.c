/* Admission of one bot: found, copied, built, checked, put in its place. */
#include "arbiter/ladder/submit/admission.h"
#include "arbiter/base/files.h"
#include "arbiter/base/json_text.h"
#include "arbiter/base/program.h"
#include "arbiter/base/tree.h"
#include "arbiter/ladder/directory/owner.h"
#include "arbiter/ladder/submit/quota.h"
#include "arbiter/ladder/submit/unpack.h"
#include "arbiter/ladder/submit/work_folder.h"
#include "arbiter/ladder/submit/workshop.h"
#include "arbiter/process/sandbox_build.h"
#include "protocol/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BUILD_S_MAX   600
#define PATH_ROOM     (LADDER_PATH_MAX + 300)
#define OUTPUT_KEPT   32768
#define WORK_NAME     ".new-XXXXXX"
#define MANIFEST_NAME "bot.json"

/* One that is under way. */
struct admission {
	struct ladder *ladder;
	const struct admission_order *order;
	char work[LADDER_PATH_MAX]; /* a folder of its own */
	mono_ns deadline;           /* of all steps together */
	bool boxed;
};

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

/* What a step wrote goes into the report under `key`, or is shown if it failed. */
static void keep_output(
	const struct admission_order *order, const char *key, int log, bool ok)
{
	if (order->report)
		json_object_set_new(order->report, key, read_output(log));
	else if (!ok)
		show_output(log);
	close(log);
}

static int open_log(struct why *why)
{
	int log = memfd_create("output", MFD_CLOEXEC);

	if (log < 0)
		why_set(why, "there is no memory: %s", strerror(errno));
	return log;
}

static void tell(const struct admission_order *order, const char *stage)
{
	if (order->stage)
		order->stage(order->context, stage);
}

/* Builds the bot in `work`/source; what comes out goes to `folder`. */
static bool build(const struct admission *admission, char *const *words,
	const char *source, const char *folder, struct why *why)
{
	const struct workshop workshop = {.step = "build",
		.words = words,
		.folder = source,
		.scratch = admission->work,
		.made = folder,
		.limits = &workshop_limits,
		.boxed = admission->boxed,
		.seconds_max = BUILD_S_MAX,
		.deadline = admission->deadline,
		.log = open_log(why)};
	bool ok = workshop.log >= 0 && workshop_run(&workshop, why);

	if (workshop.log >= 0)
		keep_output(admission->order, "build", workshop.log, ok);
	return ok || why_before(why, "build: ");
}

static bool run_check(const struct admission *admission, char *const *argv, int log)
{
	struct sandbox_build step = {
		.argv = argv, .folder = "/", .deadline = admission->deadline, .log = log};
	int status = sandbox_build_start(&step) ? -1 : sandbox_build_end(&step);

	return status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* `pigpen check` is ours; what it starts is not, and it puts that into sandboxes. */
static bool check(const struct admission *admission, const char *folder, struct why *why)
{
	const struct admission_order *order = admission->order;
	const struct match_rules *rules = &admission->ladder->config.rules;
	char limits[160];
	char *argv[] = {(char *)program_path(), "check", (char *)folder, "--game",
		(char *)rules->game->id, "--sandbox",
		admission->boxed ? "require" : "off", "--limits", limits,
		order->report ? "--json" : NULL, NULL};
	int log = open_log(why);
	bool ok;

	if (log < 0)
		return false;
	sandbox_limits_format(&rules->limits, limits, sizeof(limits));
	tell(order, "checking");
	ok = run_check(admission, argv, log);
	keep_output(order, "check", log, ok);
	if (ok)
		return true;
	if (time_now(&time_system) >= admission->deadline)
		return why_set(why,
			"check: it took too long; a bot is admitted within %d s",
			admission->ladder->config.admission_s_max);
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
static bool find_unpacked(const struct admission *admission, const char *archive,
	char source[PATH_MAX], struct why *why)
{
	const char *work = admission->work;
	char name[256], manifest[PATH_MAX + 16];

	if (!unpack_aside(archive, work, admission->deadline, why))
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
static bool find_source(const struct admission *admission, char source[PATH_MAX],
	bool *lone, struct why *why)
{
	const char *what = admission->order->what;
	char found[PATH_MAX];
	struct bot_spec spec;
	struct stat info;

	*lone = false;
	if (realpath(what, found) && stat(found, &info) == 0) {
		if (S_ISREG(info.st_mode) && unpack_wanted(found))
			return find_unpacked(admission, found, source, why);
		*lone = !S_ISDIR(info.st_mode);
		snprintf(source, PATH_MAX, "%s", found);
		if (!*lone)
			return true;
	}
	if (!bot_spec_load(&spec, what, why))
		return false;
	snprintf(source, PATH_MAX, "%s", *lone ? spec.command[0] : spec.folder);
	bot_spec_release(&spec);
	return true;
}

static bool copy_lone(const char *source, const char *to, struct why *why)
{
	const char *name = strrchr(source, '/') + 1;
	char path[2 * PATH_ROOM], command[300];
	json_t *root = json_object(), *words = json_array();
	bool ok;

	snprintf(path, sizeof(path), "%s/%s", to, name);
	ok = make_folder(to, 0755) && copy_file(source, path, true);
	snprintf(command, sizeof(command), "./%s", name);
	json_array_append_new(words, json_string(command));
	json_object_set_new(root, "name", json_string(name));
	json_object_set_new(root, "command", words);
	snprintf(path, sizeof(path), "%s/" MANIFEST_NAME, to);
	ok = ok && json_dump_file(root, path, 0) == 0;
	json_decref(root);
	return ok || why_set(why, "it cannot be copied: %s", strerror(errno));
}

/* What bot.json, or the name of the folder, says before anything is built. */
static bool name_of(const char *source, bool lone, char name[65], struct why *why)
{
	json_t *root = lone ? NULL : bot_manifest_load(source, why);
	const char *text = json_string_value(json_object_get(root, "name"));
	bool ok;

	if (!lone && !root)
		return false;
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

/* Copies the bot and builds it, if there is anything to build. The folder that comes out
 * is named after the bot, since that is the name of a bot whose bot.json has none. */
static bool make_bot(const struct admission *admission, const char *source, bool lone,
	const char *folder, struct why *why)
{
	char copy[PATH_ROOM];
	struct bot_spec spec;
	json_t *root;
	bool ok;

	snprintf(copy, sizeof(copy), "%s/source", admission->work);
	if (lone)
		return copy_lone(source, folder, why);
	root = tree_copy(source, copy, why) ? bot_manifest_load(copy, why) : NULL;
	ok = root && bot_spec_read(&spec, root, why);
	json_decref(root);
	if (!ok)
		return false;
	if (spec.build[0])
		ok = build(admission, spec.build, copy, folder, why);
	else
		ok = rename(copy, folder) == 0 ||
		     why_set(why, "it cannot be copied: %s", strerror(errno));
	bot_spec_release(&spec);
	return ok;
}

/* What was built must still be the bot that it was, and play the game. */
static bool look_at(const struct admission *admission, const char *folder,
	struct store_entrant *entrant, struct why *why)
{
	const struct game *game = admission->ladder->config.rules.game;
	struct bot_spec spec;
	bool plays, same;

	if (!bot_spec_load(&spec, folder, why))
		return false;
	utf8_format(entrant->version, sizeof(entrant->version), "%s", spec.version);
	utf8_format(entrant->author, sizeof(entrant->author), "%s", spec.author);
	utf8_format(entrant->language, sizeof(entrant->language), "%s", spec.language);
	plays = bot_spec_plays(&spec, game->id);
	same = !strcmp(spec.name, entrant->name);
	bot_spec_release(&spec);
	if (!same)
		return why_set(why, "build: it may not change the bot's name");
	return plays ||
	       why_set(why,
		       "%s does not play %s; its bot.json lists the games it plays under "
		       "\"games\"",
		       entrant->name, game->id);
}

/* From the work folder to where it will play. It is on disk before it is there, and there
 * before anybody is told. */
static bool put_in_place(const struct admission *admission, const char *folder,
	const struct store_entrant *entrant, struct why *why)
{
	const struct ladder *ladder = admission->ladder;
	char relative[160], place[LADDER_PATH_MAX], bots[LADDER_PATH_MAX];
	char parent[LADDER_PATH_MAX];

	ladder_bot_folder(entrant, relative, sizeof(relative));
	ladder_file(ladder, relative, place);
	ladder_file(ladder, "bots", bots);
	snprintf(parent, sizeof(parent), "%s", place);
	*strrchr(parent, '/') = 0;
	/* If an earlier admission has put it there, it stays as it is. */
	if (access(place, F_OK) == 0)
		return true;
	if (!quota_allows(ladder, entrant->owner, folder, why) || !tree_sync(folder, why))
		return false;
	return (make_folder(parent, 0755) && sync_folder(bots) &&
		       rename_synced(folder, place)) ||
	       why_set(why, "%s: %s", place, strerror(errno));
}

static bool admit_in(
	struct admission *admission, struct store_entrant *entrant, struct why *why)
{
	const struct ladder *ladder = admission->ladder;
	const struct match_rules *rules = &ladder->config.rules;
	const struct sandbox_limits *sandbox;
	char source[PATH_MAX], folder[PATH_ROOM];
	bool lone;

	if (sandbox_choose(rules->sandbox, &rules->limits, &sandbox))
		return why_set(why, "a bot is built and checked in a sandbox");
	admission->boxed = sandbox;
	/* The hash is of what was submitted. */
	if (!find_source(admission, source, &lone, why) ||
		!bot_hash(source, entrant->hash, why) ||
		!name_of(source, lone, entrant->name, why) ||
		!owner_settle(ladder, entrant->name, entrant->owner, why))
		return false;
	snprintf(folder, sizeof(folder), "%s/bot", admission->work);
	if (!make_folder(folder, 0755))
		return why_set(why, "%s: %s", folder, strerror(errno));
	snprintf(folder, sizeof(folder), "%s/bot/%s", admission->work, entrant->name);
	tell(admission->order, "building");
	return make_bot(admission, source, lone, folder, why) &&
	       look_at(admission, folder, entrant, why) &&
	       (admission->order->no_check || check(admission, folder, why)) &&
	       put_in_place(admission, folder, entrant, why);
}

bool admit_bot(struct ladder *ladder, const struct admission_order *order,
	struct store_entrant *entrant, struct why *why)
{
	struct admission admission = {.ladder = ladder,
		.order = order,
		.deadline = time_now(&time_system) +
			    ladder->config.admission_s_max * NS_PER_S};
	int folder;
	bool ok;

	memset(entrant, 0, sizeof(*entrant));
	snprintf(entrant->owner, sizeof(entrant->owner), "%s",
		order->owner ? order->owner : "");
	ladder_file(
		ladder, order->work ? order->work : "bots/" WORK_NAME, admission.work);
	folder = work_folder_open(admission.work, why);
	if (folder < 0)
		return false;
	ok = admit_in(&admission, entrant, why);
	work_folder_close(admission.work, folder);
	return ok;
}
