/*
 * A person at the table: `human` in place of a bot.
 *
 * The seat is an ordinary bot process, `pigpen human PLACE`, that speaks the protocol and
 * asks the person at that place: a terminal, or the page (arbiter/web/play/play.h), which
 * listens at an abstract Unix socket, `@NAME`. A person therefore knows exactly what a
 * bot would know, and the match is an ordinary one with an ordinary replay.
 *
 * Over the socket go lines of JSON:
 *
 *     -> {"t": "ask", "turn": 7, "legal": ["play 5", …], "bank_ms": …, "move_ms": …}
 *     <- {"turn": 7, "choice": 0}, or {"turn": 7, "text": "play 5 5"}
 *     -> {"t": "refuse", "turn": 7, "clause": "PP-4.2", "why": "…"}, and then it asks
 *        again; the clause is "" if the text is not even a move
 *     -> {"t": "end"}
 */
#ifndef ARBITER_HUMAN_HUMAN_H
#define ARBITER_HUMAN_HUMAN_H

#include "arbiter/bots/bot_spec.h"
#include "protocol/bot.h"
#include "protocol/why.h"

#define HUMAN_NAME     "human"
#define HUMAN_RETRIES  100 /* moves against the rules that are asked again */
#define HUMAN_MOVE_MIN 60  /* minutes for a move, unless the match has a clock */

/* A question in the types of games/. */
struct human_question {
	const struct game *game;
	int seats, count;
	struct action legal[GAME_LEGAL_MAX];
	union {
		struct game_head head;
		uint64_t align;
		uint8_t bytes[GAME_STATE_MAX];
	} view;
};

/* Does this argument mean a person: `human` or `human:PLACE`? */
bool human_is_meant(const char *word);
/* Fills in the bot that asks the person; for `human`, at this process's terminal. False:
 * `why` says what was wrong. */
bool human_spec(struct bot_spec *spec, const char *word, struct why *why);

/* Cannot fail, because the arbiter and the person's process are the same program. */
void human_read(struct human_question *question, const struct message_match *match,
	const struct message_act *act);

/* Plays for the person behind the socket `@NAME`; returns the exit status. */
int human_link_run(const char *place);

#endif
