/* Lines of JSON for workers and tasks. */
#include "arbiter/ladder/workers/pool_internal.h"
#include "arbiter/ladder/workers/worker.h"

#include <stdio.h>
#include <string.h>
#include <sodium.h>

json_t *pool_rules_line(const struct pool_options *options)
{
	json_t *line = json_object();

	match_rules_write(&options->rules, line);
	json_object_set_new(line, "t", json_string("rules"));
	json_object_set_new(line, "at_once", json_integer(options->at_once));
	json_object_set_new(line, "processes", json_integer(WORKER_PROCESSES_STANDARD));
	json_object_set_new(line, "logs",
		options->log_folder ? json_string(options->log_folder) : json_null());
	return line;
}

json_t *pool_bot_line(const struct pool_bot *bot)
{
	json_t *line = json_object();

	json_object_set_new(line, "t", json_string("bot"));
	json_object_set_new(line, "id", json_integer(bot->id));
	json_object_set_new(line, "folder", json_string(bot->folder));
	json_object_set_new(line, "name", json_string(bot->name));
	json_object_set_new(line, "hash", json_string(bot->hash));
	if (*bot->remote)
		json_object_set_new(line, "remote", json_string(bot->remote));
	return line;
}

json_t *pool_play_line(
	const struct pool_job *job, int64_t number, int seats, uint16_t barred_seats)
{
	json_t *line = json_object(), *list = json_array(), *barred = json_array();
	char seed[2 * CHANCE_SEED_SIZE + 1];

	for (int seat = 0; seat < seats; seat++) {
		json_array_append_new(list, json_integer(job->bot[seat]));
		if (game_seat_in(barred_seats, seat))
			json_array_append_new(barred, json_integer(seat));
	}
	sodium_bin2hex(seed, sizeof(seed), job->seed, sizeof(job->seed));
	json_object_set_new(line, "t", json_string("play"));
	json_object_set_new(line, "job", json_integer(number));
	json_object_set_new(line, "set", json_integer(job->set));
	json_object_set_new(line, "rotation", json_integer(job->rotation));
	json_object_set_new(line, "seed", json_string(seed));
	json_object_set_new(line, "seats", list);
	json_object_set_new(line, "barred", barred);
	json_object_set_new(
		line, "replay", *job->replay ? json_string(job->replay) : json_null());
	json_object_set_new(line, "compress", json_boolean(job->compress));
	return line;
}

bool pool_play_read(struct pool_job *job, int seats, const json_t *line)
{
	const json_t *list = json_object_get(line, "seats");
	const char *seed = json_string_value(json_object_get(line, "seed"));
	const char *replay = json_string_value(json_object_get(line, "replay"));

	memset(job, 0, sizeof(*job));
	job->set = json_integer_value(json_object_get(line, "set"));
	job->rotation = (int)json_integer_value(json_object_get(line, "rotation"));
	job->compress = json_is_true(json_object_get(line, "compress"));
	snprintf(job->replay, sizeof(job->replay), "%s", replay ? replay : "");
	for (int seat = 0; seat < seats; seat++)
		job->bot[seat] = json_integer_value(json_array_get(list, (size_t)seat));
	return json_array_size(list) == (size_t)seats && seed &&
	       sodium_hex2bin(job->seed, sizeof(job->seed), seed, strlen(seed), NULL,
		       NULL, NULL) == 0;
}
