/* bot.json: a spec within its bounds, or a reason. */
#include "arbiter/bots/bot_spec.h"
#include "protocol/limits.h"
#include "tests/fuzz/fuzz.h"

static void check_spec(const struct bot_spec *spec)
{
	struct bot_command command;

	assert(spec->command[0] && !spec->command[BOT_WORDS_MAX]);
	assert(spec->matches >= 1 && spec->matches <= MATCHES_MAX);
	assert(spec->game_count >= 0 && spec->game_count <= BOT_GAMES_MAX);
	assert(*spec->name && !strchr(spec->name, '/'));
	bot_command_fill(&command, spec);
	assert(command.argv[0]);
	bot_spec_plays(spec, "dirty_pig");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *json = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
	struct bot_spec spec;
	struct why why = {""};

	if (!json)
		return 0;
	if (bot_spec_read(&spec, json, &why)) {
		check_spec(&spec);
		bot_spec_release(&spec);
	} else {
		assert(*why.text);
	}
	json_decref(json);
	return 0;
}
