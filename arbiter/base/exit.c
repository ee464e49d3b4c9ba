/* Reporting user errors. */
#include "arbiter/base/exit.h"

#include <stdarg.h>
#include <stdio.h>

int user_error(const char *format, ...)
{
	va_list args;

	fputs("pigpen: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_USER;
}
