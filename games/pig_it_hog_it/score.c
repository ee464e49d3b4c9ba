/* Pig It Hog It from the end of a round to the result of the match. */
#include "games/pig_it_hog_it/internal.h"

#include <string.h>

static void clear_round(struct pig_it_hog_it *s)
{
	memset(s->hand, 0, sizeof(s->hand));
	memset(s->played, 0, sizeof(s->played));
	memset(s->call, 0, sizeof(s->call));
	memset(s->call_n, 0, sizeof(s->call_n));
	memset(s->hand_count, 0, sizeof(s->hand_count));
	memset(s->given, NO_CARD, sizeof(s->given));
	memset(s->received, NO_CARD, sizeof(s->received));
	memset(s->trick, NO_CARD, sizeof(s->trick));
	memset(s->tricks, 0, sizeof(s->tricks));
	memset(s->voids, 0, sizeof(s->voids));
	s->bidder = s->leader = s->winning = NO_SEAT;
	s->level = 0;
	s->declared = PIHI_UNDECLARED;
}

/* The team that leads in games, then in points over all games, or -1. PIHI-9.5 */
static int match_leader(const struct pig_it_hog_it *s)
{
	if (s->games_won[0] != s->games_won[1])
		return s->games_won[1] > s->games_won[0];
	if (s->aggregate[0] != s->aggregate[1])
		return s->aggregate[1] > s->aggregate[0];
	return -1;
}

/* PIHI-9.4 */
static bool has_majority(const struct pig_it_hog_it *s)
{
	int half = s->head.option[PIHI_GAMES] / 2;

	return s->games_won[0] > half || s->games_won[1] > half;
}

static void end_match(struct pig_it_hog_it *s, struct events *events)
{
	s->head.phase = PIHI_PHASE_OVER;
	s->head.need = NEED_NOTHING;
	s->head.acting = s->head.pending = 0;
	event_add(events, PIHI_EVENT_MATCH, match_leader(s), 0, 0, 0);
}

/* winner: the team, or -1 for a drawn game. */
static void end_game(struct pig_it_hog_it *s, int winner, struct events *events)
{
	s->games_played++;
	if (winner >= 0)
		s->games_won[winner]++;
	for (int team = 0; team < 2; team++)
		s->aggregate[team] += s->score[team];
	event_add(events, PIHI_EVENT_GAME, s->games_played, winner, 0, 0);
	if (has_majority(s) || s->games_played == s->head.option[PIHI_GAMES]) {
		end_match(s, events);
		return;
	}
	memset(s->score, 0, sizeof(s->score));
	s->round = 0;
	pihi_await_chance(s, PIHI_PHASE_DEAL);
}

/* The team that has won the game now, -1 if it is drawn, -2 if it goes on. */
static int game_winner(const struct pig_it_hog_it *s, int bidding_team)
{
	int target = s->head.option[PIHI_TARGET];

	if (s->score[bidding_team] >= target) /* PIHI-9.2 */
		return bidding_team;
	if (s->score[!bidding_team] >= target) /* PIHI-9.1 */
		return !bidding_team;
	if (s->round < s->head.option[PIHI_MAX_ROUNDS])
		return -2;
	if (s->score[0] == s->score[1]) /* PIHI-9.3 */
		return -1;
	return s->score[1] > s->score[0];
}

void pihi_end_round(
	struct pig_it_hog_it *s, int bidding_team, int next_dealer, struct events *events)
{
	int target = s->head.option[PIHI_TARGET];
	int winner = game_winner(s, bidding_team);

	clear_round(s);
	s->dealer = (uint8_t)next_dealer;
	if (winner == -2) {
		pihi_await_chance(s, PIHI_PHASE_DEAL);
		return;
	}
	if (s->score[0] < target && s->score[1] < target)
		event_add(events, PIHI_EVENT_GUARD, s->round, 0, 0, 0);
	end_game(s, winner, events);
}

/* gain: by team. */
void pihi_award(struct pig_it_hog_it *s, const int gain[2], struct events *events)
{
	int bidding_team = pihi_team(s, s->bidder);

	for (int team = 0; team < 2; team++) {
		s->score[team] = (int16_t)(s->score[team] + gain[team]);
		event_add(events, PIHI_EVENT_SCORE, team, gain[team], s->score[team], 0);
	}
	s->thrown_in = 0;
	pihi_end_round(
		s, bidding_team, pihi_left_of(s, s->dealer, 1), events); /* PIHI-2.2 */
}

int pihi_stake(const struct pig_it_hog_it *s)
{
	switch (s->level) {
	case PIHI_LEVEL_PIG:
		return 12;
	case PIHI_LEVEL_HOG:
		return 24;
	default:
		return s->level;
	}
}

void pihi_score_round(struct pig_it_hog_it *s, struct events *events)
{
	int team = pihi_team(s, s->bidder);
	int taken = s->tricks[s->bidder] + s->tricks[pihi_partner(s, s->bidder)];
	int gain[2] = {0, 0};

	if (s->level == PIHI_LEVEL_HOG) /* PIHI-7.4 */
		gain[team] = s->tricks[s->bidder] == PIHI_HAND ? pihi_stake(s)
							       : -pihi_stake(s);
	else if (s->level == PIHI_LEVEL_PIG) /* PIHI-7.3 */
		gain[team] = taken == PIHI_HAND ? pihi_stake(s) : -pihi_stake(s);
	else /* PIHI-7.1, PIHI-7.2 */
		gain[team] = taken >= s->level ? taken : -pihi_stake(s);
	if (s->head.option[PIHI_DEFENDERS_SCORE]) /* PIHI-7.5 */
		gain[!team] = PIHI_HAND - taken;
	pihi_award(s, gain, events);
}

void pihi_teams_of(const void *state, int8_t team[GAME_SEATS_MAX])
{
	const struct pig_it_hog_it *s = state;

	memset(team, -1, GAME_SEATS_MAX);
	for (int seat = 0; seat < PIHI_SEATS && s->order[0] != NO_SEAT; seat++)
		team[seat] = (int8_t)pihi_team(s, seat);
}

/* PIHI-9.5 */
void pihi_result(const void *state, struct game_result *out)
{
	const struct pig_it_hog_it *s = state;
	int winner = match_leader(s);

	memset(out, 0, sizeof(*out));
	pihi_teams_of(state, out->team);
	out->reason = has_majority(s) ? "games" : "played_out";
	for (int seat = 0; seat < PIHI_SEATS; seat++) {
		int team = out->team[seat];

		out->score[seat] = s->games_won[team];
		out->rank[seat] = winner < 0 || winner == team ? 1 : 3;
	}
}
