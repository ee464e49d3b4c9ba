/*
 * Writes a replay, record by record (arbiter/replay/format.h).
 *
 * Records are put together in a buffer and handed to the sink by
 * replay_writer_flush(), which play calls once for each decision before the decision
 * is applied. replay_open() gives a writer on a file, readable by its owner only; the
 * file is plain while the match runs, so that a killed arbiter leaves a valid prefix,
 * and is replaced by its compressed form at the end if that was asked for.
 *
 * Whatever is written is read: times, durations and counts below 0 or above INTEGER_MAX
 * become the nearest number that a reader accepts, a text that is not UTF-8 is written
 * with its bytes escaped as utf8_show() does, and one that is too long is cut.
 *
 * A writer that cannot write remembers the error and discards the rest: the caller checks
 * replay_writer_error() and voids the match.
 */
#ifndef ARBITER_REPLAY_WRITER_H
#define ARBITER_REPLAY_WRITER_H

#include "arbiter/table/compose.h"
#include "arbiter/replay/format.h"

/* Takes all bytes and returns 0, or an errno. */
struct replay_sink {
	int (*write)(void *context, const void *bytes, size_t size);
	void *context;
};

/* `data` begins with the 16 bytes that the next record's chain continues from: the magic,
 * which is not written yet, or the last chain, which already is. */
struct replay_writer {
	struct replay_sink sink;
	uint8_t *data;
	size_t size, capacity;
	size_t written; /* bytes at the front of `data` that the sink has */
	size_t record;  /* where the open record begins, 0 if none is open */
	uint32_t sent;  /* messages in the open SENT record, 0 if none is open */
	uint64_t bytes; /* handed to the sink so far */
	int error;      /* errno of the first failure */
	int fd;         /* -1 if the sink is not a file */
	bool compress;
	bool on_disk; /* replay_sync() has put everything written on disk */
	char path[512];
};

struct replay_player {
	char name[PLAYER_NAME_SIZE];
	char version[32];
	char hash[65]; /* hex of the bot's content hash, or "" */
	char language[32];
};

struct replay_header {
	const struct compose_setup *setup;
	const struct replay_player *players;
	const char *policy;
	int retries;
	int64_t ready_ns_max;
	bool ponder_off;
	int64_t start_unix_s;
};

struct replay_decision {
	int seat;
	enum replay_by by;
	const struct action *action;
	uint32_t turn; /* 0: nobody was asked, and what follows is not written */
	int choice;    /* -1: the answer spelled the action out */
	int64_t sent_us, received_us, bank_us, cpu_us, lag_us;
	struct blob note;    /* a str or bin as the bot sent it; size 0: none */
	const char *offence; /* clause, or NULL */
};

struct replay_fault {
	int seat;
	const char *class_name, *phase, *verdict;
	uint32_t turn;
	int64_t time_us;
	const char *why;    /* one sentence */
	const char *clause; /* NULL if no rule was broken */
	const void *bytes;  /* what the bot sent, NULL if nothing */
	size_t bytes_size;  /* the writer truncates it */
	int exit_status;    /* as of waitpid(); -1 if it is still running */
	int64_t budget_us, overrun_us, lag_us; /* timeouts */
	const char *stderr_tail;               /* NULL if none */
};

struct replay_outcome {
	const struct game_result *result; /* NULL: void */
	int seats;
	const char *void_reason;
	uint16_t faulted;
	const uint32_t *decisions, *dropped; /* for each seat */
	int64_t time_us;
};

/* A writer on any sink. */
void replay_writer_init(struct replay_writer *writer, struct replay_sink sink);
/* A writer on a new file; 0 or an errno (EEXIST if the file exists). */
int replay_open(struct replay_writer *writer, const char *path, bool compress);
/*
 * Call it with all files that are about to be closed, before replay_close() for each. For
 * a few files it starts writeback of all of them, so that the first fsync commits the
 * file system changes of all. For many it syncs the whole file system: an fsync for each
 * would make the disk flush its cache as often.
 */
void replay_sync(struct replay_writer *const *writers, size_t count);
/* Flushes, fsyncs unless replay_sync() did so, closes, compresses if asked (the path then
 * gains ".zst"), and releases the writer, except what replay_sync_names() needs. Returns 0
 * or the first error. */
int replay_close(struct replay_writer *writer);
/*
 * Call it with all files after replay_close(): a power cut could still take their names.
 * It syncs each folder once, and only then removes the plain forms of compressed files.
 * replay_writer_error() of each says whether it is safe now.
 */
void replay_sync_names(struct replay_writer *const *writers, size_t count);
/* Replaces a finished file by its zstd form, written whole before the plain one goes;
 * `path` gains ".zst". 0 or an errno; on failure the plain file stays. */
int replay_compress(char *path, size_t size);
/* Frees memory and closes the descriptor; what was not flushed is lost. */
void replay_writer_release(struct replay_writer *writer);

int replay_writer_error(const struct replay_writer *writer);
/* The chain after the last complete record. */
void replay_writer_chain(const struct replay_writer *writer, uint8_t chain[16]);
/* Hands all complete records to the sink in one write. */
void replay_writer_flush(struct replay_writer *writer);

void replay_header(struct replay_writer *writer, const struct replay_header *header);
/* A message to a seat; `rng` for SENT_MATCH and SENT_RESUME, `question` for SENT_ACT and
 * SENT_RESUME (NULL: no question is open). */
void replay_sent(struct replay_writer *writer, enum replay_sent kind, int seat,
	struct blob message, const uint8_t *rng, const struct compose_question *question);
void replay_chance(
	struct replay_writer *writer, const struct chance *request, const uint8_t *order);
void replay_action(struct replay_writer *writer, const struct game *game,
	const struct replay_decision *decision);
void replay_refusal(struct replay_writer *writer, int seat, uint32_t turn,
	const struct refusal *why, int64_t received_us, const void *answer, size_t size);
void replay_link(struct replay_writer *writer, int seat, int64_t time_us, bool back);
void replay_fault(struct replay_writer *writer, const struct replay_fault *fault);
void replay_result(struct replay_writer *writer, const struct game *game,
	const struct replay_outcome *outcome);
void replay_seal(struct replay_writer *writer, const uint8_t nonce[CHANCE_NONCE_SIZE],
	const uint8_t seed[CHANCE_SEED_SIZE]);

#endif
