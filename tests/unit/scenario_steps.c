/* The lines of a scenario that do something. */
#include "tests/unit/scenario_internal.h"
#include "tests/unit/json_action.h"
#include "arbiter/table/notation.h"

#include <string.h>

static void step_begin(struct scenario *s)
{
	s->events.count = 0;
}

bool scenario_parse_action(struct scenario *s, char *text, struct action *action)
{
	struct why why;

	if (notation_parse_action(s->game, scenario_trim(text), action, &why))
		return true;
	scenario_fail(s, "action '%s': %s", text, why.text);
	return false;
}

int scenario_find_legal(struct scenario *s, int seat, const struct action *action)
{
	struct action legal[GAME_LEGAL_MAX];
	int n = s->game->legal(s->state, seat, legal);

	for (int i = 0; i < n; i++)
		if (action_equal(&legal[i], action))
			return i;
	return -1;
}

void scenario_do(struct scenario *s, int seat, char *text)
{
	struct refusal why = {"?", "?"};
	struct action action;

	if (!scenario_parse_action(s, text, &action))
		return;
	if (!s->game->check(s->state, seat, &action, &why))
		scenario_fail(s, "'%s' is refused: %s %s", text, why.clause, why.why);
	else if (scenario_find_legal(s, seat, &action) < 0)
		scenario_fail(
			s, "check allows '%s', but it is not in the legal list", text);
	if (s->failed)
		return;
	step_begin(s);
	s->game->apply(s->state, seat, &action, &s->events);
	scenario_invariants(s);
}

/* Splits `text -> clause`; NULL if there is no arrow. */
static char *split_clause(struct scenario *s, char *text)
{
	char *arrow = NULL;

	for (char *at = text; (at = strstr(at, "->")); at += 2)
		arrow = at;
	if (!arrow) {
		scenario_fail(s, "no `-> CLAUSE`");
		return NULL;
	}
	*arrow = 0;
	return scenario_trim(arrow + 2);
}

static void demand_refusal(
	struct scenario *s, int seat, const struct action *action, const char *clause)
{
	_Alignas(16) uint8_t before[GAME_STATE_MAX];
	struct refusal why = {"none", ""};

	memcpy(before, s->state, sizeof(before));
	if (s->game->check(s->state, seat, action, &why))
		scenario_fail(s, "check allows it");
	else if (strcmp(why.clause, clause))
		scenario_fail(s, "refused by %s (%s) instead of %s", why.clause, why.why,
			clause);
	else if (scenario_find_legal(s, seat, action) >= 0)
		scenario_fail(s, "refused, but in the legal list");
	if (memcmp(before, s->state, sizeof(before)))
		scenario_fail(s, "check changed the state");
}

void scenario_refuse(struct scenario *s, int seat, char *text)
{
	char *clause = split_clause(s, text);
	struct action action;

	if (clause && scenario_parse_action(s, text, &action))
		demand_refusal(s, seat, &action, clause);
}

void scenario_offence(struct scenario *s, int seat, char *text)
{
	char *clause = split_clause(s, text);
	struct action action;

	if (!clause || !scenario_parse_action(s, text, &action))
		return;
	demand_refusal(s, seat, &action, clause);
	if (s->failed)
		return;
	step_begin(s);
	if (!s->game->offence || !s->game->offence(s->state, seat, &action, &s->events))
		scenario_fail(s, "'%s' is not punished", text);
	scenario_invariants(s);
}

void scenario_raw(struct scenario *s, int seat, char *text)
{
	char *clause = split_clause(s, text);
	struct refusal why = {"none", ""};
	struct action action;
	msgpack_zone zone;
	msgpack_object object;

	if (!clause)
		return;
	msgpack_zone_init(&zone, 4096);
	if (!json_to_object(scenario_trim(text), &zone, &object))
		scenario_fail(s, "'%s' is not JSON", text);
	else if (game_read_action(s->game, s->seats, &object, &action, &why))
		demand_refusal(s, seat, &action, clause);
	else if (strcmp(why.clause, clause))
		scenario_fail(s, "refused by %s (%s) instead of %s", why.clause, why.why,
			clause);
	msgpack_zone_destroy(&zone);
}

/* Puts the named tokens on top; the others of the request follow sorted. */
static bool build_order(
	struct scenario *s, const struct chance *request, char *text, uint8_t *order)
{
	struct why why;
	bool used[GAME_ORDER_MAX] = {false};
	int n = notation_parse_order(s->game, request->kind, text, order, &why), at;

	if (n < 0) {
		scenario_fail(s, "%s", why.text);
		return false;
	}
	for (int i = 0; i < n; i++) {
		for (at = 0; at < request->n; at++)
			if (!used[at] && request->token[at] == order[i])
				break;
		if (at == request->n) {
			scenario_fail(s,
				"token number %d is not among those to be ordered",
				i + 1);
			return false;
		}
		used[at] = true;
	}
	for (at = 0; at < request->n; at++)
		if (!used[at])
			order[n++] = request->token[at];
	return true;
}

void scenario_chance(struct scenario *s, const char *kind, char *text)
{
	struct chance request;
	uint8_t order[GAME_ORDER_MAX];

	if (game_head(s->state)->need != NEED_CHANCE) {
		scenario_fail(s, "no chance is needed here");
		return;
	}
	s->game->chance(s->state, &request);
	if (strcmp(game_chance_names[request.kind], kind)) {
		scenario_fail(s, "the game needs a %s", game_chance_names[request.kind]);
		return;
	}
	if (!build_order(s, &request, text, order))
		return;
	step_begin(s);
	s->game->apply_chance(s->state, order, request.n, &s->events);
	scenario_invariants(s);
}

void scenario_forced(struct scenario *s)
{
	const struct game_head *head = game_head(s->state);
	struct action action;
	int moves = 0;

	step_begin(s);
	while (head->need == NEED_ANSWERS && !game_to_ask(s->game, s->state) &&
		!s->failed) {
		int seat = __builtin_ctz(head->pending);

		game_forced(s->game, s->state, seat, &action);
		s->game->apply(s->state, seat, &action, &s->events);
		scenario_invariants(s);
		moves++;
	}
	if (!moves)
		scenario_fail(s, "nobody is forced here");
}
