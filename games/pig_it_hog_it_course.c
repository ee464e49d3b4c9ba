/*
 * Pig It Hog It: the course of a match.
 *
 *   first ────┐
 *             ├─► deal ─► bid ─► declare ─► exchange ─► play ─► (score) ─► over
 *   partners ─┘    ▲       │ │      │                    ▲ ▲       │
 *                  │       │ │      └───── suit, hog ────┘ │       │
 *                  │       │ └──────────── high, low ──────┘       │
 *                  │       └─ all pass ─┐                          │
 *                  └────────────────────┴──────── next round ──────┘
 *
 *   first, partners, deal   wait for chance: pihi_apply_chance()
 *   bid        seat after seat from the dealer's left; apply_call(), end_bidding()
 *   declare    the bidder, unless the bid says it all; apply_declare()
 *   exchange   only a pig: bidder and partner at once; apply_give(), end_exchange()
 *   play       six tricks; apply_play(), end_trick(), then score_round(), end_round()
 *   over       nothing is needed any more; end_match()
 */
#include "games/pig_it_hog_it_internal.h"

#include <assert.h>
#include <string.h>

static void ask(struct pig_it_hog_it *s, int phase, unsigned seats)
{
	s->head.phase = (uint8_t)phase;
	s->head.need = NEED_ANSWERS;
	s->head.acting = s->head.pending = (uint16_t)seats;
}

static void await_chance(struct pig_it_hog_it *s, int phase)
{
	s->head.phase = (uint8_t)phase;
	s->head.need = NEED_CHANCE;
	s->head.acting = s->head.pending = 0;
}

/* PIHI-1.1: the table as the seats are numbered. */
static void sit_by_number(struct pig_it_hog_it *s)
{
	for (int seat = 0; seat < PIHI_SEATS; seat++)
		s->order[seat] = s->position[seat] = (uint8_t)seat;
}

void pihi_start(void *state)
{
	struct pig_it_hog_it *s = state;

	if (s->head.option[PIHI_PARTNERS] == PIHI_PARTNERS_JACKS) {
		await_chance(s, PIHI_PHASE_PARTNERS);
		return;
	}
	sit_by_number(s); /* PIHI-1.2 */
	if (s->head.option[PIHI_FIRST_DEALER] < 0) {
		await_chance(s, PIHI_PHASE_FIRST);
		return;
	}
	s->dealer = (uint8_t)s->head.option[PIHI_FIRST_DEALER];
	await_chance(s, PIHI_PHASE_DEAL);
}

void pihi_chance(const void *state, struct chance *request)
{
	const struct pig_it_hog_it *s = state;
	bool first = s->head.phase == PIHI_PHASE_FIRST;
	bool partners = s->head.phase == PIHI_PHASE_PARTNERS;

	request->kind = first ? CHANCE_FIRST : partners ? CHANCE_PARTNERS : CHANCE_DEAL;
	request->index = first ? 0 : partners ? s->draws : s->deals;
	request->n = first ? PIHI_SEATS : PIHI_CARDS;
	for (int i = 0; i < request->n; i++)
		request->token[i] = (uint8_t)i;
}

/* PIHI-1.5: the first jack stays, the partner goes opposite, the others keep their
 * order clockwise from him. */
static void reseat(struct pig_it_hog_it *s, int first, int partner, struct events *events)
{
	int place = 1;

	s->order[first] = (uint8_t)first;
	s->order[(first + 2) & 3] = (uint8_t)partner;
	for (int step = 1; step < PIHI_SEATS; step++) {
		int seat = (first + step) & 3;

		if (seat == partner)
			continue;
		s->order[(first + place) & 3] = (uint8_t)seat;
		place += 2;
	}
	for (int at = 0; at < PIHI_SEATS; at++)
		s->position[s->order[at]] = (uint8_t)at;
	for (int seat = 0; seat < PIHI_SEATS; seat++)
		event_add(events, PIHI_EVENT_MOVE, seat, s->position[seat], 0, 0);
}

/* PIHI-1.3: cards are turned until two different seats have got a jack. PIHI-1.4: if
 * one seat gets all four, the cards are shuffled again. */
static void draw_partners(
	struct pig_it_hog_it *s, const uint8_t *order, struct events *events)
{
	int first = NO_SEAT;
	int jacks = 0;

