/* This program's own path: it starts itself as bridge, worker, sandbox and more. */
#ifndef ARBITER_BASE_PROGRAM_H
#define ARBITER_BASE_PROGRAM_H

/* Absolute; "" if the system does not tell. */
const char *program_path(void);

#endif
