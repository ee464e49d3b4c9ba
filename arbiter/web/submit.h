/*
 * Submitting bots over the page: POST api/L/submit takes an archive from an owner, a
 * thread has the waiting ones checked by `pigpen ladder admit`, one at a time.
 *
 * This process never looks into an archive. What was taken lies in the ladder's
 * submissions/ (arbiter/ladder/submit/submission_queue.h): if this process is killed the
 * next one goes on.
 */
#ifndef ARBITER_WEB_SUBMIT_H
#define ARBITER_WEB_SUBMIT_H

#include "arbiter/web/server.h"

struct submit;

/* The site must outlive it. Its thread has the signals blocked that are blocked now. */
struct submit *submit_start(struct web *web);
/* Ends a check under way, which begins anew at the next start. */
void submit_stop(struct submit **submit);

/* Adds its routes behind the first `count`; their number then. They match everything
 * below api/, so that they belong behind all others. */
int submit_routes(struct submit *submit, struct server_route *routes, int count);

#endif
