/*
 * Dirty Pig by simple rules. All pigs dirty wins, so mud comes first; what is dirty is
 * then kept dirty: a barn keeps rain off, a rod keeps the barn, a lock keeps the farmer
 * out. Cards against others go to whoever is nearest to winning.
 */
#include "games/dirty_pig/dirty_pig.h"
#include "sample_bots/c/common/player.h"

static int dirty_count(const struct dirty_pig *table, int seat)
{
	int count = 0;

	for (int i = 0; i < table->pig_count[seat]; i++)
		count += (table->pigs[seat][i] & DIRTY_PIG_IS_DIRTY) != 0;
	return count;
}

static int clean_count(const struct dirty_pig *table, int seat)
{
	return table->pig_count[seat] - dirty_count(table, seat);
}

/* Dirty pigs that rain would wash: those without a barn. */
static int exposed_count(const struct dirty_pig *table, int seat)
{
	int count = 0;

	for (int i = 0; i < table->pig_count[seat]; i++)
		count += (table->pigs[seat][i] &
				 (DIRTY_PIG_IS_DIRTY | DIRTY_PIG_HAS_BARN)) ==
			 DIRTY_PIG_IS_DIRTY;
	return count;
}

/* How much it matters to harm this seat: it needs only so many more mud cards. */
static int threat(const struct dirty_pig *table, int seat)
{
	int clean = clean_count(table, seat);

	return clean <= 1 ? 40 : clean == 2 ? 15 : 5;
}

static int value_mud(
	const struct dirty_pig *table, int seat, unsigned pig, const char **why)
{
	if (clean_count(table, seat) == 1)
		return because(why, 1000, "mud on my last clean pig wins");
	if (pig & DIRTY_PIG_HAS_BARN)
		return because(why, 75, "mud for a pig that rain cannot reach");
	return because(why, 65, "one more dirty pig");
}

static int value_own(const struct dirty_pig *table, int seat, const struct action *move,
	const char **why)
{
	unsigned pig = table->pigs[seat][move->arg[2]];
	bool dirty = pig & DIRTY_PIG_IS_DIRTY;

	switch (move->arg[0]) {
	case DIRTY_PIG_MUD:
		return value_mud(table, seat, pig, why);
	case DIRTY_PIG_LOCK:
		if (pig & DIRTY_PIG_HAS_ROD)
			return because(why, 90, "this pig now stays dirty for good");
		return because(why, 60, "no farmer gets at this pig");
	case DIRTY_PIG_BARN:
		if (dirty)
			return because(why, 62, "a roof over a dirty pig");
		return because(why, 45, "a roof before the mud");
	default:
		if (dirty)
			return because(why, 48, "the barn of a dirty pig stays");
		return because(why, 30, "this barn cannot burn any more");
	}
}

static int value_against(
	const struct dirty_pig *table, const struct action *move, const char **why)
{
	unsigned pig = table->pigs[move->arg[1]][move->arg[2]];
	int harm = threat(table, move->arg[1]);

	if (move->arg[0] == DIRTY_PIG_FARMER)
		return because(
			why, 45 + harm, "wash a pig of the one nearest to winning");
	if (pig & DIRTY_PIG_HAS_LOCK)
		return because(why, 40 + harm, "burn a barn and its lock");
	if (pig & DIRTY_PIG_IS_DIRTY)
		return because(why, 30 + harm / 2, "burn the roof over a dirty pig");
	return because(why, 18, "burn a barn");
}

static int value_rain(const struct dirty_pig *table, int seat, const char **why)
{
	int value = 5 - 30 * exposed_count(table, seat);

	for (int other = 0; other < table->head.seats; other++)
		if (other != seat)
			value += exposed_count(table, other) *
				 (15 + threat(table, other) / 2);
	return because(why, value, "rain washes more of their pigs than of mine");
}

/* What a card in the hand may still do is lost with it. */
static int value_discard(
	const struct dirty_pig *table, int seat, int card, const char **why)
{
	static const int worth[DIRTY_PIG_FACES] = {
		[DIRTY_PIG_MUD] = 60,
		[DIRTY_PIG_RAIN] = 12,
		[DIRTY_PIG_BARN] = 40,
		[DIRTY_PIG_BOLT] = 8,
		[DIRTY_PIG_ROD] = 10,
		[DIRTY_PIG_FARMER] = 35,
		[DIRTY_PIG_LOCK] = 25,
	};
	int twins = table->hand[seat][card] - 1;

	return because(why, 14 - worth[card] + 4 * twins, "throw away what helps least");
}

static int value(const void *view, int seat, const struct action *move, const char **why)
{
	const struct dirty_pig *table = view;

	if (move->verb == DIRTY_PIG_SWAP)
		return because(why, 12, "nothing fits: a new hand");
	if (move->verb == DIRTY_PIG_DISCARD)
		return value_discard(table, seat, move->arg[0], why);
	if (move->arg[0] == DIRTY_PIG_RAIN)
		return value_rain(table, seat, why);
	if (move->arg[0] == DIRTY_PIG_BOLT || move->arg[0] == DIRTY_PIG_FARMER)
		return value_against(table, move, why);
	return value_own(table, seat, move, why);
}

const struct player dirty_pig_player = {&dirty_pig_game, value};
