/* A ladder's settings: defaults, and ladder.json. */
#include "arbiter/ladder/directory/settings.h"
#include "arbiter/base/words.h"
#include "arbiter/table/chance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sodium.h>

#define BOTS_MB_DEFAULT     4096
#define ADMISSION_S_DEFAULT 900

const char *const ladder_teams_names[] = {"same", "mixed", NULL};
const char *const ladder_keep_names[] = {"all", "faults+sample", "none", NULL};
const char *const ladder_schedule_names[] = {"adaptive", "round_robin", "gauntlet", NULL};

void ladder_settings_init(struct ladder_settings *config, const struct game *game)
{
	uint8_t fresh[8];

	memset(config, 0, sizeof(*config));
	config->rules.game = game;
	config->rules.seats = game->seats_min;
	game_defaults(game, config->rules.option);
	config->rules.clock = clock_rules_default;
	config->rules.sandbox = SANDBOX_REQUIRE;
	config->rules.limits = sandbox_limits_default();
	config->anchor_elo = 1000;
	config->sets_per_entrant = 2;
	config->compress = true;
	config->logs_mb_max = 64;
	config->bench_share = 0.25;
	config->bench_matches_min = 16;
	config->worker_mb_max = 1024;
	config->bots_mb_max = BOTS_MB_DEFAULT;
	config->admission_s_max = ADMISSION_S_DEFAULT;
	chance_fresh(fresh, sizeof(fresh));
	sodium_bin2hex(config->seed, sizeof(config->seed), fresh, sizeof(fresh));
}

json_t *ladder_settings_write(const struct ladder_settings *config)
{
	json_t *object = json_object();

	json_object_set_new(object, "format", json_integer(LADDER_FORMAT));
	match_rules_write(&config->rules, object);
	json_object_set_new(
		object, "schedule", json_string(ladder_schedule_names[config->schedule]));
	if (*config->challenger)
		json_object_set_new(
			object, "challenger", json_string(config->challenger));
	json_object_set_new(
		object, "teams", json_string(ladder_teams_names[config->teams]));
	json_object_set_new(
		object, "one_per_author", json_boolean(config->one_per_author));
	if (*config->anchor)
		json_object_set_new(object, "anchor", json_string(config->anchor));
	json_object_set_new(object, "anchor_elo", json_real(config->anchor_elo));
	json_object_set_new(
		object, "sets_per_entrant", json_integer(config->sets_per_entrant));
	json_object_set_new(object, "keep", json_string(ladder_keep_names[config->keep]));
	json_object_set_new(object, "compress", json_boolean(config->compress));
	json_object_set_new(object, "disk_mb", json_integer(config->disk_mb_max));
	json_object_set_new(object, "logs_mb", json_integer(config->logs_mb_max));
	json_object_set_new(object, "bench_share", json_real(config->bench_share));
	json_object_set_new(
		object, "bench_matches", json_integer(config->bench_matches_min));
	json_object_set_new(object, "worker_mb", json_integer(config->worker_mb_max));
	json_object_set_new(object, "bots_mb", json_integer(config->bots_mb_max));
	json_object_set_new(object, "admission_s", json_integer(config->admission_s_max));
	json_object_set_new(object, "seed", json_string(config->seed));
	return object;
}

/* Reads keys, and reports the first one that is wrong. */
struct settings_reader {
	const json_t *object;
	struct why *why;
	bool ok;
};

static void bad(struct settings_reader *reader, const char *key, const char *allowed)
{
	if (reader->ok)
		why_set(reader->why, "\"%s\" must be %s", key, allowed);
	reader->ok = false;
}

static int read_word(
	struct settings_reader *reader, const char *key, const char *const *words)
{
	const json_t *value = json_object_get(reader->object, key);
	int index = value ? word_index(words, json_string_value(value)) : 0;
	char allowed[128] = "one of";

	for (int i = 0; index < 0 && words[i]; i++)
		snprintf(allowed + strlen(allowed), sizeof(allowed) - strlen(allowed),
			"%s %s", i ? "," : "", words[i]);
	if (index < 0)
		bad(reader, key, allowed);
	return index < 0 ? 0 : index;
}

/* Always within its range, so that the caller may make it an integer. */
static double read_number(struct settings_reader *reader, const char *key,
	double fallback, double min, double max)
{
	const json_t *value = json_object_get(reader->object, key);
	double number = value ? json_number_value(value) : fallback;
	char allowed[96];

	if (json_is_number(value) ? number >= min && number <= max : !value)
		return number;
	snprintf(allowed, sizeof(allowed), "a number from %g to %g", min, max);
	bad(reader, key, allowed);
	return fallback;
}

static void read_name(struct settings_reader *reader, const char *key, char text[65])
{
	const json_t *value = json_object_get(reader->object, key);

	if (value && (!json_is_string(value) || json_string_length(value) > 64))
		bad(reader, key, "a string of at most 64 bytes");
	else if (value)
		snprintf(text, 65, "%s", json_string_value(value));
}

bool ladder_settings_read(
	struct ladder_settings *config, const json_t *object, struct why *why)
{
	struct settings_reader r = {object, why, true};
	struct match_rules rules;
	const json_t *compress = json_object_get(object, "compress");

	if (json_integer_value(json_object_get(object, "format")) != LADDER_FORMAT) {
		bad(&r, "format", "1; a higher one needs a newer pigpen");
		return false;
	}
	if (!match_rules_read(&rules, object, why))
		return false;
	ladder_settings_init(config, rules.game);
	config->rules = rules;
	config->schedule =
		(enum schedule_mode)read_word(&r, "schedule", ladder_schedule_names);
	read_name(&r, "challenger", config->challenger);
	config->teams = (enum ladder_teams)read_word(&r, "teams", ladder_teams_names);
	config->one_per_author = json_is_true(json_object_get(object, "one_per_author"));
	read_name(&r, "anchor", config->anchor);
	config->anchor_elo = read_number(&r, "anchor_elo", 1000, -10000, 10000);
	config->sets_per_entrant = (int)read_number(&r, "sets_per_entrant", 2, 1, 10000);
	config->keep = (enum ladder_keep)read_word(&r, "keep", ladder_keep_names);
	config->compress = !compress || json_is_true(compress);
	config->disk_mb_max = (int64_t)read_number(&r, "disk_mb", 0, 0, 1e12);
	config->logs_mb_max = (int64_t)read_number(&r, "logs_mb", 64, 0, 1e12);
	config->bench_share = read_number(&r, "bench_share", 0.25, 0, 1);
	config->bench_matches_min = (int)read_number(&r, "bench_matches", 16, 1, 1e9);
	config->worker_mb_max = (int)read_number(&r, "worker_mb", 1024, 0, 1e9);
	config->bots_mb_max =
		(int64_t)read_number(&r, "bots_mb", BOTS_MB_DEFAULT, 0, 1e9);
	config->admission_s_max =
		(int)read_number(&r, "admission_s", ADMISSION_S_DEFAULT, 1, 86400);
	read_name(&r, "seed", config->seed);
	return r.ok;
}
