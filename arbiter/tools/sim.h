/*
 * Random matches inside this process: how long they are, how they end, how fast the
 * rules are. Every seat chooses evenly among its legal actions. All randomness comes
 * from one seed, so the same seed gives the same matches.
 */
#ifndef ARBITER_TOOLS_SIM_H
#define ARBITER_TOOLS_SIM_H

#include "arbiter/table/chance.h"

#include <stdio.h>

#define SIM_REASONS_MAX 8

struct sim_setup {
	const struct game *game;
	int seats;
	const int16_t *option;
};

struct sim_match {
	uint32_t actions;   /* all, forced ones too */
	uint32_t decisions; /* those for which a bot would be asked */
	struct game_result result;
};

void sim_play(const struct sim_setup *setup, const uint8_t seed[CHANCE_SEED_SIZE],
	struct sim_match *match);

/* Plays the same match and prints it: all of it for OMNISCIENT, for a seat only what that
 * seat sees. */
void sim_trace(const struct sim_setup *setup, const uint8_t seed[CHANCE_SEED_SIZE],
	int viewer, FILE *out);

/* Sums over many matches. */
struct sim_stats {
	int seats;
	uint32_t matches;
	uint64_t actions, decisions;
	uint32_t *length; /* decisions of each match; sorted by sim_stats_sort() */
	int64_t score_sum[GAME_SEATS_MAX];
	int16_t score_min[GAME_SEATS_MAX], score_max[GAME_SEATS_MAX];
	uint32_t firsts[GAME_SEATS_MAX]; /* matches with rank 1 */
	const char *reason[SIM_REASONS_MAX];
	uint32_t reason_count[SIM_REASONS_MAX];
};

void sim_stats_init(struct sim_stats *stats, int seats, uint32_t matches_max);
void sim_stats_release(struct sim_stats *stats);
void sim_stats_add(struct sim_stats *stats, const struct sim_match *match);
void sim_stats_sort(struct sim_stats *stats);
/* The length that `percent` of the matches do not exceed; 50 is the median. */
uint32_t sim_stats_length(const struct sim_stats *stats, int percent);

#endif
