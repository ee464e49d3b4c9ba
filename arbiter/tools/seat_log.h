/*
 * What one seat of a match was sent and what it decided, in order: all that a bot's
 * author may be given, and all that is needed to send the same bytes again.
 *
 * A log is taken from a replay, or read back from its JSON form (`replay export --seat`,
 * specs/replay.md), which holds no seed, no nonce, nothing of the other seats' cards,
 * notes, clocks or faults. Both give the same log except for seat_entry.decision.
 */
#ifndef ARBITER_TOOLS_SEAT_LOG_H
#define ARBITER_TOOLS_SEAT_LOG_H

#include "arbiter/replay/playback.h"
#include "protocol/why.h"

#include <jansson.h>
#include <stdio.h>

/* A message to the seat, or one of its decisions (SEAT_DECISION). */
struct seat_entry {
	int kind;       /* enum replay_sent, or SEAT_DECISION */
	uint32_t turn;  /* ACT, REFUSE, RESUME with a question, decisions; else 0 */
	uint8_t *bytes; /* of the message, exactly as sent; NULL: a decision */
	uint32_t size;
	/* A decision: */
	/* Its number in the match, from 1; 0 if read from JSON, which does not say how
	 * often other seats decided. */
	int decision;
	enum replay_by by;
	struct action action;
	int choice; /* index into the question's legal list; -1: spelled out */
	int64_t think_us;
	char offence[16]; /* clause, or "" */
	json_t *note;     /* NULL: none */
};

enum { SEAT_DECISION = 0 };

struct seat_log {
	const struct game *game;
	int64_t rules;
	int16_t option[GAME_OPTIONS_MAX];
	int seats, seat;
	struct replay_player player;
	struct seat_entry *entry;
	size_t count, capacity;
	json_t *faults; /* the seat's own, an array */
};

/* True if the file is the JSON form, as far as its first bytes tell. */
bool seat_log_is_json(const char *path);

/* Takes the log from a replay and proves it on the way: the bytes match the recorded
 * digests. `seat` must be one of the match. Returns PLAYBACK_DONE, or why it stopped: the
 * log then holds what came before, unless log->game is NULL. */
enum playback_status seat_log_from_replay(
	struct seat_log *log, const char *path, int seat, struct why *why);
/* Reads the log from its JSON form. False: `why` says what is wrong with the file. */
bool seat_log_from_json(struct seat_log *log, const char *path, struct why *why);
void seat_log_release(struct seat_log *log);

void seat_log_write_json(const struct seat_log *log, FILE *out);

#endif
