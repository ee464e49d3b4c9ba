/* What playback.c and prove.c share. */
#ifndef ARBITER_REPLAY_PLAYBACK_INTERNAL_H
#define ARBITER_REPLAY_PLAYBACK_INTERNAL_H

#include "arbiter/replay/playback.h"
#include "protocol/why.h"

/* Orders, remembered until the seal: kind, index (two bytes), n, the order. */
struct kept_orders {
	uint8_t *bytes;
	size_t size, capacity;
};

struct playback {
	struct playback_options options;
	struct replay_reader *reader;
	struct replay_info info;
	struct composer composer;
	struct compose_scratch *scratch; /* its own, or NULL */
	msgpack_zone zone;
	bool composer_ready, pending, ended;
	struct playback_step step; /* handed out, perhaps not applied */
	int decisions;
	uint16_t faulted;
	uint16_t told, farewell;          /* seats that were sent `match`, and `end` */
	uint32_t turn[GAME_SEATS_MAX];    /* of the last question */
	uint16_t asked;                   /* seats whose question is open */
	int64_t answered[GAME_SEATS_MAX]; /* answers applied */
	uint8_t rng[GAME_SEATS_MAX][CHANCE_RNG_SIZE];
	struct replay_refused refused; /* the last one, for its message */
	char refused_clause[NAME_BYTES_MAX + 1], refused_why[WHY_BYTES_MAX + 1];
	struct game_result result; /* once ended, unless void */
	bool is_void;
	char reason[NAME_BYTES_MAX + 1];
	struct kept_orders orders;
	uint8_t chain[REPLAY_CHAIN_SIZE];
	enum playback_status status;
	struct why why;
};

/* Names the record at hand and what is wrong with it; returns false. */
bool playback_wrong(struct playback *playback, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The checks. Orders and moves are always checked, since what the rules do not allow must
 * never be applied to a state; with options.prove everything that follows from them is
 * compared as well. Each returns false after playback_wrong().
 */
bool prove_chance(struct playback *playback, const struct replay_order *order);
bool prove_move(struct playback *playback, const struct replay_move *move);
bool prove_message(struct playback *playback, const struct replay_message *message,
	struct blob bytes);
bool prove_result(struct playback *playback, const struct replay_ended *ended);
bool prove_seal(struct playback *playback, const struct replay_sealed *sealed);

#endif
