#include "tests/unit/scenario.h"
#include "tests/unit/json_action.h"
#include "arbiter/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum block { BLOCK_NONE, BLOCK_TABLE, BLOCK_EXPECT, BLOCK_VIEW };

struct scenario {
	const struct game *game;
	const char *path;
	FILE *out;
	int line;
	char title[256];
	bool open;     /* a `scenario:` line was read */
	bool started;  /* the state is set up */
	bool demanded; /* something was asserted */
	bool failed;
	bool proves;
	enum block block;
	int seats;
	int16_t option[GAME_OPTIONS_MAX];
	struct events events; /* of the last step */
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	_Alignas(16) uint8_t view[GAME_STATE_MAX];
};

__attribute__((format(printf, 2, 3))) static void fail(
	struct scenario *s, const char *format, ...)
{
	va_list args;

	if (s->failed)
		return;
	s->failed = true;
	fprintf(s->out, "%s:%d: %s: ", s->path, s->line, s->title);
	va_start(args, format);
	vfprintf(s->out, format, args);
	va_end(args);
	fputc('\n', s->out);
}

static char *trim(char *text)
{
	size_t n;

	while (isspace((unsigned char)*text))
		text++;
	for (n = strlen(text); n && isspace((unsigned char)text[n - 1]);)
		text[--n] = 0;
	return text;
}

static void check_invariants(struct scenario *s)
{
	const char *broken = s->game->invariants(s->state);

	if (broken)
		fail(s, "invariant broken: %s", broken);
}

/* The table is complete: no more indented lines will come. */
static void close_block(struct scenario *s)
{
	if (s->block == BLOCK_TABLE && !s->failed) {
		s->game->complete(s->state);
		check_invariants(s);
	}
	s->block = BLOCK_NONE;
}

static void start(struct scenario *s)
{
	if (s->started)
		return;
	s->started = true;
	game_start(s->game, s->seats, s->option, s->state);
}

static void parse_options(struct scenario *s, char *text)
{
	for (char *token = strtok(text, " \t"); token; token = strtok(NULL, " \t")) {
		char *value = strchr(token, '=');
		int index;

		if (!value) {
			fail(s, "'%s' is not name=value", token);
			return;
		}
		*value++ = 0;
		index = game_option_find(s->game, token);
		if (index < 0 || !game_option_parse(&s->game->options[index], value,
					 &s->option[index]))
			fail(s, "option %s=%s is not allowed", token, value);
	}
}

static void step_done(struct scenario *s)
{
	check_invariants(s);
}

static void step_begin(struct scenario *s)
{
	s->events.count = 0;
}

static bool parse_action(struct scenario *s, char *text, struct action *action)
{
	char error[TEXT_ERROR_MAX];

	if (text_parse_action(s->game, trim(text), action, error))
		return true;
	fail(s, "action '%s': %s", text, error);
	return false;
}

static int find_legal(struct scenario *s, int seat, const struct action *action)
{
	struct action legal[GAME_LEGAL_MAX];
	int n = s->game->legal(s->state, seat, legal);

	for (int i = 0; i < n; i++)
		if (action_equal(&legal[i], action))
			return i;
	return -1;
}

static void step_do(struct scenario *s, int seat, char *text)
{
	struct refusal why = {"?", "?"};
	struct action action;

	if (!parse_action(s, text, &action))
		return;
	if (!s->game->check(s->state, seat, &action, &why))
		fail(s, "'%s' is refused: %s %s", text, why.clause, why.why);
	else if (find_legal(s, seat, &action) < 0)
		fail(s, "check allows '%s', but it is not in the legal list", text);
	if (s->failed)
		return;
	step_begin(s);
	s->game->apply(s->state, seat, &action, &s->events);
	step_done(s);
}

/* Splits `text -> clause`; NULL if there is no arrow. */
static char *split_clause(struct scenario *s, char *text)
{
	char *arrow = NULL;

	for (char *at = text; (at = strstr(at, "->")); at += 2)
		arrow = at;
	if (!arrow) {
		fail(s, "no `-> CLAUSE`");
		return NULL;
	}
	*arrow = 0;
	return trim(arrow + 2);
}

static void demand_refusal(
	struct scenario *s, int seat, const struct action *action, const char *clause)
{
	_Alignas(16) uint8_t before[GAME_STATE_MAX];
	struct refusal why = {"none", ""};

	memcpy(before, s->state, sizeof(before));
	if (s->game->check(s->state, seat, action, &why))
		fail(s, "check allows it");
	else if (strcmp(why.clause, clause))
		fail(s, "refused by %s (%s) instead of %s", why.clause, why.why, clause);
	else if (find_legal(s, seat, action) >= 0)
		fail(s, "refused, but in the legal list");
	if (memcmp(before, s->state, sizeof(before)))
		fail(s, "check changed the state");
}

