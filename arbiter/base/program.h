/* This program's own path: it runs itself as bridge, worker, sandbox and more. */
#ifndef ARBITER_BASE_PROGRAM_H
#define ARBITER_BASE_PROGRAM_H

/* Absolute; "" if it cannot be determined. */
const char *program_path(void);

#endif
