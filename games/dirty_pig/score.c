/* The end of a match of Dirty Pig and its result. */
#include "games/dirty_pig/internal.h"

#include <string.h>

void dirty_pig_finish(struct dirty_pig *s, int winner, struct events *events)
{
	s->winner = (uint8_t)winner;
	s->head.phase = DIRTY_PIG_OVER;
	s->head.need = NEED_NOTHING;
	s->head.acting = s->head.pending = 0;
	for (int seat = 0; events && seat < s->head.seats; seat++)
		event_add(events, DIRTY_PIG_EVENT_SCORE, seat,
			dirty_pig_count_dirty(s, seat), 0, 0);
	event_add(events, DIRTY_PIG_EVENT_MATCH, winner, 0, 0, 0);
}

void dirty_pig_teams_of(const void *state, int8_t team[GAME_SEATS_MAX])
{
	(void)state;
	memset(team, -1, GAME_SEATS_MAX);
}

void dirty_pig_result(const void *state, struct game_result *r)
{
	const struct dirty_pig *s = state;

	memset(r, 0, sizeof(*r));
	memset(r->team, -1, sizeof(r->team));
	for (int seat = 0; seat < s->head.seats; seat++)
		r->score[seat] = (int16_t)dirty_pig_count_dirty(s, seat); /* DP-5.2 */
	r->reason = "guard";
	game_rank_by_score(r, s->head.seats); /* DP-5.3 */
	if (s->winner == NO_SEAT)
		return;
	r->reason = "all_dirty";
	for (int seat = 0; seat < s->head.seats; seat++) /* DP-5.2 */
		r->rank[seat] = seat == s->winner ? 1 : 2;
}
