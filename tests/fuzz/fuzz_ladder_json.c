/* ladder.json: settings that a ladder can be played by, or a reason; the rules of its
 * matches are written and read back the same. */
#include "arbiter/ladder/directory/ladder.h"
#include "tests/fuzz/fuzz.h"

static void check_rules(const struct match_rules *rules)
{
	json_t *json = json_object();
	struct match_rules again;
	int8_t side[GAME_SEATS_MAX];
	struct why why;

	match_rules_write(rules, json);
	assert(match_rules_read(&again, json, &why));
	assert(rules->game == again.game && rules->seats == again.seats);
	assert(!memcmp(rules->option, again.option, sizeof(again.option)));
	assert(rules->clock.kind == again.clock.kind);
	assert(rules->policy == again.policy && rules->retries == again.retries);
	assert(rules->sandbox == again.sandbox);
	assert(match_rules_sides(rules, side) <= rules->seats);
	json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *json = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
	struct ladder_settings config;
	struct why why = {""};

	if (!json)
		return 0;
	if (ladder_settings_read(&config, json, &why)) {
		assert(config.sets_per_entrant >= 1);
		assert(config.disk_mb_max >= 0 && config.worker_mb_max >= 0);
		assert(config.bots_mb_max >= 0 && config.admission_s_max >= 1);
		check_rules(&config.rules);
	} else {
		assert(*why.text);
	}
	json_decref(json);
	return 0;
}
