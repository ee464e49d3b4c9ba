/* A replay as text for people: `pigpen replay show`. */
#include "arbiter/tools/show_internal.h"
#include "arbiter/table/fault.h"
#include "arbiter/table/notation.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

/* The column of a step's further lines, past its number and phase. */
#define INDENT "                "

void replay_print_text(struct text text, FILE *out)
{
	/* A byte becomes at most six, as in \u007f. */
	size_t capacity = 6 * (size_t)text.size + 1;
	char *shown = xmalloc(capacity);

	utf8_show(text, shown, capacity);
	fputs(shown, out);
	free(shown);
}

static void print_bytes(struct text bytes, FILE *out)
{
	for (uint32_t i = 0; i < bytes.size; i++)
		fprintf(out, "%02x", (unsigned char)bytes.bytes[i]);
}

void replay_print_time(int64_t us, FILE *out)
{
	if (us < 10000)
		fprintf(out, "%.2f ms", (double)us / 1000);
	else if (us < 1000000)
		fprintf(out, "%.1f ms", (double)us / 1000);
	else
		fprintf(out, "%.2f s", (double)us / 1000000);
}

static void print_options(const struct show *show)
{
	const struct game *game = show->game;
	bool any = false;

	fputs("options   ", show->out);
	for (int i = 0; i < game->option_count; i++) {
		int16_t value = show->info->setup.option[i];
		const char *word = game_option_word(&game->options[i], value);

		if (value == game->options[i].default_value)
			continue;
		fprintf(show->out, "%s%s=", any ? " " : "", game->options[i].name);
		if (word)
			fputs(word, show->out);
		else
			fprintf(show->out, "%d", value);
		any = true;
	}
	fputs(any ? "\n" : "all at their defaults\n", show->out);
}

static void print_players(const struct show *show)
{
	const struct compose_setup *setup = &show->info->setup;

	for (int seat = 0; seat < setup->seats; seat++) {
		const struct replay_player *player = &show->info->player[seat];

		fprintf(show->out, "seat %-5d", seat);
		if (show_is_open(show, seat) || setup->names_shown)
			replay_print_text(text_of(player->name), show->out);
		else
			fputs("(not shown)", show->out);
		if (show_is_open(show, seat)) {
			if (*player->version) {
				fputc(' ', show->out);
				replay_print_text(text_of(player->version), show->out);
			}
			if (*player->language) {
				fputs(", ", show->out);
				replay_print_text(text_of(player->language), show->out);
			}
			if (*player->hash)
				fprintf(show->out, ", %.12s", player->hash);
		}
		fputc('\n', show->out);
	}
}

