/* The arithmetic of `replay branch`, against numbers worked out by hand. */
#include "arbiter/replay/branch.h"

#include <criterion/criterion.h>
#include <math.h>

static bool near(double a, double b)
{
	return fabs(a - b) < 0.0005;
}

Test(replay_branch, a_mean_has_an_error_if_there_is_more_than_one_value)
{
	const double four[] = {1, 2, 3, 4};
	struct branch_mean mean = branch_mean_of(four, 4);

	/* The variance is 5/3, the standard error its root over 2. */
	cr_assert(near(mean.mean, 2.5));
	cr_assert(near(mean.error, 1.96 * sqrt(5.0 / 3) / 2));
	mean = branch_mean_of(four, 1);
	cr_assert(near(mean.mean, 1));
	cr_assert(isnan(mean.error));
}

Test(replay_branch, a_win_is_shared_by_the_sides_that_are_first)
{
	struct game_result alone = {.rank = {2, 1, 2}, .team = {-1, -1, -1}};
	struct game_result tied = {.rank = {1, 3, 1}, .team = {-1, -1, -1}};
	struct game_result partners = {.rank = {1, 3, 1, 3}, .team = {0, 1, 0, 1}};
	struct game_result both = {.rank = {1, 1, 1, 1}, .team = {0, 1, 0, 1}};

	cr_assert(near(branch_win(&alone, 3, 1), 1));
	cr_assert(near(branch_win(&alone, 3, 0), 0));
	cr_assert(near(branch_win(&tied, 3, 2), 0.5));
	cr_assert(near(branch_win(&partners, 4, 2), 1));
	cr_assert(near(branch_win(&partners, 4, 3), 0));
	cr_assert(near(branch_win(&both, 4, 3), 0.5));
}

Test(replay_branch, the_interval_of_a_share_stays_between_0_and_1)
{
	double low, high;

	/* Wilson for 5 of 10: 0.2366 to 0.7634; for 0 of 10: up to 0.2775. */
	branch_interval(0.5, 10, &low, &high);
	cr_assert(near(low, 0.2366));
	cr_assert(near(high, 0.7634));
	branch_interval(0, 10, &low, &high);
	cr_assert(near(low, 0));
	cr_assert(near(high, 0.2775));
	branch_interval(1, 10, &low, &high);
	cr_assert(near(low, 1 - 0.2775));
	cr_assert(near(high, 1));
}
