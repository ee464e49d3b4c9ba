/* What `ladder run` shows while it runs. */
#include "arbiter/ladder/run/run_progress.h"
#include "arbiter/base/terminal.h"
#include "arbiter/loop/listener.h"

#include <stdio.h>
#include <unistd.h>

#define LINE_EVERY_NS  (200 * NS_PER_MS)
#define PLAIN_EVERY_NS (10 * NS_PER_S)
#define TABLE_EVERY_NS (15 * NS_PER_S)

void run_progress_init(struct run_progress *progress, bool quiet)
{
	mono_ns now = time_now(&time_system);

	*progress = (struct run_progress){
		.quiet = quiet, .terminal = isatty(STDERR_FILENO), .start = now};
	progress->next = now + (progress->terminal ? LINE_EVERY_NS : PLAIN_EVERY_NS);
	progress->next_table = now + TABLE_EVERY_NS;
}

static void clear(struct run_progress *progress)
{
	if (progress->shown && progress->terminal)
		terminal_control(stderr, TERMINAL_CLEAR_LINE);
	progress->shown = false;
}

void run_progress_standings(
	struct run_progress *progress, const struct standings *standings)
{
	mono_ns now = time_now(&time_system);

	clear(progress);
	if (progress->quiet || !progress->terminal || now < progress->next_table)
		return;
	standings_print(standings, false, stderr);
	fputc('\n', stderr);
	progress->next_table = now + TABLE_EVERY_NS;
}

static void print_left(double seconds)
{
	if (seconds < 60)
		fprintf(stderr, ", %.0f s left", seconds);
	else if (seconds < 3600)
		fprintf(stderr, ", %.0f min left", seconds / 60);
	else
		fprintf(stderr, ", %.1f h left", seconds / 3600);
}

static void print_troubles(struct pool_numbers numbers)
{
	if (numbers.deaths)
		fprintf(stderr, ", %llu workers died",
			(unsigned long long)numbers.deaths);
	if (numbers.hung)
		fprintf(stderr, ", %llu workers hung", (unsigned long long)numbers.hung);
}

void run_progress_update(struct run_progress *progress, int64_t sets,
	struct pool_numbers numbers, const struct run_options *options, mono_ns deadline)
{
	mono_ns now = time_now(&time_system);
	double seconds = (double)(now - progress->start) / 1e9;

	if (progress->quiet || now < progress->next)
		return;
	progress->next = now + (progress->terminal ? LINE_EVERY_NS : PLAIN_EVERY_NS);
	if (progress->terminal)
		terminal_control(stderr, TERMINAL_CLEAR_LINE);
	fprintf(stderr, "%lld", (long long)sets);
	if (options->sets)
		fprintf(stderr, " of %lld", (long long)options->sets);
	fprintf(stderr, " sets, %llu matches, %.1f/s, %d under way",
		(unsigned long long)numbers.matches, (double)numbers.matches / seconds,
		numbers.under_way);
	if (options->slurm)
		fprintf(stderr, "; tasks: %d pending, %d running, %llu over",
			numbers.tasks_pending, numbers.tasks_running,
			(unsigned long long)numbers.tasks_over);
	if (numbers.tasks_lost)
		fprintf(stderr, " (%llu lost)", (unsigned long long)numbers.tasks_lost);
	if (deadline != TIME_NEVER)
		print_left(now < deadline ? (double)(deadline - now) / 1e9 : 0);
	else if (options->sets && sets)
		print_left(seconds * (double)(options->sets - sets) / (double)sets);
	if (numbers.voids)
		fprintf(stderr, ", %llu void", (unsigned long long)numbers.voids);
	print_troubles(numbers);
	if (numbers.handshakes.unknown + numbers.handshakes.refused)
		fprintf(stderr, ", %llu connections refused",
			(unsigned long long)(numbers.handshakes.unknown +
					     numbers.handshakes.refused));
	if (!progress->terminal)
		fputc('\n', stderr);
	fflush(stderr);
	progress->shown = true;
}

void run_progress_end(struct run_progress *progress, int64_t sets,
	struct pool_numbers numbers, const struct run_options *options)
{
	double seconds = (double)(time_now(&time_system) - progress->start) / 1e9;

	clear(progress);
	if (progress->quiet)
		return;
	fprintf(stderr, "%lld sets, %llu matches in %.1f s (%.0f matches an hour)",
		(long long)sets, (unsigned long long)numbers.matches, seconds,
		(double)numbers.matches / seconds * 3600);
	if (numbers.voids)
		fprintf(stderr, ", %llu played again", (unsigned long long)numbers.voids);
	print_troubles(numbers);
	if (numbers.tasks_over)
		fprintf(stderr, ", %llu tasks", (unsigned long long)numbers.tasks_over);
	if (numbers.tasks_lost)
		fprintf(stderr, " of which %llu were lost",
			(unsigned long long)numbers.tasks_lost);
	fputc('\n', stderr);
	if (options->listen)
		listener_print_counts(&numbers.handshakes, numbers.strangers, stderr);
}
