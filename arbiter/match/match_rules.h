/*
 * The rules of a match: what all matches of a run, a ladder or a comparison have in
 * common. Commands read them from their options (arbiter/cmd/match_args.h); as JSON they
 * are stored in ladder.json and sent to workers.
 */
#ifndef ARBITER_MATCH_MATCH_RULES_H
#define ARBITER_MATCH_MATCH_RULES_H

#include "arbiter/match/match.h"
#include "arbiter/process/sandbox.h"
#include "protocol/why.h"

#include <jansson.h>

struct match_rules {
	const struct game *game;
	int seats;
	int16_t option[GAME_OPTIONS_MAX];
	struct clock_rules clock;
	enum fault_policy policy;
	int retries;
	enum sandbox_mode sandbox;
	struct sandbox_limits limits; /* of bots in sandboxes */
};

/* Sets game, seats, options, clock, clock_kind, on_fault, retries, sandbox, limits. */
void match_rules_write(const struct match_rules *rules, json_t *object);
/* All but the game is optional and has a default. False: `why` says what was wrong. */
bool match_rules_read(struct match_rules *rules, const json_t *object, struct why *why);

/*
 * Sets the side of each seat: its team, or a side of its own without teams. Returns the
 * number of sides; 0: partners are drawn during the match.
 */
int match_rules_sides(const struct match_rules *rules, int8_t side[GAME_SEATS_MAX]);

#endif