static void step_refuse(struct scenario *s, int seat, char *text)
{
	char *clause = split_clause(s, text);
	struct action action;

	if (clause && parse_action(s, text, &action))
		demand_refusal(s, seat, &action, clause);
}

static void step_offence(struct scenario *s, int seat, char *text)
{
	char *clause = split_clause(s, text);
	struct action action;

	if (!clause || !parse_action(s, text, &action))
		return;
	demand_refusal(s, seat, &action, clause);
	if (s->failed)
		return;
	step_begin(s);
	if (!s->game->offence || !s->game->offence(s->state, seat, &action, &s->events))
		fail(s, "'%s' is not punished", text);
	step_done(s);
}

static void step_raw(struct scenario *s, int seat, char *text)
{
	char *clause = split_clause(s, text);
	struct refusal why = {"none", ""};
	struct action action;
	msgpack_zone zone;
	msgpack_object object;

	if (!clause)
		return;
	msgpack_zone_init(&zone, 4096);
	if (!json_to_object(trim(text), &zone, &object))
		fail(s, "'%s' is not JSON", text);
	else if (game_read_action(s->game, s->seats, &object, &action, &why))
		demand_refusal(s, seat, &action, clause);
	else if (strcmp(why.clause, clause))
		fail(s, "refused by %s (%s) instead of %s", why.clause, why.why, clause);
	msgpack_zone_destroy(&zone);
}

/* Puts the named tokens on top; the others of the request follow sorted. */
static bool build_order(
	struct scenario *s, const struct chance *request, char *text, uint8_t *order)
{
	char error[TEXT_ERROR_MAX];
	bool used[GAME_ORDER_MAX] = {false};
	int n = text_parse_order(s->game, request->kind, text, order, error), at;

	if (n < 0) {
		fail(s, "%s", error);
		return false;
	}
	for (int i = 0; i < n; i++) {
		for (at = 0; at < request->n; at++)
			if (!used[at] && request->token[at] == order[i])
				break;
		if (at == request->n) {
			fail(s, "token number %d is not among those to be ordered",
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

static void step_chance(struct scenario *s, const char *kind, char *text)
{
	struct chance request;
	uint8_t order[GAME_ORDER_MAX];

	if (game_head(s->state)->need != NEED_CHANCE) {
		fail(s, "no chance is needed here");
		return;
	}
	s->game->chance(s->state, &request);
	if (strcmp(game_chance_names[request.kind], kind)) {
		fail(s, "the game needs a %s", game_chance_names[request.kind]);
		return;
	}
	if (!build_order(s, &request, text, order))
		return;
	step_begin(s);
	s->game->apply_chance(s->state, order, request.n, &s->events);
	step_done(s);
}

static void step_forced(struct scenario *s)
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
		step_done(s);
		moves++;
	}
	if (!moves)
		fail(s, "nobody is forced here");
}

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
	char text[TEXT_MAX];
	size_t used = 0;

	buffer[0] = 0;
	for (int i = 0; i < s->events.count; i++) {
		text_event(s->game, &s->events.list[i], viewer, text, sizeof(text));
		used += (size_t)snprintf(
			buffer + used, size - used, "%s%s", i ? " ; " : "", text);
	}
	if (!s->events.count)
		snprintf(buffer, size, "-");
}

static void demand_events(struct scenario *s, int viewer, const char *text)
{
	static char got[GAME_EVENTS_MAX * 128], clean[GAME_EVENTS_MAX * 128];
	static char want[GAME_EVENTS_MAX * 128];

	join_events(s, viewer, got, sizeof(got));
	normalise(got, clean);
	normalise(text, want);
	if (strcmp(clean, want))
		fail(s, "events are\n    %s\n  not\n    %s", clean, want);
}

enum legal_mode { LEGAL_EXACT, LEGAL_HAS, LEGAL_LACKS };

static void demand_legal_part(
	struct scenario *s, int seat, char *text, enum legal_mode mode)
{
	struct action action;
	char *save = NULL;

