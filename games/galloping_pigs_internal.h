/* What the files of Galloping Pigs share among themselves. */
#ifndef GAMES_GALLOPING_PIGS_INTERNAL_H
#define GAMES_GALLOPING_PIGS_INTERNAL_H

#include "games/galloping_pigs.h"

/* Do race cards lie in hands, in the pile and aside? */
static inline bool galloping_is_dealt(const struct galloping_pigs *s)
{
	int timing = s->head.option[GALLOPING_OPTION_FOOD_TIMING];

	return s->head.phase >= GALLOPING_PLAY ||
	       (s->head.phase == GALLOPING_PLACE && timing == GALLOPING_AFTER_DEAL);
}

/* The slots `complete` and `invariants` of struct game. */
void galloping_complete(void *state);
const char *galloping_invariants(const void *state);

#endif
