/*
 * Builds every message of a match to a bot, from the game and logged numbers alone.
 *
 * A composer holds the true state of one match and, for each seat, the events that the
 * seat has not been told yet. The caller (live play in arbiter/match/match.c, or a reader
 * of a replay) applies chance orders and actions, and asks for messages; the same calls
 * in the same order with the same numbers give the same bytes. It does no I/O, reads no
 * clock and draws no number.
 *
 * Messages are stored in the scratch that the composer was given, and are valid until the
 * next call on any composer with the same scratch. One scratch serves any number of
 * composers of one thread.
 */
#ifndef ARBITER_TABLE_COMPOSE_H
#define ARBITER_TABLE_COMPOSE_H

#include "arbiter/table/chance.h"
#include "arbiter/table/clock.h"
#include "games/game.h"
#include "protocol/message.h"

#define PLAYER_NAME_SIZE (NAME_BYTES_MAX + 1)

/* What is fixed before a match starts; every message follows from it. */
struct compose_setup {
	const struct game *game;
	int seats;
	int16_t option[GAME_OPTIONS_MAX];
	int64_t match_id; /* on the wire; the commitment holds its decimal text */
	struct clock_rules clock;
	uint8_t commit[CHANCE_COMMIT_SIZE];
	bool names_shown;
	char name[GAME_SEATS_MAX][PLAYER_NAME_SIZE];
	bool wants_events[GAME_SEATS_MAX]; /* `events` of the seat's hello */
};

/* The numbers in a question; `turn` counts the seat's questions from 1. */
struct compose_question {
	uint32_t turn;
	int64_t bank_us;
	int64_t budget_us;
};

struct compose_scratch;
struct compose_scratch *compose_scratch_new(void);
void compose_scratch_free(struct compose_scratch **scratch);

/* Events that one seat has not been told yet, encoded one after another. */
struct compose_feed {
	uint8_t *data;
	size_t size, capacity;
	uint32_t count;
};

struct composer {
	struct compose_setup setup;
	struct compose_scratch *scratch;
	struct compose_feed feed[GAME_SEATS_MAX];
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
};

/* Starts the game. The scratch must outlive the composer. */
void composer_init(struct composer *composer, const struct compose_setup *setup,
	struct compose_scratch *scratch);
/* Replaces the state of the game; no seat is told. */
void composer_place(struct composer *composer, const void *state);
void composer_release(struct composer *composer);

/* Transitions; the events go to the feeds of all seats. */
void composer_chance(struct composer *composer, const uint8_t *order, int n);
void composer_apply(struct composer *composer, int seat, const struct action *action);
/* The penalty that the game has for a refused action; false: it has none. */
bool composer_offence(struct composer *composer, int seat, const struct action *action);

/* The events of the last transition of any composer with this scratch. */
const struct events *composer_events(const struct composer *composer);

/* {match…}: the first message of a match. */
struct blob compose_match(
	struct composer *composer, int seat, const uint8_t rng[CHANCE_RNG_SIZE]);
/* True if the seat asked for `event` messages and has untold events. */
bool compose_event_due(const struct composer *composer, int seat);
/* These three include the seat's untold events and empty its feed. */
struct blob compose_event(struct composer *composer, int seat);
struct blob compose_act(
	struct composer *composer, int seat, const struct compose_question *question);
/* NULL: the match is void and has no result. */
struct blob compose_end(
	struct composer *composer, int seat, const struct game_result *result);
/* `clause` and `why` as recorded in the replay. */
struct blob compose_refuse(
	struct composer *composer, uint32_t turn, const char *clause, const char *why);
/* After a reconnect: the match, the view and the open question (NULL: none). Untold
 * events are dropped, because the view already shows their effect. */
struct blob compose_resume(struct composer *composer, int seat,
	const uint8_t rng[CHANCE_RNG_SIZE], const struct compose_question *question);

#endif
