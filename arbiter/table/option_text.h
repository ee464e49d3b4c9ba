/* Options of games as a user writes them. */
#ifndef ARBITER_TABLE_OPTION_TEXT_H
#define ARBITER_TABLE_OPTION_TEXT_H

#include "games/game.h"

/* The allowed values of an option: "1..50 or players". */
void option_allowed(const struct game_option *option, char *buffer, size_t size);
/* A value as the user would write it. */
void option_value(
	const struct game_option *option, int16_t value, char *buffer, size_t size);

#endif
