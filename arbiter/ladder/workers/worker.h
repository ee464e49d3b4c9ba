/*
 * A worker: one arbiter loop that plays the matches named on its standard input and tells
 * the results on its standard output, in the messages of messages.h.
 *
 * Every process of a bot plays one rotation only, so that it never sees a deal twice.
 * A worker on a pipe says once a second that it is alive.
 *
 * Bots stay alive between matches up to a number of processes; beyond it those idle
 * longest are ended.
 */
#ifndef ARBITER_LADDER_WORKERS_WORKER_H
#define ARBITER_LADDER_WORKERS_WORKER_H

#define WORKER_LINE_MAX (1 << 20)
#define WORKER_ALIVE_MS 1000
/* A worker that has been silent for so long counts as hung. */
#define WORKER_SILENT_MS_MAX INT64_C(10000)

/* Returns the exit status. */
int worker_run(void);

#endif
