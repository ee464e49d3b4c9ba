/* Tables of Galloping Pigs drawn to fit a view. */
#include "games/galloping_pigs/internal.h"

#include <string.h>

/* Takes one of the `total` cards in `pool`, each with the same chance. */
static int draw(uint8_t *pool, int total, const struct game_random *random)
{
	int r = (int)game_random_below(random, (uint32_t)total);
	int c = 0;

	while (r >= pool[c])
		r -= pool[c++];
	pool[c]--;
	return c;
}

/* Nothing that anybody does rules out a card in another hand (any colour may be
 * played at any time), so the unseen cards lie in the other hands and aside in every
 * way with the same chance. */
void galloping_sample(const void *view, const struct game_random *random, void *state)
{
	struct galloping_pigs *s = state;
	int viewer, unseen = 0;

	memcpy(s, view, sizeof(*s));
	viewer = s->head.viewer;
	s->head.viewer = OMNISCIENT;
	s->head.pending = s->head.acting;
	if (!galloping_is_dealt(s))
		return;
	for (int c = 0; c < GALLOPING_COLOURS; c++)
		s->aside[c] = GALLOPING_CARDS_PER_PIG;
	for (int i = 0; i < s->pile_size; i++)
		s->aside[s->pile[i]]--;
	for (int c = 0; c < GALLOPING_COLOURS; c++) {
		s->aside[c] -= viewer >= 0 ? s->hand[viewer][c] : 0;
		unseen += s->aside[c];
	}
	for (int seat = 0; seat < s->head.seats; seat++)
		for (int i = 0; seat != viewer && i < s->hand_size[seat]; i++)
			s->hand[seat][draw(s->aside, unseen--, random)]++;
}
