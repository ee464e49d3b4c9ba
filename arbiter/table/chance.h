/*
 * Randomness of a match: card orders from a 32-byte seed.
 *
 * Each order has a stream of its own, named by its kind and index ("deal 3"), so the deck
 * of round r does not depend on what was played before it. The generator is ChaCha20
 * keyed by BLAKE2b(seed, name); the order is a Fisher-Yates shuffle with unbiased draws.
 * specs/replay.md describes both exactly, but nobody needs them to read a replay, which
 * holds every order in full.
 */
#ifndef ARBITER_TABLE_CHANCE_H
#define ARBITER_TABLE_CHANCE_H

#include "games/game.h"

#define CHANCE_SEED_SIZE   32
#define CHANCE_NONCE_SIZE  32
#define CHANCE_COMMIT_SIZE 32
#define CHANCE_RNG_SIZE    32

/* The order for a request, top first; `order` holds request->n tokens. */
void chance_order(const uint8_t seed[CHANCE_SEED_SIZE], const struct chance *request,
	uint8_t *order);

/* A 32-byte seed from a name: the same text gives the same seed everywhere. */
void chance_seed_from_text(const char *text, uint8_t seed[CHANCE_SEED_SIZE]);
/* The seed of match number `index` of a series. */
void chance_seed_for_match(const uint8_t series[CHANCE_SEED_SIZE], uint64_t index,
	uint8_t seed[CHANCE_SEED_SIZE]);
/* Fresh random bytes from the system. */
void chance_fresh(void *bytes, size_t size);

/* BLAKE2b(nonce ‖ match id ‖ seed): fixes the deals before play and reveals nothing. */
void chance_commit(const uint8_t nonce[CHANCE_NONCE_SIZE], const char *match_id,
	const uint8_t seed[CHANCE_SEED_SIZE], uint8_t commit[CHANCE_COMMIT_SIZE]);
/* The seed for a seat's own randomness, derived one-way from the match seed. */
void chance_rng(
	const uint8_t seed[CHANCE_SEED_SIZE], int seat, uint8_t rng[CHANCE_RNG_SIZE]);

/* A ChaCha20 stream as the source of numbers for game.sample and for playouts. */
struct chance_stream {
	uint8_t key[32];
	uint64_t block;
	int used; /* numbers of `number` given out */
	uint64_t number[64];
};
void chance_stream_init(struct chance_stream *stream,
	const uint8_t seed[CHANCE_SEED_SIZE], const char *name);
uint64_t chance_stream_next(void *stream); /* fits struct game_random.next */

#endif
