/* Clock rules, budgets and banks. */
#include <criterion/criterion.h>
#include "arbiter/table/clock.h"

static struct clock_rules parse(const char *text)
{
	struct clock_rules rules = {.kind = CLOCK_KIND_WALL};
	struct why why = {""};

	cr_assert(clock_rules_parse(text, &rules, &why), "%s: %s", text, why.text);
	return rules;
}

Test(clock, rules_are_read_with_their_units)
{
	struct clock_rules rules = parse("bank=10s,inc=100ms,move=2s");

	cr_assert_eq(rules.bank_ns, 10 * NS_PER_S);
	cr_assert_eq(rules.increment_ns, 100 * NS_PER_MS);
	cr_assert_eq(rules.move_ns_max, 2 * NS_PER_S);
	cr_assert_eq(rules.wall_ns_max, 20 * NS_PER_S);
	cr_assert_eq(parse("move=1.5s").move_ns_max, 1500 * NS_PER_MS);
	cr_assert_eq(parse("bank=2min").bank_ns, 120 * NS_PER_S);
	cr_assert_eq(parse("move=250us,wall=3s").wall_ns_max, 3 * NS_PER_S);
}

Test(clock, what_was_written_is_read_back)
{
	struct clock_rules rules = parse("bank=10s,inc=100ms,move=250us"), again;
	char text[128];

	clock_rules_format(&rules, text, sizeof(text));
	cr_assert_str_eq(text, "bank=10s,inc=100ms,move=250us");
	again = parse(text);
	cr_assert_eq(again.move_ns_max, rules.move_ns_max);
}

Test(clock, wrong_rules_are_refused_with_a_reason_and_change_nothing)
{
	static const char *const wrong[] = {"", "bank", "bank=", "bank=10", "bank=10h",
		"bank=-1s", "inc=1s", "inc=1s,move=1s", "bank=1s,foo=2s", "bank=1e300s",
		"bank=nans", "move=0s"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct clock_rules rules = clock_rules_default;
		struct why why = {""};

		cr_assert(!clock_rules_parse(wrong[i], &rules, &why), "%s", wrong[i]);
		cr_assert_eq(
			strncmp(why.text, "clock: ", 7), 0, "%s: %s", wrong[i], why.text);
		cr_assert_eq(rules.bank_ns, clock_rules_default.bank_ns);
	}
}

Test(clock, the_budget_is_the_smaller_of_bank_and_move)
{
	struct clock_rules both = parse("bank=10s,move=2s");
	struct clock_rules bank = parse("bank=10s");
	struct clock_rules move = parse("move=2s");

	cr_assert_eq(clock_budget(&both, 10 * NS_PER_S), 2 * NS_PER_S);
	cr_assert_eq(clock_budget(&both, 1 * NS_PER_S), 1 * NS_PER_S);
	cr_assert_eq(clock_budget(&bank, 7 * NS_PER_S), 7 * NS_PER_S);
	cr_assert_eq(clock_budget(&move, 0), 2 * NS_PER_S);
}

Test(clock, an_answer_costs_its_time_and_earns_the_increment)
{
	struct clock_rules rules = parse("bank=10s,inc=1s,move=4s");
	int64_t bank = rules.bank_ns;

	cr_assert(clock_charge(&rules, &bank, 3 * NS_PER_S));
	cr_assert_eq(bank, 8 * NS_PER_S);
	cr_assert(clock_charge(&rules, &bank, 4 * NS_PER_S));
	cr_assert_eq(bank, 5 * NS_PER_S);
	cr_assert(!clock_charge(&rules, &bank, 4 * NS_PER_S + 1));
	cr_assert_eq(bank, 0);
}

Test(clock, the_system_clock_does_not_run_backwards)
{
	mono_ns a = time_now(&time_system), b = time_now(&time_system);

	cr_assert_geq(b, a);
}
