/*
 * Nobody is told over the wire what they may not know.
 *
 * test_two_worlds.c shows that views, legal lists and events are silent. Here a whole
 * match of arbiter/match/match.c is played, and the messages that really go out (match,
 * event, act, refuse, end) are compared: their number, order, length and every byte.
 *
 *   - Between two worlds that differ in cards which the viewer has not been shown. In
 *     the second one the others also take other times to think, answer in another
 *     order, and ask for other kinds of messages.
 *   - Between a match in which a bot plays the game's neutral moves, and one in which
 *     it has crashed and the arbiter plays them: nobody else can tell before the end.
 */
#include "tests/unit/each_game.h"
#include "tests/unit/wire_match.h"

#include <stdlib.h>
#include <string.h>

enum {
	MATCHES = 2,       /* of each variant; the seats that want events take turns */
	WORLDS = 60,       /* for all viewers of a match */
	BEYOND = 30,       /* steps after T that are compared too */
	KEPT_PERCENT = 30, /* worlds that must not be thrown away */
	LETTERS_MIN = 1000 /* compared for each game */
};

/* A world whose states never differ from the first one's proves nothing and is not
 * counted. */
struct share {
	int made, kept, letters;
};

static int percent(const struct share *share)
{
	return share->made ? 100 * share->kept / share->made : 0;
}

/* Compares what the viewer got, until something that differs was shown to it. */
static void compare_world(const struct course *course, const struct wire_match *second,
	const struct world *world, struct share *share)
{
	const struct wire_match *first = second->first;
	const int16_t *option = first->match.config.setup.option;
	void *memory = calloc(1, course->tracker->size);
	struct table here, there;
	bool differed = false;
	int i;

	course->tracker->start(memory, course->seats, option);
	game_start(first->game, course->seats, option, here.bytes);
	there = here;
	share->letters += wire_compare(second, world->viewer, 0);
	/* What follows the last step may still have been on its way. */
	for (i = 0; i + 1 < second->count && i + 1 < first->count; i++) {
		if (i == world->until + BEYOND || !wire_same_step(second, i))
			break;
		step_apply(first->game, here.bytes, &first->step[i], NULL);
		step_apply(first->game, there.bytes, &second->step[i], NULL);
		course_track(course, memory, &second->step[i]);
		if (!world_shown_the_same(course, world, memory, i))
			break;
		differed |= memcmp(&here, &there, first->game->state_size) != 0;
		share->letters += wire_compare(second, world->viewer, i + 1);
	}
	share->made += differed || i < world->until;
	share->kept += differed && i >= world->until;
	free(memory);
}

static void course_of(struct course *course, const struct wire_match *m)
{
	void *memory = course_begin(course, m->game, m->match.config.setup.seats,
		m->match.config.setup.option);

	for (int i = 0; i < m->count; i++)
		course_note(course, memory, m->step, i);
	free(memory);
}

static void play_worlds(const struct wire_settings *settings,
	const struct wire_match *first, struct dice *dice, struct share *share)
{
	struct course *course = malloc(sizeof(*course));
	int seats = settings->variant->seats;

	course_of(course, first);
	for (int i = 0; i < WORLDS * each_game_scale(); i++) {
		struct world world = {.viewer = i % seats, .order = -1, .choice = -1};
		struct wire_settings other = *settings;
		struct wire_match *second;

		if (!world_draw(course, &world, dice))
			continue;
		other.first = first;
		other.world = &world;
		second = wire_match_play(&other, world.until + BEYOND + 2);
		compare_world(course, second, &world, share);
		wire_match_free(&second);
	}
	free(course);
}

static void run_variant(
	const struct game *game, const struct variant *variant, struct share *share)
{
	struct wire_settings settings = {
		.game = game, .variant = variant, .neutral = -1, .crash = -1};
	struct action *space;
	struct dice dice;
	char name[256];

	variant_name(variant, name, sizeof(name));
	dice = dice_named(name, 31);
	settings.space_size = action_space(game, variant->seats, 1, &space);
	settings.space = space;
	for (int i = 0; i < MATCHES; i++) {
		struct wire_match *first;

		settings.number = (unsigned)i;
		first = wire_match_play(&settings, WIRE_STEPS_MAX);
		play_worlds(&settings, first, &dice, share);
		wire_match_free(&first);
	}
	free(space);
}

static void run(const struct game *game)
{
	struct share all = {0};
	int least = 100;

	for (const struct variant *v = variants; v->game; v++) {
		struct share share = {0};

		if (strcmp(v->game, game->id))
			continue;
		run_variant(game, v, &share);
		cr_expect_geq(percent(&share), KEPT_PERCENT,
			"%s, %d seats, %s: too many worlds are thrown away", game->id,
			v->seats, v->options);
		least = percent(&share) < least ? percent(&share) : least;
		all.made += share.made;
		all.letters += share.letters;
	}
	cr_expect_gt(all.letters, LETTERS_MIN);
	fprintf(stderr,
		"note: %s: %d worlds on the wire, at least %d %% kept in each variant, "
		"%d messages compared\n",
		game->id, all.made, least, all.letters);
}

EACH_GAME(wire_worlds, run)

/* How many messages were compared between a match with a neutral bot and one in which it
 * has crashed. */
static int compare_neutral(struct wire_settings settings)
{
	struct wire_match *first = wire_match_play(&settings, WIRE_STEPS_MAX), *second;
	int letters = 0;

	settings.first = first;
	settings.crash = settings.neutral;
	second = wire_match_play(&settings, first->count);
	cr_assert(!second->stuck, "%s: the fallback plays something else",
		settings.game->id);
	/* After the last step comes `end`, whose ranks do tell. */
	for (int seat = 0; seat < settings.variant->seats; seat++)
		for (int i = 0; i < first->count && seat != settings.crash; i++)
			letters += wire_compare(second, seat, i);
	wire_match_free(&first);
	wire_match_free(&second);
	return letters;
}

static void run_neutral(const struct game *game)
{
	int letters = 0;

	for (const struct variant *v = variants; v->game; v++)
		for (int i = 0; i < v->seats && !strcmp(v->game, game->id); i++)
			letters += compare_neutral((struct wire_settings){.game = game,
				.variant = v,
				.number = (unsigned)i,
				.neutral = i,
				.crash = -1});
	cr_expect_gt(letters, LETTERS_MIN);
}

EACH_GAME(wire_fallback, run_neutral)
