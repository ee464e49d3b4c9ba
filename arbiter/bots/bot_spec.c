/* Finding a bot and reading its bot.json. */
#include "arbiter/bots/bot_spec.h"
#include "arbiter/base/files.h"
#include "protocol/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <dirent.h>
#include "protocol/limits.h"
#include "protocol/memory.h"
#include "arbiter/base/program.h"

void bot_samples_folder(char *path, size_t size)
{
	const char *self = program_path(), *slash = strrchr(self, '/');
	int length = slash ? (int)(slash - self) : 0;

	snprintf(path, size, "%.*s/sample_bots", length, self);
	if (access(path, R_OK) == 0)
		return;
	snprintf(path, size, "%.*s/../share/pigpen/sample_bots", length, self);
	if (access(path, R_OK))
		*path = 0;
}

/* "NAME" is searched in every language, in their order; "LANGUAGE/NAME" in that one. */
static bool find_sample(const char *name, char folder[PATH_MAX])
{
	char samples[PATH_MAX];
	struct dirent **languages;
	bool found = false;
	int n;

	bot_samples_folder(samples, sizeof(samples));
	if (*samples && strchr(name, '/')) {
		char path[PATH_MAX + 600];

		snprintf(path, sizeof(path), "%s/%s", samples, name);
		return realpath(path, folder) != NULL;
	}
	n = *samples ? scandir(samples, &languages, NULL, alphasort) : -1;
	for (int i = 0; i < n; i++) {
		char path[PATH_MAX + 600];

		snprintf(path, sizeof(path), "%s/%s/%s/bot.json", samples,
			languages[i]->d_name, name);
		if (!found && languages[i]->d_name[0] != '.' && access(path, R_OK) == 0) {
			path[strlen(path) - strlen("/bot.json")] = 0;
			found = realpath(path, folder) != NULL;
		}
		free(languages[i]);
	}
	if (n >= 0)
		free(languages);
	return found;
}

static bool read_words(const json_t *root, const char *key, char **words, struct why *why)
{
	const json_t *value = json_object_get(root, key);
	const json_t *word;
	size_t i;

	if (!value)
		return true;
	if (json_is_string(value)) {
		words[0] = xstrdup("/bin/sh");
		words[1] = xstrdup("-c");
		words[2] = xstrdup(json_string_value(value));
		return true;
	}
	if (!json_is_array(value) || json_array_size(value) > BOT_WORDS_MAX)
		return why_set(why,
			"\"%s\" must be a list of at most %d words, or one string for the shell",
			key, BOT_WORDS_MAX);
	json_array_foreach(value, i, word)
	{
		if (!json_is_string(word))
			return why_set(why, "\"%s\" must hold strings only", key);
		words[i] = xstrdup(json_string_value(word));
	}
	return true;
}

static bool read_text(
	const json_t *root, const char *key, char *text, size_t size, struct why *why)
{
	const json_t *value = json_object_get(root, key);

	if (!value)
		return true;
	if (!json_is_string(value) || json_string_length(value) >= size)
		return why_set(why, "\"%s\" must be a string of at most %zu bytes", key,
			size - 1);
	snprintf(text, size, "%s", json_string_value(value));
	return true;
}

/* Names are used in file names and printed on terminals. */
static bool name_character_ok(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || strchr("._-+", c);
}

static bool name_ok(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!name_character_ok(*c))
			return false;
	return *name && *name != '.';
}

/* A file may have any name. */
static void name_after_file(struct bot_spec *spec, const char *file)
{
	utf8_format(spec->name, sizeof(spec->name), "%s", file);
	for (char *c = spec->name; *c; c++)
		if (!name_character_ok(*c))
			*c = '_';
	if (*spec->name == '.')
		*spec->name = '_';
}

static bool read_games(const json_t *root, struct bot_spec *spec, struct why *why)
{
	const json_t *games = json_object_get(root, "games");
	const json_t *game;
	size_t i;

	if (!games)
		return true;
	if (!json_is_array(games) || json_array_size(games) > BOT_GAMES_MAX)
		return why_set(why, "\"games\" must be a list of game ids");
	json_array_foreach(games, i, game)
	{
		const char *id = json_string_value(game);

		if (!id || strlen(id) >= sizeof(spec->games[0]))
			return why_set(why, "\"games\" must hold game ids only");
		strcpy(spec->games[spec->game_count++], id);
	}
	return true;
}

