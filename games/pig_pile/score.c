/* Pig Pile from the end of a round to the result of the match. */
#include "games/pig_pile/internal.h"

#include <string.h>

int pig_pile_round_limit(const struct pig_pile_state *s)
{
	int rounds = s->head.option[PIG_PILE_OPTION_ROUNDS];

	return rounds == PIG_PILE_ROUNDS_PLAYERS ? s->head.seats : rounds;
}

/* PP-8.3 to PP-8.5, PP-8.7: what each seat should get. */
static void awards(const struct pig_pile_state *s, uint8_t award[GAME_SEATS_MAX])
{
	int seats = s->head.seats, most = 0;
	bool third = seats == 3 && s->out_count == 2 &&
		     s->head.option[PIG_PILE_OPTION_THIRD_PIG];

	for (int seat = 0; seat < seats; seat++) {
		int left = pig_pile_cards_left(s, seat);
		most = left > most ? left : most;
	}
	for (int seat = 0; seat < seats; seat++)
		award[seat] = third || pig_pile_cards_left(s, seat) < most;
	for (int i = 0; i < s->out_count; i++)
		award[s->out[i]] = (uint8_t)(3 - i);
}

/*
 * PP-8.6: the order in which seats are paid: those that are out, then the others by
 * cards left, equal ones clockwise from the seat left of the first that went out, or
 * from the dealer if none did.
 */
static void payment_order(const struct pig_pile_state *s, uint8_t order[GAME_SEATS_MAX])
{
	int seats = s->head.seats, n = 0;
	int from = s->out_count ? s->out[0] + 1 : s->dealer;

	for (int i = 0; i < s->out_count; i++)
		order[n++] = s->out[i];
	for (int i = 0; i < seats; i++) {
		int seat = (from + i) % seats, at = n;
		if (pig_pile_is_out(s, seat))
			continue;
		while (at > s->out_count && pig_pile_cards_left(s, order[at - 1]) >
						    pig_pile_cards_left(s, seat)) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = (uint8_t)seat;
		n++;
	}
}

static void pay(struct pig_pile_state *s, struct events *events)
{
	uint8_t award[GAME_SEATS_MAX], order[GAME_SEATS_MAX];

	awards(s, award);
	payment_order(s, order);
	for (int i = 0; i < s->head.seats; i++) {
		int seat = order[i];
		if (award[seat] > s->pen)
			award[seat] = s->pen;
		s->pen -= award[seat];
		s->pigs[seat] += award[seat];
	}
	if (!events)
		return;
	for (int seat = 0; seat < s->head.seats; seat++)
		event_add(events, PIG_PILE_EVENT_SCORE, seat,
			pig_pile_cards_left(s, seat), award[seat], s->pigs[seat]);
}

static int match_reason(const struct pig_pile_state *s)
{
	return s->round == pig_pile_round_limit(s) ? PIG_PILE_REASON_ROUNDS
						   : PIG_PILE_REASON_PIGS;
}

void pig_pile_end_round(struct pig_pile_state *s, struct events *events)
{
	pay(s, events);
	if (s->round == pig_pile_round_limit(s) || !s->pen) { /* PP-9.2, PP-9.3 */
		pig_pile_ask_nobody(s, PIG_PILE_OVER, NEED_NOTHING);
		pig_pile_note(events, PIG_PILE_EVENT_MATCH, match_reason(s), 0);
		return;
	}
	s->dealer = (uint8_t)((s->dealer + 1) % s->head.seats); /* PP-9.1 */
	pig_pile_ask_nobody(s, PIG_PILE_DEAL, NEED_CHANCE);
}

void pig_pile_teams_of(const void *state, int8_t team[GAME_SEATS_MAX])
{
	(void)state;
	memset(team, -1, GAME_SEATS_MAX);
}

/* PP-9.4 */
void pig_pile_result(const void *state, struct game_result *result)
{
	const struct pig_pile_state *s = state;

	for (int seat = 0; seat < s->head.seats; seat++) {
		result->score[seat] = s->pigs[seat];
		result->team[seat] = -1;
	}
	game_rank_by_score(result, s->head.seats);
	result->reason = match_reason(s) == PIG_PILE_REASON_ROUNDS ? "rounds" : "pigs";
}
