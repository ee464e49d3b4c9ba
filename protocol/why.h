/*
 * Why something did not work: a message for people. A caller who wants to know passes
 * one; it is untouched on success.
 */
#ifndef PROTOCOL_WHY_H
#define PROTOCOL_WHY_H

#include <stdarg.h>
#include <stdbool.h>

#define WHY_SIZE (4096 + 512) /* a message with a path in it */

struct why {
	char text[WHY_SIZE];
};

/* Sets the message. Returns false, so that `return why_set(why, …)` reads. A NULL is a
 * caller who does not want to know. */
bool why_set(struct why *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Puts words before the message that is there; returns false. */
bool why_before(struct why *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
bool why_set_list(struct why *why, const char *format, va_list list)
	__attribute__((format(printf, 2, 0)));

#endif