	for (char *part = strtok_r(text, "|", &save); part;
		part = strtok_r(NULL, "|", &save)) {
		if (!parse_action(s, part, &action))
			return;
		if ((find_legal(s, seat, &action) >= 0) != (mode == LEGAL_HAS))
			fail(s, "'%s' is %s the legal list", trim(part),
				mode == LEGAL_HAS ? "not in" : "in");
	}
}

static void demand_legal(struct scenario *s, int seat, char *text)
{
	struct action legal[GAME_LEGAL_MAX];
	int n = s->game->legal(s->state, seat, legal);
	static char got[GAME_LEGAL_MAX * 64], want[GAME_LEGAL_MAX * 64];
	char action[TEXT_MAX];
	size_t used = 0;

	got[0] = 0;
	for (int i = 0; i < n; i++) {
		text_action(s->game, &legal[i], action, sizeof(action));
		used += (size_t)snprintf(
			got + used, sizeof(got) - used, "%s%s", i ? " | " : "", action);
	}
	if (!n)
		snprintf(got, sizeof(got), "-");
	snprintf(want, sizeof(want), "%s", text);
	normalise(text, want);
	if (strcmp(got, want))
		fail(s, "legal is\n    %s\n  not\n    %s", got, want);
}

/* `field: tokens` or `field 2: tokens` inside a block. */
static void block_line(struct scenario *s, char *line)
{
	char error[TEXT_ERROR_MAX], got[TEXT_MAX];
	static _Alignas(16) uint8_t wanted[GAME_STATE_MAX];
	uint8_t *state = s->block == BLOCK_VIEW ? s->view : s->state;
	char *colon = strchr(line, ':'), name[64], rest;
	int outer = -1, fields;

	if (!colon) {
		fail(s, "'%s' is not `field: tokens`", line);
		return;
	}
	*colon = 0;
	fields = sscanf(line, "%63s %d %c", name, &outer, &rest);
	if (fields > 2 || outer < -1 ||
		(fields == 1 && strcspn(line, " \t") != strlen(line))) {
		fail(s, "'%s' is not a field", line);
		return;
	}
	memcpy(wanted, state, sizeof(wanted));
	if (!text_parse_field(s->game, wanted, name, outer, trim(colon + 1), error)) {
		fail(s, "%s", error);
	} else if (s->block == BLOCK_TABLE) {
		memcpy(state, wanted, sizeof(wanted));
	} else if (!text_field_equal(s->game, state, wanted, name, outer)) {
		text_field(s->game, state, name, outer, got, sizeof(got));
		fail(s, "%s is '%s', not '%s'", line, got, trim(colon + 1));
	}
	if (s->block != BLOCK_TABLE)
		s->demanded = true;
}

static bool compare_numbers(char **text, const int *got, int n)
{
	for (int i = 0; i < n; i++) {
		char *end;

		if (strtol(*text, &end, 10) != got[i] || end == *text)
			return false;
		*text = end;
	}
	*text = trim(*text);
	return true;
}

static bool take_word(char **text, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*text, word, n) || !isspace((unsigned char)(*text)[n]))
		return false;
	*text = trim(*text + n);
	return true;
}

