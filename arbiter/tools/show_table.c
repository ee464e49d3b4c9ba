/* A view as a table, a row for each seat. */
#include "arbiter/tools/show.h"
#include "arbiter/table/notation.h"

#include <string.h>

enum { COLUMNS_MAX = 48, CELL_WIDTH_MAX = 22 };

/* The fields that become columns; the others get lines of their own. */
struct table {
	const struct game *game;
	const void *view;
	int seats;
	int room;               /* columns of text */
	int width[COLUMNS_MAX]; /* 0: no column */
};

static bool is_blank(const char *text)
{
	return !strcmp(text, "-") || !strcmp(text, "");
}

/* Fields that only the viewer sees are no columns: the other rows would be blank. */
static bool is_column(const struct table *t, const struct game_field *field)
{
	return field->dim[0].kind == LENGTH_SEATS &&
	       (field->see == SEE_ALL || game_head(t->view)->viewer < 0);
}

/* The width of the widest cell of a field, including its name; 0 if all are blank. */
static int width_of(const struct table *t, const struct game_field *field)
{
	char text[NOTATION_MAX];
	size_t width = 0;

	for (int seat = 0; seat < t->seats; seat++) {
		size_t n = notation_field(
			t->game, t->view, field->name, seat, text, sizeof(text));

		if (!is_blank(text) && n > width)
			width = n;
	}
	if (width && width < strlen(field->name))
		width = strlen(field->name);
	return (int)width;
}

static void choose_columns(struct table *t)
{
	int total = 6;

	for (int i = 0; i < t->game->field_count && i < COLUMNS_MAX; i++) {
		int width;

		if (!is_column(t, &t->game->fields[i]))
			continue;
		width = width_of(t, &t->game->fields[i]);
		if (width > CELL_WIDTH_MAX || total + width + 2 > t->room)
			continue;
		t->width[i] = width;
		total += width ? width + 2 : 0;
	}
}

/* seat < 0: the headings. */
static void print_row(const struct table *t, int seat, FILE *out)
{
	char text[NOTATION_MAX];
	int gap = 2;

	if (seat < 0)
		fputs("  seat", out);
	else
		fprintf(out, "  %4d", seat);
	for (int i = 0; i < t->game->field_count && i < COLUMNS_MAX; i++) {
		if (!t->width[i])
			continue;
		if (seat < 0)
			snprintf(text, sizeof(text), "%s", t->game->fields[i].name);
		else
			notation_field(t->game, t->view, t->game->fields[i].name, seat,
				text, sizeof(text));
		fprintf(out, "%*s%s", gap, "", text);
		gap = t->width[i] - (int)strlen(text) + 2;
	}
	fputc('\n', out);
}

/* Appends `name: text` to the current line if it fits, else begins a new one. */
static void print_item(
	const struct table *t, const char *name, const char *text, int *used, FILE *out)
{
	int n = (int)(strlen(name) + strlen(text)) + 2;

	if (is_blank(text))
		return;
	if (*used && *used + n + 3 > t->room) {
		fputc('\n', out);
		*used = 0;
	}
	fprintf(out, "%s%s: %s", *used ? "; " : "  ", name, text);
	*used += n + 3;
}

/* `owned`: print the viewer's own fields, else all others. */
static void print_by_seat(const struct table *t, const struct game_field *field,
	bool owned, int *used, FILE *out)
{
	int viewer = game_head(t->view)->viewer;
	char text[NOTATION_MAX], name[64];

	for (int seat = 0; seat < t->seats; seat++) {
		bool own = field->see != SEE_ALL && viewer >= 0;

		if (own != owned || (own && seat != viewer))
			continue;
		notation_field(t->game, t->view, field->name, seat, text, sizeof(text));
		if (own)
			snprintf(name, sizeof(name), "own %s", field->name);
		else
			snprintf(name, sizeof(name), "%s %d", field->name, seat);
		print_item(t, name, text, used, out);
	}
}

static void print_rest(const struct table *t, bool owned, FILE *out)
{
	char text[NOTATION_MAX];
	int used = 0;

	for (int i = 0; i < t->game->field_count; i++) {
		const struct game_field *field = &t->game->fields[i];

		if (field->dim[0].kind == LENGTH_SEATS) {
			if (i >= COLUMNS_MAX || !t->width[i])
				print_by_seat(t, field, owned, &used, out);
			continue;
		}
		if (owned)
			continue;
		notation_field(t->game, t->view, field->name, -1, text, sizeof(text));
		print_item(t, field->name, text, &used, out);
	}
	if (used)
		fputc('\n', out);
}

void replay_print_view(const struct game *game, const void *view, int width, FILE *out)
{
	struct table table = {.game = game,
		.view = view,
		.seats = game_head(view)->seats,
		.room = width};

	choose_columns(&table);
	print_row(&table, -1, out);
	for (int seat = 0; seat < table.seats; seat++)
		print_row(&table, seat, out);
	print_rest(&table, true, out);
	print_rest(&table, false, out);
}
