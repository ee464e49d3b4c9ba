/*
 * Reads a replay file record by record (arbiter/replay/format.h), whatever its size and
 * however damaged. The first bytes tell plain and compressed files apart. Memory is
 * bounded by the largest record, not by the file.
 *
 *     while ((status = replay_reader_next(reader, &record)) == REPLAY_RECORD)
 *             …
 *
 * Every record's chain hash is checked before the record is handed out, so all records
 * handed out are as written; replay_reader_why() names the first one that is not.
 */
#ifndef ARBITER_REPLAY_READER_H
#define ARBITER_REPLAY_READER_H

#include "arbiter/replay/format.h"
#include "protocol/buffer.h"
#include "protocol/why.h"

enum replay_status {
	REPLAY_RECORD,
	REPLAY_DONE,      /* the seal was the last record and nothing follows it */
	REPLAY_CUT,       /* the file ends before the seal: a valid prefix */
	REPLAY_BROKEN,    /* bytes that were changed, or that are not a replay */
	REPLAY_NEWER,     /* written by a newer version of the format */
	REPLAY_UNREADABLE /* opening or reading it failed */
};

struct replay_record {
	enum replay_type type;
	uint64_t number; /* from 0 */
	uint64_t offset; /* of the record in the plain file */
	struct blob payload;
	const uint8_t *chain;
};

struct replay_reader;

/* Opens a file. NULL: `why` says why it cannot be opened. */
struct replay_reader *replay_reader_open(const char *path, struct why *why);
void replay_reader_free(struct replay_reader **reader);

/* The next record; its bytes are valid until the next call. Once the status is not
 * REPLAY_RECORD it does not change any more. */
enum replay_status replay_reader_next(
	struct replay_reader *reader, struct replay_record *record);
/* For every status but REPLAY_RECORD and REPLAY_DONE: what was found, and where. */
const char *replay_reader_why(const struct replay_reader *reader);

#endif
