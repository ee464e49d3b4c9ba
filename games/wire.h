/*
 * Views, options, actions, events and results as msgpack.
 *
 * They are written and read by the tables of the game (fields, options, verbs, event
 * kinds), so there is one writer and one reader for all games. specs/games.md says what
 * the bytes mean. What is read is never trusted.
 */
#ifndef GAMES_WIRE_H
#define GAMES_WIRE_H

#include "games/action.h"
#include "games/event.h"
#include "games/result.h"

#include <msgpack.h>

/* {game, opts, seat, phase, act, pub, me} (OMNISCIENT: also "all"). `view` comes
 * from game_observe(). */
void game_write_view(const struct game *game, const void *view, msgpack_packer *pk);
/* The other direction, for bots, files and tests; `view` has state_size bytes.
 * Returns NULL or what is wrong with the object; never trusts it. */
const char *game_read_view(
	const struct game *game, const msgpack_object *object, void *view);
/* {name: value} of all options, as in a view. */
void game_write_options(
	const struct game *game, const int16_t *option, msgpack_packer *pk);
const char *game_read_options(
	const struct game *game, const msgpack_object *object, int16_t *option);

void game_write_action(
	const struct game *game, const struct action *action, msgpack_packer *pk);
/* Clauses: <prefix>-0.1 not a map with a known verb under "a"; 0.2 a key unknown,
 * missing or given twice; 0.3 a value of the wrong type or out of range. */
bool game_read_action(const struct game *game, int seats, const msgpack_object *object,
	struct action *action, struct refusal *why);

/* As the viewer may see it: cards, or their number. */
void game_write_event(const struct game *game, const struct event *event, int viewer,
	msgpack_packer *pk);

/* {scores, ranks, teams, reason} */
void game_write_result(const struct game *game, const struct game_result *result,
	int seats, msgpack_packer *pk);

#endif
