/* Names of faults, and ranks after forfeits. */
#include "arbiter/table/fault.h"

#include <string.h>

const char *const fault_names[] = {"none", "timeout", "crash", "disconnect", "illegal",
	"malformed", "oversize", "flood", "memory", "startup", "arbiter", NULL};
const char *const void_cause_names[] = {
	"none", "starved", "replay", "absent", "stopped", NULL};
const char *const policy_names[] = {"auto", "forfeit", "substitute", NULL};
const char *const match_phase_names[] = {"start", "ready", "play", "over", NULL};

void fault_rank(const struct game *game, struct game_result *result, int seats,
	uint16_t faulted, bool finished)
{
	uint16_t lost = faulted;
	uint8_t rank[GAME_SEATS_MAX];
	int left = 0;

	for (int a = 0; game->teams && a < seats; a++)
		for (int b = 0; b < seats; b++)
			if (game_seat_in(faulted, b) && result->team[b] >= 0 &&
				result->team[a] == result->team[b])
				lost |= (uint16_t)(1u << a);
	for (int seat = 0; seat < seats; seat++)
		left += !game_seat_in(lost, seat);
	for (int a = 0; a < seats; a++) {
		rank[a] = 1;
		for (int b = 0; finished && b < seats; b++)
			rank[a] += !game_seat_in(lost, b) &&
				   result->rank[b] < result->rank[a];
		if (game_seat_in(lost, a))
			rank[a] = (uint8_t)(left + 1);
	}
	memcpy(result->rank, rank, sizeof(rank[0]) * (size_t)seats);
}
