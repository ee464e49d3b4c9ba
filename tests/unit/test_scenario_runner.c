/* The scenario runner itself: what must fail does fail, and for the right reason. */
#include "tests/unit/each_game.h"
#include "tests/unit/scenario.h"

#include <stdlib.h>
#include <unistd.h>

/* Runs one scenario of Dirty Pig from its lines; the report is freed by the caller. */
static char *report(const char *lines, struct scenario_count *count)
{
	char path[] = "/tmp/pigpen-scenario-XXXXXX", *text;
	FILE *file = fdopen(mkstemp(path), "w"), *out;
	size_t size;

	*count = (struct scenario_count){0, 0};
	fprintf(file, "scenario: trial\n%s", lines);
	fclose(file);
	out = open_memstream(&text, &size);
	scenario_run_file(game_find("dirty_pig"), path, out, count);
	fclose(out);
	unlink(path);
	return text;
}

static void fails(const char *lines, const char *why)
{
	struct scenario_count count;
	char *text = report(lines, &count);

	cr_expect(count.scenarios == 1 && count.failed == 1, "it passes:\n%s", lines);
	cr_expect(
		strstr(text, why), "the report is '%s' and does not say '%s'", text, why);
	free(text);
}

#define TABLE                                                                            \
	"proves: DP-2.1\nseats: 2\n"                                                     \
	"table:\n  phase: turn\n  act: 0\n  hand 0: rod rod rod\n  hand 1: mud mud "     \
	"mud\n"

Test(scenario_runner, a_true_scenario_passes)
{
	struct scenario_count count;
	char *text = report(TABLE "legal 0: discard rod | swap\nlegal 0 has: swap\nlegal "
				  "0 lacks: discard mud\n"
				  "view 1:\n  hand 1: mud mud mud\n  hand 0: -\n"
				  "refuse 1: discard mud -> DP-2.1\n"
				  "expect:\n  hand_size: 3 3\n",
		&count);

	cr_expect(count.scenarios == 1 && count.failed == 0, "%s", text);
	free(text);
}

Test(scenario_runner, wrong_demands_fail)
{
	fails(TABLE "legal 0: swap\n", "legal is");
	fails(TABLE "legal 0 has: discard mud\n", "is not in the legal list");
	fails(TABLE "legal 0 lacks: swap\n", "is in the legal list");
	fails(TABLE "refuse 0: swap -> DP-2.4\n", "check allows it");
	fails(TABLE "refuse 0: discard mud -> DP-9.9\n", "instead of DP-9.9");
	fails(TABLE "do 0: discard mud\n", "is refused");
	fails(TABLE "expect:\n  hand 1: mud\n", "not 'mud'");
	fails(TABLE "view 1:\n  hand 0: rod rod rod\n", "not 'rod rod rod'");
	fails(TABLE "do 0: discard rod\nevents: discard seat=1 rod\n", "events are");
	fails(TABLE "forced\nlegal 1: -\n", "nobody is forced");
	fails(TABLE "chance deal: mud\n", "no chance is needed");
	fails(TABLE "result: scores 0 0\n", "not over");
}

Test(scenario_runner, what_is_not_understood_fails)
{
	fails(TABLE "legal 0: discard rod | swap\njump 0: high\n", "not understood");
	fails(TABLE "legal 9: swap\n", "not understood");
	fails(TABLE "legal 0: discard rod | swap\nexpect:\n  tail: 3\n",
		"no field 'tail'");
	fails(TABLE "do 0: dance\n", "no verb 'dance'");
	fails("proves: DP-2.1\nseats: 9\nlegal 0: -\n", "not allowed");
	fails("proves: DP-2.1\nseats: 2\noptions: hand=7\nlegal 0: -\n", "not allowed");
}

Test(scenario_runner, a_scenario_must_prove_and_demand_something)
{
	fails(TABLE, "demands nothing");
	fails(TABLE "do 0: discard rod\n", "demands nothing");
	fails("seats: 2\nlegal 0: -\n", "no `proves:` line");
}
