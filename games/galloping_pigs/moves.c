/*
 * What a seat may do in Galloping Pigs: the legal list, the check, which shares no code
 * with it, and the fallback.
 */
#include "games/galloping_pigs/internal.h"

#include <assert.h>
#include <string.h>

/* The 120 lines, sorted: the parts are built from the last pigs to the first. */
/* clang-format off */
#define LINE(a, b, c, d, e) {GALLOPING_VERB_LINE, GALLOPING_COLOURS, {a, b, c, d, e}}
/* clang-format on */
#define LINES_2(a, b, c, d, e) LINE(a, b, c, d, e), LINE(a, b, c, e, d)
#define LINES_6(a, b, c, d, e)                                                           \
	LINES_2(a, b, c, d, e), LINES_2(a, b, d, c, e), LINES_2(a, b, e, c, d)
#define LINES_24(a, b, c, d, e)                                                          \
	LINES_6(a, b, c, d, e), LINES_6(a, c, b, d, e), LINES_6(a, d, b, c, e),          \
		LINES_6(a, e, b, c, d)
static const struct action lines[] = {LINES_24(0, 1, 2, 3, 4), LINES_24(1, 0, 2, 3, 4),
	LINES_24(2, 0, 1, 3, 4), LINES_24(3, 0, 1, 2, 4), LINES_24(4, 0, 1, 2, 3)};

static int legal_line(struct action *out) /* GP-2.4 */
{
	memcpy(out, lines, sizeof(lines));
	return (int)(sizeof(lines) / sizeof(*lines));
}

static int legal_food(const struct galloping_pigs *s, struct action *out)
{
	unsigned taken = 0;
	int n = 0;

	for (int i = 0; i < s->head.seats; i++)
		taken |= 1u << s->track_food[i];
	for (int at = GALLOPING_FOOD_SPACE_MIN; at <= GALLOPING_SPACES; at++) /* GP-4.3 */
		if (!(taken >> at & 1))                                       /* GP-4.4 */
			out[n++] = (struct action){GALLOPING_VERB_FOOD, 1, {(uint8_t)at}};
	return n;
}

static int legal_play(const struct galloping_pigs *s, int seat, struct action *out)
{
	static const struct action play[GALLOPING_COLOURS] = {
		{GALLOPING_VERB_PLAY, 1, {0}}, {GALLOPING_VERB_PLAY, 1, {1}},
		{GALLOPING_VERB_PLAY, 1, {2}}, {GALLOPING_VERB_PLAY, 1, {3}},
		{GALLOPING_VERB_PLAY, 1, {4}}};
	int n = 0;

	/* Always written, and counted only if held: cheaper than a branch that cannot be
	 * predicted. */
	for (int c = 0; c < GALLOPING_COLOURS; c++) {
		out[n] = play[c];
		n += s->hand[seat][c] > 0; /* GP-5.4 */
	}
	return n;
}

int galloping_legal(const void *state, int seat, struct action *out)
{
	const struct galloping_pigs *s = state;

	if (!game_seat_in(s->head.pending, seat))
		return 0;
	switch (s->head.phase) {
	case GALLOPING_LINE:
		return legal_line(out);
	case GALLOPING_PLACE:
		return legal_food(s, out);
	default:
		return legal_play(s, seat, out);
	}
}

static bool check_line(const struct action *action, struct refusal *why)
{
	unsigned seen = 0;

	if (action->verb != GALLOPING_VERB_LINE)
		return refuse(why, "GP-2.3", "the pigs have to be lined up now");
	for (int i = 0; i < action->count; i++)
		seen |= 1u << action->arg[i];
	if (action->count != GALLOPING_COLOURS || seen != (1u << GALLOPING_COLOURS) - 1)
		return refuse(why, "GP-2.4", "a line names each of the five pigs once");
	return true;
}

static bool check_food(
	const struct galloping_pigs *s, const struct action *action, struct refusal *why)
{
	if (action->verb != GALLOPING_VERB_FOOD)
		return refuse(why, "GP-4.2", "a food has to be put on the track now");
	if (action->arg[0] < GALLOPING_FOOD_SPACE_MIN)
		return refuse(why, "GP-4.3", "food may lie on spaces 10 to 22 only");
	if (memchr(s->track_food, action->arg[0], sizeof(s->track_food)))
		return refuse(why, "GP-4.4", "a food lies on that space already");
	return true;
}

static bool check_play(const struct galloping_pigs *s, int seat,
	const struct action *action, struct refusal *why)
{
	if (action->verb != GALLOPING_VERB_PLAY)
		return refuse(why, "GP-5.2", "a race card has to be played now");
	if (s->hand[seat][action->arg[0]])
		return true;
	return refuse(why, "GP-5.3", "no card of this colour is in the hand");
}

bool galloping_check(
	const void *state, int seat, const struct action *action, struct refusal *why)
{
	const struct galloping_pigs *s = state;

	if (s->head.need != NEED_ANSWERS || s->head.pending != 1u << seat)
		return refuse(why, "GP-1.6", "it is not this seat's turn");
	if (s->head.phase == GALLOPING_LINE)
		return check_line(action, why);
	if (s->head.phase == GALLOPING_PLACE)
		return check_food(s, action, why);
	return check_play(s, seat, action, why);
}

/* The first of the legal list: line ABCDE, the lowest free space, the first card. */
void galloping_fallback(const void *view, struct action *out)
{
	struct action all[GAME_LEGAL_MAX];
	int n = galloping_legal(view, game_head(view)->viewer, all);

	assert(n > 0);
	(void)n;
	*out = all[0];
}
