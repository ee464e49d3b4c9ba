/* Imagined matches: drawing a state, playing it out, judging the outcome. */
#include "sample_bots/c/search/world.h"

#include "sample_bots/c/search/outcome.h"

void world_init(struct world *world, const struct game *game, const union table *view,
	struct random_stream *stream)
{
	world->game = game;
	world->player = player_of(game);
	world->tuning = tuning_of(game);
	world->stream = stream;
	world->random = (struct game_random){random_stream_next, stream};
	world->view = view;
}

void world_imagine(struct world *world, int number)
{
	random_stream_part(world->stream, (uint32_t)number);
	world->game->sample(world->view, &world->random, &world->now);
}

bool world_goes_on(struct world *world)
{
	struct chance chance;

	while (world->now.head.need == NEED_CHANCE) {
		world->game->chance(&world->now, &chance);
		if (chance.kind == CHANCE_DEAL || chance.kind == CHANCE_DRAW)
			return false;
		game_random_shuffle(&world->random, chance.token, chance.n);
		world->game->apply_chance(&world->now, chance.token, chance.n, NULL);
	}
	return world->now.head.need == NEED_ANSWERS;
}

int world_actor(const struct world *world)
{
	unsigned pending = world->now.head.pending;
	int seat = world->view->head.viewer;

	return game_seat_in(pending, seat) ? seat : __builtin_ctz(pending);
}

void world_play_out(struct world *world)
{
	const struct tuning *tuning = world->tuning;
	struct action legal[GAME_LEGAL_MAX];

	for (int moves = 0; moves < tuning->moves_max && world_goes_on(world); moves++) {
		int seat = world_actor(world);
		int count = world->game->legal(&world->now, seat, legal), choice = 0;

		if (count > 1 && game_random_below(&world->random,
					 (uint32_t)tuning->random_move_in) == 0)
			choice = (int)game_random_below(&world->random, (uint32_t)count);
		else if (count > 1)
			choice = player_choose(
				world->player, &world->now, seat, legal, count, NULL);
		world->game->apply(&world->now, seat, &legal[choice], NULL);
	}
}

void world_judge(const struct world *world, double reward[GAME_SEATS_MAX])
{
	outcome_judge(world->game, world->view, &world->now, reward);
}
