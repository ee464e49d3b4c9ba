/* What match.c, match_answer.c, match_fault.c and match_script.c share. */
#ifndef ARBITER_MATCH_MATCH_INTERNAL_H
#define ARBITER_MATCH_MATCH_INTERNAL_H

#include "arbiter/match/match.h"

static inline uint16_t seat_bit(int seat)
{
	return (uint16_t)(1u << seat);
}

static inline int64_t match_time_us(const struct match *match, mono_ns at)
{
	return (at - match->started) / NS_PER_US;
}

static inline const struct game *match_game(const struct match *match)
{
	return match->config.setup.game;
}

static inline const struct game_head *match_head(const struct match *match)
{
	return game_head(match->composer.state);
}

/* Writes out what was logged. */
void match_flush(struct match *match);
/* Sends a message to a seat and logs it with the numbers it was made from. */
void match_send(struct match *match, int seat, enum replay_sent kind, struct blob message,
	const uint8_t *rng, const struct compose_question *question);
/* Sends the seat's next question. */
void match_ask(struct match *match, int seat, int64_t budget_ns);
/* No answer of the seat is awaited any more. */
void match_stop_waiting(struct match *match, int seat);
/* The scripted decision that the seat owes next, or NULL if its bot decides. */
const struct match_scripted *match_scripted(const struct match *match, int seat);
/* Puts a new match into the position of its config. */
void match_place(struct match *match);
/* Starts play in that position; no seat has to send `ready`. */
void match_start_in_position(struct match *match, mono_ns now);
/* Sends the seat everything that it may know now. */
void match_resume(struct match *match, int seat, mono_ns now);
/* Plays on until a seat must be waited for or the match is over. */
void match_advance(struct match *match, mono_ns now);
/* Starts play: all seats whose bots are still in the match are ready. */
void match_begin_play(struct match *match, mono_ns now);
/* Collects the game's neutral move for a seat that was asked. */
void match_collect_fallback(struct match *match, int seat);
/* Applies the collected answers once no seat is waited for. */
void match_settle(struct match *match);
/* Ends the match: with the game's own result, by forfeit, or void. */
void match_finish(struct match *match, mono_ns now);

#endif
