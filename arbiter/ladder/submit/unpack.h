/*
 * Unpacking an archive that a stranger sent: tar or zip, plain or compressed with gzip,
 * bzip2, xz or zstd.
 *
 * Readers of archives have a long history of holes, so they run in a process of their
 * own, in a sandbox where there is one and under resource limits in any case; nobody
 * else looks into an archive. Only regular files and folders come out of one. Everything
 * else, and whatever goes beyond a limit, refuses the whole archive.
 */
#ifndef ARBITER_LADDER_SUBMIT_UNPACK_H
#define ARBITER_LADDER_SUBMIT_UNPACK_H

#include "arbiter/base/time.h"
#include "protocol/why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unpack_limits {
	int64_t packed_bytes_max, bytes_max;
	int entries_max; /* folders count as well */
	int path_max;    /* bytes */
	int depth_max;   /* folders in folders */
};

#define UNPACK_PACKED_BYTES_MAX (INT64_C(32) << 20)

/* 32 MiB packed, 256 MiB unpacked, 4096 entries, paths of 200 bytes and 16 folders. */
extern const struct unpack_limits unpack_limits_default;

/* Does the file look like an archive by its name, or is it at least not executable? */
bool unpack_wanted(const char *path);

/*
 * Unpacks into an empty folder, in this process. Files become 0644 or 0755, folders 0755;
 * times, users and attributes are not taken over. False: `why` says
 * what was wrong, and what was unpacked until then stays.
 */
bool unpack_here(int archive, const char *folder, const struct unpack_limits *limits,
	struct why *why);

/* The same in a process of its own (workshop.h), under the default limits, until the
 * deadline at most. `work` is an empty folder; the tree is then in work/tree. */
bool unpack_aside(
	const char *archive, const char *work, mono_ns deadline, struct why *why);

/* What that process does in its working directory, which holds the archive. */
bool unpack_inside(const char *folder, struct why *why);

#endif
