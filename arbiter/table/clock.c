/* The seats' clocks: parsing and printing their rules, charging answers. */
#include "arbiter/table/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const clock_kind_names[] = {"wall", "cpu", NULL};

const struct clock_rules clock_rules_default = {
	.kind = CLOCK_KIND_WALL,
	.bank_ns = 30 * NS_PER_S,
	.increment_ns = 100 * NS_PER_MS,
	.move_ns_max = 5 * NS_PER_S,
	.wall_ns_max = 50 * NS_PER_S,
};

static int64_t *rule_named(struct clock_rules *rules, const char *name)
{
	if (!strcmp(name, "bank"))
		return &rules->bank_ns;
	if (!strcmp(name, "inc"))
		return &rules->increment_ns;
	if (!strcmp(name, "move"))
		return &rules->move_ns_max;
	if (!strcmp(name, "wall"))
		return &rules->wall_ns_max;
	return NULL;
}

static bool parse_item(struct clock_rules *rules, char *item, struct why *why)
{
	char *value = strchr(item, '=');
	int64_t *rule;

	if (value)
		*value++ = 0;
	rule = rule_named(rules, item);
	if (!rule || !value)
		return why_set(why,
			"clock: '%s' is not one of bank=, inc=, move=, wall= with a duration",
			item);
	if (!duration_parse(value, rule))
		return why_set(why,
			"clock: '%s' is not a duration; write a "
			"number with us, ms, s or min, such as 250ms",
			value);
	return true;
}

bool clock_rules_parse(const char *text, struct clock_rules *rules, struct why *why)
{
	struct clock_rules parsed = {.kind = rules->kind};
	char copy[256], *rest = copy, *item;

	snprintf(copy, sizeof(copy), "%s", text);
	while ((item = strsep(&rest, ",")))
		if (!parse_item(&parsed, item, why))
			return false;
	if (!parsed.bank_ns && !parsed.move_ns_max)
		return why_set(why,
			"clock: give at least one of bank= and move=, such as "
			"bank=10s,inc=100ms,move=2s");
	if (parsed.increment_ns && !parsed.bank_ns)
		return why_set(why,
			"clock: inc= adds to the bank; give bank= as well, or leave inc= out");
	if (!parsed.wall_ns_max)
		parsed.wall_ns_max =
			10 * (parsed.move_ns_max ? parsed.move_ns_max : parsed.bank_ns);
	*rules = parsed;
	return true;
}

void clock_rules_format(const struct clock_rules *rules, char *text, size_t size)
{
	char bank[32], increment[32], move[32];

	duration_format(rules->bank_ns, bank, sizeof(bank));
	duration_format(rules->increment_ns, increment, sizeof(increment));
	duration_format(rules->move_ns_max, move, sizeof(move));
	snprintf(text, size, "bank=%s,inc=%s,move=%s", bank, increment, move);
}

/* Without a bank only `move` counts. */
static bool has_bank(const struct clock_rules *rules)
{
	return rules->bank_ns > 0;
}

int64_t clock_budget(const struct clock_rules *rules, int64_t bank_left_ns)
{
	if (!has_bank(rules))
		return rules->move_ns_max;
	if (!rules->move_ns_max || bank_left_ns < rules->move_ns_max)
		return bank_left_ns;
	return rules->move_ns_max;
}

bool clock_charge(
	const struct clock_rules *rules, int64_t *bank_left_ns, int64_t spent_ns)
{
	if (spent_ns > clock_budget(rules, *bank_left_ns)) {
		*bank_left_ns = 0;
		return false;
	}
	if (has_bank(rules))
		*bank_left_ns += rules->increment_ns - spent_ns;
	return true;
}