	s->draws++;
	for (int i = 0; jacks < 4; i++) {
		int seat = i & 3;

		event_card(event_add(events, PIHI_EVENT_DRAW, seat, 0, 0, 0), order[i]);
		if (pihi_rank(order[i]) != PIHI_J)
			continue;
		jacks++;
		if (first == NO_SEAT) {
			first = seat;
		} else if (seat != first) {
			reseat(s, first, seat, events);
			s->dealer = (uint8_t)first;
			await_chance(s, PIHI_PHASE_DEAL);
			return;
		}
	}
}

static void deal_seat(
	struct pig_it_hog_it *s, int seat, const uint8_t *packet, struct events *events)
{
	struct event *event = event_add(events, PIHI_EVENT_DEAL, seat, 0, 0, 0);

	s->hand_count[seat] = PIHI_HAND;
	for (int i = 0; i < PIHI_HAND; i++) {
		uint8_t card = packet[i < 3 ? i : i + 9];

		s->hand[seat] |= pihi_bit(card);
		event_card(event, card);
	}
	event_audience(event, AUDIENCE_SEAT(seat));
#ifdef PLANT_pig_it_hog_it_deal
	event_audience(event, AUDIENCE_SEAT(seat) | AUDIENCE_SEAT(pihi_partner(s, seat)));
#endif
}

/* PIHI-2.1: two passes of three cards from the dealer's left. */
static void deal(struct pig_it_hog_it *s, const uint8_t *order, struct events *events)
{
	s->deals++;
	s->round++;
	event_add(events, PIHI_EVENT_ROUND, s->games_played + 1, s->round, s->dealer, 0);
	for (int i = 0; i < PIHI_SEATS; i++)
		deal_seat(s, pihi_left_of(s, s->dealer, i + 1), order + 3 * i, events);
	ask(s, PIHI_PHASE_BID, 1u << pihi_left_of(s, s->dealer, 1)); /* PIHI-3.1 */
}

void pihi_apply_chance(void *state, const uint8_t *order, int n, struct events *events)
{
	struct pig_it_hog_it *s = state;

	assert(n == (s->head.phase == PIHI_PHASE_FIRST ? PIHI_SEATS : PIHI_CARDS));
	switch (s->head.phase) {
	case PIHI_PHASE_FIRST: /* PIHI-1.2 */
		s->dealer = order[0];
		await_chance(s, PIHI_PHASE_DEAL);
		break;
	case PIHI_PHASE_PARTNERS:
		draw_partners(s, order, events);
		break;
	default:
		deal(s, order, events);
		break;
	}
}

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
	await_chance(s, PIHI_PHASE_DEAL);
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

static void end_round(
	struct pig_it_hog_it *s, int bidding_team, int next_dealer, struct events *events)
{
	int target = s->head.option[PIHI_TARGET];
	int winner = game_winner(s, bidding_team);

	clear_round(s);
	s->dealer = (uint8_t)next_dealer;
	if (winner == -2) {
		await_chance(s, PIHI_PHASE_DEAL);
		return;
	}
	if (s->score[0] < target && s->score[1] < target)
		event_add(events, PIHI_EVENT_GUARD, s->round, 0, 0, 0);
	end_game(s, winner, events);
}

/* gain: by team. */
static void award(struct pig_it_hog_it *s, const int gain[2], struct events *events)
{
	int bidding_team = pihi_team(s, s->bidder);

	for (int team = 0; team < 2; team++) {
		s->score[team] = (int16_t)(s->score[team] + gain[team]);
		event_add(events, PIHI_EVENT_SCORE, team, gain[team], s->score[team], 0);
	}
	s->thrown_in = 0;
	end_round(s, bidding_team, pihi_left_of(s, s->dealer, 1), events); /* PIHI-2.2 */
}

/* What the bidders lose if they are set. PIHI-7.2, PIHI-7.3, PIHI-7.4 */
static int stake(const struct pig_it_hog_it *s)
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

static void score_round(struct pig_it_hog_it *s, struct events *events)
{
	int team = pihi_team(s, s->bidder);
	int taken = s->tricks[s->bidder] + s->tricks[pihi_partner(s, s->bidder)];
	int gain[2] = {0, 0};

	if (s->level == PIHI_LEVEL_HOG) /* PIHI-7.4 */
		gain[team] = s->tricks[s->bidder] == PIHI_HAND ? stake(s) : -stake(s);
	else if (s->level == PIHI_LEVEL_PIG) /* PIHI-7.3 */
		gain[team] = taken == PIHI_HAND ? stake(s) : -stake(s);
	else /* PIHI-7.1, PIHI-7.2 */
		gain[team] = taken >= s->level ? taken : -stake(s);
	if (s->head.option[PIHI_DEFENDERS_SCORE]) /* PIHI-7.5 */
		gain[!team] = PIHI_HAND - taken;
	award(s, gain, events);
}

