/*
 * One match of a duplicate set: what a worker reports and the store keeps.
 */
#ifndef ARBITER_LADDER_STORE_RECORD_H
#define ARBITER_LADDER_STORE_RECORD_H

#include "arbiter/replay/format.h"
#include "arbiter/table/fault.h"

#include <jansson.h>

struct seat_record {
	int64_t entrant;
	int score, rank, team; /* team -1: none */
	uint32_t decisions, dropped;
	int64_t think_us, think_us_max;
	enum fault_class fault; /* FAULT_NONE: the bot played to the end */
	char fault_phase[8], fault_why[FAULT_WHY_SIZE], fault_stderr[256];
};

struct match_record {
	int rotation;
	int seats;
	enum void_cause void_cause; /* VOID_NONE: it counts */
	char void_reason[FAULT_WHY_SIZE];
	int64_t match_id;
	int64_t start_unix_s;
	double seconds;
	char reason[32];  /* why the game ended */
	char replay[512]; /* "": none was kept */
	int64_t replay_bytes;
	bool has_chain;
	uint8_t chain[REPLAY_CHAIN_SIZE];
	struct seat_record seat[GAME_SEATS_MAX];
};

/* Sets what is known of a match in an object: match, start, seconds, reason, replay,
 * chain, and for each seat of seats its score, rank, team, decisions, dropped, think_us,
 * think_us_max, fault. */
void match_record_write(const struct match_record *record, json_t *object);

bool match_record_faulted(const struct match_record *record);

#endif
