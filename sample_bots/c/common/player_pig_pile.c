/*
 * Pig Pile by simple rules. Get rid of low cards early, several at once, and keep the
 * cards that can be played late (W, high numbers, 8) for when the pile is high. The best
 * cards go face up: they are played last, when there is no hand left to choose from.
 */
#include "games/pig_pile/pig_pile.h"
#include "sample_bots/c/common/player.h"

/* How useful a card is later on. An 8 washes the pile but fits only on low cards; a 4
 * holds the next seat up. */
static int worth(int face)
{
	if (face == PIG_PILE_WILD)
		return 18;
	if (face == PIG_PILE_EIGHT)
		return 11;
	return face == PIG_PILE_FOUR ? 5 : face + 1;
}

static int pile_run(const struct pig_pile_state *table, int face)
{
	int run = 0;

	while (run < table->pile_count &&
		table->pile[table->pile_count - 1 - run] == face)
		run++;
	return run;
}

static int value_face(const struct action *move, const char **why)
{
	int value = 0;

	for (int i = 0; i < move->count; i++)
		value += worth(move->arg[i]);
	return because(why, value, "the best cards wait face up");
}

static int value_play(
	const struct pig_pile_state *table, const struct action *move, const char **why)
{
	int face = move->arg[0], count = move->count;
	bool washes = face == PIG_PILE_EIGHT || pile_run(table, face) + count >= 3;
	bool stock = table->stock_count > 0;
	int value = 100 - 4 * worth(face);

	/* Every card beyond the first is a card less: the draw replaces only one. Of
	 * the best cards one at a time is enough while cards are still drawn. */
	if (worth(face) < 10 || !stock)
		value += 6 * (count - 1);
	else
		value -= 6 * (count - 1);
	if (washes)
		return because(why, value + 14 + table->pile_count,
			"wash the pile away and play again");
	if (count > 1)
		return because(why, value, "several low cards at once");
	return because(why, value, "the lowest card that fits");
}

static int value(const void *view, int seat, const struct action *move, const char **why)
{
	(void)seat; /* all that matters is on the table or in the move */
	switch (move->verb) {
	case PIG_PILE_VERB_FACE:
		return value_face(move, why);
	case PIG_PILE_VERB_PLAY:
		return value_play(view, move, why);
	case PIG_PILE_VERB_TAKE:
		if (move->count == 0)
			return because(why, 0, "nothing fits");
		return because(why, move->count - 4 * worth(move->arg[0]),
			"take back the lowest, it is easier to play from the hand");
	default:
		return because(why, 0, "nobody knows these cards");
	}
}

const struct player pig_pile_player = {&pig_pile_game, value};
