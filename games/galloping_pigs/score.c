/* Galloping Pigs from the end of a round to the result of the match. */
#include "games/galloping_pigs/internal.h"

#include <assert.h>
#include <string.h>

static void clear_track(struct galloping_pigs *s, struct events *events)
{
	int n = 0;

	for (int i = 0; i < s->head.seats; i++) {
		n += s->track_food[i] > 0;
		s->track_food[i] = 0;
	}
	s->stock = (uint8_t)(s->stock + n); /* GP-4.7 */
	if (n)
		event_add(events, GALLOPING_EVENT_LOSE, NO_SEAT, n, 0, 0);
}

void galloping_end_round(struct galloping_pigs *s, struct events *events)
{
	clear_track(s, events);
	for (int i = 0; i < s->head.seats; i++)
		event_add(events, GALLOPING_EVENT_SCORE, i, s->kept[i], 0, 0);
	if (s->round < s->head.option[GALLOPING_OPTION_ROUNDS]) {
		galloping_begin_round(
			s, galloping_next_seat(s, s->starter), events); /* GP-2.2 */
		return;
	}
	event_add(events, GALLOPING_EVENT_MATCH, 0, 0, 0, 0); /* GP-9.2 */
	galloping_await(s, GALLOPING_OVER, NEED_NOTHING);
}

void galloping_teams_of(const void *state, int8_t team[GAME_SEATS_MAX])
{
	(void)state;
	memset(team, -1, GAME_SEATS_MAX);
}

void galloping_result(const void *state, struct game_result *out)
{
	const struct galloping_pigs *s = state;

	assert(s->head.need == NEED_NOTHING);
	memset(out, 0, sizeof(*out));
	for (int i = 0; i < s->head.seats; i++)
		out->score[i] = s->kept[i];     /* GP-9.2 */
	game_rank_by_score(out, s->head.seats); /* GP-9.3 */
	galloping_teams_of(state, out->team);
	out->reason = "rounds";
}
