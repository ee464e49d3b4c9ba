/* The order of the steps of a check. */
#include "arbiter/check/check.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct check_step *check_begin(struct check_report *report, const char *format, ...)
{
	struct check_step *step;
	va_list args;

	assert(report->count < CHECK_STEPS_MAX);
	step = &report->list[report->count++];
	memset(step, 0, sizeof(*step));
	va_start(args, format);
	vsnprintf(step->name, sizeof(step->name), format, args);
	va_end(args);
	return step;
}

void check_end(struct check_report *report, const struct check_options *options)
{
	const struct check_step *step = &report->list[report->count - 1];

	report->failed += step->verdict == CHECK_FAIL;
	if (options->step)
		options->step(options->context, report->count, step);
}

static void skip_matches(const struct check_options *options, struct check_report *report)
{
	struct check_step *step = check_begin(report, "matches");

	step->verdict = CHECK_SKIP;
	why_set(&step->why, "the conversation must work first");
	check_end(report, options);
}

void check_run(const struct bot_spec *bot, const struct check_options *options,
	struct check_report *report)
{
	report->count = report->failed = 0;
	if (check_conversation(bot, options, report))
		check_matches(bot, options, report);
	else
		skip_matches(options, report);
}
