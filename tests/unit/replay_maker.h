/*
 * Replays of random matches, made in memory by driving arbiter/match/match.c with a clock
 * and bots of the test's own: the same plan gives the same bytes on every machine.
 */
#ifndef TESTS_UNIT_REPLAY_MAKER_H
#define TESTS_UNIT_REPLAY_MAKER_H

#include "arbiter/match/match.h"
#include "tests/unit/playout.h"

struct replay_plan {
	const struct game *game;
	const struct variant *variant;
	unsigned number; /* names the seed and everything the bots do */
	bool names_shown, events;
	bool steady; /* every answer takes the same time and nothing about it is random */
	int retries;
	/* How often, in percent of the answers: */
	int note_percent, illegal_percent, offence_percent, link_percent;
	int fault_at; /* a seat is put out at about this answer; 0: never */
	enum fault_class fault;
	int abort_at;        /* the match is made void at about this answer; 0: never */
	int64_t match_id;    /* 0: 1000 + number */
	int64_t slowness_us; /* added to every think time */
	uint8_t nonce;       /* every byte of it */
	int own_seed;        /* 1 + a seat whose own seed is made up; 0: none */
	/* NULL: orders from the seed. */
	void (*order)(void *context, const struct chance *request, uint8_t *order);
	void *context;
	/* NULL: a random legal action. Chooses the answer, an index into the legal list.
	 */
	int (*choose)(void *context, int seat, int answer, int legal);
	/* Change what the match is given; each may be NULL. */
	void (*twist_config)(void *context, struct match_config *config);
	void (*twist_answer)(void *context, struct match_answer *answer);
	void (*twist_fault)(void *context, struct fault *fault);
};

struct replay_made {
	uint8_t *bytes;
	size_t size;
	uint8_t seed[CHANCE_SEED_SIZE], nonce[CHANCE_NONCE_SIZE];
	uint8_t rng[GAME_SEATS_MAX][CHANCE_RNG_SIZE];
	int answers, refusals, offences;
};

void replay_make(const struct replay_plan *plan, struct replay_made *made);
void replay_made_release(struct replay_made *made);

/* Everything at once: events, notes, refusals, offences, lost connections, a crash. */
struct replay_plan replay_plan_rich(
	const struct game *game, const struct variant *variant, unsigned number);

/* A file in a folder of the process's own, which goes with it. */
const char *replay_file(const char *name);
void replay_write(const char *path, const uint8_t *bytes, size_t size);

/* Makes the chain of every record right again; false if the bytes are no records. */
bool replay_rechain(uint8_t *bytes, size_t size);

#endif
