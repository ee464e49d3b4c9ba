/*
 * Temporary folders: of sockets, of a check's replays. Whoever needs one gets it here.
 *
 * They lie in one folder of the process, `pigpen-tmp-XXXXXX` in $XDG_RUNTIME_DIR or /tmp,
 * which is made with the first of them. The process removes it, with everything in it,
 * when it ends: by exit(), or by SIGINT, SIGTERM or SIGHUP if nobody else takes these
 * signals. A process that is killed cannot. So every process holds a lock on its folder
 * while it lives, and who makes one first removes those of its user that nobody holds.
 */
#ifndef ARBITER_BASE_TEMPORARY_H
#define ARBITER_BASE_TEMPORARY_H

#include "protocol/why.h"

/* The paths are short, because those of Unix sockets must be. */
#define TEMPORARY_PATH_SIZE 96

/* Makes a new folder; the end of its path, six letters, is unique. With a mode such as
 * 0755 other users can enter it too; else 0700. The caller may remove it before the
 * process ends. */
bool temporary_folder(char path[TEMPORARY_PATH_SIZE], unsigned mode, struct why *why);

/* Removes the folder of this process now, for one that ends in another way. */
void temporary_remove(void);

#endif
