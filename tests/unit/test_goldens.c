/*
 * Golden playthroughs: the beginning of a match of every variant, with everything that
 * every viewer gets: events, what changed in the view (and a digest of its bytes on the
 * wire), legal actions. `make goldens` writes them again; review the diff.
 */
#include "tests/unit/each_game.h"
#include "tests/unit/playout.h"
#include "tests/unit/wire.h"
#include "arbiter/table/notation.h"
#include "games/fields.h"

#include <ctype.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
	STEPS = 60,
	VIEWERS_MAX = GAME_SEATS_MAX + 2, /* all seats, spectator, omniscient */
	MATCH_NUMBER = 7000
};

struct golden {
	const struct game *game;
	struct playout match;
	FILE *out;
	struct table last[VIEWERS_MAX]; /* the views before this step */
};

static int slot_of(int viewer)
{
	return viewer - OMNISCIENT;
}

static const char *viewer_name(int viewer, char name[16])
{
	if (viewer == OMNISCIENT)
		return "omniscient";
	if (viewer == SPECTATOR)
		return "spectator";
	snprintf(name, 16, "%d", viewer);
	return name;
}

/* Writes texts of all viewers; viewers with the same text share a line. */
static void print_grouped(struct golden *g, const char *what, char *text[VIEWERS_MAX])
{
	int n = g->match.seats + 2;
	bool done[VIEWERS_MAX] = {false};

	for (int i = 0; i < n; i++) {
		bool first = true;

		if (done[i] || !*text[i])
			continue;
		fprintf(g->out, "  %s ", what);
		for (int k = i; k < n; k++) {
			char name[16];

			if (strcmp(text[k], text[i]))
				continue;
			done[k] = true;
			fprintf(g->out, "%s%s", first ? "" : ",",
				viewer_name(k + OMNISCIENT, name));
			first = false;
		}
		fprintf(g->out, ": %s\n", text[i]);
	}
	for (int i = 0; i < n; i++)
		free(text[i]);
}

static void print_events(struct golden *g, const struct events *events)
{
	char *text[VIEWERS_MAX];

	for (int v = OMNISCIENT; v < g->match.seats; v++) {
		char line[NOTATION_MAX];
		size_t size;
		FILE *out = open_memstream(&text[slot_of(v)], &size);

		for (int i = 0; i < events->count; i++) {
			notation_event(g->game, &events->list[i], v, line, sizeof(line));
			fprintf(out, "%s%s", i ? " ; " : "", line);
		}
		fclose(out);
	}
	print_grouped(g, "events", text);
}

static void print_field(struct golden *g, FILE *out, const struct game_field *field,
	struct table *view, struct table *last)
{
	bool by_seat = field->dim[0].kind == LENGTH_SEATS;
	char line[NOTATION_MAX];

	for (int o = by_seat ? 0 : -1; o < (by_seat ? g->match.seats : 0); o++) {
		if (notation_field_equal(
			    g->game, view->bytes, last->bytes, field->name, o))
			continue;
		notation_field(g->game, view->bytes, field->name, o, line, sizeof(line));
		if (o < 0)
			fprintf(out, "; %s: %s", field->name, line);
		else
			fprintf(out, "; %s %d: %s", field->name, o, line);
	}
}

static char *describe_view(struct golden *g, int viewer)
{
	static const char *const head[] = {"phase", "need", "act", "pending"};
	struct table view, *last = &g->last[slot_of(viewer)];
	char *text, line[NOTATION_MAX];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	game_observe(g->game, g->match.state.bytes, viewer, view.bytes);
	for (int i = 0; i < 4; i++) {
		if (notation_field_equal(g->game, view.bytes, last->bytes, head[i], -1))
			continue;
		notation_field(g->game, view.bytes, head[i], -1, line, sizeof(line));
		fprintf(out, "; %s: %s", head[i], line);
	}
	for (int i = 0; i < g->game->field_count; i++)
		print_field(g, out, &g->game->fields[i], &view, last);
	fclose(out);
	*last = view;
	if (*text)
		memmove(text, text + 2, strlen(text + 2) + 1);
	return text;
}

static void print_views(struct golden *g)
{
	char *text[VIEWERS_MAX];

	for (int v = OMNISCIENT; v < g->match.seats; v++)
		text[slot_of(v)] = describe_view(g, v);
	print_grouped(g, "view", text);
}

/* Every byte of every view counts, though the text shows only what changed. */
static void print_digest(struct golden *g)
{
	struct wire wire;
	uint64_t hash = 0xcbf29ce484222325u;

	wire_init(&wire);
	for (int v = OMNISCIENT; v < g->match.seats; v++)
		wire_view(&wire, g->game, g->match.state.bytes, v);
	for (size_t i = 0; i < wire.buffer.size; i++)
		hash = (hash ^ (uint8_t)wire.buffer.data[i]) * 0x100000001b3u;
	fprintf(g->out, "  bytes: %zu %016llx\n", wire.buffer.size,
		(unsigned long long)hash);
	wire_release(&wire);
}

