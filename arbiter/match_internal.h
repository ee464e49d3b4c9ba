/* What match.c and match_fault.c share. */
#ifndef ARBITER_MATCH_INTERNAL_H
#define ARBITER_MATCH_INTERNAL_H

#include "arbiter/match.h"

static inline uint16_t seat_bit(int seat)
{
	return (uint16_t)(1u << seat);
}

static inline int64_t match_time_us(const struct match *match, mono_ns at)
{
	return (at - match->started) / NS_PER_US;
}

/* Plays on until a seat has to be waited for or the match is over. */
void match_advance(struct match *match, mono_ns now);
/* All seats that were told and play by themselves are ready. */
void match_begin_play(struct match *match, mono_ns now);
/* The game's neutral move stands in for a seat that was asked. */
void match_collect_fallback(struct match *match, int seat);
/* Applies the collected answers once nobody is waited for. */
void match_settle(struct match *match);
/* The end, by the game's own result, by forfeit, or void. */
void match_finish(struct match *match, mono_ns now);

#endif
