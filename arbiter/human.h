/*
 * A person at the table: `human` in place of a bot.
 *
 * The seat is an ordinary bot process, `pigpen human TERMINAL`, that speaks the protocol,
 * shows what its seat is told and asks at the terminal. A person therefore knows exactly
 * what a bot would know, and the match is an ordinary one with an ordinary replay.
 */
#ifndef ARBITER_HUMAN_H
#define ARBITER_HUMAN_H

#include "arbiter/bots.h"

#define HUMAN_NAME     "human"
#define HUMAN_RETRIES  100 /* moves against the rules that are asked again */
#define HUMAN_MOVE_MIN 60  /* minutes for a move, unless the match has a clock */

/* The bot that asks at this process's terminal. False with a sentence. */
bool human_spec(struct bot_spec *spec, char *why, size_t why_size);

#endif
