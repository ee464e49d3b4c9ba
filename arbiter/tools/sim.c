/* Random matches without bots, and their statistics. */
#include "arbiter/tools/sim.h"
#include "protocol/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void draw_order(const struct game *game, const uint8_t seed[CHANCE_SEED_SIZE],
	void *state, struct events *events)
{
	struct chance request;
	uint8_t order[GAME_ORDER_MAX];

	game->chance(state, &request);
	chance_order(seed, &request, order);
	game->apply_chance(state, order, request.n, events);
}

void sim_play(const struct sim_setup *setup, const uint8_t seed[CHANCE_SEED_SIZE],
	struct sim_match *match)
{
	const struct game *game = setup->game;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	const struct game_head *head = game_head(state);
	struct chance_stream stream;
	struct game_random random = {chance_stream_next, &stream};
	struct action legal[GAME_LEGAL_MAX];

	memset(match, 0, sizeof(*match));
	chance_stream_init(&stream, seed, "sim");
	game_start(game, setup->seats, setup->option, state);
	while (head->need != NEED_NOTHING) {
		int seat, n;

		if (head->need == NEED_CHANCE) {
			draw_order(game, seed, state, NULL);
			continue;
		}
		seat = __builtin_ctz(head->pending);
		n = game->legal(state, seat, legal);
		assert(n > 0);
		match->actions++;
		match->decisions += n > 1 || head->option[OPTION_ASK_FORCED];
		game->apply(state, seat,
			&legal[n > 1 ? game_random_below(&random, (uint32_t)n) : 0],
			NULL);
	}
	game->result(state, &match->result);
}

void sim_stats_init(struct sim_stats *stats, int seats, uint32_t matches_max)
{
	memset(stats, 0, sizeof(*stats));
	stats->seats = seats;
	stats->length = xcalloc(matches_max, sizeof(*stats->length));
}

void sim_stats_release(struct sim_stats *stats)
{
	free(stats->length);
	stats->length = NULL;
}

static void count_reason(struct sim_stats *stats, const char *reason)
{
	int i = 0;

	while (i < SIM_REASONS_MAX - 1 && stats->reason[i] &&
		strcmp(stats->reason[i], reason))
		i++;
	stats->reason[i] = reason;
	stats->reason_count[i]++;
}

void sim_stats_add(struct sim_stats *stats, const struct sim_match *match)
{
	bool first = stats->matches == 0;

	stats->length[stats->matches++] = match->decisions;
	stats->actions += match->actions;
	stats->decisions += match->decisions;
	count_reason(stats, match->result.reason);
	for (int s = 0; s < stats->seats; s++) {
		int16_t score = match->result.score[s];

		stats->score_sum[s] += score;
		if (first || score < stats->score_min[s])
			stats->score_min[s] = score;
		if (first || score > stats->score_max[s])
			stats->score_max[s] = score;
		stats->firsts[s] += match->result.rank[s] == 1;
	}
}

static int compare_lengths(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void sim_stats_sort(struct sim_stats *stats)
{
	qsort(stats->length, stats->matches, sizeof(*stats->length), compare_lengths);
}

uint32_t sim_stats_length(const struct sim_stats *stats, int percent)
{
	return stats->length[(uint64_t)(stats->matches - 1) * (uint64_t)percent / 100];
}
