/* Shared by submission_queue.c, submission_admit.c and submissions.c; nobody else includes
 * this. `folder` is "queue/" or "done/". */
#ifndef ARBITER_LADDER_SUBMIT_SUBMISSION_INTERNAL_H
#define ARBITER_LADDER_SUBMIT_SUBMISSION_INTERNAL_H

#include "arbiter/ladder/submit/submission_queue.h"

#include <dirent.h>

void submission_path(const struct ladder *ladder, const char *folder, const char *id,
	const char *end, char path[LADDER_PATH_MAX]);
/* The ids in a folder as d_name, the oldest first. */
int submission_list(
	const struct ladder *ladder, const char *folder, struct dirent ***list);
void submission_list_free(struct dirent **list, int count);
json_t *submission_document(
	const struct ladder *ladder, const char *folder, const char *id);
bool submission_write(const struct ladder *ladder, const char *folder, const char *id,
	json_t *document);

/* Where a submission stands in the queue. */
struct submission_place {
	char id[SUBMISSION_ID_SIZE];
	bool begun;
	int64_t turn;
};

/* The queue in the order in which it is admitted; the caller frees it. */
struct submission_place *submission_order(const struct ladder *ladder, int *count);

/* Writes the report, takes it out of the queue and tells `out`. */
bool submission_finish(const struct ladder *ladder, const char *id, json_t *document,
	const char *state, const char *why, FILE *out);
/* Takes it out of the queue. */
void submission_forget(const struct ladder *ladder, const char *id);

#endif
