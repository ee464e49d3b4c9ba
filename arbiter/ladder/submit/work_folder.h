/*
 * A folder to work in for the time of one admission. Whoever works there holds its lock
 * (flock), by which the next one knows what somebody who was killed has left behind.
 */
#ifndef ARBITER_LADDER_SUBMIT_WORK_FOLDER_H
#define ARBITER_LADDER_SUBMIT_WORK_FOLDER_H

#include "protocol/why.h"

/* Makes the folder, with mode 0755; `path` ends in XXXXXX, which are replaced. Folders of
 * the same pattern beside it that nobody works in are removed. Returns its descriptor, -1:
 * `why` says why not. */
int work_folder_open(char *path, struct why *why);
/* Removes it with everything in it. */
void work_folder_close(const char *path, int descriptor);

#endif
