/* A progress bar on a terminal, or plain lines elsewhere. */
#include "arbiter/base/progress.h"
#include "arbiter/base/terminal.h"

#include <string.h>
#include <unistd.h>

#define BAR_CELLS      24
#define BAR_EVERY_NS   (100 * NS_PER_MS)
#define PLAIN_EVERY_NS (5 * NS_PER_S)

void progress_init(
	struct progress *progress, const char *unit, uint64_t total, bool quiet)
{
	*progress = (struct progress){
		.out = stderr,
		.quiet = quiet,
		.terminal = isatty(STDERR_FILENO),
		.unit = unit,
		.total = total,
		.start = time_now(&time_system),
	};
	progress->next =
		progress->start + (progress->terminal ? BAR_EVERY_NS : PLAIN_EVERY_NS);
}

static void format_left(double seconds, char *text, size_t size)
{
	if (seconds < 60)
		snprintf(text, size, "%.0f s", seconds);
	else if (seconds < 3600)
		snprintf(text, size, "%.0f min", seconds / 60);
	else
		snprintf(text, size, "%.1f h", seconds / 3600);
}

static void print_bar(FILE *out, double share)
{
	int full = (int)(share * BAR_CELLS);

	terminal_control(out, TERMINAL_CLEAR_LINE);
	fputc('[', out);
	for (int i = 0; i < BAR_CELLS; i++)
		fputc(i < full ? '#' : '.', out);
	fputs("] ", out);
}

void progress_update(struct progress *progress, uint64_t done, const char *extra)
{
	mono_ns now = time_now(&time_system);
	double seconds = (double)(now - progress->start) / 1e9,
	       rate = (double)done / seconds;
	char left[32] = "?";

	progress->done = done;
	if (progress->quiet || now < progress->next)
		return;
	progress->next = now + (progress->terminal ? BAR_EVERY_NS : PLAIN_EVERY_NS);
	if (done)
		format_left((double)(progress->total - done) / rate, left, sizeof(left));
	if (progress->terminal)
		print_bar(progress->out, (double)done / (double)progress->total);
	fprintf(progress->out, "%llu of %llu %s, %.1f/s, %s left%s%s",
		(unsigned long long)done, (unsigned long long)progress->total,
		progress->unit, rate, left, *extra ? ", " : "", extra);
	if (!progress->terminal)
		fputc('\n', progress->out);
	fflush(progress->out);
	progress->shown = true;
}

void progress_clear(struct progress *progress)
{
	if (progress->shown && progress->terminal)
		terminal_control(progress->out, TERMINAL_CLEAR_LINE);
	progress->shown = false;
}
