/* Standings and payoff matrix for people and for programs. */
#include "arbiter/ladder/rating/standings.h"
#include "protocol/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MATRIX_COLUMNS 8 /* that fit beside a name on 80 columns */

/* Counts characters, not bytes: "±" has two bytes. */
static void print_padded(FILE *out, const char *text, int width)
{
	int n = 0;

	for (const char *c = text; *c; c++)
		n += (*c & 0xc0) != 0x80;
	fprintf(out, "%*s%s", n < width ? width - n : 0, "", text);
}

static void print_interval(FILE *out, bool anchor, int sets, double low, double high)
{
	char text[32];

	if (anchor)
		snprintf(text, sizeof(text), "anchor");
	else if (sets < 2 || !isfinite(high))
		snprintf(text, sizeof(text), "?");
	else
		snprintf(text, sizeof(text), "±%.0f", (high - low) / 2);
	print_padded(out, text, 7);
}

/* Likelihood of being stronger than the next one in the list. */
static void print_superior(FILE *out, const struct standings *s, int row)
{
	int i = s->order[row], j = row + 1 < s->count ? s->order[row + 1] : -1;
	double p;

	if (j < 0 || !s->list[j].place) {
		fprintf(out, "        ");
		return;
	}
	p = 100 * s->superior[i * s->count + j];
	fprintf(out, p > 99.95 ? "  >99.9%%" : "  %5.1f%%", p);
}

static void print_reason(FILE *out, const char *state, const char *reason)
{
	char text[61];

	utf8_format(text, sizeof(text), "%s", reason);
	fprintf(out, "     %s: %s\n", state, text);
}

void standings_print(const struct standings *s, bool all, FILE *out)
{
	bool any = false;

	fprintf(out, "  #  %-20s %6s %7s  > next %6s %8s %7s\n", "entrant", "rating",
		"95 %", "sets", "matches", "faults");
	for (int row = 0; row < s->count; row++) {
		const struct standing *e = &s->list[s->order[row]];
		const char *state = e->entrant.state == ENTRANT_ACTIVE
					    ? ""
					    : entrant_state_names[e->entrant.state];

		if (e->entrant.state == ENTRANT_REMOVED && !all)
			continue;
		any = true;
		if (e->place)
			fprintf(out, "%3d  ", e->place);
		else
			fprintf(out, "  -  ");
		fprintf(out, "%-20.20s %6.0f ", e->entrant.name, e->rating.elo);
		print_interval(
			out, e->anchor, e->rating.sets, e->rating.low, e->rating.high);
		print_superior(out, s, row);
		fprintf(out, " %6d %8d %7d", e->rating.sets, e->matches, e->faults);
		if (*e->entrant.remote)
			fputs(" remote", out);
		if (*state)
			fprintf(out, " %s", state);
		fputc('\n', out);
		if (*e->entrant.reason)
			print_reason(out, state, e->entrant.reason);
	}
	if (!any)
		fputs("     nobody has entered: pigpen ladder add DIR BOT\n", out);
	fprintf(out, "%d duplicate sets, %d matches\n", s->sets, s->matches);
}

static void print_cell(FILE *out, const struct standings *s, int i, int j)
{
	const struct payoff *p = &s->payoff[i * s->count + j];
	char text[24];

	if (i == j)
		snprintf(text, sizeof(text), "-");
	else if (!p->sets)
		snprintf(text, sizeof(text), ".");
	else if (p->sets < 2)
		snprintf(text, sizeof(text), "%.0f", 100 * p->score);
	else
		snprintf(text, sizeof(text), "%.0f±%.0f", 100 * p->score, 100 * p->reach);
	print_padded(out, text, 7);
}

static void print_rings(FILE *out, const struct standings *s)
{
	for (int i = 0; i < s->rings; i++)
		fprintf(out, "ring: %s beats %s beats %s beats %s\n",
			s->list[s->ring[i].a].entrant.name,
			s->list[s->ring[i].b].entrant.name,
			s->list[s->ring[i].c].entrant.name,
			s->list[s->ring[i].a].entrant.name);
}

void standings_print_matrix(const struct standings *s, FILE *out)
{
	int shown = 0;

	while (shown < s->count && s->list[s->order[shown]].place)
		shown++;
	fputs("points in percent of the row's entrant against the column's, 95 % interval\n",
		out);
	for (int first = 0; first < shown; first += MATRIX_COLUMNS) {
		int last =
			first + MATRIX_COLUMNS < shown ? first + MATRIX_COLUMNS : shown;

		fprintf(out, "\n  #  %-16s", "entrant");
		for (int column = first; column < last; column++)
			fprintf(out, "%7d", column + 1);
		fputc('\n', out);
		for (int row = 0; row < shown; row++) {
			fprintf(out, "%3d  %-16.16s", row + 1,
				s->list[s->order[row]].entrant.name);
			for (int column = first; column < last; column++)
				print_cell(out, s, s->order[row], s->order[column]);
			fputc('\n', out);
		}
	}
	if (s->rings || s->variance.sets)
		fputc('\n', out);
	print_rings(out, s);
	if (s->variance.sets && s->variance.independent > 0)
		fprintf(out,
			"a duplicate set has %.0f %% of the variance of independent deals\n",
			100 * s->variance.duplicate / s->variance.independent);
}

