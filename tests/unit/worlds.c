/* Second worlds: matches that differ only in cards a viewer has not been shown. */
#include "tests/unit/worlds.h"
#include "arbiter/table/notation.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

const struct tracker *tracker_of(const struct game *game)
{
	static const struct tracker *const trackers[] = {&pig_pile_tracker,
		&pig_it_hog_it_tracker, &galloping_pigs_tracker, &dirty_pig_tracker,
		&tennessee_pig_tracker};

	for (size_t i = 0; i < sizeof(trackers) / sizeof(trackers[0]); i++)
		if (!strcmp(trackers[i]->game, game->id))
			return trackers[i];
	cr_assert_fail("%s has no tracker", game->id);
	return NULL;
}

int viewer_slot(int viewer)
{
	return viewer == SPECTATOR ? GAME_SEATS_MAX : viewer;
}

static uint16_t audience_of(int viewer)
{
	return viewer == SPECTATOR ? AUDIENCE_SPECTATOR : AUDIENCE_SEAT(viewer);
}

void *course_begin(
	struct course *course, const struct game *game, int seats, const int16_t *option)
{
	void *memory;

	memset(course, 0, sizeof(*course));
	course->game = game;
	course->tracker = tracker_of(game);
	course->seats = seats;
	memory = calloc(1, course->tracker->size);
	course->tracker->start(memory, seats, option);
	return memory;
}

void course_track(const struct course *course, void *memory, const struct step *step)
{
	if (step->what == STEP_CHANCE)
		course->tracker->chance(memory, step->kind, step->order, step->n);
	else
		course->tracker->action(memory, step->seat, &step->action);
}

static void add_order(struct course *course, int step)
{
	struct order_place *place = &course->order[course->orders];

	cr_assert_lt(course->orders, WORLD_ORDERS_MAX);
	place->step = step;
	memset(place->shown_at, 0xff, sizeof(place->shown_at));
	course->orders++;
}

static void note_shown(struct course *course, const void *memory, int step)
{
	for (int o = 0; o < course->orders; o++)
		for (int p = 0; p < course->step[course->order[o].step].n; p++) {
			uint16_t shown = course->tracker->shown(memory, o, p);

			for (int v = SPECTATOR; v < course->seats; v++) {
				uint16_t *at =
					&course->order[o].shown_at[p][viewer_slot(v)];

				if (*at == WORLD_NEVER && (shown & audience_of(v)))
					*at = (uint16_t)step;
			}
		}
}

void course_note(struct course *course, void *memory, const struct step *steps, int count)
{
	course->step = steps;
	course->count = count + 1;
	course_track(course, memory, &steps[count]);
	if (steps[count].what == STEP_CHANCE)
		add_order(course, count);
	note_shown(course, memory, count);
}

/* Tennessee Pig tells in public how much trash each seat threw away, so there cards
 * change places only within their class: trash, cards that must not be burned, other
 * trumps. */
static int tennessee_class(const char *face, char trump)
{
	static const char colour[] = "SCHDS"; /* neighbours 0-1 and 2-3 share a colour */
	bool same = face[1] == trump;
	bool sister = !same && ((strchr(colour, face[1]) - colour) / 2 ==
				       (strchr(colour, trump) - colour) / 2);

	if (!strcmp(face, "JK"))
		return 1;
	if (sister)
		return *face == 'J' || *face == '5';
	if (!same)
		return 0;
	return strchr("AJT5", *face) ? 1 : 2;
}

static char tennessee_trump(const struct course *c, int order)
{
	int end = order + 1 < c->orders ? c->order[order + 1].step : c->count;

	for (int i = c->order[order].step + 1; i < end; i++) {
		char text[NOTATION_MAX];

		notation_action(c->game, &c->step[i].action, text, sizeof(text));
		if (!strncmp(text, "trump ", 6))
			return text[6];
	}
	return 0;
}

static bool may_change_places(const struct course *c, char trump, uint8_t a, uint8_t b)
{
	if (a == b)
		return false;
	return !trump || tennessee_class(c->game->faces[a], trump) ==
				 tennessee_class(c->game->faces[b], trump);
}

/* Lets some cards of the order that the viewer has not seen up to T change places. */
static bool permute(const struct course *c, struct world *w, struct dice *dice)
{
	const struct order_place *place = &c->order[w->order];
	const struct step *step = &c->step[place->step];
	bool tennessee = !strcmp(c->game->id, "tennessee_pig");
	char trump = 0;
	int hidden[GAME_ORDER_MAX], n = 0, swaps, done = 0;

	if (tennessee && step->kind == CHANCE_DEAL)
		trump = tennessee_trump(c, w->order);
	memcpy(w->cards, step->order, step->n);
	for (int p = 0; p < step->n; p++)
		if (place->shown_at[p][viewer_slot(w->viewer)] >= w->until)
			hidden[n++] = p;
	if (n < 2)
		return false;
	/* Few cards at a time keep most of the recorded actions legal. */
	swaps = dice_below(dice, 4) ? 1 + (int)dice_below(dice, 2) : n;
	for (int tries = 0; tries < 60 && done < swaps; tries++) {
		uint8_t *a = &w->cards[hidden[dice_below(dice, (uint32_t)n)]];
		uint8_t *b = &w->cards[hidden[dice_below(dice, (uint32_t)n)]];
		uint8_t swap = *a;

		if (!may_change_places(c, trump, *a, *b))
			continue;
		*a = *b;
		*b = swap;
		done++;
	}
	return memcmp(w->cards, step->order, step->n) != 0;
}

bool world_draw(const struct course *course, struct world *w, struct dice *dice)
{
	int drawn = 0;

	w->until = 1 + (int)dice_below(dice, (uint32_t)course->count);
	while (drawn < course->orders && course->order[drawn].step < w->until)
		drawn++;
	if (!drawn)
		return false;
	/* Mostly the order that is in play at T. */
	w->order =
		dice_below(dice, 3) ? drawn - 1 : (int)dice_below(dice, (uint32_t)drawn);
	return permute(course, w, dice);
}

bool world_shown_the_same(
	const struct course *course, const struct world *w, const void *memory, int i)
{
	for (int o = 0; o < course->orders && course->order[o].step <= i; o++) {
		const struct order_place *place = &course->order[o];
		const struct step *step = &course->step[place->step];

		for (int p = 0; p < step->n; p++) {
			bool here = course->tracker->shown(memory, o, p) &
				    audience_of(w->viewer);
			bool there = place->shown_at[p][viewer_slot(w->viewer)] <= i;

			if (here != there)
				return false;
			if (here && o == w->order && w->cards[p] != step->order[p])
				return false;
		}
	}
	return true;
}