static bool read_numbers(const json_t *root, struct bot_spec *spec, struct why *why)
{
	const json_t *matches = json_object_get(root, "matches");
	const json_t *deterministic = json_object_get(root, "deterministic");
	const json_t *transport = json_object_get(root, "transport");

	if (matches && (!json_is_integer(matches) || json_integer_value(matches) < 1 ||
			       json_integer_value(matches) > MATCHES_MAX))
		return why_set(
			why, "\"matches\" must be a number from 1 to %d", MATCHES_MAX);
	if (deterministic && !json_is_boolean(deterministic))
		return why_set(why, "\"deterministic\" must be true or false");
	if (transport && !json_is_string(transport))
		return why_set(why, "\"transport\" must be \"zmq\", \"tcp\" or \"stdio\"");
	spec->matches = matches ? (int)json_integer_value(matches) : 1;
	spec->deterministic = json_is_true(deterministic);
	if (transport && !strcmp(json_string_value(transport), "stdio"))
		spec->transport = BOT_STDIO;
	else if (transport && !strcmp(json_string_value(transport), "tcp"))
		spec->transport = BOT_TCP;
	else if (transport && strcmp(json_string_value(transport), "zmq"))
		return why_set(why,
			"\"transport\" must be \"zmq\", \"tcp\" or \"stdio\", not \"%s\"",
			json_string_value(transport));
	return true;
}

static bool read_limits(const json_t *root, struct bot_spec *spec, struct why *why)
{
	const json_t *limits = json_object_get(root, "limits");

	if (limits && !json_is_string(limits))
		return why_set(why, "\"limits\" must be a string such as "
				    "\"memory=200m,processes=4\"");
	return !limits ||
	       sandbox_limits_parse(json_string_value(limits), &spec->limits, why);
}

static const char *const manifest_keys[] = {"command", "name", "version", "author",
	"language", "build", "games", "transport", "matches", "limits", "deterministic"};

static void find_unknown(struct bot_spec *spec, json_t *root)
{
	const char *key;
	json_t *value;

	json_object_foreach(root, key, value)
	{
		bool known = false;

		for (size_t i = 0; i < sizeof(manifest_keys) / sizeof(*manifest_keys);
			i++)
			known |= !strcmp(key, manifest_keys[i]);
		if (!known)
			snprintf(spec->unknown, sizeof(spec->unknown), "%s", key);
	}
}

void bot_spec_warn(const struct bot_spec *spec)
{
	if (!*spec->unknown)
		return;
	fprintf(stderr,
		"pigpen: %s/bot.json: unknown key \"%s\"; the keys are:", spec->folder,
		spec->unknown);
	for (size_t i = 0; i < sizeof(manifest_keys) / sizeof(*manifest_keys); i++)
		fprintf(stderr, "%s %s", i ? "," : "", manifest_keys[i]);
	fputc('\n', stderr);
}

static bool read_manifest(struct bot_spec *spec, const json_t *root, struct why *why)
{
	if (!json_is_object(root))
		return why_set(why, "it must be a JSON object");
	if (!read_text(root, "name", spec->name, sizeof(spec->name), why) ||
		!read_text(root, "version", spec->version, sizeof(spec->version), why) ||
		!read_text(root, "author", spec->author, sizeof(spec->author), why) ||
		!read_text(
			root, "language", spec->language, sizeof(spec->language), why) ||
		!read_games(root, spec, why) || !read_numbers(root, spec, why) ||
		!read_limits(root, spec, why) ||
		!read_words(root, "build", spec->build, why) ||
		!read_words(root, "command", spec->command, why))
		return false;
	if (!spec->command[0])
		return why_set(why,
			"\"command\" is missing: the words that start the bot, "
			"such as [\"python3\", \"bot.py\"]");
	if (!name_ok(spec->name))
		return why_set(
			why, "\"name\" must be made of letters, digits and . _ - +");
	return true;
}

static void join(char *const *words, char *text, size_t size)
{
	*text = 0;
	for (; *words; words++) {
		size_t n = strlen(text);

		snprintf(text + n, size - n, "%s%s", n ? " " : "", *words);
	}
}

/* May we look whether the command is there? Only in the bot's own folder: a stranger's
 * manifest is not to find out what else the host has. */
static bool is_own_path(const char *word)
{
	if (*word == '/' || !strchr(word, '/'))
		return false;
	for (const char *dots = word; (dots = strstr(dots, "..")); dots += 2)
		if ((dots == word || dots[-1] == '/') && (dots[2] == '/' || !dots[2]))
			return false;
	return true;
}

/* A command in the folder must exist; if not, the bot was probably not built. */
static bool check_command(const struct bot_spec *spec, struct why *why)
{
	char path[PATH_MAX * 2], build[256];

	if (!is_own_path(spec->command[0]))
		return true;
	snprintf(path, sizeof(path), "%s/%s", spec->folder, spec->command[0]);
	if (access(path, X_OK) == 0)
		return true;
	join(spec->build, build, sizeof(build));
	if (spec->build[0])
		return why_set(why,
			"%s does not exist; build the bot first: (cd "
			"%s && %s), as \"build\" in its bot.json says",
			path, spec->folder, build);
	return why_set(why, "%s: %s; it is the \"command\" of %s/bot.json", path,
		strerror(errno), spec->folder);
}

