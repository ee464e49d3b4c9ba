/* `pigpen games`, `sim` and `perft` as commands: what they print, what they refuse. */
#include "arbiter/cmd/cmd.h"
#include "games/game.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <jansson.h>
#include <stdio.h>

#define WORDS_MAX 16

/* Runs a command given as words; returns its status. */
static int run(int (*command)(int, char **), const char *text)
{
	static char line[256];
	char *argv[WORDS_MAX + 1] = {NULL};
	int argc = 0;

	snprintf(line, sizeof(line), "%s", text);
	for (char *word = strtok(line, " "); word && argc < WORDS_MAX;
		word = strtok(NULL, " "))
		argv[argc++] = word;
	return command(argc, argv);
}

static void redirect(void)
{
	cr_redirect_stdout();
	cr_redirect_stderr();
}

static char *stdout_text(void)
{
	static char text[1 << 16];
	size_t n;

	fflush(stdout);
	n = fread(text, 1, sizeof(text) - 1, cr_get_redirected_stdout());
	text[n] = 0;
	return text;
}

Test(games, lists_every_game, .init = redirect)
{
	char *text;

	cr_assert_eq(run(cmd_games, "games"), EXIT_OK);
	text = stdout_text();
	for (int i = 0; game_list[i]; i++)
		cr_expect(strstr(text, game_list[i]->id), "%s is not listed",
			game_list[i]->id);
}

Test(games, describes_every_option, .init = redirect)
{
	const struct game *game = game_find("pig_pile");
	char *text;

	cr_assert_eq(run(cmd_games, "games pig_pile"), EXIT_OK);
	text = stdout_text();
	for (int i = 0; i < game->option_count; i++)
		cr_expect(strstr(text, game->options[i].name));
	cr_expect(strstr(text, "rounds=5  (1..100 or players)"));
}

/* What was wrong and what is allowed both stand in the message. */
static void refused(int (*command)(int, char **), const char *text, const char *message)
{
	cr_expect_eq(run(command, text), EXIT_USER, "%s", text);
	fflush(stderr);
	cr_expect_stderr_eq_str(message);
}

Test(refuses, an_unknown_game, .init = redirect)
{
	refused(cmd_sim, "sim chess",
		"pigpen: there is no game 'chess'; there are: pig_pile, pig_it_hog_it, "
		"galloping_pigs, dirty_pig, tennessee_pig\n");
}

Test(refuses, seats_out_of_range, .init = redirect)
{
	refused(cmd_sim, "sim dirty_pig --seats 5",
		"pigpen: dirty_pig is for 2 to 4 seats, not '5'\n");
}

Test(refuses, an_unknown_option, .init = redirect)
{
	refused(cmd_perft, "perft dirty_pig --option colour=red",
		"pigpen: dirty_pig has no option 'colour'; it has: ask_forced, faults, "
		"hand, "
		"first, max_turns\n");
}

Test(refuses, a_value_that_is_not_allowed, .init = redirect)
{
	refused(cmd_perft, "perft pig_pile --option rounds=many",
		"pigpen: rounds cannot be 'many'; allowed: 1..100 or players\n");
}

Test(refuses, a_depth_out_of_range, .init = redirect)
{
	refused(cmd_perft, "perft pig_pile --depth 0",
		"pigpen: --depth is a number from 1 to 20, not '0'\n");
}

Test(refuses, a_trace_as_json, .init = redirect)
{
	cr_assert_eq(run(cmd_sim, "sim dirty_pig --trace --json"), EXIT_USER);
	cr_assert_stderr_eq_str("pigpen: --trace prints text; leave out --json\n");
}

Test(refuses, a_seat_without_a_trace, .init = redirect)
{
	refused(cmd_sim, "sim pig_pile --seat 1",
		"pigpen: --seat chooses what --trace shows; give both\n");
}

/* argp itself ends the process; main() sets the status. */
Test(refuses, no_game_at_all, .init = redirect, .exit_code = 64)
{
	run(cmd_sim, "sim");
}

Test(sim, prints_json, .init = redirect)
{
	json_t *all;

	cr_assert_eq(run(cmd_sim, "sim galloping_pigs --seats 3 --matches 20 --json"),
		EXIT_OK);
	all = json_loads(stdout_text(), 0, NULL);
	cr_assert(all);
	cr_expect_eq(json_integer_value(json_object_get(all, "matches")), 20);
	cr_expect_eq(json_integer_value(json_object_get(all, "actions")),
		20 * 3 * (1 + 7 * 3));
	cr_expect_eq(json_array_size(json_object_get(all, "scores")), 3);
	json_decref(all);
}

Test(sim, a_trace_of_a_seat_shows_no_other_hand, .init = redirect)
{
	char *text;

	cr_assert_eq(run(cmd_sim, "sim dirty_pig --seats 3 --trace --seat 1"), EXIT_OK);
	text = stdout_text();
	cr_expect(strstr(text, "hand 1:"));
	cr_expect(!strstr(text, "hand 0:") && !strstr(text, "hand 2:"));
	cr_expect(strstr(text, "deal seat=0 (3 cards)"));
	cr_expect(!strstr(text, "stack: "));
}

Test(perft, prints_json_with_the_orders, .init = redirect)
{
	json_t *all;

	cr_assert_eq(run(cmd_perft, "perft galloping_pigs --depth 2 --json"), EXIT_OK);
	all = json_loads(stdout_text(), 0, NULL);
	cr_assert(all);
	cr_expect_eq(json_integer_value(json_array_get(json_object_get(all, "nodes"), 0)),
		120);
	cr_expect_eq(json_array_size(json_object_get(all, "orders")), 1);
	json_decref(all);
}
