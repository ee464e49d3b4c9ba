/* ladders.json: what the site offers, and the facts of each ladder. */
#include "arbiter/base/json_text.h"
#include "arbiter/ladder/store/store_pages.h"
#include "arbiter/ladder/submit/unpack.h"
#include "arbiter/replay/json_parts.h"
#include "arbiter/web/site/documents.h"

#include <stdlib.h>

#define CACHE_NAME "ladder"

static json_t *make_facts(struct site_ladder *ladder)
{
	const struct ladder_settings *config = &ladder->ladder.config;
	struct store_totals totals = {-1, -1, -1};
	char clock[128];

	clock_rules_format(&config->rules.clock, clock, sizeof(clock));
	if (!store_totals(ladder->ladder.store, &totals))
		document_unreadable(ladder);
	return json_pack("{s:s,s:s,s:s,s:i,s:o,s:s,s:s,s:I,s:I,s:I}", "id", ladder->name,
		"game", config->rules.game->id, "title", config->rules.game->title,
		"seats", config->rules.seats, "options",
		replay_json_options(config->rules.game, config->rules.option), "clock",
		clock, "schedule", ladder_schedule_names[config->schedule], "matches",
		(json_int_t)totals.matches, "entrants", (json_int_t)totals.entrants,
		"last", (json_int_t)totals.last_result_unix_s);
}

/* The mutex is held. */
static json_t *ladder_facts(struct site_ladder *ladder)
{
	int64_t version = store_data_version(ladder->ladder.store);
	const char *cached = cache_find(&ladder->cache, CACHE_NAME, version);
	mono_ns start = time_now(&time_system);
	json_t *json;
	char *text;

	if (cached)
		return json_loads(cached, 0, NULL);
	json = make_facts(ladder);
	text = json_to_text(json, JSON_COMPACT);
	cache_put(&ladder->cache, CACHE_NAME, text, version, start);
	free(text);
	return json;
}

void answer_ladders(const struct document_request *request, struct http_answer *answer)
{
	struct site *site = request->site;
	json_t *list = json_array();

	for (int i = 0; i < site->count; i++) {
		pthread_mutex_lock(&site->ladder[i].mutex);
		json_array_append_new(list, ladder_facts(&site->ladder[i]));
		pthread_mutex_unlock(&site->ladder[i].mutex);
	}
	http_answer_json(answer, 200,
		json_pack("{s:b,s:b,s:I,s:o}", "live", site->live != NULL, "play",
			(int)site->play, "submit",
			(json_int_t)(site->upload ? UNPACK_PACKED_BYTES_MAX : 0),
			"ladders", list));
}
