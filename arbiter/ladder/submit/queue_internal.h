/* Between queue.c and queue_admit.c; nobody else includes this. `folder` is "queue/" or
 * "done/". */
#ifndef ARBITER_LADDER_SUBMIT_QUEUE_INTERNAL_H
#define ARBITER_LADDER_SUBMIT_QUEUE_INTERNAL_H

#include "arbiter/ladder/submit/queue.h"

#include <dirent.h>

void queue_path(const struct ladder *ladder, const char *folder, const char *id,
	const char *end, char path[LADDER_PATH_MAX]);
/* The ids in a folder as d_name, the oldest first. */
int queue_list(const struct ladder *ladder, const char *folder, struct dirent ***list);
void queue_list_free(struct dirent **list, int count);
json_t *queue_document(const struct ladder *ladder, const char *folder, const char *id);
bool queue_write(const struct ladder *ladder, const char *folder, const char *id,
	json_t *document);

#endif
