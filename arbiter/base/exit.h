/*
 * Exit statuses of `pigpen`, and how a user error is reported: on stderr, saying what was
 * wrong, what is allowed and what to do next.
 */
#ifndef ARBITER_BASE_EXIT_H
#define ARBITER_BASE_EXIT_H

enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1, /* the answer is no: a match was void, a check failed */
	EXIT_USER = 2    /* a user error: a bad option, a missing file */
};

/* Prints "pigpen: " and the message on stderr, always as one line; returns EXIT_USER. */
int user_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
