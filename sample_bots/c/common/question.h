/*
 * A question of the arbiter in the types of games/: the view as the game's own struct
 * and the legal actions in the order of the wire, so that an index into them is an
 * answer.
 */
#ifndef SAMPLE_BOTS_COMMON_QUESTION_H
#define SAMPLE_BOTS_COMMON_QUESTION_H

#include "games/game.h"
#include "protocol/message.h"

/* Room for any game's state, aligned for all of them. */
union table {
	struct game_head head;
	uint64_t align;
	uint8_t bytes[GAME_STATE_MAX];
};

struct question {
	const struct game *game;
	int seat;
	int legal_count;
	struct action legal[GAME_LEGAL_MAX];
	union table view;
};

/* Returns NULL, or why this program cannot understand the question: a game or a version
 * of its rules that it was not built with. Choice 0 is a legal answer even then. */
const char *question_read(struct question *question, const struct message_match *match,
	const struct message_act *act);

#endif
