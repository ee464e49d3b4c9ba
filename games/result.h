/* The result of a match: scores, ranks and teams of all seats, and why it ended. */
#ifndef GAMES_RESULT_H
#define GAMES_RESULT_H

#include "games/state.h"

struct game_result {
	int16_t score[GAME_SEATS_MAX];
	uint8_t rank[GAME_SEATS_MAX]; /* 1 is best; ties share (1,1,3) */
	int8_t team[GAME_SEATS_MAX];  /* -1 where there are no teams */
	const char *reason;           /* why it ended: "rounds", "target", "guard" … */
};

/* Standard competition ranking by score, highest first. */
void game_rank_by_score(struct game_result *result, int seats);

#endif