/* The name, with the hash if another entrant has the same name. */
static void label(const struct store_entrant *entrants, int count,
	const struct store_entrant *entrant, char *text, size_t size)
{
	bool alone = true;

	for (int i = 0; i < count && alone; i++)
		alone = &entrants[i] == entrant ||
			strcmp(entrants[i].name, entrant->name) != 0;
	if (alone)
		snprintf(text, size, "%s", entrant->name);
	else
		snprintf(text, size, "%.17s@%.8s", entrant->name, entrant->hash);
}

void standings_print_history(const struct store_entrant *entrants, int entrant_count,
	const struct store_rating *ratings, int count, FILE *out)
{
	fprintf(out, "%6s  %-26s %6s %7s %6s\n", "epoch", "entrant", "rating", "95 %",
		"sets");
	for (int i = 0; i < count; i++) {
		const struct store_rating *r = &ratings[i];
		char name[80] = "?";

		if (r->entrant <= entrant_count)
			label(entrants, entrant_count, &entrants[r->entrant - 1], name,
				sizeof(name));
		fprintf(out, "%6lld  %-26.26s %6.0f ", (long long)r->epoch, name, r->elo);
		/* Only the anchor's rating is exact. */
		print_interval(out, r->low == r->high, r->sets, r->low, r->high);
		fprintf(out, " %6d\n", r->sets);
	}
}

static json_t *number_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *standing_json(const struct standing *e)
{
	json_t *object = json_object();

	json_object_set_new(object, "place", json_integer(e->place));
	json_object_set_new(object, "id", json_integer(e->entrant.id));
	json_object_set_new(object, "name", json_string(e->entrant.name));
	json_object_set_new(object, "hash", json_string(e->entrant.hash));
	json_object_set_new(object, "version", json_string(e->entrant.version));
	json_object_set_new(object, "author", json_string(e->entrant.author));
	json_object_set_new(object, "language", json_string(e->entrant.language));
	json_object_set_new(object, "added", json_integer(e->entrant.added_unix_s));
	json_object_set_new(
		object, "state", json_string(entrant_state_names[e->entrant.state]));
	json_object_set_new(object, "reason", json_string(e->entrant.reason));
	json_object_set_new(object, "remote", json_boolean(*e->entrant.remote));
	json_object_set_new(object, "anchor", json_boolean(e->anchor));
	json_object_set_new(object, "elo", number_or_null(e->rating.elo));
	json_object_set_new(
		object, "low", number_or_null(e->rating.sets < 2 ? NAN : e->rating.low));
	json_object_set_new(object, "high",
		number_or_null(e->rating.sets < 2 ? NAN : e->rating.high));
	json_object_set_new(object, "sets", json_integer(e->rating.sets));
	json_object_set_new(object, "matches", json_integer(e->matches));
	json_object_set_new(object, "faults", json_integer(e->faults));
	return object;
}

json_t *standings_json(const struct standings *s)
{
	json_t *root = json_object(), *list = json_array();

	for (int i = 0; i < s->count; i++)
		json_array_append_new(list, standing_json(&s->list[s->order[i]]));
	json_object_set_new(root, "sets", json_integer(s->sets));
	json_object_set_new(root, "matches", json_integer(s->matches));
	json_object_set_new(root, "standings", list);
	return root;
}

static json_t *payoff_json(const struct standings *s, int i, int j)
{
	const struct payoff *p = &s->payoff[i * s->count + j];
	json_t *cell = json_object();

	json_object_set_new(cell, "row", json_integer(s->list[i].entrant.id));
	json_object_set_new(cell, "column", json_integer(s->list[j].entrant.id));
	json_object_set_new(cell, "sets", json_integer(p->sets));
	json_object_set_new(cell, "score", json_real(p->score));
	json_object_set_new(
		cell, "reach", p->sets < 2 ? json_null() : json_real(p->reach));
	json_object_set_new(cell, "superior", json_real(s->superior[i * s->count + j]));
	return cell;
}

json_t *standings_matrix_json(const struct standings *s)
{
	json_t *root = json_object(), *cells = json_array(), *rings = json_array();

	for (int i = 0; i < s->count; i++)
		for (int j = 0; j < s->count; j++)
			if (i != j && s->payoff[i * s->count + j].sets)
				json_array_append_new(cells, payoff_json(s, i, j));
	for (int i = 0; i < s->rings; i++)
		json_array_append_new(rings,
			json_pack("[I,I,I]", (json_int_t)s->list[s->ring[i].a].entrant.id,
				(json_int_t)s->list[s->ring[i].b].entrant.id,
				(json_int_t)s->list[s->ring[i].c].entrant.id));
	json_object_set_new(root, "cells", cells);
	json_object_set_new(root, "rings", rings);
	json_object_set_new(root, "luck",
		json_pack("{s:f,s:f,s:i}", "duplicate", s->variance.duplicate,
			"independent", s->variance.independent, "sets",
			s->variance.sets));
	return root;
}
