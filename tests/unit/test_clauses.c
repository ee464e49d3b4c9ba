/*
 * Every clause of specs/games is proved by a scenario, and every clause that a
 * scenario, a refusal or a comment of the rules names stands in the spec.
 */
#include "tests/unit/each_game.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLAUSES_MAX = 400, CLAUSE_SIZE = 24 };

struct clauses {
	int count;
	char id[CLAUSES_MAX][CLAUSE_SIZE];
};

static bool clauses_have(const struct clauses *set, const char *id)
{
	for (int i = 0; i < set->count; i++)
		if (!strcmp(set->id[i], id))
			return true;
	return false;
}

static void clauses_add(struct clauses *set, const char *id)
{
	if (clauses_have(set, id))
		return;
	cr_assert_lt(set->count, CLAUSES_MAX);
	snprintf(set->id[set->count++], CLAUSE_SIZE, "%s", id);
}

static size_t digits(const char *text)
{
	return strspn(text, "0123456789");
}

/* Finds the next id (PREFIX-1.2) from `text` on and copies it; NULL at the end. The
 * rulings (R-PP-1) are other numbers. */
static const char *next_id(const char *text, const char *prefix, char id[CLAUSE_SIZE])
{
	size_t n = strlen(prefix);

	for (const char *at = text; (at = strstr(at, prefix)); at++) {
		const char *major = at + n + 1;
		size_t a, b;

		if (at[n] != '-' ||
			(at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '-')))
			continue;
		a = digits(major);
		b = a && major[a] == '.' ? digits(major + a + 1) : 0;
		if (!b)
			continue;
		snprintf(id, CLAUSE_SIZE, "%.*s", (int)(n + 1 + a + 1 + b), at);
		return major + a + 1 + b;
	}
	return NULL;
}

typedef void line_fn(const struct game *game, char *line, struct clauses *set);

static void each_line(
	const struct game *game, const char *pattern, line_fn *fn, struct clauses *set)
{
	glob_t files;
	char *line = NULL;
	size_t size = 0;

	cr_assert_eq(glob(pattern, 0, NULL, &files), 0, "there is no %s", pattern);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		FILE *file = fopen(files.gl_pathv[i], "r");

		cr_assert(file);
		while (getline(&line, &size, file) >= 0)
			fn(game, line, set);
		fclose(file);
	}
	free(line);
	globfree(&files);
}

/* `**PP-4.2** text` at the beginning of a line, perhaps of a list. */
static void spec_line(const struct game *game, char *line, struct clauses *set)
{
	char id[CLAUSE_SIZE], bold[CLAUSE_SIZE + 8];

	line += strspn(line, " -*\t");
	if (!next_id(line, game->prefix, id) || strncmp(line, id, strlen(id)))
		return;
	snprintf(bold, sizeof(bold), "%s**", id);
	if (strncmp(line, bold, strlen(bold)))
		return;
	cr_expect(!clauses_have(set, id), "%s stands twice in the spec", id);
	clauses_add(set, id);
}

static void proves_line(const struct game *game, char *line, struct clauses *set)
{
	char id[CLAUSE_SIZE];
	const char *at = line;

	if (strncmp(line, "proves:", 7))
		return;
	for (char *token = strtok(line + 7, " \t\n,"); token;
		token = strtok(NULL, " \t\n,")) {
		if (*token == '#')
			break;
		at = next_id(token, game->prefix, id);
		cr_expect(at && !*at, "'%s' is not a clause of %s", token, game->id);
		if (at)
			clauses_add(set, id);
	}
}

static void any_line(const struct game *game, char *line, struct clauses *set)
{
	char id[CLAUSE_SIZE];

	for (const char *at = line; (at = next_id(at, game->prefix, id));)
		clauses_add(set, id);
}

static void expect_all(
	const struct clauses *set, const struct clauses *in, const char *why)
{
	for (int i = 0; i < set->count; i++)
		cr_expect(clauses_have(in, set->id[i]), "%s %s", set->id[i], why);
}

static void run(const struct game *game)
{
	static struct clauses spec, proved, scenarios, code;
	char path[256];

	snprintf(path, sizeof(path), "specs/games/%s.md", game->id);
	each_line(game, path, spec_line, &spec);
	snprintf(path, sizeof(path), "tests/rules/%s/*.txt", game->id);
	each_line(game, path, proves_line, &proved);
	each_line(game, path, any_line, &scenarios);
	snprintf(path, sizeof(path), "games/%s/*.[ch]", game->id);
	each_line(game, path, any_line, &code);
	fprintf(stderr, "note: %s: %d clauses, %d proved\n", game->id, spec.count,
		proved.count);
	cr_expect_gt(spec.count, 3);
	cr_expect_gt(code.count, 3, "the rules of %s name no clauses", game->id);
	expect_all(&spec, &proved, "is proved by no scenario");
	expect_all(&scenarios, &spec, "is named by a scenario, but not in the spec");
	expect_all(&code, &spec, "is named in games/, but not in the spec");
}

EACH_GAME(clauses, run)
