/*
 * The parts of a replay as JSON values, in the one form that exports, `show --json` and
 * pages share (specs/replay.md). Views, actions, events and results are what a bot gets
 * on the wire, turned into JSON by protocol/json.h. The caller owns every reference.
 */
#ifndef ARBITER_REPLAY_JSON_PARTS_H
#define ARBITER_REPLAY_JSON_PARTS_H

#include <jansson.h>
#include "arbiter/replay/playback.h"

/* 15 digits keep rounding noise out of milliseconds. */
#define REPLAY_JSON_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(15))

extern const char
	*const replay_by_names[]; /* "bot", "forced", "fallback", "bot" (a penalty) */

json_t *replay_json_action(const struct game *game, const struct action *action);
/* All legal actions of a seat. */
json_t *replay_json_legal(const struct game *game, const void *state, int seat);
/* What a seat, SPECTATOR or OMNISCIENT sees of a state. */
json_t *replay_json_view(const struct game *game, const void *state, int viewer);
json_t *replay_json_events(
	const struct game *game, const struct events *events, int viewer);
json_t *replay_json_options(const struct game *game, const int16_t *option);
/* {name, version, hash} */
json_t *replay_json_player(const struct replay_player *player);
/* {chance, order}: tokens, or seats for the first to play; top first. */
json_t *replay_json_order(const struct game *game, const struct replay_order *order);
/* A string, or {"bin": hex}; NULL if there is no note. */
json_t *replay_json_note(const struct replay_move *move);
/* {seat, action, by, offence?, ms?, note?}; canonical: without ms. */
json_t *replay_json_move(
	const struct game *game, const struct replay_move *move, bool canonical);
/* Canonical: without times, and without texts and bytes that may hold a time or an id. */
json_t *replay_json_fault(const struct replay_faulted *faulted, bool canonical);
/* {scores, ranks, teams?, reason}, or null. */
json_t *replay_json_result(const struct replay_ended *ended);
json_t *replay_json_text(struct text text);
json_t *replay_json_hex(const void *bytes, size_t size);
json_t *replay_json_ms(int64_t us);

/* Sets a key unless the value is NULL. */
void replay_json_set(json_t *object, const char *key, json_t *value);

#endif
