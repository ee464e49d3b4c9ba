/* Matches that start in the middle of a game: in a position, or after a script. */
#include "arbiter/match/match_internal.h"

#include <assert.h>

void match_place(struct match *match)
{
	const struct match_position *position = match->config.position;

	assert(!match->replay);
	composer_place(&match->composer, position->state);
	for (int seat = 0; seat < match->config.setup.seats; seat++)
		match->seat[seat].bank_ns = position->bank_ns[seat];
}

void match_start_in_position(struct match *match, mono_ns now)
{
	for (int seat = 0; seat < match->config.setup.seats; seat++) {
		if (game_seat_in(match->faulted, seat))
			continue;
		match_resume(match, seat, now);
		match->told |= seat_bit(seat);
	}
	match_begin_play(match, now);
}

const struct match_scripted *match_scripted(const struct match *match, int seat)
{
	const struct match_script *script = match->config.script;

	/* After a fault the match differs from the recorded one. */
	if (!script || match->faulted)
		return NULL;
	for (uint32_t i = match->actions; i < script->count; i++)
		if (script->decision[i].seat == seat)
			return &script->decision[i];
	return NULL;
}
