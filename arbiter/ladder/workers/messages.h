/*
 * What a coordinator and its workers say to each other: one JSON object on a line, one
 * struct here for each. specs/ladder.md has an example of every message, which a test
 * reads out of the spec, decodes and encodes again.
 *
 *     struct worker_message *message = …;
 *     if (!worker_message_read(message, line, &why))
 *             …               the line is refused: `why` says what is wrong
 *     switch (message->type)
 *             …
 *
 * Readers are strict: a field that is missing, has another type, is too long or out of
 * range, or is not known refuses the whole line. Fields with a default may be left out.
 * Tasks of a cluster use the same messages in their files (arbiter/ladder/slurm/task.h).
 */
#ifndef ARBITER_LADDER_WORKERS_MESSAGES_H
#define ARBITER_LADDER_WORKERS_MESSAGES_H

#include "arbiter/ladder/store/record.h"
#include "arbiter/match/match_rules.h"
#include "arbiter/table/chance.h"
#include "protocol/transport.h"
#include "protocol/why.h"
#include "protocol/zap.h"

#define MESSAGE_PATH_SIZE        4096
#define MESSAGE_NAME_SIZE        65
#define WORKER_PROCESSES_DEFAULT 96

enum worker_message_type {
	/* From the coordinator. */
	WORKER_RULES, /* once, first */
	WORKER_BOT,   /* before the first match that names it */
	WORKER_PLAY,
	/* From the worker. */
	WORKER_ALIVE,      /* once a second; it has no fields */
	WORKER_LISTENING,  /* once, if the rules named an address */
	WORKER_ONLINE,     /* a remote bot has come or is gone */
	WORKER_HANDSHAKES, /* how many were tried since the last such message */
	WORKER_DONE,       /* a match is over, or void */
	WORKER_MESSAGES
};
extern const char *const worker_message_names[]; /* "rules", "bot" … "done", NULL */

struct rules_message {
	struct match_rules rules;     /* those with a default may be missing */
	int at_once;                  /* matches at a time; default 1 */
	int processes;                /* of bots that are kept alive; default 96 */
	char logs[MESSAGE_PATH_SIZE]; /* folder; "": null, the default */
	/* The address for remote bots, and the file of the ladder's key; "": none. Left
	 * out then. */
	char listen[ENDPOINT_BYTES_MAX], key_path[MESSAGE_PATH_SIZE];
	/* Of a task of a cluster only: how many workers it has, and the memory cap of
	 * each, 0: none. Left out if workers is 0. */
	int workers, worker_mb_max;
};

struct bot_message {
	int64_t id;
	char folder[MESSAGE_PATH_SIZE]; /* or an executable; "" for a remote bot */
	char name[MESSAGE_NAME_SIZE], hash[MESSAGE_NAME_SIZE];
	char remote[41]; /* its public key; "": a local bot. Left out then. */
};

struct play_message {
	int64_t job; /* comes back with `done` */
	int64_t set; /* default 0 */
	int rotation;
	uint8_t seed[CHANCE_SEED_SIZE];
	int seats;
	int64_t bot[GAME_SEATS_MAX]; /* by seat, ids of bots that were named before */
	uint16_t barred;             /* seats whose bots may not play; default none */
	/* How often the bot of each seat may still be late on a starved host. Without
	 * them the worker counts by itself. */
	bool has_excuses;
	int excuses[GAME_SEATS_MAX];
	char replay[512]; /* "": null, the default; none is kept */
	bool compress;    /* default false */
};

struct listening_message {
	char endpoint[ENDPOINT_BYTES_MAX];
	char server_key[41]; /* the public half */
};

struct online_message {
	int64_t id;
	bool online;
};

struct handshakes_message {
	struct zap_counts counts;
	int64_t strangers; /* messages from connections that belong to no bot */
};

struct done_message {
	int64_t job;
	/* Without rotation, entrants and replay_bytes, which the coordinator knows. */
	struct match_record record;
};

struct worker_message {
	enum worker_message_type type;
	union {
		struct rules_message rules;
		struct bot_message bot;
		struct play_message play;
		struct listening_message listening;
		struct online_message online;
		struct handshakes_message handshakes;
		struct done_message done;
	};
};

/* The object of the line; the caller owns the reference. */
json_t *worker_message_write(const struct worker_message *message);
/* False: `why` says what is wrong with the line. */
bool worker_message_read(
	struct worker_message *message, const json_t *line, struct why *why);

/* Writes the message and a newline, whole. False: the other side is gone. */
bool worker_message_send(int fd, const struct worker_message *message);

#endif