static bool cannot_read(const char *folder, struct why *why)
{
	if (errno == ENOENT)
		return why_set(why,
			"%s holds no bot.json; `pigpen new` writes a bot to start from",
			folder);
	if (errno == EFBIG)
		return why_set(why, "%s/bot.json: it may have %d bytes at most", folder,
			BOT_MANIFEST_MAX);
	if (errno == ELOOP || errno == EINVAL)
		return why_set(why,
			"%s/bot.json is a link, or not a regular file; put the file itself in "
			"its place",
			folder);
	return why_set(why, "%s/bot.json: %s", folder, strerror(errno));
}

json_t *bot_manifest_load(const char *folder, struct why *why)
{
	int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	json_error_t error;
	char fault[JSON_ERROR_TEXT_LENGTH * 2];
	json_t *root = NULL;
	size_t size;
	char *text =
		at < 0 ? NULL : read_file_whole(at, "bot.json", BOT_MANIFEST_MAX, &size);

	if (text)
		root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	else
		cannot_read(folder, why);
	if (text && !root) {
		utf8_show(text_of(error.text), fault, sizeof(fault));
		why_set(why, "%s/bot.json: %s (line %d)", folder, fault, error.line);
	}
	free(text);
	if (at >= 0)
		close(at);
	return root;
}

static bool load_folder(struct bot_spec *spec, const char *folder, struct why *why)
{
	json_t *root;
	bool ok;

	snprintf(spec->folder, sizeof(spec->folder), "%s", folder);
	utf8_format(spec->name, sizeof(spec->name), "%s", strrchr(folder, '/') + 1);
	root = bot_manifest_load(folder, why);
	if (!root)
		return false;
	ok = read_manifest(spec, root, why);
	find_unknown(spec, root);
	json_decref(root);
	if (!ok)
		return why_before(why, "%s/bot.json: ", folder);
	return check_command(spec, why) && bot_hash(folder, spec->hash, why);
}

static bool load_executable(struct bot_spec *spec, const char *path, struct why *why)
{
	char *slash;

	snprintf(spec->folder, sizeof(spec->folder), "%s", path);
	slash = strrchr(spec->folder, '/');
	name_after_file(spec, slash + 1);
	*slash = 0;
	if (!spec->folder[0])
		strcpy(spec->folder, "/");
	spec->command[0] = xstrdup(path);
	spec->matches = 1;
	return bot_hash(path, spec->hash, why);
}

static bool load(struct bot_spec *spec, const char *what, struct why *why)
{
	char path[PATH_MAX], samples[PATH_MAX];
	struct stat info;

	if (realpath(what, path) && stat(path, &info) == 0) {
		if (S_ISDIR(info.st_mode))
			return load_folder(spec, path, why);
		if (S_ISREG(info.st_mode) && access(path, X_OK) == 0)
			return load_executable(spec, path, why);
		return why_set(why,
			"%s is neither a folder with a bot.json nor executable; "
			"name the folder, or make it executable with chmod +x",
			what);
	}
	if (find_sample(what, path))
		return load_folder(spec, path, why);
	bot_samples_folder(samples, sizeof(samples));
	return why_set(why,
		"there is no bot '%s': name a folder with a bot.json, an executable, or "
		"a sample bot%s%s%s",
		what, *samples ? " (a folder in " : "", samples, *samples ? "/*)" : "");
}

bool bot_spec_read(struct bot_spec *spec, const json_t *manifest, struct why *why)
{
	memset(spec, 0, sizeof(*spec));
	strcpy(spec->name, "bot");
	if (read_manifest(spec, manifest, why))
		return true;
	bot_spec_release(spec);
	return false;
}

bool bot_spec_load(struct bot_spec *spec, const char *what, struct why *why)
{
	memset(spec, 0, sizeof(*spec));
	if (load(spec, what, why))
		return true;
	bot_spec_release(spec);
	return false;
}

void bot_spec_release(struct bot_spec *spec)
{
	for (int i = 0; i < BOT_WORDS_MAX; i++) {
		free(spec->command[i]);
		free(spec->build[i]);
	}
	memset(spec, 0, sizeof(*spec));
}

void bot_spec_hide(const struct bot_spec *spec)
{
	char path[PATH_MAX + 32];

	/* The folder of a lone executable is not its own. */
	snprintf(path, sizeof(path), "%s/bot.json", spec->folder);
	if (*spec->folder && access(path, F_OK) == 0)
		sandbox_hide(spec->folder);
}

bool bot_spec_plays(const struct bot_spec *spec, const char *game_id)
{
	for (int i = 0; i < spec->game_count; i++)
		if (!strcmp(spec->games[i], game_id))
			return true;
	return spec->game_count == 0;
}
