/* The games and bots that a person can choose from. */
#include "arbiter/base/json_text.h"
#include "arbiter/bots/bot_spec.h"
#include "arbiter/web/play/play_internal.h"
#include "arbiter/web/site/site_ladder.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is what it needs built or installed? */
static bool is_runnable(const struct bot_spec *spec)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/package.json", spec->folder);
	if (!access(path, F_OK)) {
		snprintf(path, sizeof(path), "%s/node_modules", spec->folder);
		if (access(path, F_OK))
			return false;
	}
	if (!spec->command[0] || !strchr(spec->command[0], '/'))
		return spec->command[0];
	snprintf(path, sizeof(path), "%s%s%s",
		*spec->command[0] == '/' ? "" : spec->folder,
		*spec->command[0] == '/' ? "" : "/", spec->command[0]);
	return !access(path, X_OK);
}

static void add_sample(struct play_bot **list, int *count, const char *root,
	const char *language, const char *name)
{
	struct why why;
	char path[PATH_MAX];
	struct play_bot bot = {0};
	struct bot_spec spec;

	if (snprintf(path, sizeof(path), "%s/%s/%s/bot.json", root, language, name) >=
			(int)sizeof(path) ||
		access(path, R_OK))
		return;
	path[strlen(path) - strlen("/bot.json")] = 0;
	if (!bot_spec_load(&spec, path, &why))
		return;
	utf8_format(bot.id, sizeof(bot.id), "sample/%s/%s", language, name);
	snprintf(bot.name, sizeof(bot.name), "%s", spec.name);
	utf8_format(bot.language, sizeof(bot.language), "%s", language);
	snprintf(bot.folder, sizeof(bot.folder), "%s", spec.folder);
	memcpy(bot.games, spec.games, sizeof(bot.games));
	bot.game_count = spec.game_count;
	if (is_runnable(&spec)) {
		*list = xrealloc(*list, ((size_t)*count + 1) * sizeof(**list));
		(*list)[(*count)++] = bot;
	}
	bot_spec_release(&spec);
}

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct play_bot *)a)->id, ((const struct play_bot *)b)->id);
}

struct play_bot *play_samples(int *count)
{
	struct play_bot *list = NULL;
	char root[PATH_MAX - 300], path[PATH_MAX];
	struct dirent *language, *name;
	DIR *languages, *names;

