/* All randomness of a match, drawn from its seed. */
#include "arbiter/table/chance.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

/* BLAKE2b of a label and up to two byte strings: every use has a label of its own. */
static void derive(const char *label, const void *a, size_t a_size, const void *b,
	size_t b_size, uint8_t out[32])
{
	crypto_generichash_state hash;

	crypto_generichash_init(&hash, NULL, 0, 32);
	crypto_generichash_update(&hash, (const uint8_t *)label, strlen(label) + 1);
	crypto_generichash_update(&hash, a, a_size);
	if (b_size)
		crypto_generichash_update(&hash, b, b_size);
	crypto_generichash_final(&hash, out, 32);
}

void chance_stream_init(struct chance_stream *stream,
	const uint8_t seed[CHANCE_SEED_SIZE], const char *name)
{
	derive("pigpen stream", seed, CHANCE_SEED_SIZE, name, strlen(name), stream->key);
	stream->block = 0;
	stream->used = (int)(sizeof(stream->number) / sizeof(stream->number[0]));
}

uint64_t chance_stream_next(void *context)
{
	struct chance_stream *s = context;

	if (s->used == (int)(sizeof(s->number) / sizeof(s->number[0]))) {
		uint8_t nonce[crypto_stream_chacha20_NONCEBYTES];

		memcpy(nonce, &s->block, sizeof(nonce));
		s->block++;
		crypto_stream_chacha20(
			(uint8_t *)s->number, sizeof(s->number), nonce, s->key);
		s->used = 0;
	}
	return s->number[s->used++];
}

void chance_order(const uint8_t seed[CHANCE_SEED_SIZE], const struct chance *request,
	uint8_t *order)
{
	struct chance_stream stream;
	struct game_random random = {chance_stream_next, &stream};
	char name[32];

	snprintf(name, sizeof(name), "%s %d", game_chance_names[request->kind],
		request->index);
	chance_stream_init(&stream, seed, name);
	memcpy(order, request->token, request->n);
	game_random_shuffle(&random, order, request->n);
}

void chance_seed_from_text(const char *text, uint8_t seed[CHANCE_SEED_SIZE])
{
	derive("pigpen seed", text, strlen(text), NULL, 0, seed);
}

void chance_seed_for_match(const uint8_t series[CHANCE_SEED_SIZE], uint64_t index,
	uint8_t seed[CHANCE_SEED_SIZE])
{
	derive("pigpen match", series, CHANCE_SEED_SIZE, &index, sizeof(index), seed);
}

void chance_fresh(void *bytes, size_t size)
{
	randombytes_buf(bytes, size);
}

void chance_commit(const uint8_t nonce[CHANCE_NONCE_SIZE], const char *match_id,
	const uint8_t seed[CHANCE_SEED_SIZE], uint8_t commit[CHANCE_COMMIT_SIZE])
{
	crypto_generichash_state hash;

	crypto_generichash_init(&hash, NULL, 0, CHANCE_COMMIT_SIZE);
	crypto_generichash_update(&hash, nonce, CHANCE_NONCE_SIZE);
	crypto_generichash_update(&hash, (const uint8_t *)match_id, strlen(match_id));
	crypto_generichash_update(&hash, seed, CHANCE_SEED_SIZE);
	crypto_generichash_final(&hash, commit, CHANCE_COMMIT_SIZE);
}

void chance_rng(
	const uint8_t seed[CHANCE_SEED_SIZE], int seat, uint8_t rng[CHANCE_RNG_SIZE])
{
	uint8_t number = (uint8_t)seat;

	derive("pigpen rng", seed, CHANCE_SEED_SIZE, &number, 1, rng);
}
