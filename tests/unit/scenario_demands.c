/* The lines of a scenario that compare lists: events, legal actions, the result. */
#include "tests/unit/scenario_internal.h"
#include "arbiter/table/notation.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* `(1 cards)` may be written for `(1 card)`; blanks do not count. */
static void normalise(const char *from, char *to)
{
	bool blank = false;
	char *begin = to;

	for (; *from; from++) {
		if (isspace((unsigned char)*from)) {
			blank = to > begin;
			continue;
		}
		if (blank)
			*to++ = ' ';
		blank = false;
		*to++ = *from;
	}
	*to = 0;
	for (char *one = begin; (one = strstr(one, "(1 cards)")); one++)
		memmove(one + 7, one + 8, strlen(one + 8) + 1);
}

static void join_events(struct scenario *s, int viewer, char *buffer, size_t size)
{
	char text[NOTATION_MAX];
	size_t used = 0;

	buffer[0] = 0;
	for (int i = 0; i < s->events.count; i++) {
		notation_event(s->game, &s->events.list[i], viewer, text, sizeof(text));
		used += (size_t)snprintf(
			buffer + used, size - used, "%s%s", i ? " ; " : "", text);
	}
	if (!s->events.count)
		snprintf(buffer, size, "-");
}

void scenario_demand_events(struct scenario *s, int viewer, const char *text)
{
	static char got[GAME_EVENTS_MAX * 128], clean[GAME_EVENTS_MAX * 128];
	static char want[GAME_EVENTS_MAX * 128];

	join_events(s, viewer, got, sizeof(got));
	normalise(got, clean);
	normalise(text, want);
	if (strcmp(clean, want))
		scenario_fail(s, "events are\n    %s\n  not\n    %s", clean, want);
}

void scenario_demand_legal_part(struct scenario *s, int seat, char *text, bool has)
{
	struct action action;
	char *save = NULL;

	for (char *part = strtok_r(text, "|", &save); part;
		part = strtok_r(NULL, "|", &save)) {
		if (!scenario_parse_action(s, part, &action))
			return;
		if ((scenario_find_legal(s, seat, &action) >= 0) != has)
			scenario_fail(s, "'%s' is %s the legal list", scenario_trim(part),
				has ? "not in" : "in");
	}
}

void scenario_demand_legal(struct scenario *s, int seat, char *text)
{
	struct action legal[GAME_LEGAL_MAX];
	int n = s->game->legal(s->state, seat, legal);
	static char got[GAME_LEGAL_MAX * 64], want[GAME_LEGAL_MAX * 64];
	char action[NOTATION_MAX];
	size_t used = 0;

	got[0] = 0;
	for (int i = 0; i < n; i++) {
		notation_action(s->game, &legal[i], action, sizeof(action));
		used += (size_t)snprintf(
			got + used, sizeof(got) - used, "%s%s", i ? " | " : "", action);
	}
	if (!n)
		snprintf(got, sizeof(got), "-");
	snprintf(want, sizeof(want), "%s", text);
	normalise(text, want);
	if (strcmp(got, want))
		scenario_fail(s, "legal is\n    %s\n  not\n    %s", got, want);
}

static bool compare_numbers(char **text, const int *got, int n)
{
	for (int i = 0; i < n; i++) {
		char *end;

		if (strtol(*text, &end, 10) != got[i] || end == *text)
			return false;
		*text = end;
	}
	*text = scenario_trim(*text);
	return true;
}

static bool take_word(char **text, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*text, word, n) || !isspace((unsigned char)(*text)[n]))
		return false;
	*text = scenario_trim(*text + n);
	return true;
}

void scenario_demand_result(struct scenario *s, char *text)
{
	struct game_result result;
	int score[GAME_SEATS_MAX], rank[GAME_SEATS_MAX], team[GAME_SEATS_MAX];
	bool ok = true;

	if (game_head(s->state)->need != NEED_NOTHING) {
		scenario_fail(s, "the match is not over");
		return;
	}
	memset(&result, 0, sizeof(result));
	s->game->result(s->state, &result);
	for (int i = 0; i < s->seats; i++) {
		score[i] = result.score[i];
		rank[i] = result.rank[i];
		team[i] = result.team[i];
	}
	while (*text && ok)
		if (take_word(&text, "scores"))
			ok = compare_numbers(&text, score, s->seats);
		else if (take_word(&text, "ranks"))
			ok = compare_numbers(&text, rank, s->seats);
		else if (take_word(&text, "teams"))
			ok = compare_numbers(&text, team, s->seats);
		else if (take_word(&text, "reason"))
			ok = !strcmp(text, result.reason), text += strlen(text);
		else
			ok = false;
	if (ok)
		return;
	scenario_fail(s, "the result differs from '%s' on:", text);
	for (int i = 0; i < s->seats; i++)
		fprintf(s->out, "    seat %d score %d rank %d team %d\n", i, score[i],
			rank[i], team[i]);
	fprintf(s->out, "    reason %s\n", result.reason);
}
