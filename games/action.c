/* Comparing and refusing actions. */
#include "games/action.h"

#include <string.h>

int action_compare(const struct action *a, const struct action *b)
{
	return memcmp(a, b, sizeof(*a));
}

bool refuse(struct refusal *r, const char *clause, const char *why)
{
	if (r) {
		r->clause = clause;
		r->why = why;
	}
	return false;
}
