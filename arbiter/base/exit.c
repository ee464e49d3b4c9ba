/* Reporting user errors. */
#include "arbiter/base/exit.h"
#include "protocol/utf8.h"
#include "protocol/why.h"

#include <stdarg.h>
#include <stdio.h>

int user_error(const char *format, ...)
{
	char shown[WHY_SIZE];
	struct why why;
	va_list args;

	va_start(args, format);
	why_set_list(&why, format, args);
	va_end(args);
	utf8_show(text_of(why.text), shown, sizeof(shown));
	fprintf(stderr, "pigpen: %s\n", shown);
	return EXIT_USER;
}
