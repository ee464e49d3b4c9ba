/*
 * What may be done in a turn of Dirty Pig, twice: `legal` walks a table that says for
 * each card whose pigs it goes to and which flags they must have and lack; `check`
 * spells every card out and knows nothing of that table. And the fallback.
 */
#include "games/dirty_pig/internal.h"

#include <string.h>

enum whose { NOBODY, OWN, OTHERS };

struct target {
	uint8_t whose; /* enum whose */
	uint8_t has, lacks;
};

static const struct target targets[DIRTY_PIG_FACES] = {
	[DIRTY_PIG_MUD] = {OWN, 0, IS_DIRTY},                    /* DP-4.1 */
	[DIRTY_PIG_RAIN] = {NOBODY, 0, 0},                       /* DP-4.2 */
	[DIRTY_PIG_BARN] = {OWN, 0, HAS_BARN},                   /* DP-4.3 */
	[DIRTY_PIG_BOLT] = {OTHERS, HAS_BARN, HAS_ROD},          /* DP-4.6 */
	[DIRTY_PIG_ROD] = {OWN, HAS_BARN, HAS_ROD},              /* DP-4.4 */
	[DIRTY_PIG_FARMER] = {OTHERS, IS_DIRTY, HAS_LOCK},       /* DP-4.7 */
	[DIRTY_PIG_LOCK] = {OWN, HAS_BARN | IS_DIRTY, HAS_LOCK}, /* DP-4.5 */
};

/* The first half of an action's bytes (little endian; the other half is zero), so that
 * an action is written with one store instead of one for every byte. */
static inline uint64_t half(unsigned verb, unsigned count, int face, unsigned to)
{
	return verb | count << 8 | (unsigned)face << 16 | (uint64_t)to << 24;
}
#define HALF_PIG ((uint64_t)1 << 32) /* the next pig */

static inline void put(struct action *out, uint64_t half_of_it)
{
	uint64_t bytes[2] = {half_of_it, 0};

	_Static_assert(sizeof(bytes) == sizeof(*out), "an action is two words");
	memcpy(out, bytes, sizeof(bytes));
}

/* Every pig is tried and written, and only a hit moves on: which pigs fit is too
 * random for the processor to guess. */
static inline struct action *put_targets(
	const struct dirty_pig *s, int owner, int face, unsigned to, struct action *out)
{
	uint64_t play = half(DIRTY_PIG_PLAY, 3, face, to);
	int has = targets[face].has, mask = has | targets[face].lacks;
	const uint8_t *pig = s->pigs[owner], *end = pig + s->pig_count[owner];

	for (; pig < end; pig++, play += HALF_PIG) {
		put(out, play);
		out += (*pig & mask) == has;
	}
	return out;
}

static struct action *put_plays(
	const struct dirty_pig *s, int seat, int face, struct action *out)
{
	switch (targets[face].whose) {
	case OWN:
		return put_targets(s, seat, face, ABSENT, out);
	case OTHERS:
		for (int to = 0; to < s->head.seats; to++)
			if (to != seat) /* DP-3.4 */
				out = put_targets(s, to, face, (unsigned)to, out);
		return out;
	default:
		put(out, half(DIRTY_PIG_PLAY, 3, face, ABSENT) + ABSENT * HALF_PIG);
		return out + 1;
	}
}

int dirty_pig_legal(const void *state, int seat, struct action *out)
{
	const struct dirty_pig *s = state;
	struct action *at = out;
	unsigned faces = 0;
	bool can_play;

	if (!game_seat_in(s->head.pending, seat))
		return 0;
#pragma GCC unroll 7
	for (int face = 0; face < DIRTY_PIG_FACES; face++)
		faces |= (unsigned)(s->hand[seat][face] != 0) << face;
	for (unsigned left = faces; left; left &= left - 1)
		at = put_plays(s, seat, __builtin_ctz(left), at);
	can_play = at != out;
	for (unsigned left = faces; left; left &= left - 1) /* DP-2.3 */
		put(at++, half(DIRTY_PIG_DISCARD, 1, __builtin_ctz(left), 0));
	if (!can_play) /* DP-2.4 */
		put(at++, half(DIRTY_PIG_SWAP, 0, 0, 0));
	return (int)(at - out);
}

