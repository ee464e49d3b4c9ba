/* From ranks to comparisons, rotations, rules as JSON, lines, and the variance that
 * duplicate deals leave. */
#include "arbiter/base/lines.h"
#include "arbiter/ladder/run/plan.h"
#include "arbiter/ladder/rating/standings.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct store_seat seat(
	int rotation, int number, int64_t entrant, int rank, int team)
{
	return (struct store_seat){.rotation = rotation,
		.seat = number,
		.entrant = entrant,
		.rank = rank,
		.team = team};
}

Test(comparisons, a_free_for_all_gives_every_pair)
{
	/* Two rotations of 1, 2, 3: 1 wins both, 2 and 3 tie in the second. */
	const struct store_seat seats[] = {
		seat(0, 0, 1, 1, -1),
		seat(0, 1, 2, 2, -1),
		seat(0, 2, 3, 3, -1),
		seat(1, 0, 3, 2, -1),
		seat(1, 1, 1, 1, -1),
		seat(1, 2, 2, 2, -1),
	};
	struct comparison list[SET_COMPARISONS_MAX];
	int n = set_comparisons(seats, 6, 1, 7, list);

	cr_assert_eq(n, 3);
	for (int i = 0; i < n; i++) {
		cr_expect_eq(list[i].set, 7);
		cr_expect_eq(list[i].a[1], RATING_NO_MEMBER);
		cr_expect_lt(list[i].a[0], list[i].b[0]);
		cr_expect_float_eq(list[i].score, list[i].a[0] == 0 ? 1.0F : 0.75F, 1e-6);
	}
}

Test(comparisons, copies_of_one_entrant_are_not_compared_with_each_other)
{
	/* 1 2 1 2 with ranks 1 2 3 4: 1 beats 2 in three of four pairs. */
	const struct store_seat seats[] = {
		seat(0, 0, 1, 1, -1),
		seat(0, 1, 2, 2, -1),
		seat(0, 2, 1, 3, -1),
		seat(0, 3, 2, 4, -1),
	};
	struct comparison list[SET_COMPARISONS_MAX];

	cr_assert_eq(set_comparisons(seats, 4, 1, 0, list), 1);
	cr_assert_float_eq(list[0].score, 0.75F, 1e-6);
}

Test(comparisons, a_partnership_is_one_side)
{
	const struct store_seat mixed[] = {
		seat(0, 0, 4, 2, 0),
		seat(0, 1, 1, 1, 1),
		seat(0, 2, 2, 2, 0),
		seat(0, 3, 3, 1, 1),
	};
	const struct store_seat same[] = {
		seat(0, 0, 2, 1, 0),
		seat(0, 1, 1, 2, 1),
		seat(0, 2, 2, 1, 0),
		seat(0, 3, 1, 2, 1),
	};
	struct comparison list[SET_COMPARISONS_MAX];

	cr_assert_eq(set_comparisons(mixed, 4, 1, 0, list), 1);
	cr_expect_eq(list[0].a[0], 0);
	cr_expect_eq(list[0].a[1], 2);
	cr_expect_eq(list[0].b[0], 1);
	cr_expect_eq(list[0].b[1], 3);
	cr_expect_float_eq(list[0].score, 1, 1e-6);
	cr_assert_eq(set_comparisons(same, 4, 1, 0, list), 1);
	cr_expect_eq(list[0].a[0], 0);
	cr_expect_eq(list[0].a[1], RATING_NO_MEMBER);
	cr_expect_float_eq(list[0].score, 0, 1e-6);
}

Test(comparisons, the_largest_table_fits)
{
	struct store_seat seats[GAME_SEATS_MAX * GAME_SEATS_MAX];
	struct comparison list[SET_COMPARISONS_MAX];

	for (int r = 0; r < GAME_SEATS_MAX; r++)
		for (int s = 0; s < GAME_SEATS_MAX; s++)
			seats[r * GAME_SEATS_MAX + s] =
				seat(r, s, 1 + (s + r) % GAME_SEATS_MAX, s + 1, -1);
	cr_assert_eq(set_comparisons(seats, GAME_SEATS_MAX * GAME_SEATS_MAX, 1, 0, list),
		GAME_SEATS_MAX * (GAME_SEATS_MAX - 1) / 2);
}

Test(plan, a_table_has_as_many_rotations_as_different_seatings)
{
	cr_expect_eq(table_rotations((int64_t[]){1, 2}, 2), 2);
	cr_expect_eq(table_rotations((int64_t[]){1, 2, 1, 2}, 4), 2);
	cr_expect_eq(table_rotations((int64_t[]){1, 2, 2, 1}, 4), 4);
	cr_expect_eq(table_rotations((int64_t[]){1, 2, 3, 1}, 4), 4);
	cr_expect_eq(table_rotations((int64_t[]){1, 1, 1}, 3), 1);
	cr_expect_eq(table_rotations((int64_t[]){1, 2, 3, 1, 2, 3}, 6), 3);
}