/* PIHI-6.1 */
static void begin_play(struct pig_it_hog_it *s)
{
	s->leader = s->bidder;
	ask(s, PIHI_PHASE_PLAY, 1u << s->leader);
}

static void declare(struct pig_it_hog_it *s, int mode)
{
	s->declared = (uint8_t)mode;
	if (s->level == PIHI_LEVEL_PIG) /* PIHI-5.1 */
		ask(s, PIHI_PHASE_EXCHANGE,
			1u << s->bidder | 1u << pihi_partner(s, s->bidder));
	else
		begin_play(s);
}

/* PIHI-3.6 */
static void throw_in(struct pig_it_hog_it *s, struct events *events)
{
	bool redeal = s->head.option[PIHI_ALL_PASS] == PIHI_ALL_PASS_REDEAL;

	s->thrown_in++;
	end_round(s, 0, redeal ? s->dealer : pihi_left_of(s, s->dealer, 1), events);
}

static void end_bidding(struct pig_it_hog_it *s, struct events *events)
{
	int kind;

	if (!s->level) {
		throw_in(s, events);
		return;
	}
	kind = s->call[s->bidder] - PIHI_CALL_KIND;
	switch (kind) {
	case PIHI_KIND_SUIT:
	case PIHI_KIND_PIG:
	case PIHI_KIND_HOG:
		ask(s, PIHI_PHASE_DECLARE, 1u << s->bidder); /* PIHI-4.1 */
		break;
	case PIHI_KIND_HIGH:
	case PIHI_KIND_LOW:
		declare(s, PIHI_HIGH + kind);
		break;
	default:
		declare(s, PIHI_TRUMP + kind - PIHI_KIND_S);
		break;
	}
}

/* Kind and number of the action become the call, and the highest bid. */
static void apply_bid(struct pig_it_hog_it *s, int seat, const struct action *action)
{
	int kind = action->arg[0];
	bool numbered = action->arg[1] != ABSENT;

	s->call[seat] = (uint8_t)(PIHI_CALL_KIND + kind);
	s->call_n[seat] = numbered ? action->arg[1] : 0;
	s->bidder = (uint8_t)seat;
	s->level = numbered                ? action->arg[1]
		   : kind == PIHI_KIND_PIG ? PIHI_LEVEL_PIG
					   : PIHI_LEVEL_HOG;
}

static void apply_call(struct pig_it_hog_it *s, int seat, const struct action *action,
	struct events *events)
{
	if (action->verb == PIHI_PASS)
		s->call[seat] = PIHI_CALL_PASS;
	else
		apply_bid(s, seat, action);
	event_add(events, PIHI_EVENT_BID, seat, s->call[seat] - PIHI_CALL_PASS,
		s->call_n[seat], 0);
	if (seat == s->dealer || s->level == PIHI_LEVEL_HOG) /* PIHI-3.1, PIHI-3.5 */
		end_bidding(s, events);
	else
		ask(s, PIHI_PHASE_BID, 1u << pihi_left_of(s, seat, 1));
}

static void apply_declare(
	struct pig_it_hog_it *s, int seat, int word, struct events *events)
{
	event_add(events, PIHI_EVENT_DECLARE, seat, word, 0, 0);
	declare(s, PIHI_HIGH + word);
}

/* PIHI-5.3: seen by giver and receiver alone. */
static void announce_gift(const struct pig_it_hog_it *s, int seat, struct events *events)
{
	int partner = pihi_partner(s, seat);
	struct event *event = event_add(events, PIHI_EVENT_GIVE, seat, partner, 0, 0);

	event_card(event, s->given[seat]);
	event_audience(event, AUDIENCE_SEAT(seat) | AUDIENCE_SEAT(partner));
#ifdef PLANT_pig_it_hog_it_given
	event_audience(event, AUDIENCE_ALL);
#endif
}

static void end_exchange(struct pig_it_hog_it *s, struct events *events)
{
	for (int seat = 0; seat < PIHI_SEATS; seat++) {
		int partner = pihi_partner(s, seat);

		if (!game_seat_in(s->head.acting, seat))
			continue;
		s->received[seat] = s->given[partner];
		s->hand[seat] &= ~pihi_bit(s->given[seat]);
		s->hand[seat] |= pihi_bit(s->received[seat]);
#ifndef PLANT_pig_it_hog_it_answered
		announce_gift(s, seat, events);
#endif
	}
	begin_play(s);
}

