/* The scenario files of tests/rules: tables, actions and what follows. */
#include "tests/unit/each_game.h"
#include "tests/unit/scenario.h"

#include <glob.h>

static void run(const struct game *game)
{
	struct scenario_count count = {0, 0};
	char pattern[256];
	glob_t files;

	snprintf(pattern, sizeof(pattern), "tests/rules/%s/*.txt", game->id);
	cr_assert_eq(glob(pattern, 0, NULL, &files), 0, "no files %s", pattern);
	for (size_t i = 0; i < files.gl_pathc; i++)
		scenario_run_file(game, files.gl_pathv[i], stderr, &count);
	globfree(&files);
	fprintf(stderr, "note: %s: %d scenarios\n", game->id, count.scenarios);
	cr_assert_gt(count.scenarios, 0);
	cr_assert_eq(count.failed, 0, "%d of %d scenarios of %s failed", count.failed,
		count.scenarios, game->id);
}

EACH_GAME(scenarios, run)
