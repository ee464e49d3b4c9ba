/* Tennessee Pig from the end of a hand to the result of the match. */
#include "games/tennessee_pig/internal.h"

#include <assert.h>
#include <string.h>

/* The hand is over: what was hidden is gathered unseen. */
static void sweep(struct tennessee_hand *now)
{
	memset(now->hand, 0, sizeof(now->hand));
	memset(now->received, 0, sizeof(now->received));
	memset(now->discards, 0, sizeof(now->discards));
	memset(now->hand_count, 0, sizeof(now->hand_count));
	memset(now->sure_trumps, 0, sizeof(now->sure_trumps));
	memset(now->sure_trash, 0, sizeof(now->sure_trash));
	memset(now->silent, 0, sizeof(now->silent));
	memset(now->stock, NO_CARD, sizeof(now->stock));
	now->stock_count = 0;
}

void tennessee_begin_game(struct tennessee_pig *s)
{
	s->score[0] = s->score[1] = 0;
	s->hands = 0;
	s->dealer = NO_SEAT;
	s->drawing = TENNESSEE_ALL_SEATS;
	s->ended = TENNESSEE_NOT_ENDED;
	tennessee_await(s, TENNESSEE_DRAW, NEED_CHANCE); /* TP-2.1 */
}

/* 1 + team, or a draw. */
static int higher(int first, int second)
{
	if (first == second)
		return TENNESSEE_DRAWN;
	return first > second ? 1 : 2;
}

/* Who has won the game by this hand, and how; nobody: how is 0. */
static int game_winner(const struct tennessee_pig *s, enum tennessee_end *how)
{
	int target = s->head.option[TENNESSEE_OPTION_TARGET];

	*how = TENNESSEE_BY_MINUS; /* TP-7.6 */
	for (int team = 0; team < TENNESSEE_TEAMS; team++)
		if (s->score[team] <= -target)
			return 1 + !team;
	*how = TENNESSEE_BY_TARGET;
	if (s->score[0] >= target && s->score[1] >= target)
		return 1 + s->now.bidder % TENNESSEE_TEAMS; /* TP-7.7 */
	for (int team = 0; team < TENNESSEE_TEAMS; team++)
		if (s->score[team] >= target)
			return 1 + team; /* TP-7.5 */
	*how = TENNESSEE_BY_GUARD;
	if (s->hands >= s->head.option[TENNESSEE_OPTION_MAX_HANDS])
		return higher(s->score[0], s->score[1]); /* TP-7.8 */
	*how = TENNESSEE_NOT_ENDED;
	return TENNESSEE_NO_WINNER;
}

/* The team in an event, -1 for a draw. */
static int team_shown(int winner)
{
	return winner == TENNESSEE_DRAWN ? -1 : winner - 1;
}

static void end_game(struct tennessee_pig *s, int winner, struct events *events)
{
	int games = s->head.option[TENNESSEE_OPTION_GAMES];
	const uint8_t *won = s->games_won;

	if (winner != TENNESSEE_DRAWN)
		s->games_won[winner - 1]++;
	s->games_played++;
	event_add(
		events, TENNESSEE_EVENT_GAME, s->games_played, team_shown(winner), 0, 0);
	if (s->games_played < games && 2 * won[0] <= games && 2 * won[1] <= games) {
		tennessee_begin_game(s); /* TP-7.9 */
		return;
	}
	s->winner = (uint8_t)higher(won[0], won[1]);
	event_add(events, TENNESSEE_EVENT_MATCH, team_shown(s->winner), 0, 0, 0);
	tennessee_await(s, TENNESSEE_OVER, NEED_NOTHING);
}

static void end_hand(struct tennessee_pig *s, const int gain[2], struct events *events)
{
	enum tennessee_end how;
	int winner;

	for (int team = 0; team < TENNESSEE_TEAMS; team++) {
		s->score[team] = (int16_t)(s->score[team] + gain[team]);
		event_add(events, TENNESSEE_EVENT_SCORE, team, gain[team], s->score[team],
			0);
	}
	event_add(events, TENNESSEE_EVENT_ROUND, s->hands, s->dealer, 0, 0);
	sweep(&s->now);
	winner = game_winner(s, &how);
	s->ended = (uint8_t)how;
	if (how == TENNESSEE_BY_GUARD)
		event_add(events, TENNESSEE_EVENT_GUARD, s->hands, 0, 0, 0);
	if (how != TENNESSEE_NOT_ENDED) {
		end_game(s, winner, events);
		return;
	}
	s->dealer = (uint8_t)((s->dealer + 1) % TENNESSEE_SEATS); /* TP-2.6 */
	tennessee_await(s, TENNESSEE_DEAL, NEED_CHANCE);
}

static int most_points(const struct tennessee_hand *now) /* TP-7.4 */
{
	return now->bid > TENNESSEE_BID_SINGLE_MAX ? now->bid : TENNESSEE_BID_SINGLE_MAX;
}

void tennessee_award(struct tennessee_pig *s, int team, struct events *events)
{
	int gain[TENNESSEE_TEAMS] = {0};

	gain[team] = most_points(&s->now);
	end_hand(s, gain, events);
}

void tennessee_penalty(
	struct tennessee_pig *s, int seat, uint64_t cards, struct events *events)
{
	int points = most_points(&s->now);
	struct event *event =
		event_add(events, TENNESSEE_EVENT_PENALTY, seat, points, 0, 0);

	while (event && cards)
		event_card(event, (uint8_t)set_pop(&cards));
	tennessee_award(s, (seat + 1) % TENNESSEE_TEAMS, events);
}

void tennessee_score(struct tennessee_pig *s, struct events *events)
{
	const struct tennessee_hand *now = &s->now;
	bool doubled = now->bid > TENNESSEE_BID_SINGLE_MAX;
	int team = now->bidder % TENNESSEE_TEAMS;
	int needed = doubled ? now->bid / 2 : now->bid;
	int gain[TENNESSEE_TEAMS];

	gain[!team] = now->caught[!team]; /* TP-7.3 */
	if (now->caught[team] < needed)
		gain[team] = -now->bid;
	else
		gain[team] = doubled ? now->bid : now->caught[team]; /* TP-7.1 TP-7.2 */
	end_hand(s, gain, events);
}

void tennessee_teams_of(const void *state, int8_t team[GAME_SEATS_MAX]) /* TP-1.1 */
{
	const struct tennessee_pig *s = state;

	memset(team, -1, GAME_SEATS_MAX);
	for (int seat = 0; seat < s->head.seats; seat++)
		team[seat] = (int8_t)(seat % TENNESSEE_TEAMS);
}

void tennessee_result(const void *state, struct game_result *out) /* TP-7.10 */
{
	const struct tennessee_pig *s = state;
	bool one_game = s->head.option[TENNESSEE_OPTION_GAMES] == 1;

	assert(s->head.need == NEED_NOTHING);
	memset(out, 0, sizeof(*out));
	tennessee_teams_of(state, out->team);
	for (int seat = 0; seat < TENNESSEE_SEATS; seat++) {
		int team = seat % TENNESSEE_TEAMS;
		bool lost = s->winner != TENNESSEE_DRAWN && s->winner != 1 + team;

		out->score[seat] = one_game ? s->score[team] : s->games_won[team];
		out->rank[seat] = lost ? 3 : 1;
	}
	out->reason = one_game ? tennessee_end_words[s->ended] : "games";
}
