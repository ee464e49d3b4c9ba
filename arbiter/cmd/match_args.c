/* The rules of a match on a command line. */
#include "arbiter/cmd/match_args.h"
#include "arbiter/cmd/cmd.h"
#include "arbiter/base/words.h"
#include "protocol/memory.h"

#include <stdlib.h>
#include <string.h>

#define RETRIES_LIMIT 100

enum {
	KEY_CLOCK = 256,
	KEY_CLOCK_KIND,
	KEY_ON_FAULT,
	KEY_RETRIES,
	KEY_SANDBOX,
	KEY_LIMITS
};

/* help() puts the default in place of %s. */
static const struct argp_option clock_options[] = {
	{"clock", KEY_CLOCK, "RULES", 0,
		"bank, increment and limit of a move (%s); bank=0s: only the move "
		"limit counts",
		0},
	{0},
};
static const struct argp_option faults_options[] = {
	{"clock-kind", KEY_CLOCK_KIND, "wall|cpu", 0,
		"what the clock counts: wall time or CPU time (wall)", 0},
	{"on-fault", KEY_ON_FAULT, "forfeit|substitute", 0,
		"a fault ends the match, or the game's neutral move is played (default: "
		"forfeit with two sides, else substitute)",
		0},
	{"retries", KEY_RETRIES, "N", 0,
		"how many illegal answers are refused and asked again (%s)", 0},
	{0},
};
static const struct argp_option sandbox_options[] = {
	{"sandbox", KEY_SANDBOX, "auto|require|off", 0,
		"run bots in a sandbox: if possible (auto), or fail without one "
		"(require), or not (off); default: %s",
		0},
	{"limits", KEY_LIMITS, "RULES", 0,
		"limits of a bot in its sandbox, such as memory=2g,disk=1g (memory=1g, "
		"disk=64m, processes=128, descriptors=256, cpu: no limit)",
		0},
	{0},
};

void match_args_init(struct match_args *args)
{
	*args = (struct match_args){
		.rules = {.clock = clock_rules_default,
			.sandbox = SANDBOX_AUTO,
			.limits = sandbox_limits_default()},
	};
}

int match_args_settle(struct match_args *args)
{
	if (!args->status)
		args->status = game_args_settle(&args->game);
	args->rules.game = args->game.game;
	args->rules.seats = args->game.seats;
	memcpy(args->rules.option, args->game.option, sizeof(args->rules.option));
	return args->status;
}

int match_args_number(const char *option, const char *text, int min, int max, int *status)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (*text && !*end && number >= min && number <= max)
		return (int)number;
	*status = user_error(
		"--%s: '%s' is not a number from %d to %d", option, text, min, max);
	return min;
}

int match_args_word(
	const char *option, const char *text, const char *const *words, int *status)
{
	int index = word_index(words, text);
	char list[128];

	if (index >= 0)
		return index;
	word_list(words, list, sizeof(list));
	*status = user_error("--%s: '%s' is not one of %s", option, text, list);
	return 0;
}

static error_t parse_clock(int key, char *text, struct argp_state *state)
{
	struct match_args *args = state->input;
	struct why why;

	if (key != KEY_CLOCK)
		return ARGP_ERR_UNKNOWN;
	if (!clock_rules_parse(text, &args->rules.clock, &why))
		args->status = user_error("%s", why.text);
	args->clock_given = true;
	return 0;
}

static error_t parse_faults(int key, char *text, struct argp_state *state)
{
	struct match_args *args = state->input;
	struct match_rules *rules = &args->rules;

	switch (key) {
	case KEY_CLOCK_KIND:
		rules->clock.kind = (enum clock_kind)match_args_word(
			"clock-kind", text, clock_kind_names, &args->status);
		return 0;
	case KEY_ON_FAULT:
		rules->policy = (enum fault_policy)match_args_word(
			"on-fault", text, policy_names, &args->status);
		return 0;
	case KEY_RETRIES:
		rules->retries = match_args_number(
			"retries", text, 0, RETRIES_LIMIT, &args->status);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_sandbox(int key, char *text, struct argp_state *state)
{
	struct match_args *args = state->input;
	struct why why;

	if (key != KEY_SANDBOX && key != KEY_LIMITS)
		return ARGP_ERR_UNKNOWN;
	if (!(key == KEY_SANDBOX ? sandbox_mode_parse(text, &args->rules.sandbox, &why)
				 : sandbox_limits_parse(text, &args->rules.limits, &why)))
		args->status = user_error("--%s", why.text);
	return 0;
}

/* argp frees the result if it is not the text that it passed. */
static char *help(int key, const char *text, void *input)
{
	const struct match_args *args = input;
	char clock[128];

	if (!args || !text)
		return (char *)(uintptr_t)text;
	switch (key) {
	case KEY_CLOCK:
		clock_rules_format(&args->rules.clock, clock, sizeof(clock));
		return xasprintf(text, clock);
	case KEY_RETRIES:
		return xasprintf(
			text, args->rules.retries < 0 ? "0; 100 with a person" : "0");
	case KEY_SANDBOX:
		return xasprintf(text, sandbox_mode_names[args->rules.sandbox]);
	default:
		return (char *)(uintptr_t)text;
	}
}

const struct argp match_args_clock_argp = {
	.options = clock_options, .parser = parse_clock, .help_filter = help};
const struct argp match_args_faults_argp = {
	.options = faults_options, .parser = parse_faults, .help_filter = help};
const struct argp match_args_sandbox_argp = {
	.options = sandbox_options, .parser = parse_sandbox, .help_filter = help};