Test(rules, sides_are_seats_or_teams_or_unknown)
{
	int8_t side[GAME_SEATS_MAX];
	struct match_rules rules = {.game = game_find("pig_pile"), .seats = 5};
	int index;

	game_defaults(rules.game, rules.option);
	cr_expect_eq(match_rules_sides(&rules, side), 5);
	rules.game = game_find("tennessee_pig");
	rules.seats = 4;
	game_defaults(rules.game, rules.option);
	cr_expect_eq(match_rules_sides(&rules, side), 2);
	cr_expect_eq(side[0], side[2]);
	cr_expect_neq(side[0], side[1]);
	rules.game = game_find("pig_it_hog_it");
	game_defaults(rules.game, rules.option);
	index = game_option_find(rules.game, "partners");
	cr_assert(game_option_parse(
		&rules.game->options[index], "jacks", &rules.option[index]));
	cr_expect_eq(match_rules_sides(&rules, side), 0);
}

Test(rules, survive_json)
{
	struct match_rules rules = {.game = game_find("dirty_pig"),
				   .seats = 3,
				   .clock = clock_rules_default,
				   .policy = POLICY_SUBSTITUTE,
				   .retries = 2},
			   read;
	json_t *object = json_object();
	struct why why;

	game_defaults(rules.game, rules.option);
	rules.option[game_option_find(rules.game, "hand")] = 4;
	rules.clock.kind = CLOCK_KIND_CPU;
	rules.clock.wall_ns_max = 50 * NS_PER_S;
	match_rules_write(&rules, object);
	cr_assert(match_rules_read(&read, object, &why), "%s", why.text);
	cr_expect_eq(memcmp(rules.option, read.option, sizeof(read.option)), 0);
	cr_expect_eq(read.clock.kind, CLOCK_KIND_CPU);
	cr_expect_eq(read.clock.bank_ns, rules.clock.bank_ns);
	cr_expect_eq(read.clock.wall_ns_max, rules.clock.wall_ns_max);
	cr_expect_eq(read.policy, POLICY_SUBSTITUTE);
	cr_expect_eq(read.retries, 2);
	cr_expect_eq(read.seats, 3);
	json_decref(object);
}

Test(lines, come_whole_whatever_the_pieces)
{
	struct lines lines;
	int pipe_ends[2];
	json_t *object;

	cr_assert_eq(pipe2(pipe_ends, O_NONBLOCK), 0);
	lines_init(&lines, pipe_ends[0], 1 << 20);
	cr_assert_eq(write(pipe_ends[1], "{\"a\":1}\n{\"a\"", 12), 12);
	lines_fill(&lines);
	object = lines_next_json(&lines);
	cr_assert_eq(json_integer_value(json_object_get(object, "a")), 1);
	json_decref(object);
	cr_assert_null(lines_next_json(&lines));
	cr_assert_eq(write(pipe_ends[1], ":2}\nnonsense\n", 13), 13);
	lines_fill(&lines);
	object = lines_next_json(&lines);
	cr_assert_eq(json_integer_value(json_object_get(object, "a")), 2);
	json_decref(object);
	cr_assert_not(lines.ended);
	cr_assert_null(lines_next_json(&lines));
	cr_assert(lines.ended);
	lines_release(&lines);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}

/* Two seats: with luck alone the deal decides, the first seat wins or loses; a
 * duplicate set is then a draw always. */
Test(duplicate_variance, duplicates_take_away_the_luck_of_the_deal)
{
	struct variance_sums *sums = variance_sums_new(2);
	struct duplicate_variance variance;

	for (int set = 0; set < 20; set++) {
		int winner = set % 2;
		const struct store_seat seats[] = {
			seat(0, 0, 1, winner == 0 ? 1 : 2, -1),
			seat(0, 1, 2, winner == 1 ? 1 : 2, -1),
			seat(1, 0, 2, winner == 0 ? 1 : 2, -1),
			seat(1, 1, 1, winner == 1 ? 1 : 2, -1),
		};

		variance_sums_add(sums, seats, 4);
	}
	variance = variance_sums_look(sums);
	cr_expect_eq(variance.sets, 20);
	cr_expect_float_eq(variance.duplicate, 0, 1e-9);
	cr_expect_gt(variance.independent, 1);
	variance_sums_free(&sums);
}

/* The deal says nothing: the two matches of a set are as good as independent ones. */
Test(duplicate_variance, is_not_seen_where_there_is_none)
{
	struct variance_sums *sums = variance_sums_new(2);
	struct duplicate_variance variance;

	for (int set = 0; set < 400; set++) {
		int first = set & 1, second = set >> 1 & 1;
		const struct store_seat seats[] = {
			seat(0, 0, 1, first ? 1 : 2, -1),
			seat(0, 1, 2, first ? 2 : 1, -1),
			seat(1, 0, 2, second ? 2 : 1, -1),
			seat(1, 1, 1, second ? 1 : 2, -1),
		};

		variance_sums_add(sums, seats, 4);
	}
	variance = variance_sums_look(sums);
	cr_expect_float_eq(variance.duplicate / variance.independent, 1, 0.02);
	variance_sums_free(&sums);
}
