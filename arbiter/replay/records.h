/*
 * The payloads of a replay's records as plain structs. Parsing trusts nothing: every
 * function returns NULL if the record is valid, else a text that says what is wrong.
 * Texts and blobs point into the record.
 */
#ifndef ARBITER_REPLAY_RECORDS_H
#define ARBITER_REPLAY_RECORDS_H

#include "arbiter/replay/writer.h"
#include "protocol/scan.h"

/* REPLAY_HEADER. setup.game is NULL if this program does not know the game. */
struct replay_info {
	struct compose_setup setup;
	int64_t format;
	char game[NAME_BYTES_MAX + 1];
	int64_t rules; /* the rules_version it was played with */
	struct replay_player player[GAME_SEATS_MAX];
	char policy[16];
	int64_t retries;
	int64_t ready_us;
	int64_t start_unix_s;
};

extern const char *const replay_sent_names[]; /* by enum replay_sent; [0] is "" */

/* One message of a REPLAY_SENT record. */
struct replay_message {
	enum replay_sent kind;
	int seat;
	const uint8_t *digest;
	const uint8_t *rng; /* NULL if the kind has none */
	bool has_question;
	struct compose_question question;
};

struct replay_order {
	enum chance_kind kind;
	int index;
	int n;
	const uint8_t *order;
};

/* REPLAY_ACTION; turn 0: nobody was asked and the rest is not set. */
struct replay_move {
	int seat;
	enum replay_by by;
	struct action action;
	uint32_t turn;
	int choice; /* -1: spelled out */
	int64_t sent_us, received_us, bank_us, cpu_us, lag_us;
	struct text note; /* size 0: none */
	bool note_is_bytes;
	struct text offence; /* clause; size 0: none */
};

/* Thinking time. An answer counts as received at the last moment at which it was known
 * not to have arrived, which may be slightly before the question was sent. */
static inline int64_t replay_think_us(const struct replay_move *move)
{
	return move->received_us > move->sent_us ? move->received_us - move->sent_us : 0;
}

struct replay_refused {
	int seat;
	uint32_t turn;
	struct text clause, why;
	int64_t received_us;
	struct text answer; /* raw bytes */
};

struct replay_linked {
	int seat;
	int64_t time_us;
	bool back;
};

struct replay_faulted {
	int seat;
	struct text class_name, phase, why, verdict, clause, bytes, stderr_tail;
	int64_t turn, time_us, budget_us, overrun_us, lag_us;
	int64_t exit_status; /* -1: it was still running */
};

struct replay_ended {
	bool is_void;
	struct text void_reason;
	struct game_result result; /* unless void; reason is NULL, see `reason` */
	struct text reason;
	uint16_t faulted;
	int64_t decisions[GAME_SEATS_MAX], dropped[GAME_SEATS_MAX];
	int64_t time_us;
	struct blob whole; /* the result as it was sent, nil if void */
};

struct replay_sealed {
	const uint8_t *nonce, *seed;
};

const char *replay_parse_header(struct blob payload, struct replay_info *info);
const char *replay_parse_chance(struct blob payload, int seats, const struct game *game,
	struct replay_order *order);
const char *replay_parse_action(struct blob payload, const struct replay_info *info,
	msgpack_zone *zone, struct replay_move *move);
const char *replay_parse_refusal(
	struct blob payload, int seats, struct replay_refused *refused);
const char *replay_parse_link(
	struct blob payload, int seats, struct replay_linked *linked);
const char *replay_parse_fault(
	struct blob payload, int seats, struct replay_faulted *faulted);
const char *replay_parse_result(
	struct blob payload, int seats, struct replay_ended *ended);
const char *replay_parse_seal(struct blob payload, struct replay_sealed *sealed);

/* The messages of a REPLAY_SENT record one after another. */
struct replay_messages {
	struct scan scan;
	uint32_t left;
	int seats;
};
const char *replay_messages_begin(
	struct blob payload, int seats, struct replay_messages *messages);
/* False if there are no more, or (*wrong is set) if the record is not well-formed. */
bool replay_messages_next(struct replay_messages *messages,
	struct replay_message *message, const char **wrong);

#endif
