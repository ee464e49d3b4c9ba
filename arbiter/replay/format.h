/*
 * The layout of a replay file; specs/replay.md describes it byte by byte.
 *
 * A file is the magic and then records. A record is
 *
 *     u32 size (little-endian, of the payload)   u8 type   payload   u8[16] chain
 *
 * where the payload is one msgpack value and chain = BLAKE2b-16 of (the chain of the
 * record before ‖ size ‖ type ‖ payload); for the first record the 16 bytes of the magic
 * take the place of the chain before. What is hashed is therefore contiguous in the file.
 * A file cut off anywhere is valid up to its last whole record.
 *
 * Times are microseconds since the match started (the header's moment). All payloads
 * but the header, faults and the result are arrays; a reader ignores elements beyond
 * those it knows, and a higher minor version may append some.
 *
 * Records are in the order of events: a state change (CHANCE, ACTION) is written before
 * it is applied, a message (SENT) after the changes that it reports. A reader that
 * applies CHANCE and ACTION records to a composer (arbiter/table/compose.h) and
 * regenerates each SENT message at its place gets exactly the bytes that were sent.
 */
#ifndef ARBITER_REPLAY_FORMAT_H
#define ARBITER_REPLAY_FORMAT_H

#include <stdint.h>

#define REPLAY_MAGIC       "pigpen replay 1\n"
#define REPLAY_MAGIC_SIZE  16
#define REPLAY_CHAIN_SIZE  16
#define REPLAY_DIGEST_SIZE 16
#define REPLAY_HEAD_SIZE   5 /* u32 size and u8 type before each payload */
#define REPLAY_FORMAT      1
#define REPLAY_RECORD_MAX  (1 << 20) /* payload bytes */

enum replay_type {
	/*
	 * {format, match: id, game, rules, options, seats, faces: [token …], names:
	 * shown?, players: [{name, version, hash, lang, events: bool}], clock: {kind,
	 * bank, inc, move, wall}, policy: "forfeit"|"substitute", retries, ready, commit:
	 * bin 32, start: unix seconds, ponder: "off" if bots stood still while they were
	 * not to act}. Durations are microseconds.
	 */
	REPLAY_HEADER = 1,

	/* [[kind, seat, digest, …], …]: messages in the order of sending. kind: enum
	 * replay_sent; digest: bin 16, BLAKE2b of the message's bytes. After it come
	 * the sent numbers that cannot be derived: MATCH [rng: bin 32], ACT [turn,
	 * bank_us, budget_us], RESUME [rng] or, if a question is open, [rng, turn,
	 * bank_us, budget_us]. The array of messages has a 16-bit count. */
	REPLAY_SENT = 2,

	/* [kind, index, order: bin of faces (CHANCE_FIRST: seats), top first] */
	REPLAY_CHANCE = 3,

	/* [seat, by, action (as on the wire), turn, choice or nil, sent_us, received_us,
	 * bank_us left, cpu_us, lag_us, note: str, bin or nil, offence: clause or nil].
	 * An action that nobody was asked for has turn 0 and ends after `action`. */
	REPLAY_ACTION = 4,

	/* [seat, turn, clause, why, received_us, answer: bin]: an answer was refused, and
	 * the seat may answer the same question again. */
	REPLAY_REFUSAL = 5,

	/* [seat, time_us, what: "lost"|"back"]: a bot's connection. */
	REPLAY_LINK = 6,

	/* {seat, class, phase, turn, time, why, verdict: "forfeit"|"substitute"|"void",
	 * clause, bytes: what the bot sent, exit: wait status, budget, overrun, lag,
	 * stderr: its last line}; nil where nothing is known. */
	REPLAY_FAULT = 7,

	/* {result: {scores, ranks, teams, reason} or nil, void: why or nil, faulted:
	 * [seats], decisions: [answers accepted, by seat], dropped: [answers not applied,
	 * by seat], time}. Ranks already account for forfeits. */
	REPLAY_RESULT = 8,

	/* [nonce: bin 32, seed: bin 32], always the last record. */
	REPLAY_SEAL = 9
};

enum replay_sent {
	SENT_MATCH = 1,
	SENT_EVENT,
	SENT_ACT,
	SENT_REFUSE,
	SENT_END,
	SENT_RESUME
};

/* Who decided an action. */
enum replay_by { BY_BOT, BY_FORCED, BY_FALLBACK, BY_PENALTY };

#endif
