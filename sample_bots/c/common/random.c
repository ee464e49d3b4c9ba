/* A bot's random numbers: ChaCha20 keyed by seed and question. */
#include "sample_bots/c/common/random.h"

#include <sodium.h>

#define NUMBERS ((int)(sizeof(((struct random_stream *)0)->number) / sizeof(uint64_t)))

void random_stream_init(struct random_stream *stream, struct text rng, int64_t turn)
{
	crypto_generichash_state hash;

	crypto_generichash_init(&hash, NULL, 0, sizeof(stream->key));
	crypto_generichash_update(&hash, (const uint8_t *)rng.bytes, rng.size);
	crypto_generichash_update(&hash, (const uint8_t *)&turn, sizeof(turn));
	crypto_generichash_final(&hash, stream->key, sizeof(stream->key));
	random_stream_part(stream, 0);
}

void random_stream_part(struct random_stream *stream, uint32_t part)
{
	stream->block = (uint64_t)part << 32;
	stream->used = NUMBERS;
}

uint64_t random_stream_next(void *context)
{
	struct random_stream *stream = context;

	if (stream->used == NUMBERS) {
		uint8_t nonce[crypto_stream_chacha20_NONCEBYTES];

		memcpy(nonce, &stream->block, sizeof(nonce));
		stream->block++;
		crypto_stream_chacha20((uint8_t *)stream->number, sizeof(stream->number),
			nonce, stream->key);
		stream->used = 0;
	}
	return stream->number[stream->used++];
}
