/*
 * Golden output of `replay show`, `export` and `stats` for each game, of matches in which
 * everything happens: notes, refusals, offences, a lost connection, a fault.
 * PIGPEN_GOLDENS=write writes tests/golden/replay again; review the diff.
 */
#include "tests/unit/each_game.h"
#include "tests/unit/replay_maker.h"
#include "arbiter/tools/export.h"
#include "arbiter/tools/seat_log.h"
#include "arbiter/tools/show.h"
#include "arbiter/tools/stats.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

static const struct variant golden_variants[] = {
	{"pig_pile", 3, "max_turns=20 rounds=1 faults=penalty"},
	{"pig_it_hog_it", 4, "faults=penalty games=1 max_rounds=2"},
	{"galloping_pigs", 3, "rounds=1 food_on_track=true"},
	{"dirty_pig", 3, "max_turns=40 hand=4"},
	{"tennessee_pig", 4, "faults=penalty max_hands=2"},
};

static const struct variant *variant_of(const struct game *game)
{
	const struct variant *v = golden_variants;

	while (strcmp(v->game, game->id))
		v++;
	return v;
}

static void write_golden(const char *path, const char *text)
{
	FILE *file;

	mkdir("tests/golden", 0777);
	mkdir("tests/golden/replay", 0777);
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
	cr_assert(!*text, "%s:%d: there is more", path, number);
	free(line);
	fclose(file);
}

/* One output: what was asked, and how to get it. */
struct output {
	const char *name;
	struct show_options show;
	int kind; /* 's'how, 'e'xport, full export 'f', seat's export 'o', s't'ats */
};

static const struct output outputs[] = {
	{"show.txt", {.viewer = OMNISCIENT, .to = INT_MAX}, 's'},
	{"show_seat_1.txt", {.viewer = 1, .to = INT_MAX}, 's'},
	{"show_events.txt", {.viewer = OMNISCIENT, .from = 3, .to = 9, .events = true},
		's'},
	{"show_at_7.txt", {.viewer = OMNISCIENT, .at = 7}, 's'},
	{"show_at_7_seat_0.txt", {.viewer = 0, .at = 7}, 's'},
	{"show.jsonl", {.viewer = OMNISCIENT, .to = 20, .json = true}, 's'},
	{"show_at_7.jsonl", {.viewer = OMNISCIENT, .at = 7, .json = true}, 's'},
	{"export.json", {0}, 'e'},
	{"export_canonical.json", {0}, 'c'},
	{"export_seat_0.json", {0}, 'o'},
	{"stats.txt", {0}, 't'},
	{"stats.json", {0}, 'j'},
};

static void print(const struct output *o, const char *path, FILE *out)
{
	struct export_options export = {.canonical = o->kind == 'c'};
	enum playback_status status = PLAYBACK_DONE;
	struct seat_log log;
	struct why why = {""};

	switch (o->kind) {
	case 's':
		status = replay_show(path, &o->show, out, &why);
		break;
	case 'e':
	case 'c':
		status = replay_export(path, &export, out, &why);
		break;
	case 'o':
		status = seat_log_from_replay(&log, path, 0, &why);
		seat_log_write_json(&log, out);
		seat_log_release(&log);
		break;
	default:
		status = replay_stats(path, o->kind == 'j', out, &why);
	}
	cr_assert_eq(status, PLAYBACK_DONE, "%s: %s", o->name, why.text);
}

static void run(const struct game *game)
{
	const char *mode = getenv("PIGPEN_GOLDENS");
	struct replay_plan plan = replay_plan_rich(game, variant_of(game), 8);
	struct replay_made made;
	char path[128];

	plan.fault_at = 18;
	plan.offence_percent = 10;
	replay_make(&plan, &made);
	snprintf(path, sizeof(path), "%s", replay_file("golden.replay"));
	replay_write(path, made.bytes, made.size);
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		char golden[256], *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		print(&outputs[i], path, out);
		fclose(out);
		snprintf(golden, sizeof(golden), "tests/golden/replay/%s.%s", game->id,
			outputs[i].name);
		if (mode && !strcmp(mode, "write"))
			write_golden(golden, text);
		else
			compare_golden(golden, text);
		free(text);
	}
	replay_made_release(&made);
}
EACH_GAME(replay_goldens, run)
