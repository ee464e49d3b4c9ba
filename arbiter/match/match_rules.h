/*
 * What all matches of a ladder or a comparison have in common, and the same as JSON (in
 * ladder.json and on the way to a worker).
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
/* False with a sentence in `why`. What is missing, but for the game, is standard. */
bool match_rules_read(struct match_rules *rules, const json_t *object, struct why *why);

/*
 * The team of each seat, or each seat a side of its own; returns the number of sides.
 * 0: partners are drawn during the match.
 */
int match_rules_sides(const struct match_rules *rules, int8_t side[GAME_SEATS_MAX]);

#endif
