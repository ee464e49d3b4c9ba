/* Tables of Dirty Pig drawn to fit a view. */
#include "games/dirty_pig/internal.h"

#include <assert.h>
#include <string.h>

/*
 * The cards that the view does not show lie in the other hands and the stack. Those
 * the viewer knows to be held are in the hands; as many others as the hands still
 * take come from a shuffled rest; then the hands' cards are shuffled among themselves.
 */
void dirty_pig_sample(const void *view, const struct game_random *random, void *state)
{
	struct dirty_pig *s = state;
	uint8_t missing[DIRTY_PIG_FACES], known[DIRTY_PIG_CARDS], rest[DIRTY_PIG_CARDS];
	const uint8_t *held;
	int viewer, slots = 0, known_count = 0, rest_count, used = 0;

	memcpy(s, view, sizeof(*s));
	viewer = s->head.viewer;
	s->head.viewer = OMNISCIENT;
	s->head.pending = s->head.acting;
	dirty_pig_count_missing(s, missing);
	if (viewer >= 0) {
		held = s->held[viewer];
		for (int face = 0; face < DIRTY_PIG_FACES; face++) {
			assert(held[face] <= missing[face]);
			missing[face] -= held[face];
		}
		known_count = dirty_pig_list_cards(held, known);
	}
	rest_count = dirty_pig_list_cards(missing, rest);
	game_random_shuffle(random, rest, rest_count);
	for (int seat = 0; seat < s->head.seats; seat++)
		slots += seat == viewer ? 0 : s->hand_size[seat];
	assert(known_count <= slots);
	assert(slots - known_count + s->stack_size <= rest_count);
	while (known_count < slots)
		known[known_count++] = rest[--rest_count];
	game_random_shuffle(random, known, slots);
	for (int seat = 0; seat < s->head.seats; seat++)
		for (int i = 0; seat != viewer && i < s->hand_size[seat]; i++)
			s->hand[seat][known[used++]]++;
	memcpy(s->stack, rest, s->stack_size);
}