static void print_header(struct show *show)
{
	const struct replay_info *info = show->info;
	char clock[128], date[32] = "";
	time_t start = (time_t)info->start_unix_s;
	struct tm tm;

	if (gmtime_r(&start, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &tm);
	clock_rules_format(&info->setup.clock, clock, sizeof(clock));
	fprintf(show->out, "%s, %d seats, rules %lld\n", show->game->title,
		info->setup.seats, (long long)info->rules);
	fprintf(show->out, "match     %lld, %s\n", (long long)info->setup.match_id, date);
	print_options(show);
	fprintf(show->out, "clock     %s of %s time\n", clock,
		clock_kind_names[info->setup.clock.kind]);
	fputs("faults    ", show->out);
	replay_print_text(text_of(info->policy), show->out);
	fprintf(show->out, ", retries %lld\n", (long long)info->retries);
	print_players(show);
	if (show->options->viewer >= 0)
		fprintf(show->out, "as seat %d saw it\n", show->options->viewer);
}

static void print_heading(struct show *show)
{
	if (show->round + 1 == show->heading)
		return;
	show->heading = show->round + 1;
	fputc('\n', show->out);
	if (show->round)
		fprintf(show->out, "── round %d ──\n", show->round);
}

/* Does the event only repeat the action above it? */
static bool is_echo(const struct show *show, const struct event *event,
	const struct replay_move *move)
{
	return move && show_is_open(show, move->seat) &&
	       !strcmp(show->game->events[event->kind].name,
		       show->game->verbs[move->action.verb].name);
}

/*
 * Prints events on one line, without those that repeat the action; with --events all of
 * them, one per line. `begun`: the first may continue the current line.
 */
static void print_events(struct show *show, const struct events *events,
	const struct replay_move *move, bool begun)
{
	char text[NOTATION_MAX];
	int printed = 0;

	for (int i = 0; i < events->count; i++) {
		const struct event *event = &events->list[i];

		if (!show->options->events && is_echo(show, event, move))
			continue;
		notation_event(
			show->game, event, show->options->viewer, text, sizeof(text));
		if (!printed++)
			fprintf(show->out, "%s%s", begun ? "" : INDENT "  ", text);
		else if (show->options->events)
			fprintf(show->out, "\n" INDENT "%s%s", begun ? "" : "  ", text);
		else
			fprintf(show->out, "; %s", text);
	}
	if (printed || begun)
		fputc('\n', show->out);
}

static void print_note(const struct replay_move *move, FILE *out)
{
	if (move->note_is_bytes) {
		fputs("bytes ", out);
		print_bytes(move->note, out);
	} else {
		fputc('"', out);
		replay_print_text(move->note, out);
		fputc('"', out);
	}
}

static void print_move(struct show *show, const struct playback_step *step)
{
	const struct replay_move *move = &step->move;
	char text[NOTATION_MAX];

	notation_action(show->game, &move->action, text, sizeof(text));
	fprintf(show->out, "%5d  %-8s seat %-2d  ", step->decision, show->phase,
		move->seat);
	if (move->turn) {
		fprintf(show->out, "%-30s ", text);
		replay_print_time(replay_think_us(move), show->out);
	} else {
		fprintf(show->out, "%-30s (%s)", text,
			move->by == BY_FORCED ? "forced" : "fallback");
	}
	if (move->by == BY_PENALTY) {
		fputs("  (offence against ", show->out);
		replay_print_text(move->offence, show->out);
		fputc(')', show->out);
	}
	fputc('\n', show->out);
	if (move->note.size) {
		fputs(INDENT "  note ", show->out);
		print_note(move, show->out);
		fputc('\n', show->out);
	}
}

/* For a move that the viewer may not know, only the events are shown. */
static void show_move(
	struct show *show, const struct playback_step *step, const struct events *events)
{
	bool open = show_is_open(show, step->move.seat);

	if (!open && !events->count)
		return;
	print_heading(show);
	if (open)
		print_move(show, step);
	else
		fprintf(show->out, "%5d  %-8s ", step->decision, show->phase);
	print_events(show, events, &step->move, !open);
}

static void show_chance(
	struct show *show, const struct replay_order *order, const struct events *events)
{
	bool open = show->options->viewer == OMNISCIENT;
	char text[NOTATION_MAX];

	print_heading(show);
	fprintf(show->out, "       %-8s ", game_chance_names[order->kind]);
	if (open) {
		notation_order(show->game, order->kind, order->order, order->n, text,
			sizeof(text));
		fprintf(show->out, "%s\n", text);
	}
	print_events(show, events, NULL, !open);
}

static void show_refusal(struct show *show, const struct replay_refused *refused)
{
	if (!show_is_open(show, refused->seat))
		return;
	fprintf(show->out, "    !  seat %d's answer to turn %u is refused by ",
		refused->seat, refused->turn);
	replay_print_text(refused->clause, show->out);
	fputs(": ", show->out);
	replay_print_text(refused->why, show->out);
	fputs("\n" INDENT "  it sent ", show->out);
	print_bytes(refused->answer, show->out);
	fputc('\n', show->out);
}

static void show_link(struct show *show, const struct replay_linked *linked)
{
	if (!show_is_open(show, linked->seat))
		return;
	fprintf(show->out, "    !  seat %d's connection is %s, ", linked->seat,
		linked->back ? "back" : "lost");
	replay_print_time(linked->time_us, show->out);
	fputs(" after the start\n", show->out);
}

static void print_evidence(
	struct show *show, const char *lead, struct text text, bool bytes)
{
	if (!text.size)
		return;
	fprintf(show->out, INDENT "  %s ", lead);
	if (bytes)
		print_bytes(text, show->out);
	else
		replay_print_text(text, show->out);
	fputc('\n', show->out);
}

static void print_exit(struct show *show, int status)
{
	if (WIFEXITED(status))
		fprintf(show->out, INDENT "  it exited with status %d\n",
			WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		fprintf(show->out, INDENT "  it was ended by signal %d\n",
			WTERMSIG(status));
}

static void show_fault(struct show *show, const struct replay_faulted *fault)
{
	if (!show_is_open(show, fault->seat))
		return;
	fprintf(show->out, "    !  seat %d is out: ", fault->seat);
	replay_print_text(fault->class_name, show->out);
	fputs(", so ", show->out);
	replay_print_text(fault->verdict, show->out);
	fputc('\n', show->out);
	print_evidence(show, "why", fault->why, false);
	if (text_is(fault->class_name, "timeout")) {
		fputs(INDENT "  budget ", show->out);
		replay_print_time(fault->budget_us, show->out);
		fputs(", late by ", show->out);
		replay_print_time(fault->overrun_us, show->out);
		fputs(", of which the arbiter's lag ", show->out);
		replay_print_time(fault->lag_us, show->out);
		fputc('\n', show->out);
	}
	print_evidence(show, "it sent", fault->bytes, true);
	if (fault->exit_status >= 0)
		print_exit(show, (int)fault->exit_status);
	print_evidence(show, "stderr", fault->stderr_tail, false);
}

static void show_result(struct show *show, const struct playback_step *step)
{
	const struct replay_ended *ended = &step->ended;
	int seats = show->info->setup.seats;

	fputs("\n── result ──\n", show->out);
	for (int rank = 0; !ended->is_void && rank <= seats; rank++)
		for (int seat = 0; seat < seats; seat++)
			if (ended->result.rank[seat] == rank)
				fprintf(show->out, "rank %d  seat %-2d %6d points%s\n",
					rank, seat, ended->result.score[seat],
					game_seat_in(ended->faulted, seat) &&
							show_is_open(show, seat)
						? "  (faulted)"
						: "");
	if (ended->is_void) {
		fputs("void: ", show->out);
		replay_print_text(ended->void_reason, show->out);
	} else {
		fputs("ended by ", show->out);
		replay_print_text(ended->reason, show->out);
	}
	fprintf(show->out, ", %d decisions", step->decision);
	if (show->options->viewer == OMNISCIENT) {
		fputs(" in ", show->out);
		replay_print_time(ended->time_us, show->out);
	}
	fputc('\n', show->out);
}

static void show_seal(struct show *show, const struct replay_sealed *sealed)
{
	if (show->options->viewer != OMNISCIENT)
		return;
	fputs("seed      ", show->out);
	print_bytes(
		(struct text){(const char *)sealed->seed, CHANCE_SEED_SIZE}, show->out);
	fputc('\n', show->out);
}

static void show_step(
	struct show *show, const struct playback_step *step, const struct events *events)
{
	switch (step->type) {
	case REPLAY_CHANCE:
		show_chance(show, &step->chance, events);
		break;
	case REPLAY_ACTION:
		show_move(show, step, events);
		break;
	case REPLAY_REFUSAL:
		show_refusal(show, &step->refused);
		break;
	case REPLAY_LINK:
		show_link(show, &step->linked);
		break;
	case REPLAY_FAULT:
		show_fault(show, &step->faulted);
		break;
	case REPLAY_RESULT:
		show_result(show, step);
		break;
	case REPLAY_SEAL:
		show_seal(show, &step->sealed);
		break;
	default:
		break;
	}
}

static void print_legal(struct show *show, const struct replay_move *move)
{
	struct action legal[GAME_LEGAL_MAX];
	char text[NOTATION_MAX];
	int n = show->game->legal(playback_state(show->playback), move->seat, legal);

	fprintf(show->out, "\nlegal moves of seat %d\n", move->seat);
	for (int i = 0; i < n; i++) {
		notation_action(show->game, &legal[i], text, sizeof(text));
		fprintf(show->out, "%s %3d  %s\n",
			action_equal(&legal[i], &move->action) ? "  >" : "   ", i, text);
	}
	if (move->by == BY_PENALTY) {
		notation_action(show->game, &move->action, text, sizeof(text));
		fprintf(show->out, "  >   -  %s (offence against %.*s)\n", text,
			(int)move->offence.size, move->offence.bytes);
	}
}

static void print_timing(struct show *show, const struct replay_move *move)
{
	if (move->note.size) {
		fputs("note      ", show->out);
		print_note(move, show->out);
		fputc('\n', show->out);
	}
	if (!move->turn) {
		fprintf(show->out, "nobody was asked: %s\n",
			move->by == BY_FORCED ? "there was only one move"
					      : "the neutral move stands in");
		return;
	}
	fputs("time      ", show->out);
	replay_print_time(replay_think_us(move), show->out);
	fputs(" (", show->out);
	replay_print_time(move->cpu_us, show->out);
	fputs(" of CPU); bank left ", show->out);
	replay_print_time(move->bank_us, show->out);
	fputs("; the arbiter's lag ", show->out);
	replay_print_time(move->lag_us, show->out);
	fputc('\n', show->out);
}

static void show_question(struct show *show, const struct playback_step *step)
{
	_Alignas(16) uint8_t view[GAME_STATE_MAX];
	const struct replay_move *move = &step->move;
	int viewer = show->options->viewer;

	if (viewer == OMNISCIENT)
		viewer = move->seat;
	game_observe(show->game, playback_state(show->playback), viewer, view);
	fprintf(show->out, "decision %d, round %d, phase %s", step->decision, show->round,
		show->phase);
	if (viewer == move->seat && move->turn)
		fprintf(show->out, ": seat %d's turn %u", move->seat, move->turn);
	else if (viewer != move->seat)
		fprintf(show->out, ": not one of seat %d's", viewer);
	fprintf(show->out, "\n\nas seat %d sees it\n", viewer);
	replay_print_view(show->game, view, SHOW_WIDTH, show->out);
	if (viewer == move->seat) {
		print_legal(show, move);
		fputc('\n', show->out);
		print_timing(show, move);
	}
	playback_apply(show->playback);
	fputs("\nthen\n", show->out);
	print_events(show, playback_events(show->playback), NULL, false);
}

const struct show_form show_text = {print_header, show_step, show_question};
