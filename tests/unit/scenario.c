/* Runs the scenario files of tests/rules. */
#include "tests/unit/scenario_internal.h"
#include "arbiter/table/notation.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void scenario_fail(struct scenario *s, const char *format, ...)
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

char *scenario_trim(char *text)
{
	size_t n;

	while (isspace((unsigned char)*text))
		text++;
	for (n = strlen(text); n && isspace((unsigned char)text[n - 1]);)
		text[--n] = 0;
	return text;
}

void scenario_invariants(struct scenario *s)
{
	const char *broken = s->game->invariants(s->state);

	if (broken)
		scenario_fail(s, "invariant broken: %s", broken);
}

/* The table is complete: no more indented lines will come. */
static void close_block(struct scenario *s)
{
	if (s->block == BLOCK_TABLE && !s->failed) {
		s->game->complete(s->state);
		scenario_invariants(s);
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
			scenario_fail(s, "'%s' is not name=value", token);
			return;
		}
		*value++ = 0;
		index = game_option_find(s->game, token);
		if (index < 0 || !game_option_parse(&s->game->options[index], value,
					 &s->option[index]))
			scenario_fail(s, "option %s=%s is not allowed", token, value);
	}
}

/* `field: tokens` or `field 2: tokens` inside a block. */
static void block_line(struct scenario *s, char *line)
{
	struct why why;
	char got[NOTATION_MAX];
	static _Alignas(16) uint8_t wanted[GAME_STATE_MAX];
	uint8_t *state = s->block == BLOCK_VIEW ? s->view : s->state;
	char *colon = strchr(line, ':'), name[64], rest;
	int outer = -1, fields;

	if (!colon) {
		scenario_fail(s, "'%s' is not `field: tokens`", line);
		return;
	}
	*colon = 0;
	fields = sscanf(line, "%63s %d %c", name, &outer, &rest);
	if (fields > 2 || outer < -1 ||
		(fields == 1 && strcspn(line, " \t") != strlen(line))) {
		scenario_fail(s, "'%s' is not a field", line);
		return;
	}
	memcpy(wanted, state, sizeof(wanted));
	if (!notation_parse_field(
		    s->game, wanted, name, outer, scenario_trim(colon + 1), &why)) {
		scenario_fail(s, "%s", why.text);
	} else if (s->block == BLOCK_TABLE) {
		memcpy(state, wanted, sizeof(wanted));
	} else if (!notation_field_equal(s->game, state, wanted, name, outer)) {
		notation_field(s->game, state, name, outer, got, sizeof(got));
		scenario_fail(
			s, "%s is '%s', not '%s'", line, got, scenario_trim(colon + 1));
	}
	if (s->block != BLOCK_TABLE)
		s->demanded = true;
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
			scenario_fail(s, "%s seats are not allowed", text);
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
		scenario_demand_legal(s, seat, text);
	else if (!strcmp(verb, "legal") && seated && !strcmp(mode, "has"))
		scenario_demand_legal_part(s, seat, text, true);
	else if (!strcmp(verb, "legal") && seated && !strcmp(mode, "lacks"))
		scenario_demand_legal_part(s, seat, text, false);
	else if (*mode)
		return false;
	else if (!strcmp(verb, "refuse") && seated)
		scenario_refuse(s, seat, text);
	else if (!strcmp(verb, "raw") && seated)
		scenario_raw(s, seat, text);
	else if (!strcmp(verb, "offence") && seated)
		scenario_offence(s, seat, text);
	else if (!strcmp(verb, "events") && !*who)
		scenario_demand_events(s, OMNISCIENT, text);
	else if (!strcmp(verb, "events") && (seated || !strcmp(who, "spectator")))
		scenario_demand_events(s, seat, text);
	else if (!strcmp(verb, "expect") && !*who && !*text)
		s->block = BLOCK_EXPECT;
	else if (!strcmp(verb, "view") && (seated || !strcmp(who, "spectator")) && !*text)
		open_view(s, who);
	else if (!strcmp(verb, "result") && !*who)
		scenario_demand_result(s, text);
	else
		demands = false;
	if (demands) {
		s->demanded |= s->block == BLOCK_NONE;
		return true;
	}
	if (!strcmp(verb, "do") && seated)
		scenario_do(s, seat, text);
	else if (!strcmp(verb, "chance") && *who)
		scenario_chance(s, who, text);
	else if (!strcmp(verb, "forced") && !*who && !*text)
		scenario_forced(s);
	else
		return false;
	return true;
}

static void scenario_line(struct scenario *s, char *line)
{
	char key[128], verb[32] = "", who[32] = "", mode[32] = "", rest;
	char *colon = strchr(line, ':'),
	     *text = colon ? scenario_trim(colon + 1) : line + strlen(line);

	snprintf(key, sizeof(key), "%.*s", (int)(text == line ? 0 : strcspn(line, ":")),
		line);
	if (!s->started && setup_line(s, key, text))
		return;
	if (sscanf(key, "%31s %31s %31s %c", verb, who, mode, &rest) > 3) {
		scenario_fail(s, "'%s' is not understood", line);
		return;
	}
	start(s);
	if (!step_line(s, verb, who, mode, text))
		scenario_fail(s, "'%s' is not understood", line);
}

static void scenario_close(struct scenario *s, struct scenario_count *count)
{
	if (!s->open)
		return;
	close_block(s);
	if (!s->demanded)
		scenario_fail(s, "it demands nothing");
	if (!s->proves)
		scenario_fail(s, "it has no `proves:` line");
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
	line = scenario_trim(raw);
	if (!*line)
		return;
	if (!strncmp(line, "scenario:", 9)) {
		scenario_close(s, count);
		scenario_open(s, scenario_trim(line + 9));
	} else if (!s->open) {
		scenario_fail(s, "'%s' stands before the first scenario", line);
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
		scenario_fail(&s, "cannot be opened");
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