static void demand_result(struct scenario *s, char *text)
{
	struct game_result result;
	int score[GAME_SEATS_MAX], rank[GAME_SEATS_MAX], team[GAME_SEATS_MAX];
	bool ok = true;

	if (game_head(s->state)->need != NEED_NOTHING) {
		fail(s, "the match is not over");
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
	fail(s, "the result differs from '%s' on:", text);
	for (int i = 0; i < s->seats; i++)
		fprintf(s->out, "    seat %d score %d rank %d team %d\n", i, score[i],
			rank[i], team[i]);
	fprintf(s->out, "    reason %s\n", result.reason);
}

static void open_view(struct scenario *s, const char *who)
{
	int viewer = !strcmp(who, "spectator") ? SPECTATOR : atoi(who);

	s->block = BLOCK_VIEW;
	game_observe(s->game, s->state, viewer, s->view);
}

/* Lines that come before the table or the first step. */
static bool setup_line(struct scenario *s, const char *key, char *text)
{
	if (!strcmp(key, "proves")) {
		s->proves = *text != 0;
	} else if (!strcmp(key, "seats")) {
		s->seats = atoi(text);
		if (s->seats < s->game->seats_min || s->seats > s->game->seats_max) {
			fail(s, "%s seats are not allowed", text);
			s->seats = s->game->seats_min;
		}
	} else if (!strcmp(key, "options")) {
		parse_options(s, text);
	} else if (!strcmp(key, "table")) {
		s->block = BLOCK_TABLE;
		s->started = true;
		game_blank(s->game, s->seats, s->option, s->state);
	} else {
		return false;
	}
	return true;
}

/* A line that acts or demands; `who` is the word after the verb, or empty. */
static bool step_line(struct scenario *s, const char *verb, const char *who,
	const char *mode, char *text)
{
	bool seated = isdigit((unsigned char)*who) && atoi(who) < s->seats;
	int seat = seated ? atoi(who) : SPECTATOR;
	bool demands = true;

	if (!strcmp(verb, "legal") && seated && !*mode)
		demand_legal(s, seat, text);
	else if (!strcmp(verb, "legal") && seated && !strcmp(mode, "has"))
		demand_legal_part(s, seat, text, LEGAL_HAS);
	else if (!strcmp(verb, "legal") && seated && !strcmp(mode, "lacks"))
		demand_legal_part(s, seat, text, LEGAL_LACKS);
	else if (*mode)
		return false;
	else if (!strcmp(verb, "refuse") && seated)
		step_refuse(s, seat, text);
	else if (!strcmp(verb, "raw") && seated)
		step_raw(s, seat, text);
	else if (!strcmp(verb, "offence") && seated)
		step_offence(s, seat, text);
	else if (!strcmp(verb, "events") && !*who)
		demand_events(s, OMNISCIENT, text);
	else if (!strcmp(verb, "events") && (seated || !strcmp(who, "spectator")))
		demand_events(s, seat, text);
	else if (!strcmp(verb, "expect") && !*who && !*text)
		s->block = BLOCK_EXPECT;
	else if (!strcmp(verb, "view") && (seated || !strcmp(who, "spectator")) && !*text)
		open_view(s, who);
	else if (!strcmp(verb, "result") && !*who)
		demand_result(s, text);
	else
		demands = false;
	if (demands) {
		s->demanded |= s->block == BLOCK_NONE;
		return true;
	}
	if (!strcmp(verb, "do") && seated)
		step_do(s, seat, text);
	else if (!strcmp(verb, "chance") && *who)
		step_chance(s, who, text);
	else if (!strcmp(verb, "forced") && !*who && !*text)
		step_forced(s);
	else
		return false;
	return true;
}

static void scenario_line(struct scenario *s, char *line)
{
	char key[128], verb[32] = "", who[32] = "", mode[32] = "", rest;
	char *colon = strchr(line, ':'),
	     *text = colon ? trim(colon + 1) : line + strlen(line);

	snprintf(key, sizeof(key), "%.*s", (int)(text == line ? 0 : strcspn(line, ":")),
		line);
	if (!s->started && setup_line(s, key, text))
		return;
	if (sscanf(key, "%31s %31s %31s %c", verb, who, mode, &rest) > 3) {
		fail(s, "'%s' is not understood", line);
		return;
	}
	start(s);
	if (!step_line(s, verb, who, mode, text))
		fail(s, "'%s' is not understood", line);
}

static void scenario_close(struct scenario *s, struct scenario_count *count)
{
	if (!s->open)
		return;
	close_block(s);
	if (!s->demanded)
		fail(s, "it demands nothing");
	if (!s->proves)
		fail(s, "it has no `proves:` line");
	count->scenarios++;
	count->failed += s->failed;
}

static void scenario_open(struct scenario *s, const char *title)
{
	s->open = true;
	s->started = s->demanded = s->failed = s->proves = false;
	s->block = BLOCK_NONE;
	s->seats = s->game->seats_min;
	s->events.count = 0;
	game_defaults(s->game, s->option);
	snprintf(s->title, sizeof(s->title), "%s", title);
}

static void one_line(struct scenario *s, char *raw, struct scenario_count *count)
{
	bool indented = isspace((unsigned char)*raw);
	char *line;

	if (*raw == '#' || strstr(raw, " #"))
		*(*raw == '#' ? raw : strstr(raw, " #")) = 0;
	line = trim(raw);
	if (!*line)
		return;
	if (!strncmp(line, "scenario:", 9)) {
		scenario_close(s, count);
		scenario_open(s, trim(line + 9));
	} else if (!s->open) {
		fail(s, "'%s' stands before the first scenario", line);
	} else if (s->failed) {
		return;
	} else if (indented && s->block != BLOCK_NONE) {
		block_line(s, line);
	} else {
		close_block(s);
		if (!s->failed)
			scenario_line(s, line);
	}
}

void scenario_run_file(const struct game *game, const char *path, FILE *out,
	struct scenario_count *count)
{
	static struct scenario s;
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;

	memset(&s, 0, sizeof(s));
	s.game = game;
	s.path = path;
	s.out = out;
	if (!file) {
		fail(&s, "cannot be opened");
		count->failed++;
		return;
	}
	while (getline(&line, &size, file) >= 0) {
		s.line++;
		one_line(&s, line, count);
	}
	scenario_close(&s, count);
	if (!s.open && s.failed)
		count->failed++;
	free(line);
	fclose(file);
}