static bool check_own(int face, int pig, struct refusal *why)
{
	switch (face) {
	case DIRTY_PIG_MUD:
		if (pig & IS_DIRTY)
			return refuse(why, "DP-4.1", "this pig is dirty already");
		return true;
	case DIRTY_PIG_BARN:
		if (pig & HAS_BARN)
			return refuse(why, "DP-4.3", "this pig has a barn already");
		return true;
	case DIRTY_PIG_ROD:
		if (!(pig & HAS_BARN))
			return refuse(why, "DP-4.4", "a rod needs a barn");
		if (pig & HAS_ROD)
			return refuse(why, "DP-4.4", "this barn has a rod already");
		return true;
	default:
		if (!(pig & HAS_BARN))
			return refuse(why, "DP-4.5", "a lock needs a barn");
		if (!(pig & IS_DIRTY))
			return refuse(why, "DP-4.5", "a lock needs a dirty pig inside");
		if (pig & HAS_LOCK)
			return refuse(why, "DP-4.5", "this barn has a lock already");
		return true;
	}
}

static bool check_others(int face, int pig, struct refusal *why)
{
	if (face == DIRTY_PIG_BOLT) {
		if (!(pig & HAS_BARN))
			return refuse(why, "DP-4.6", "this pig has no barn to strike");
		if (pig & HAS_ROD)
			return refuse(why, "DP-4.6", "a rod protects this barn");
		return true;
	}
	if (!(pig & IS_DIRTY))
		return refuse(why, "DP-4.7", "this pig is clean");
	if (pig & HAS_LOCK)
		return refuse(why, "DP-4.7", "a lock keeps the farmer out");
	return true;
}

/* Form and target of a play; that the card is held is not asked here. */
static bool check_play(const struct dirty_pig *s, int seat, int face, int to, int pig,
	struct refusal *why)
{
	bool names_seat = face == DIRTY_PIG_BOLT || face == DIRTY_PIG_FARMER;

	if (face == DIRTY_PIG_RAIN) {
		if (to != ABSENT || pig != ABSENT)
			return refuse(why, "DP-3.3", "rain has no target");
		return true;
	}
	if (names_seat && to == ABSENT)
		return refuse(why, "DP-3.2", "bolt and farmer name a seat in `to`");
	if (!names_seat && to != ABSENT)
		return refuse(
			why, "DP-3.1", "this card goes to an own pig, without `to`");
	if (pig == ABSENT)
		return refuse(why, names_seat ? "DP-3.2" : "DP-3.1",
			"this card names a pig in `pig`");
	if (names_seat && (to == seat || to >= s->head.seats))
		return refuse(why, "DP-3.4", "`to` must be another seat of the table");
	if (pig >= dirty_pig_pigs_each(s))
		return refuse(why, "DP-3.5", "there is no pig of this number");
	if (names_seat)
		return check_others(face, s->pigs[to][pig], why);
	return check_own(face, s->pigs[seat][pig], why);
}

static bool is_playable(const struct dirty_pig *s, int seat, int face)
{
	if (face == DIRTY_PIG_RAIN) /* DP-4.2 */
		return true;
	for (int pig = 0; pig < dirty_pig_pigs_each(s); pig++) {
		if (check_play(s, seat, face, ABSENT, pig, NULL))
			return true;
		for (int to = 0; to < s->head.seats; to++)
			if (check_play(s, seat, face, to, pig, NULL))
				return true;
	}
	return false;
}

static bool check_swap(const struct dirty_pig *s, int seat, struct refusal *why)
{
	for (int face = 0; face < DIRTY_PIG_FACES; face++)
		if (s->hand[seat][face] && is_playable(s, seat, face))
			return refuse(why, "DP-2.4",
				"a hand with a card that can be played is not swapped");
	return true;
}

bool dirty_pig_check(
	const void *state, int seat, const struct action *action, struct refusal *why)
{
	const struct dirty_pig *s = state;

	if (!game_seat_in(s->head.pending, seat))
		return refuse(why, "DP-2.1", "it is not this seat's turn");
	if (action->verb == DIRTY_PIG_SWAP)
		return check_swap(s, seat, why);
	if (!s->hand[seat][action->arg[0]])
		return refuse(why, "DP-2.2", "this card is not in the hand");
	if (action->verb == DIRTY_PIG_DISCARD) /* DP-2.3 */
		return true;
	return check_play(s, seat, action->arg[0], action->arg[1], action->arg[2], why);
}

/* Neutral: the first card of the hand, in the order of the faces, is discarded. */
void dirty_pig_fallback(const void *view, struct action *out)
{
	const struct dirty_pig *s = view;
	uint8_t face = 0;

	while (!s->hand[s->turn][face])
		face++;
	*out = (struct action){DIRTY_PIG_DISCARD, 1, {face}};
}