static void apply_give(struct pig_it_hog_it *s, int seat, int card, struct events *events)
{
	s->given[seat] = (uint8_t)card;
	s->head.pending &= (uint16_t) ~(1u << seat);
#ifdef PLANT_pig_it_hog_it_answered
	announce_gift(s, seat, events);
#endif
	if (!s->head.pending)
		end_exchange(s, events);
}

/* Strength within one suit. PIHI-6.6, PIHI-6.7, PIHI-6.8 */
static int strength(int mode, int card)
{
	int rank = pihi_rank(card);

	if (mode == PIHI_LOW)
		return PIHI_A - rank;
	if (card == pihi_left_bower(mode))
		return PIHI_RANKS;
	if (rank == PIHI_J && mode == PIHI_TRUMP + pihi_suit(card))
		return PIHI_RANKS + 1;
	return rank;
}

bool pihi_beats(int mode, int card, int best)
{
	int suit = pihi_suit_of(mode, card);

	if (suit == pihi_suit_of(mode, best))
		return strength(mode, card) > strength(mode, best);
	return mode == PIHI_TRUMP + suit;
}

static void end_trick(struct pig_it_hog_it *s, struct events *events)
{
	event_add(events, PIHI_EVENT_TRICK, s->winning, 0, 0, 0);
	s->tricks[s->winning]++;
	memset(s->trick, NO_CARD, sizeof(s->trick));
	s->leader = s->winning; /* PIHI-6.1 */
	s->winning = NO_SEAT;
	if (s->hand_count[s->leader])
		ask(s, PIHI_PHASE_PLAY, 1u << s->leader);
	else
		score_round(s, events);
}

static void put_on_trick(struct pig_it_hog_it *s, int seat, int card)
{
	int led;

	s->hand[seat] &= ~pihi_bit(card);
	s->hand_count[seat]--;
	s->played[seat] |= pihi_bit(card);
	s->trick[seat] = (uint8_t)card;
	if (seat == s->leader) {
		s->winning = (uint8_t)seat;
		return;
	}
	led = pihi_suit_of(s->declared, s->trick[s->leader]);
	if (pihi_suit_of(s->declared, card) != led)
		s->voids[seat] |= (uint8_t)(1u << led);
	if (pihi_beats(s->declared, card, s->trick[s->winning]))
		s->winning = (uint8_t)seat;
}

static void apply_play(struct pig_it_hog_it *s, int seat, int card, struct events *events)
{
	int next = pihi_next_to_play(s, seat);

	event_card(event_add(events, PIHI_EVENT_PLAY, seat, 0, 0, 0), (uint8_t)card);
	put_on_trick(s, seat, card);
	if (next == s->leader)
		end_trick(s, events);
	else
		ask(s, PIHI_PHASE_PLAY, 1u << next);
}

void pihi_apply(void *state, int seat, const struct action *action, struct events *events)
{
	struct pig_it_hog_it *s = state;

	assert(game_seat_in(s->head.pending, seat));
	switch (action->verb) {
	case PIHI_BID:
	case PIHI_PASS:
		apply_call(s, seat, action, events);
		break;
	case PIHI_DECLARE:
		apply_declare(s, seat, action->arg[0], events);
		break;
	case PIHI_GIVE:
		apply_give(s, seat, action->arg[0], events);
		break;
	default:
		apply_play(s, seat, action->arg[0], events);
		break;
	}
}

/* PIHI-8.1: a revoke ends the round at six points for the others. PIHI-8.2 */
bool pihi_offence(
	void *state, int seat, const struct action *action, struct events *events)
{
	struct pig_it_hog_it *s = state;
	int gain[2] = {0, 0};
	int card = action->arg[0];
	int team;

	if (s->head.option[OPTION_FAULTS] == 0 || s->head.phase != PIHI_PHASE_PLAY ||
		!game_seat_in(s->head.pending, seat) || action->verb != PIHI_PLAY ||
		!(s->hand[seat] & pihi_bit(card)) || !pihi_revokes(s, seat, card))
		return false;
	team = pihi_team(s, seat);
	gain[!team] = 6;
	if (s->head.option[PIHI_REVOKE_SETS] && team == pihi_team(s, s->bidder))
		gain[team] = -stake(s);
	event_card(event_add(events, PIHI_EVENT_PLAY, seat, 0, 0, 0), (uint8_t)card);
	event_add(events, PIHI_EVENT_PENALTY, seat, 0, 0, 0);
	award(s, gain, events);
	return true;
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
