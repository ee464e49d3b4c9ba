/* A round of Pig It Hog It: bids, declaration, exchange and tricks. */
#include "games/pig_it_hog_it/internal.h"

#include <assert.h>
#include <string.h>

/* PIHI-6.1 */
static void begin_play(struct pig_it_hog_it *s)
{
	s->leader = s->bidder;
	pihi_ask(s, PIHI_PHASE_PLAY, 1u << s->leader);
}

static void declare(struct pig_it_hog_it *s, int mode)
{
	s->declared = (uint8_t)mode;
	if (s->level == PIHI_LEVEL_PIG) /* PIHI-5.1 */
		pihi_ask(s, PIHI_PHASE_EXCHANGE,
			1u << s->bidder | 1u << pihi_partner(s, s->bidder));
	else
		begin_play(s);
}

/* PIHI-3.6 */
static void throw_in(struct pig_it_hog_it *s, struct events *events)
{
	bool redeal = s->head.option[PIHI_ALL_PASS] == PIHI_ALL_PASS_REDEAL;

	s->thrown_in++;
	pihi_end_round(s, 0, redeal ? s->dealer : pihi_left_of(s, s->dealer, 1), events);
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
		pihi_ask(s, PIHI_PHASE_DECLARE, 1u << s->bidder); /* PIHI-4.1 */
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
		pihi_ask(s, PIHI_PHASE_BID, 1u << pihi_left_of(s, seat, 1));
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
		announce_gift(s, seat, events);
	}
	begin_play(s);
}

static void apply_give(struct pig_it_hog_it *s, int seat, int card, struct events *events)
{
	s->given[seat] = (uint8_t)card;
	s->head.pending &= (uint16_t) ~(1u << seat);
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
		pihi_ask(s, PIHI_PHASE_PLAY, 1u << s->leader);
	else
		pihi_score_round(s, events);
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
		pihi_ask(s, PIHI_PHASE_PLAY, 1u << next);
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
		gain[team] = -pihi_stake(s);
	event_card(event_add(events, PIHI_EVENT_PLAY, seat, 0, 0, 0), (uint8_t)card);
	event_add(events, PIHI_EVENT_PENALTY, seat, 0, 0, 0);
	pihi_award(s, gain, events);
	return true;
}
