/* Shared by messages.c and messages_done.c; nobody else includes this. */
#ifndef ARBITER_LADDER_WORKERS_MESSAGES_INTERNAL_H
#define ARBITER_LADDER_WORKERS_MESSAGES_INTERNAL_H

#include "arbiter/ladder/workers/message_fields.h"
#include "arbiter/ladder/workers/messages.h"

void done_message_write(const struct done_message *done, json_t *line);
void done_message_read(struct done_message *done, struct message_fields *fields);

#endif
