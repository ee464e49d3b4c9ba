/* Printing a position: the table, what led to it, the decision, the legal moves. */
#include "arbiter/tools/screen_match.h"
#include "arbiter/tools/show.h"
#include "arbiter/table/notation.h"

#include <string.h>

static bool is_open(int viewer, int seat)
{
	return viewer == OMNISCIENT || viewer == seat;
}

static void print_events(const struct screen_match *m, int position, int viewer,
	const char *lead, FILE *out)
{
	size_t end = position < m->last ? m->position[position + 1].happening : m->events;
	char text[NOTATION_MAX];

	for (size_t i = m->position[position].happening; i < end; i++) {
		notation_event(m->game, &m->event[i], viewer, text, sizeof(text));
		fprintf(out, "%-8s%s\n", lead, text);
		lead = "";
	}
}

static void print_troubles(
	const struct screen_match *m, int position, int viewer, FILE *out)
{
	size_t end = position < m->last ? m->position[position + 1].trouble : m->troubles;

	for (size_t i = m->position[position].trouble; i < end; i++)
		if (is_open(viewer, m->trouble[i].seat))
			fprintf(out, "!       %s\n", m->trouble[i].text);
}

static void print_note(const struct replay_move *move, FILE *out)
{
	if (!move->note.size)
		return;
	fputs("note    ", out);
	for (uint32_t i = 0; move->note_is_bytes && i < move->note.size; i++)
		fprintf(out, "%02x", (unsigned char)move->note.bytes[i]);
	if (!move->note_is_bytes)
		replay_print_text(move->note, out);
	fputc('\n', out);
}

static void print_move(
	const struct screen_match *m, const struct replay_move *move, FILE *out)
{
	char text[NOTATION_MAX];

	notation_action(m->game, &move->action, text, sizeof(text));
	fprintf(out, "seat %d  ", move->seat);
	replay_print_text(text_of(m->info.player[move->seat].name), out);
	fprintf(out, ": %s", text);
	if (move->by == BY_FORCED)
		fputs("  (forced)", out);
	if (move->by == BY_FALLBACK)
		fputs("  (the neutral move stands in)", out);
	if (move->offence.size) {
		fputs("  (offence against ", out);
		replay_print_text(move->offence, out);
		fputc(')', out);
	}
	fputc('\n', out);
	if (move->turn) {
		fputs("time    ", out);
		replay_print_time(replay_think_us(move), out);
		fputs(", CPU ", out);
		replay_print_time(move->cpu_us, out);
		fputs(", bank left ", out);
		replay_print_time(move->bank_us, out);
		fputc('\n', out);
	}
	print_note(move, out);
}

/* In as many columns as fit. */
static void print_legal(const struct screen_match *m,
	const struct screen_position *position, int width, FILE *out)
{
	struct action legal[GAME_LEGAL_MAX];
	char text[NOTATION_MAX];
	int n = m->game->legal(position->state, position->move.seat, legal);
	int widest = 1, columns;

	for (int i = 0; i < n; i++) {
		int length = (int)notation_action(m->game, &legal[i], text, sizeof(text));

		widest = length > widest ? length : widest;
	}
	columns = width / (widest + 8);
	columns = columns ? columns : 1;
	fprintf(out, "legal   %d\n", n);
	for (int i = 0; i < n; i++) {
		bool chosen = action_equal(&legal[i], &position->move.action);
		bool end = i % columns == columns - 1 || i == n - 1;

		notation_action(m->game, &legal[i], text, sizeof(text));
		fprintf(out, "%s%3d %-*s%s", chosen ? " > " : "   ", i,
			end ? 0 : widest + 1, text, end ? "\n" : "");
	}
}

void screen_match_print(
	const struct screen_match *m, int position, int viewer, int width, FILE *out)
{
	const struct screen_position *at = &m->position[position];
	_Alignas(16) uint8_t view[GAME_STATE_MAX];
	bool open = position < m->last && is_open(viewer, at->move.seat);

	game_observe(m->game, at->state, viewer, view);
	replay_print_view(m->game, view, width, out);
	fputc('\n', out);
	print_events(m, position, viewer, "before", out);
	print_troubles(m, position, viewer, out);
	fputc('\n', out);
	if (position == m->last) {
		fputs(m->ending, out);
		return;
	}
	if (open)
		print_move(m, &at->move, out);
	print_events(m, position + 1, viewer, "then", out);
	if (open)
		print_legal(m, at, width, out);
}
