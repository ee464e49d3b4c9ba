/* Tennessee Pig from the first lead to the end of the match. */
#include "games/tennessee_pig_internal.h"

#include <string.h>

int tennessee_strength(int trump, int card) /* TP-1.4 */
{
	static const uint8_t by_rank[TENNESSEE_RANKS] = {
		1, 2, 3, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16};
	enum { OFF_FIVE = 4, JOKER = 11, OFF_JACK = 12 };
	int suit = trump - 1;

	if (card == TENNESSEE_JOKER)
		return JOKER;
	if (card / TENNESSEE_RANKS == suit)
		return by_rank[card % TENNESSEE_RANKS];
	if (card == card_of(3 - suit, TENNESSEE_JACK))
		return OFF_JACK;
	return card == card_of(3 - suit, TENNESSEE_FIVE) ? OFF_FIVE : 0;
}

static int next_live(const struct tennessee_hand *now, int seat)
{
	do
		seat = (seat + 1) % TENNESSEE_SEATS;
	while (!game_seat_in(now->live, seat));
	return seat;
}

/* Before every lead: the hand ends by itself when nobody holds a trump, or when one
 * seat is left and catches the rest. */
static void begin_lead(struct tennessee_pig *s, struct events *events)
{
	struct tennessee_hand *now = &s->now;
	uint64_t trumps = trump_cards(now->trump), left = 0;

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++)
		left |= now->hand[seat]; /* a folded hand is empty */
	left &= trumps;
	if (left && now->live & (now->live - 1)) {
		tennessee_ask(s, TENNESSEE_PLAY, 1u << now->leader);
		return;
	}
	if (left) { /* TP-6.10 */
		int points = points_of(now, left);
		struct event *event = event_add(
			events, TENNESSEE_EVENT_TRICK, now->leader, points, 0, 0);

		now->caught[now->leader % TENNESSEE_TEAMS] += (uint8_t)points;
		while (event && left)
			event_card(event, (uint8_t)set_pop(&left));
	}
	tennessee_score(s, events); /* TP-6.11 */
}

void tennessee_begin_play(struct tennessee_pig *s, struct events *events)
{
	s->now.leader = s->now.bidder; /* TP-6.1 */
	begin_lead(s, events);
}

static int trick_catcher(const struct tennessee_hand *now) /* TP-6.7 */
{
	int best = 0, catcher = NO_SEAT;

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++) {
		int rank = now->trick[seat] == NO_CARD
				   ? 0
				   : tennessee_strength(now->trump, now->trick[seat]);

		if (rank > best) {
			best = rank;
			catcher = seat;
		}
	}
	return catcher;
}

static int trick_points(const struct tennessee_hand *now)
{
	uint64_t cards = 0;

	for (int seat = 0; seat < TENNESSEE_SEATS; seat++)
		if (now->trick[seat] != NO_CARD)
			cards |= card_bit(now->trick[seat]);
	return points_of(now, cards);
}

static void end_trick(struct tennessee_pig *s, struct events *events)
{
	struct tennessee_hand *now = &s->now;
	int catcher = trick_catcher(now), points = 0;

	if (catcher != NO_SEAT) {
		points = trick_points(now);
		now->caught[catcher % TENNESSEE_TEAMS] += (uint8_t)points;
		now->leader = (uint8_t)catcher;
	} /* else TP-6.8: the same seat leads again */
	event_add(events, TENNESSEE_EVENT_TRICK, catcher, points, 0, 0);
	memcpy(now->past[now->tricks], now->trick, sizeof(now->trick));
	memset(now->trick, NO_CARD, sizeof(now->trick));
	now->catcher[now->tricks++] = (uint8_t)catcher;
	begin_lead(s, events);
}

/* The seat has answered; the next one in the trick is asked. */
static void next_turn(struct tennessee_pig *s, int seat, struct events *events)
{
	int next = next_live(&s->now, seat);

	if (next == s->now.leader)
		end_trick(s, events);
	else
		tennessee_ask(s, TENNESSEE_PLAY, 1u << next);
}

void tennessee_play(struct tennessee_pig *s, int seat, int card, struct events *events)
{
	struct tennessee_hand *now = &s->now;
	uint64_t bit = card_bit(card);
	uint8_t *sure =
		bit & trump_cards(now->trump) ? now->sure_trumps : now->sure_trash;

	now->hand[seat] &= ~bit;
	now->received[seat] &= ~bit;
	now->hand_count[seat]--;
	now->played |= bit;
	now->trick[seat] = (uint8_t)card;
	sure[seat] -= sure[seat] > 0;
	tennessee_show(events, TENNESSEE_EVENT_PLAY, seat, bit, AUDIENCE_ALL);
	next_turn(s, seat, events);
}

void tennessee_fold(struct tennessee_pig *s, int seat, struct events *events)
{
	struct tennessee_hand *now = &s->now;

	tennessee_show(events, TENNESSEE_EVENT_FOLD, seat, now->hand[seat], AUDIENCE_ALL);
	now->folded[seat] = now->hand[seat];
	now->hand[seat] = now->received[seat] = 0;
	now->hand_count[seat] = now->sure_trash[seat] = 0;
	now->live &= (uint16_t) ~(1u << seat);
	if (seat != now->leader) {
		next_turn(s, seat, events);
		return;
	}
	now->leader = (uint8_t)next_live(now, seat); /* TP-6.9 */
	begin_lead(s, events);
}

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
