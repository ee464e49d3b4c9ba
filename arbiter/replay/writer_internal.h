/* What the files of the replay writer share. */
#ifndef ARBITER_REPLAY_WRITER_INTERNAL_H
#define ARBITER_REPLAY_WRITER_INTERNAL_H

#include "arbiter/replay/writer.h"

/* Writes the zstd form of a finished file beside it; `path` gains ".zst". 0 or an errno. */
int replay_compress_beside(char *path, size_t size);
/* Removes the plain form of a compressed file. */
void replay_remove_plain(const char *path);

#endif
