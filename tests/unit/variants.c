/* The list of variants on which the generic tests run. */
#include "tests/unit/variants.h"

#include <stdio.h>
#include <string.h>

const struct variant variants[] = {
	{"pig_pile", 3, "rounds=2"},
	{"pig_pile", 3, "deal=dealt rounds=1"},
	{"pig_pile", 3, "deal=greased third_pig=false rounds=2"},
	{"pig_pile", 3, "max_turns=12 rounds=3"},
	{"pig_pile", 3, "deal=dealt rounds=20 max_turns=60"},
	{"pig_pile", 4, "wash_any=true first_dealer=2 rounds=1"},
	{"pig_pile", 4, "ask_forced=true faults=penalty rounds=1"},
	{"pig_pile", 5, "first_dealer=random rounds=1"},
	{"pig_pile", 6, "rounds=players max_turns=40"},
	{"pig_pile", 6, ""},
	{"pig_pile", 7, "rounds=1"},
	{"pig_pile", 8, "deal=dealt rounds=1"},
	{"pig_pile", 9, "deal=greased rounds=1"},
	{"pig_pile", 10, "rounds=1 wash_any=true"},
	{"pig_pile", 11, "rounds=1 third_pig=false"},
	{"pig_pile", 12, "rounds=1"},

	{"pig_it_hog_it", 4, "max_rounds=12"},
	{"pig_it_hog_it", 4, "games=1 target=12"},
	{"pig_it_hog_it", 4, "partners=jacks first_dealer=random max_rounds=6"},
	{"pig_it_hog_it", 4, "partners=jacks games=1 max_rounds=8"},
	{"pig_it_hog_it", 4, "games=1 first_dealer=random max_rounds=6"},
	{"pig_it_hog_it", 4, "all_pass=redeal first_dealer=3 max_rounds=8"},
	{"pig_it_hog_it", 4, "all_pass=dealer max_rounds=8"},
	{"pig_it_hog_it", 4, "suit_in_bid=true max_rounds=8"},
	{"pig_it_hog_it", 4, "hog_partner=plays max_rounds=8"},
	{"pig_it_hog_it", 4, "defenders_score=false max_rounds=8"},
	{"pig_it_hog_it", 4, "faults=penalty max_rounds=8"},
	{"pig_it_hog_it", 4, "faults=penalty revoke_sets=true max_rounds=8"},
	{"pig_it_hog_it", 4, "ask_forced=true max_rounds=4"},

	{"galloping_pigs", 2, ""},
	{"galloping_pigs", 3, ""},
	{"galloping_pigs", 4, ""},
	{"galloping_pigs", 2, "food_on_track=true"},
	{"galloping_pigs", 3, "food_on_track=true food_timing=before_deal"},
	{"galloping_pigs", 4, "food_on_track=true first=random"},
	{"galloping_pigs", 4, "rounds=1 first=1 ask_forced=true"},
	{"galloping_pigs", 2, "rounds=5 faults=penalty"},

	{"dirty_pig", 2, ""},
	{"dirty_pig", 3, ""},
	{"dirty_pig", 4, ""},
	{"dirty_pig", 2, "hand=4"},
	{"dirty_pig", 3, "hand=4 first=random"},
	{"dirty_pig", 4, "hand=4 first=1 ask_forced=true"},
	{"dirty_pig", 3, "max_turns=20 faults=penalty"},

	{"tennessee_pig", 4, "max_hands=8"},
	{"tennessee_pig", 4, "cut=ask max_hands=4"},
	{"tennessee_pig", 4, "lookback=all max_hands=4"},
	{"tennessee_pig", 4, "faults=penalty max_hands=6"},
	{"tennessee_pig", 4, "games=3 target=16 max_hands=6"},
	{"tennessee_pig", 4, "ask_forced=true max_hands=3"},
	{NULL, 0, NULL},
};

bool variant_options(
	const struct game *game, const struct variant *variant, int16_t *option)
{
	char text[256], *save = NULL;

	game_defaults(game, option);
	snprintf(text, sizeof(text), "%s", variant->options);
	for (char *token = strtok_r(text, " ", &save); token;
		token = strtok_r(NULL, " ", &save)) {
		char *value = strchr(token, '=');
		int index;

		*value++ = 0;
		index = game_option_find(game, token);
		if (index < 0 ||
			!game_option_parse(&game->options[index], value, &option[index]))
			return false;
	}
	return true;
}

void variant_name(const struct variant *variant, char *buffer, size_t size)
{
	snprintf(buffer, size, "%s, %d seats%s%s", variant->game, variant->seats,
		*variant->options ? ", " : "", variant->options);
}