static void print_legal(struct golden *g)
{
	struct action legal[GAME_LEGAL_MAX];
	char text[NOTATION_MAX];

	for (int seat = 0; seat < g->match.seats; seat++) {
		int n = g->game->legal(g->match.state.bytes, seat, legal);

		for (int i = 0; i < n; i++) {
			notation_action(g->game, &legal[i], text, sizeof(text));
			if (i)
				fprintf(g->out, " | %s", text);
			else
				fprintf(g->out, "  legal %d: %s", seat, text);
		}
		if (n)
			fputc('\n', g->out);
	}
}

static void print_step(struct golden *g, const struct step *step)
{
	char text[NOTATION_MAX];

	if (step->what == STEP_CHANCE) {
		notation_order(
			g->game, step->kind, step->order, step->n, text, sizeof(text));
		fprintf(g->out, "%d chance %s %d: %s\n", g->match.count,
			game_chance_names[step->kind], step->index, text);
	} else {
		notation_action(g->game, &step->action, text, sizeof(text));
		fprintf(g->out, "%d %s %d: %s\n", g->match.count,
			step->what == STEP_ACTION ? "do" : "offence", step->seat, text);
	}
}

static void print_match(struct golden *g)
{
	static struct events events;
	const struct step *step;

	print_views(g);
	print_digest(g);
	print_legal(g);
	while (g->match.count < STEPS) {
		events.count = 0;
		step = playout_step(&g->match, &events);
		if (!step)
			break;
		print_step(g, step);
		print_events(g, &events);
		print_views(g);
		print_digest(g);
		print_legal(g);
	}
}

static char *make_golden(const struct game *game, const struct variant *variant)
{
	static struct golden g;
	char *text, name[256];
	size_t size;

	memset(&g, 0, sizeof(g));
	g.game = game;
	variant_name(variant, name, sizeof(name));
	cr_assert(playout_init(&g.match, game, variant, MATCH_NUMBER));
	g.match.offence_percent = 5;
	for (int v = OMNISCIENT; v < variant->seats; v++)
		game_blank(
			game, variant->seats, g.match.option, g.last[slot_of(v)].bytes);
	g.out = open_memstream(&text, &size);
	fprintf(g.out, "golden: %s; rules version %d\n", name, game->rules_version);
	print_match(&g);
	fclose(g.out);
	playout_release(&g.match);
	return text;
}

static void golden_path(const struct variant *variant, char *path, size_t size)
{
	char name[256];

	variant_name(variant, name, sizeof(name));
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	snprintf(path, size, "tests/golden/%s/%s.txt", variant->game,
		name + strlen(variant->game) + 2);
}

static void write_golden(const char *path, const char *text)
{
	char folder[300];
	FILE *file;

	mkdir("tests/golden", 0777);
	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	mkdir(folder, 0777);
	file = fopen(path, "w");
	cr_assert(file, "%s cannot be written", path);
	fputs(text, file);
	fclose(file);
}

static void compare_golden(const char *path, const char *text)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	int number = 1;

	cr_assert(file, "there is no %s; `make goldens` writes it", path);
	for (; getline(&line, &size, file) >= 0; number++) {
		size_t n = strlen(line);

		cr_assert_eq(strncmp(line, text, n), 0,
			"%s:%d differs\n  was: %.300s  is:  %.*s", path, number, line,
			(int)strcspn(text, "\n") < 300 ? (int)strcspn(text, "\n") : 300,
			text);
		text += n;
	}
	cr_assert(!*text, "%s:%d: the match goes on", path, number);
	free(line);
	fclose(file);
}

static size_t count_files(const struct game *game)
{
	char pattern[128];
	glob_t files = {0};
	size_t n;

	snprintf(pattern, sizeof(pattern), "tests/golden/%s/*.txt", game->id);
	glob(pattern, 0, NULL, &files);
	n = files.gl_pathc;
	globfree(&files);
	return n;
}

static void run(const struct game *game)
{
	const char *mode = getenv("PIGPEN_GOLDENS");
	size_t count = 0;

	for (const struct variant *v = variants; v->game; v++) {
		char path[300], *text;

		if (strcmp(v->game, game->id))
			continue;
		count++;
		golden_path(v, path, sizeof(path));
		text = make_golden(game, v);
		if (mode && !strcmp(mode, "write"))
			write_golden(path, text);
		else
			compare_golden(path, text);
		free(text);
	}
	cr_expect_eq(count_files(game), count,
		"tests/golden/%s holds files of variants that are no more; remove them",
		game->id);
}

EACH_GAME(goldens, run)
