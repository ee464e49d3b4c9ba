/* `pigpen selftest`: is this machine fit for strangers' bots, and for how many? */
#include "arbiter/cmd/cmd.h"
#include "arbiter/base/temporary.h"
#include "arbiter/selftest/selftest.h"
#include "protocol/memory.h"

#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEVEL_QUICK   8
#define LEVEL_DEFAULT 256
#define LEVEL_LIMIT   4096

enum { KEY_QUICK = 256, KEY_MOVE, KEY_UP_TO };

static const struct argp_option argp_options[] = {
	{"quick", KEY_QUICK, 0, 0, "at most 8 matches at once; takes some seconds", 0},
	{"up-to", KEY_UP_TO, "N", 0, "most matches at once (256)", 0},
	{"move", KEY_MOVE, "TIME", 0, "move limit of these matches (2s)", 0},
	{"json", KEY_JSON, 0, 0, "print the report as JSON", 0},
	{"quiet", 'q', 0, 0, "no progress", 0},
	{0},
};

struct selftest_command {
	struct selftest_options options;
	bool json;
	int status;
};

struct report {
	const char *no_sandbox; /* why bots cannot be sandboxed, or NULL */
	struct selftest_attempt attempt[SELFTEST_ATTEMPTS];
	int attempts_failed;
	struct selftest_level level[SELFTEST_LEVELS_MAX];
	int levels, carried;
};

static void parse_move(struct selftest_command *command, const char *text)
{
	struct why why;
	char rules[64];
	struct clock_rules clock;

	snprintf(rules, sizeof(rules), "move=%s", text);
	if (clock_rules_parse(rules, &clock, &why))
		command->options.move_ns_max = clock.move_ns_max;
	else
		command->status = user_error("--move: %s", why.text);
}

static void parse_level(struct selftest_command *command, const char *text)
{
	char *end;
	long level = strtol(text, &end, 10);

	if (*text && !*end && level >= 1 && level <= LEVEL_LIMIT)
		command->options.level_max = (int)level;
	else
		command->status = user_error(
			"--up-to is a number from 1 to %d, not '%s'", LEVEL_LIMIT, text);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct selftest_command *command = state->input;

	switch (key) {
	case KEY_QUICK:
		command->options.level_max = LEVEL_QUICK;
		break;
	case KEY_UP_TO:
		parse_level(command, text);
		break;
	case KEY_MOVE:
		parse_move(command, text);
		break;
	case KEY_JSON:
		command->json = true;
		break;
	case 'q':
		command->options.quiet = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static double ms(int64_t us)
{
	return (double)us / 1000;
}

static void print_attempts(const struct report *report)
{
	if (report->no_sandbox)
		printf("Bots are not sandboxed here: %s\n", report->no_sandbox);
	printf("A hostile bot …\n");
	for (int i = 0; i < SELFTEST_ATTEMPTS; i++) {
		const struct selftest_attempt *a = &report->attempt[i];

		printf("  %-4s  %-13s %s\n", a->held ? "pass" : "FAIL", a->name,
			a->promise);
		if (!a->held)
			printf("        %-13s %s\n", "", a->why.text);
	}
}

static void print_levels(const struct report *report, int64_t move_ns_max)
{
	printf("\nSimultaneous matches of bots that answer "
	       "immediately, a process for each seat, %.3g s a move\n",
		(double)move_ns_max / 1e9);
	printf("                                 overhead, ms             answer, ms\n");
	printf("  at once  matches  late     p50     p99   p99.9     p50     p99   p99.9\n");
	for (int i = 0; i < report->levels; i++) {
		const struct selftest_level *l = &report->level[i];

		printf("  %7d  %7d  %4d %7.2f %7.2f %7.2f %7.2f %7.2f %7.2f\n",
			l->at_once, l->matches, l->late, ms(l->overhead.p50),
			ms(l->overhead.p99), ms(l->overhead.p999), ms(l->answer.p50),
			ms(l->answer.p99), ms(l->answer.p999));
		if (l->late)
			printf("           %s\n", l->why.text);
	}
	printf("\n%d of %d attempts of hostile bots were stopped; ",
		SELFTEST_ATTEMPTS - report->attempts_failed, SELFTEST_ATTEMPTS);
	printf(report->carried ? "no bot was late with up to %d matches at once\n"
			       : "a bot was late even with a single match\n",
		report->carried);
}

static json_t *quantiles_json(const struct selftest_quantiles *q)
{
	return json_pack("{s:f,s:f,s:f,s:f}", "p50", ms(q->p50), "p99", ms(q->p99),
		"p99.9", ms(q->p999), "max", ms(q->max));
}

static void print_json(const struct report *report, int64_t move_ns_max)
{
	json_t *attempts = json_array(), *levels = json_array(), *root;

	for (int i = 0; i < SELFTEST_ATTEMPTS; i++) {
		const struct selftest_attempt *a = &report->attempt[i];

		json_array_append_new(
			attempts, json_pack("{s:s,s:s,s:b,s:s*}", "name", a->name,
					  "promise", a->promise, "held", a->held, "why",
					  a->held ? NULL : a->why.text));
	}
	for (int i = 0; i < report->levels; i++) {
		const struct selftest_level *l = &report->level[i];

		json_array_append_new(levels,
			json_pack("{s:i,s:i,s:i,s:i,s:f,s:o,s:o}", "at_once", l->at_once,
				"matches", l->matches, "decisions", l->decisions, "late",
				l->late, "seconds", l->seconds, "overhead_ms",
				quantiles_json(&l->overhead), "answer_ms",
				quantiles_json(&l->answer)));
	}
	root = json_pack("{s:b,s:o,s:f,s:o,s:i}", "sandbox", !report->no_sandbox,
		"attempts", attempts, "move_s", (double)move_ns_max / 1e9, "levels",
		levels, "carried", report->carried);
	json_dumpf(root, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(root);
}

static int run(struct selftest_command *command)
{
	struct report *report = xcalloc(1, sizeof(*report));
	char folder[TEMPORARY_PATH_SIZE];
	struct why why;
	int status;

	/* If we are root, bots run as other users and must be able to enter it, which the
	 * folder for sockets of one user does not allow. */
	unsetenv("XDG_RUNTIME_DIR");
	if (!temporary_folder(folder, 0755, &why)) {
		free(report);
		return user_error("%s", why.text);
	}
	command->options.folder = folder;
	command->options.boxed = sandbox_available(&why);
	report->no_sandbox = command->options.boxed ? NULL : why.text;
	report->attempts_failed = selftest_attempts(&command->options, report->attempt);
	report->levels =
		selftest_ramp(&command->options, report->level, &report->carried);
	rmdir(folder);
	if (command->json) {
		print_json(report, command->options.move_ns_max);
	} else {
		print_attempts(report);
		print_levels(report, command->options.move_ns_max);
	}
	status = report->attempts_failed || !report->carried ? EXIT_FAILED : EXIT_OK;
	free(report);
	return status;
}

int cmd_selftest(int argc, char **argv)
{
	static const struct argp argp = {argp_options, parse, NULL,
		"Runs hostile bots on this machine and says which attempts worked; then "
		"plays more and more matches at once and says how many it carries.\v"
		"The exit status is 0 if every attempt was stopped and a match alone was "
		"played in time, else 1. `pigpen doctor` says what is missing where the "
		"sandbox does not hold.",
		NULL, NULL, NULL};
	struct selftest_command command = {
		.options = {.level_max = LEVEL_DEFAULT, .move_ns_max = 2 * NS_PER_S}};

	argp_parse(&argp, argc, argv, 0, NULL, &command);
	return command.status ? command.status : run(&command);
}
