/*
 * Which actions a seat of Pig Pile has. pig_pile_legal() makes the list from strengths
 * and counts; pig_pile_check() answers for one action from the rules as they are written
 * in the spec and shares no code with it.
 */
#include "games/pig_pile/internal.h"

#include <assert.h>
#include <string.h>

/*
 * An action of `count` equal cards, made without a loop: each byte of arg[] knows its
 * place and holds the face if that is below count.
 */
static void equal_cards(int verb, int count, int face, struct action *out)
{
	typedef uint8_t bytes __attribute__((vector_size(16)));
	const bytes place = {255, 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
	bytes listed = (bytes)(place < (uint8_t)count) & (uint8_t)face;

	static_assert(sizeof(*out) == sizeof(bytes), "one vector holds an action");
	memcpy(out, &listed, sizeof(*out));
	out->verb = (uint8_t)verb;
	out->count = (uint8_t)count;
}

/*
 * Every number of equal cards of each face from `floor` up: all single cards, then
 * all pairs and so on, which is the order of action_compare().
 */
static int list_equal(const struct pig_pile_state *s, const uint8_t *source, int verb,
	int floor, struct action *out)
{
	uint8_t face[PIG_PILE_FACES];
	int faces = 0, n = 0;

	if (floor > PIG_PILE_EIGHT && source[PIG_PILE_EIGHT] &&
		s->head.option[PIG_PILE_OPTION_WASH_ANY]) /* PP-3.5 */
		face[faces++] = PIG_PILE_EIGHT;
	for (int f = floor; f < PIG_PILE_FACES; f++) { /* PP-3.4 */
		face[faces] = (uint8_t)f;
		faces += source[f] != 0;
	}
	for (int count = 1; faces; count++) {
		int more = 0;
		for (int i = 0; i < faces; i++) {
			int f = face[i];
			equal_cards(verb, count, f, &out[n++]);
			face[more] = (uint8_t)f;
			more += source[f] > count;
		}
		faces = more;
	}
	return n;
}

/* PP-2.4: three of the seven, as multisets in ascending order. */
static int list_faces(const struct pig_pile_state *s, int seat, struct action *out)
{
	uint8_t left[PIG_PILE_FACES];
	int n = 0;

	memcpy(left, s->hand[seat], sizeof(left));
	for (int a = 0; a < PIG_PILE_FACES; a++) {
		if (!left[a])
			continue;
		left[a]--;
		for (int b = a; b < PIG_PILE_FACES; b++) {
			if (!left[b])
				continue;
			left[b]--;
			for (int c = b; c < PIG_PILE_FACES; c++)
				if (left[c])
					out[n++] = (struct action){PIG_PILE_VERB_FACE, 3,
						{(uint8_t)a, (uint8_t)b, (uint8_t)c}};
			left[b]++;
		}
		left[a]++;
	}
	return n;
}

/* PP-5.1, PP-5.2 */
static int list_slop(const struct pig_pile_state *s, int seat, struct action *out)
{
	int n = 0;

	for (int i = 0; i < PIG_PILE_SLOP; i++)
		if (s->slop_left[seat] >> i & 1)
			out[n++] = (struct action){PIG_PILE_VERB_SLOP, 1, {(uint8_t)i}};
	return n;
}

int pig_pile_legal(const void *state, int seat, struct action *out)
{
	const struct pig_pile_state *s = state;
	int floor, n;

	if (!game_seat_in(s->head.pending, seat))
		return 0;
	if (s->head.phase == PIG_PILE_FACE)
		return list_faces(s, seat, out);
	floor = pig_pile_floor(s);
	if (s->hand_count[seat]) { /* PP-3.2 */
		n = list_equal(s, s->hand[seat], PIG_PILE_VERB_PLAY, floor, out);
		if (!n) /* PP-4.1 */
			out[n++] = (struct action){.verb = PIG_PILE_VERB_TAKE};
		return n;
	}
	n = list_equal(s, s->up[seat], PIG_PILE_VERB_PLAY, floor, out);
	if (!n) /* PP-4.2 */
		n = list_equal(s, s->up[seat], PIG_PILE_VERB_TAKE, 0, out);
	return n ? n : list_slop(s, seat, out);
}

/* The multiset of an action's cards. */
static void count_cards(const struct action *action, uint8_t count[PIG_PILE_FACES])
{
	memset(count, 0, PIG_PILE_FACES);
	for (int i = 0; i < action->count; i++)
		count[action->arg[i]]++;
}

static bool holds(const uint8_t *zone, const struct action *action)
{
	uint8_t wanted[PIG_PILE_FACES];

	count_cards(action, wanted);
	for (int f = 0; f < PIG_PILE_FACES; f++)
		if (wanted[f] > zone[f])
			return false;
	return true;
}

static bool one_face(const struct action *action)
{
	for (int i = 1; i < action->count; i++)
		if (action->arg[i] != action->arg[0])
			return false;
	return action->count > 0;
}

/* May this face be laid on the pile? */
static bool fits(const struct pig_pile_state *s, int face)
{
	int top;

	if (s->pile_count == 0 || face == PIG_PILE_WILD) /* PP-3.4 */
		return true;
	if (face == PIG_PILE_EIGHT &&
		s->head.option[PIG_PILE_OPTION_WASH_ANY]) /* PP-3.5 */
		return true;
	top = s->pile[s->pile_count - 1];
	return top == PIG_PILE_WILD || face + 1 >= top + 1;
}

static bool check_face(const struct pig_pile_state *s, int seat,
	const struct action *action, struct refusal *why)
{
	if (action->verb != PIG_PILE_VERB_FACE)
		return refuse(why, "PP-2.4", "now every seat chooses its face-up cards");
	if (action->count != PIG_PILE_SLOP)
		return refuse(why, "PP-2.4", "exactly three cards are turned up");
	if (!holds(s->hand[seat], action))
		return refuse(why, "PP-2.5", "the hand does not hold these cards");
	return true;
}

static bool check_play(const struct pig_pile_state *s, const uint8_t *source,
	const struct action *action, struct refusal *why)
{
	if (!source)
		return refuse(why, "PP-5.1", "only slop is left: turn one card of it");
	if (!one_face(action))
		return refuse(why, "PP-3.3", "a play is one or more cards of one face");
	if (!holds(source, action))
		return refuse(why, "PP-3.2",
			"these cards are not in the zone the seat plays from");
	if (!fits(s, action->arg[0]))
		return refuse(
			why, "PP-3.4", "the card is lower than the top of the pile");
	return true;
}

static bool check_take(const struct pig_pile_state *s, const uint8_t *source,
	bool from_hand, const struct action *action, struct refusal *why)
{
	if (!source)
		return refuse(why, "PP-5.1", "only slop is left: turn one card of it");
	for (int f = 0; f < PIG_PILE_FACES; f++)
		if (source[f] && fits(s, f))
			return refuse(why, "PP-3.6", "a seat that can play must play");
	if (from_hand && action->count)
		return refuse(
			why, "PP-4.1", "from the hand the pile is taken without cards");
	if (from_hand)
		return true;
	if (!one_face(action))
		return refuse(why, "PP-4.2",
			"face-up cards of one face are taken with the pile");
	if (!holds(source, action))
		return refuse(why, "PP-4.2", "these cards do not lie face up");
	return true;
}

static bool check_slop(const struct pig_pile_state *s, int seat, const uint8_t *source,
	const struct action *action, struct refusal *why)
{
	if (source)
		return refuse(
			why, "PP-3.2", "slop comes after the hand and the face-up cards");
	if (!(s->slop_left[seat] & 1 << action->arg[0]))
		return refuse(why, "PP-5.2", "that slop card is gone");
	return true;
}

bool pig_pile_check(
	const void *state, int seat, const struct action *action, struct refusal *why)
{
	const struct pig_pile_state *s = state;
	const uint8_t *source = NULL;
	bool from_hand = s->hand_count[seat] > 0;

	if (!(s->head.pending & 1u << seat))
		return refuse(why, "PP-3.1", "this seat is not asked for anything now");
	if (s->head.phase == PIG_PILE_FACE)
		return check_face(s, seat, action, why);
	if (from_hand)
		source = s->hand[seat];
	else if (pig_pile_sum(s->up[seat]))
		source = s->up[seat];
	switch (action->verb) {
	case PIG_PILE_VERB_PLAY:
		return check_play(s, source, action, why);
	case PIG_PILE_VERB_TAKE:
		return check_take(s, source, from_hand, action, why);
	case PIG_PILE_VERB_SLOP:
		return check_slop(s, seat, source, action, why);
	default:
		return refuse(
			why, "PP-3.7", "the face-up cards are chosen before play only");
	}
}

/* Lists begin with single cards and low faces, so the first entry is the lowest. */
void pig_pile_fallback(const void *view, struct action *out)
{
	struct action list[GAME_LEGAL_MAX];
	int n = pig_pile_legal(view, game_head(view)->viewer, list);

	assert(n > 0);
	*out = list[0];
}