	*count = 0;
	bot_samples_folder(root, sizeof(root));
	languages = *root ? opendir(root) : NULL;
	while (languages && (language = readdir(languages))) {
		if (*language->d_name == '.' || !strcmp(language->d_name, "templates"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", root, language->d_name);
		names = opendir(path);
		while (names && (name = readdir(names)))
			if (*name->d_name != '.')
				add_sample(&list, count, root, language->d_name,
					name->d_name);
		if (names)
			closedir(names);
	}
	if (languages)
		closedir(languages);
	if (list)
		qsort(list, (size_t)*count, sizeof(*list), by_id);
	return list;
}

static json_t *option_json(const struct game_option *option)
{
	json_t *words = json_array();
	const char *word = game_option_word(option, option->default_value);

	for (const struct game_word *w = option->words; w && w->name; w++)
		json_array_append_new(words, json_string(w->name));
	return json_pack("{s:s,s:s,s:i,s:i,s:o,s:o}", "name", option->name, "help",
		option->help, "min", option->min, "max", option->max, "words", words,
		"standard",
		word ? json_string(word) : json_integer(option->default_value));
}

static json_t *game_json(const struct game *game)
{
	json_t *options = json_array();

	for (int i = 0; i < game->option_count; i++)
		json_array_append_new(options, option_json(&game->options[i]));
	return json_pack("{s:s,s:s,s:s,s:i,s:i,s:b,s:o}", "id", game->id, "title",
		game->title, "summary", game->summary, "seats_min", game->seats_min,
		"seats_max", game->seats_max, "teams", (int)game->teams, "options",
		options);
}

/* Names and versions are the bots' own. */
static json_t *bot_json(const char *id, const char *name, const char *version,
	const char *from, json_t *games)
{
	return json_pack("{s:o,s:o,s:o,s:s,s:o}", "id", json_of_bytes(id, strlen(id)),
		"name", json_of_bytes(name, strlen(name)), "version",
		json_of_bytes(version, strlen(version)), "from", from, "games", games);
}

static json_t *sample_json(const struct play_bot *bot)
{
	json_t *games = json_array();

	for (int i = 0; i < bot->game_count; i++)
		json_array_append_new(
			games, json_of_bytes(bot->games[i], strlen(bot->games[i])));
	for (int i = 0; !bot->game_count && game_list[i]; i++)
		json_array_append_new(games, json_string(game_list[i]->id));
	return bot_json(bot->id, bot->name, bot->language, "sample bots", games);
}

static void add_entrants(struct site_ladder *ladder, json_t *list)
{
	struct store_entrant *entrant = NULL;
	int count = 0;
	char id[128];

	pthread_mutex_lock(&ladder->mutex);
	if (!store_entrants(ladder->ladder.store, &entrant, &count))
		count = 0;
	for (int i = 0; i < count; i++) {
		if (entrant[i].state == ENTRANT_REMOVED)
			continue;
		snprintf(id, sizeof(id), "ladder/%s/%lld", ladder->name,
			(long long)entrant[i].id);
		json_array_append_new(list,
			bot_json(id, entrant[i].name, entrant[i].version, ladder->name,
				json_pack("[s]", ladder->ladder.config.rules.game->id)));
	}
	free(entrant);
	pthread_mutex_unlock(&ladder->mutex);
}

json_t *play_games_json(struct play *play)
{
	json_t *games = json_array(), *bots = json_array();
	struct site *site = play->options.site;

	for (int i = 0; game_list[i]; i++)
		json_array_append_new(games, game_json(game_list[i]));
	for (int i = 0; i < play->sample_count; i++)
		json_array_append_new(bots, sample_json(&play->samples[i]));
	for (int i = 0; i < site_ladder_count(site); i++)
		add_entrants(site_ladder_at(site, i), bots);
	return json_pack("{s:o,s:o}", "games", games, "bots", bots);
}

static void make_stricter(struct play_sandbox *sandbox, const struct match_rules *rules)
{
	if (!sandbox->of_ladder || rules->sandbox > sandbox->mode)
		sandbox->mode = rules->sandbox;
	sandbox->limits = sandbox_limits_tightest(&sandbox->limits, &rules->limits);
	sandbox->of_ladder = true;
}

/* `path` is "L/ID". */
static bool entrant_folder(struct site *site, const char *path, char folder[PATH_MAX],
	struct play_sandbox *sandbox)
{
	struct site_ladder *ladder = site_find_ladder(site, path);
	const char *number = strchr(path, '/');
	struct store_entrant *entrant = NULL;
	char *end, name[512];
	long long id = number ? strtoll(number + 1, &end, 10) : 0;
	bool found = false;
	int count = 0;

	if (!ladder || !number || end == number + 1 || *end)
		return false;
	pthread_mutex_lock(&ladder->mutex);
	if (!store_entrants(ladder->ladder.store, &entrant, &count))
		count = 0;
	for (int i = 0; i < count; i++) {
		if (entrant[i].id != id || entrant[i].state == ENTRANT_REMOVED)
			continue;
		ladder_bot_folder(&entrant[i], name, sizeof(name));
		ladder_file(&ladder->ladder, name, folder);
		found = true;
		make_stricter(sandbox, &ladder->ladder.config.rules);
	}
	free(entrant);
	pthread_mutex_unlock(&ladder->mutex);
	return found;
}

bool play_bot_folder(struct play *play, const char *id, char path[PATH_MAX],
	struct play_sandbox *sandbox)
{
	if (!strncmp(id, "ladder/", 7))
		return entrant_folder(play->options.site, id + 7, path, sandbox);
	for (int i = 0; i < play->sample_count; i++)
		if (!strcmp(play->samples[i].id, id)) {
			snprintf(path, PATH_MAX, "%s", play->samples[i].folder);
			return true;
		}
	return false;
}
