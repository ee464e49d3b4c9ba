/*
 * Galloping Pigs by simple rules. A card that brings its pig to the front takes a food
 * now, but all food of the round is lost unless the seventh card leads as well. So the
 * later it is in the round, the more it counts to hold cards that would lead.
 */
#include "games/galloping_pigs/galloping_pigs.h"
#include "sample_bots/c/common/player.h"

/* A pig goes to the first space beyond it that holds no pig. */
static int lands_at(const uint8_t distance[GALLOPING_COLOURS], int pig)
{
	int at = distance[pig];
	bool taken;

	do {
		at++;
		taken = false;
		for (int other = 0; other < GALLOPING_COLOURS; other++)
			taken |= other != pig &&
				 galloping_space(distance[other]) == galloping_space(at);
	} while (taken);
	return at;
}

static bool leads_at(const uint8_t distance[GALLOPING_COLOURS], int pig, int at)
{
	for (int other = 0; other < GALLOPING_COLOURS; other++)
		if (other != pig && distance[other] >= at)
			return false;
	return true;
}

/* How well a pig stands for a lead later on: it leads with the next card, or how many
 * steps it is behind the front. */
static int prospect(const uint8_t distance[GALLOPING_COLOURS], int pig)
{
	int at = lands_at(distance, pig), front = 0;

	if (leads_at(distance, pig, at))
		return 12;
	for (int other = 0; other < GALLOPING_COLOURS; other++)
		if (distance[other] > front)
			front = distance[other];
	return front - at < 6 ? 6 - (front - at) : 0;
}

static int value_play(
	const struct galloping_pigs *table, int seat, int card, const char **why)
{
	uint8_t distance[GALLOPING_COLOURS];
	int at = lands_at(table->distance, card), left = table->hand_size[seat] - 1;
	bool leads = leads_at(table->distance, card, at);
	int best = 0, all = 0, stake = table->left[seat] + leads;

	memcpy(distance, table->distance, sizeof(distance));
	distance[card] = (uint8_t)at;
	for (int colour = 0; colour < GALLOPING_COLOURS; colour++) {
		int held = table->hand[seat][colour] - (colour == card);
		int chance = held > 0 ? prospect(distance, colour) : 0;

		best = chance > best ? chance : best;
		all += held * chance;
	}
	if (left <= 1)
		return because(why, 10 * leads + best * (stake + 1),
			"keep a last card that leads");
	return because(why, 40 * leads + 3 * best + all * 4 / left,
		leads ? "to the front: one food" : "prepare cards that lead later");
}

static int value_food(int at, const char **why)
{
	return because(why, -at, "food near the start, where the pigs come by");
}

static int value(const void *view, int seat, const struct action *move, const char **why)
{
	if (move->verb == GALLOPING_VERB_LINE)
		return because(why, 0, "before the deal all colours are alike");
	if (move->verb == GALLOPING_VERB_FOOD)
		return value_food(move->arg[0], why);
	return value_play(view, seat, move->arg[0], why);
}

const struct player galloping_pigs_player = {&galloping_pigs_game, value};
