/* The rules of a match as JSON and back. */
#include "arbiter/match/match_rules.h"

#include "arbiter/table/option_text.h"
#include "arbiter/base/words.h"

#include <stdio.h>
#include <string.h>

void match_rules_write(const struct match_rules *rules, json_t *object)
{
	json_t *options = json_object();
	char text[128];

	for (int i = 0; i < rules->game->option_count; i++) {
		option_value(
			&rules->game->options[i], rules->option[i], text, sizeof(text));
		json_object_set_new(
			options, rules->game->options[i].name, json_string(text));
	}
	json_object_set_new(object, "game", json_string(rules->game->id));
	json_object_set_new(object, "seats", json_integer(rules->seats));
	json_object_set_new(object, "options", options);
	clock_rules_format(&rules->clock, text, sizeof(text));
	json_object_set_new(object, "clock", json_string(text));
	json_object_set_new(
		object, "clock_kind", json_string(clock_kind_names[rules->clock.kind]));
	json_object_set_new(object, "on_fault", json_string(policy_names[rules->policy]));
	json_object_set_new(object, "retries", json_integer(rules->retries));
	json_object_set_new(
		object, "sandbox", json_string(sandbox_mode_names[rules->sandbox]));
	sandbox_limits_format(&rules->limits, text, sizeof(text));
	json_object_set_new(object, "limits", json_string(text));
}

static bool read_options(struct match_rules *rules, json_t *options, struct why *why)
{
	const char *name;
	json_t *value;

	json_object_foreach(options, name, value)
	{
		int index = game_option_find(rules->game, name);

		if (index >= 0 && json_is_string(value) &&
			game_option_parse(&rules->game->options[index],
				json_string_value(value), &rules->option[index]))
			continue;
		return why_set(why,
			"\"options\": \"%s\" is not an option of %s or has a "
			"value that is not allowed; `pigpen games %s` lists them",
			name, rules->game->id, rules->game->id);
	}
	return true;
}

static bool read_seats(struct match_rules *rules, const json_t *value, struct why *why)
{
	const struct game *game = rules->game;
	json_int_t seats = value ? json_integer_value(value) : game->seats_min;

	rules->seats = (int)seats;
	if (seats >= game->seats_min && seats <= game->seats_max)
		return true;
	return why_set(why, "\"seats\" of %s must be from %d to %d", game->id,
		game->seats_min, game->seats_max);
}

static bool read_clock(struct match_rules *rules, const json_t *object, struct why *why)
{
	const char *text = json_string_value(json_object_get(object, "clock"));
	const json_t *kind = json_object_get(object, "clock_kind");
	int index = kind ? word_index(clock_kind_names, json_string_value(kind)) : 0;

	rules->clock = clock_rules_default;
	if (text && !clock_rules_parse(text, &rules->clock, why))
		return false;
	if (index < 0)
		return why_set(why, "\"clock_kind\" must be \"wall\" or \"cpu\"");
	rules->clock.kind = (enum clock_kind)index;
	return true;
}

static bool read_sandbox(struct match_rules *rules, const json_t *object, struct why *why)
{
	const json_t *mode = json_object_get(object, "sandbox");
	const json_t *limits = json_object_get(object, "limits");
	const char *text = json_is_string(mode) ? json_string_value(mode) : "";

	rules->sandbox = SANDBOX_REQUIRE;
	rules->limits = sandbox_limits_default();
	if (mode && !sandbox_mode_parse(text, &rules->sandbox, why))
		return false;
	text = json_is_string(limits) ? json_string_value(limits) : "";
	return !limits || sandbox_limits_parse(text, &rules->limits, why);
}

bool match_rules_read(struct match_rules *rules, const json_t *object, struct why *why)
{
	const char *id = json_string_value(json_object_get(object, "game"));
	const json_t *policy = json_object_get(object, "on_fault");
	const json_t *retries = json_object_get(object, "retries");
	int index = policy ? word_index(policy_names, json_string_value(policy)) : 0;

	memset(rules, 0, sizeof(*rules));
	rules->game = id ? game_find(id) : NULL;
	if (!rules->game)
		return why_set(why,
			"\"game\" must be the id of a game; `pigpen games` lists them");
	game_defaults(rules->game, rules->option);
	if (index < 0 || (retries && (!json_is_integer(retries) ||
					     json_integer_value(retries) < 0 ||
					     json_integer_value(retries) > 100)))
		return why_set(why,
			"\"on_fault\" must be auto, forfeit or substitute, \"retries\" a "
			"number from 0 to 100");
	rules->policy = (enum fault_policy)index;
	rules->retries = (int)json_integer_value(retries);
	return read_seats(rules, json_object_get(object, "seats"), why) &&
	       read_options(rules, json_object_get(object, "options"), why) &&
	       read_clock(rules, object, why) && read_sandbox(rules, object, why);
}

int match_rules_sides(const struct match_rules *rules, int8_t side[GAME_SEATS_MAX])
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	int sides = 0;

	for (int seat = 0; seat < GAME_SEATS_MAX; seat++)
		side[seat] = (int8_t)seat;
	if (!rules->game->teams)
		return rules->seats;
	game_start(rules->game, rules->seats, rules->option, state);
	rules->game->teams_of(state, side);
	for (int seat = 0; seat < rules->seats; seat++) {
		if (side[seat] < 0)
			return 0;
		sides = side[seat] >= sides ? side[seat] + 1 : sides;
	}
	return sides;
}
