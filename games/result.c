/* Ranks from scores. */
#include "games/result.h"

void game_rank_by_score(struct game_result *result, int seats)
{
	for (int s = 0; s < seats; s++) {
		result->rank[s] = 1;
		for (int other = 0; other < seats; other++)
			result->rank[s] += result->score[other] > result->score[s];
	}
}
