/* Unbiased random numbers and shuffles from a source of random bits. */
#include "games/shuffle.h"

const char *const game_chance_names[] = {"first", "partners", "draw", "deal", "shuffle"};

uint32_t game_random_below(const struct game_random *random, uint32_t n)
{
	uint32_t threshold = -n % n; /* values below it would favour small results */

	for (;;) {
		uint64_t bits = random->next(random->context);
		uint64_t product = (bits >> 32) * n;

		if ((uint32_t)product >= threshold)
			return (uint32_t)(product >> 32);
	}
}

void game_random_shuffle(const struct game_random *random, uint8_t *list, int n)
{
	for (int i = n - 1; i > 0; i--) {
		int j = (int)game_random_below(random, (uint32_t)i + 1);
		uint8_t swap = list[i];

		list[i] = list[j];
		list[j] = swap;
	}
}
