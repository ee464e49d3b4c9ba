/*
 * Exit statuses of `pigpen`, and how a user's error is reported: on stderr, with what was
 * wrong, what is allowed and what to do.
 */
#ifndef ARBITER_BASE_EXIT_H
#define ARBITER_BASE_EXIT_H

enum {
	EXIT_OK = 0,
	EXIT_FAILED =
		1, /* what was asked for did not hold: a match was void, a check failed */
	EXIT_USER = 2 /* a user error: a bad option, a missing file */
};

/* Prints "pigpen: " and the message on stderr; returns EXIT_USER. */
int user_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
