/*
 * A bot's own randomness: ChaCha20 keyed by the seed that the arbiter gave to the seat
 * and by the number of the question. So an answer depends on the question alone, not on
 * what the process was asked before, and a match can be played again from any point.
 */
#ifndef SAMPLE_BOTS_COMMON_RANDOM_H
#define SAMPLE_BOTS_COMMON_RANDOM_H

#include "games/game.h"
#include "protocol/message.h"

struct random_stream {
	uint8_t key[32];
	uint64_t block;
	int used; /* numbers of `number` given out */
	uint64_t number[64];
};

void random_stream_init(struct random_stream *stream, struct text rng, int64_t turn);
/* Goes to the start of part `part` of the stream: equal parts give equal numbers. */
void random_stream_part(struct random_stream *stream, uint32_t part);
uint64_t random_stream_next(void *stream); /* fits struct game_random.next */

#endif
