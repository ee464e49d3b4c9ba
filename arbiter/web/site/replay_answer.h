/* A replay on the disk as the answer to a request. */
#ifndef ARBITER_WEB_SITE_REPLAY_ANSWER_H
#define ARBITER_WEB_SITE_REPLAY_ANSWER_H

#include "arbiter/web/server/http_answer.h"

#include <stdbool.h>

/* The viewer's data for the audience `all`, in which faults have no evidence; 404 if it
 * cannot be read. */
void replay_answer_viewer(struct http_answer *answer, const char *path);
/* The file itself; 404 if there is none. */
void replay_answer_file(struct http_answer *answer, const char *path);

/* Was the match played to its end without a fault? Then the file holds nothing that a
 * bot's owner alone may see. */
bool replay_is_faultless(const char *path);

#endif
