/*
 * A finished match is judged by its ranks, an unfinished one by how far a seat's points
 * are ahead of the others', squeezed into 0..1 so that a lead counts less and less.
 */
#include "sample_bots/c/search/outcome.h"

#include <math.h>
#include "games/dirty_pig/dirty_pig.h"
#include "games/galloping_pigs/galloping_pigs.h"
#include "games/pig_it_hog_it/pig_it_hog_it.h"
#include "games/pig_pile/pig_pile.h"
#include "games/tennessee_pig/tennessee_pig.h"

#define WON_GAME 1000 /* a game won is a lead beyond all points */

struct standing {
	const struct game *game;
	double scale;     /* points that make a comfortable lead */
	double certainty; /* share of the rank in the judgement of a finished match */
	/* Points of each seat: those of the match, of the game that was begun, or what
	 * stands for them. */
	void (*points)(const union table *before, const union table *after,
		double points[GAME_SEATS_MAX]);
};

/* A dirty pig counts more the better it is kept dirty; a barn is worth something even
 * before the mud. */
static double pig_worth(unsigned pig)
{
	double roof = (pig & DIRTY_PIG_HAS_BARN ? 0.15 : 0) +
		      (pig & DIRTY_PIG_HAS_ROD ? 0.1 : 0);

	if (!(pig & DIRTY_PIG_IS_DIRTY))
		return roof;
	return 1 + 1.5 * roof + (pig & DIRTY_PIG_HAS_LOCK ? 0.3 : 0);
}

static void points_dirty_pig(const union table *before, const union table *after,
	double points[GAME_SEATS_MAX])
{
	const struct dirty_pig *table = (const void *)after;

	(void)before;
	for (int seat = 0; seat < table->head.seats; seat++) {
		points[seat] = 0;
		for (int i = 0; i < table->pig_count[seat]; i++)
			points[seat] += pig_worth(table->pigs[seat][i]);
	}
}

static void points_galloping_pigs(const union table *before, const union table *after,
	double points[GAME_SEATS_MAX])
{
	const struct galloping_pigs *table = (const void *)after;

	(void)before;
	for (int seat = 0; seat < table->head.seats; seat++)
		points[seat] = table->kept[seat];
}

static void points_pig_pile(const union table *before, const union table *after,
	double points[GAME_SEATS_MAX])
{
	const struct pig_pile_state *table = (const void *)after;

	(void)before;
	for (int seat = 0; seat < table->head.seats; seat++)
		points[seat] = table->pigs[seat];
}

static void points_pig_it_hog_it(const union table *before, const union table *after,
	double points[GAME_SEATS_MAX])
{
	const struct pig_it_hog_it *table = (const void *)after,
				   *old = (const void *)before;

	for (int seat = 0; seat < PIHI_SEATS; seat++) {
		int team = table->position[seat] & 1;

		points[seat] = table->games_played > old->games_played
				       ? WON_GAME * (table->games_won[team] -
							    old->games_won[team])
				       : table->score[team];
	}
}

static void points_tennessee_pig(const union table *before, const union table *after,
	double points[GAME_SEATS_MAX])
{
	const struct tennessee_pig *table = (const void *)after,
				   *old = (const void *)before;

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++)
		points[seat] = table->games_played > old->games_played
				       ? WON_GAME * (table->games_won[seat & 1] -
							    old->games_won[seat & 1])
				       : table->score[seat & 1];
}

static const struct standing standings[] = {
	{&dirty_pig_game, 1.5, 1, points_dirty_pig},
	{&galloping_pigs_game, 6, 0.8, points_galloping_pigs},
	{&pig_pile_game, 2, 0.7, points_pig_pile},
	{&pig_it_hog_it_game, 12, 1, points_pig_it_hog_it},
	{&tennessee_pig_game, 20, 1, points_tennessee_pig},
};

static const struct standing *standing_of(const struct game *game)
{
	const struct standing *standing = standings;

	while (standing->game != game)
		standing++;
	return standing;
}

/* The share of opponents that a seat is ahead of; a tie is half. */
static double rank_share(const struct game_result *result, int seats, int seat)
{
	double won = 0;
	int others = 0;

	for (int other = 0; other < seats; other++) {
		if (other == seat || (result->team[seat] >= 0 &&
					     result->team[other] == result->team[seat]))
			continue;
		others++;
		won += result->rank[seat] < result->rank[other]    ? 1
		       : result->rank[seat] == result->rank[other] ? 0.5
								   : 0;
	}
	return won / others;
}

/* Half of the lead over the best other side and half of that over the average. */
static double lead(const double points[GAME_SEATS_MAX], const int8_t team[GAME_SEATS_MAX],
	int seats, int seat)
{
	double best = -INFINITY, sum = 0;
	int others = 0;

	for (int other = 0; other < seats; other++) {
		if (other == seat || (team[seat] >= 0 && team[other] == team[seat]))
			continue;
		others++;
		sum += points[other];
		best = fmax(best, points[other]);
	}
	return points[seat] - (best + sum / others) / 2;
}

void outcome_judge(const struct game *game, const union table *before,
	const union table *after, double reward[GAME_SEATS_MAX])
{
	const struct standing *standing = standing_of(game);
	int seats = after->head.seats;
	bool over = after->head.need == NEED_NOTHING;
	int8_t team[GAME_SEATS_MAX];
	double points[GAME_SEATS_MAX];
	struct game_result result;

	game->teams_of(after, team);
	standing->points(before, after, points);
	if (over)
		game->result(after, &result);
	for (int seat = 0; seat < seats; seat++) {
		double ahead = lead(points, team, seats, seat);

		reward[seat] = 1 / (1 + exp(-ahead / standing->scale));
		if (over)
			reward[seat] += standing->certainty *
					(rank_share(&result, seats, seat) - reward[seat]);
	}
}
