/*
 * Submitting bots over HTTP: POST api/L/submit receives an archive from an owner, and a
 * thread has the waiting ones checked by `pigpen ladder admit`, one at a time.
 *
 * This process never looks into an archive. Archives are stored in the ladder's
 * submissions/ (arbiter/ladder/submit/submission_queue.h): if this process is killed,
 * the next one goes on.
 */
#ifndef ARBITER_WEB_UPLOAD_UPLOAD_H
#define ARBITER_WEB_UPLOAD_UPLOAD_H

#include "arbiter/web/server/server.h"
#include "arbiter/web/site/site.h"

struct upload;

/* The site must outlive it. Its thread has the signals blocked that are blocked now.
 * NULL: `why` says what was wrong. */
struct upload *upload_start(struct site *site, struct why *why);
/* Ends a check under way, which begins anew at the next start. */
void upload_stop(struct upload **upload);

/* Matches every POST below api/ that no longer path matches. */
struct server_route upload_route(struct upload *upload);

#endif
