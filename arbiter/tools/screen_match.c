/* Reading a match into the positions that the viewer steps through. */
#include "arbiter/tools/screen_match.h"
#include "arbiter/tools/show.h"
#include "protocol/memory.h"

#include <stdlib.h>
#include <string.h>

/* Makes room for one more element of `size` bytes; the array doubles. */
static void *grow(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	array = xrealloc(array, (count ? 2 * count : 1) * size);
	return array;
}

/* Adds a position for the current table. */
static struct screen_position *add_position(
	struct screen_match *m, const struct playback *playback, int round)
{
	struct screen_position *at;

	m->position = grow(m->position, (size_t)m->last, sizeof(*m->position));
	at = &m->position[m->last++];
	memset(at, 0, sizeof(*at));
	at->round = round;
	at->happening = m->events;
	at->trouble = m->troubles;
	at->state = xmalloc(m->game->state_size);
	memcpy(at->state, playback_state(playback), m->game->state_size);
	return at;
}

/* Copies a text, because the record is overwritten by the next step. */
static void keep_text(struct text *text)
{
	char *copy;

	if (!text->size)
		return;
	copy = xmalloc(text->size);
	memcpy(copy, text->bytes, text->size);
	text->bytes = copy;
}

static void add_events(struct screen_match *m, const struct events *events)
{
	for (int i = 0; i < events->count; i++) {
		m->event = grow(m->event, m->events, sizeof(*m->event));
		m->event[m->events++] = events->list[i];
	}
}

static void print_trouble(const struct playback_step *step, FILE *out)
{
	switch (step->type) {
	case REPLAY_FAULT:
		fprintf(out, "seat %d is out: ", step->faulted.seat);
		replay_print_text(step->faulted.class_name, out);
		fputs(", so ", out);
		replay_print_text(step->faulted.verdict, out);
		fputs(": ", out);
		replay_print_text(step->faulted.why, out);
		break;
	case REPLAY_REFUSAL:
		fprintf(out, "seat %d's answer is refused by ", step->refused.seat);
		replay_print_text(step->refused.clause, out);
		fputs(": ", out);
		replay_print_text(step->refused.why, out);
		break;
	default:
		fprintf(out, "seat %d's connection is %s", step->linked.seat,
			step->linked.back ? "back" : "lost");
	}
}

static void add_trouble(
	struct screen_match *m, const struct playback_step *step, int seat)
{
	struct screen_trouble *trouble;
	size_t size;
	FILE *out;

	m->trouble = grow(m->trouble, m->troubles, sizeof(*m->trouble));
	trouble = &m->trouble[m->troubles++];
	*trouble = (struct screen_trouble){
		.seat = seat, .fault = step->type == REPLAY_FAULT};
	out = xopen_memstream(&trouble->text, &size);
	print_trouble(step, out);
	fclose(out);
}

static void set_ending(struct screen_match *m, const struct replay_ended *ended)
{
	size_t size;
	FILE *out = xopen_memstream(&m->ending, &size);

	for (int rank = 0; !ended->is_void && rank <= m->info.setup.seats; rank++)
		for (int seat = 0; seat < m->info.setup.seats; seat++)
			if (ended->result.rank[seat] == rank)
				fprintf(out, "rank %d  seat %-2d %6d points\n", rank,
					seat, ended->result.score[seat]);
	fputs(ended->is_void ? "void: " : "ended by ", out);
	replay_print_text(ended->is_void ? ended->void_reason : ended->reason, out);
	fputc('\n', out);
	fclose(out);
}

static void take_step(struct screen_match *m, struct playback *playback,
	const struct playback_step *step, int *round)
{
	struct screen_position *at;

	switch (step->type) {
	case REPLAY_ACTION:
		at = add_position(m, playback, *round);
		at->move = step->move;
		keep_text(&at->move.note);
		keep_text(&at->move.offence);
		playback_apply(playback);
		add_events(m, playback_events(playback));
		break;
	case REPLAY_CHANCE:
		*round += step->chance.kind == CHANCE_DEAL;
		playback_apply(playback);
		add_events(m, playback_events(playback));
		break;
	case REPLAY_REFUSAL:
		add_trouble(m, step, step->refused.seat);
		break;
	case REPLAY_LINK:
		add_trouble(m, step, step->linked.seat);
		break;
	case REPLAY_FAULT:
		add_trouble(m, step, step->faulted.seat);
		break;
	case REPLAY_RESULT:
		set_ending(m, &step->ended);
		break;
	default:
		break;
	}
}

/* A position holds what happened between the previous table and its own. The counts were
 * taken at the previous table, so they move up by one. */
static void shift_counts(struct screen_match *m)
{
	for (int i = m->last - 1; i > 0; i--) {
		m->position[i].happening = m->position[i - 1].happening;
		m->position[i].trouble = m->position[i - 1].trouble;
	}
	m->position[0].happening = 0;
	m->position[0].trouble = 0;
}

enum playback_status screen_match_read(
	struct screen_match *m, const char *path, struct why *why)
{
	enum playback_status status;
	struct playback *playback = playback_open(path, NULL, &status, why);
	struct playback_step step;
	int round = 0;

	memset(m, 0, sizeof(*m));
	if (!playback)
		return status;
	m->info = *playback_info(playback);
	m->game = m->info.setup.game;
	while ((status = playback_next(playback, &step)) == PLAYBACK_STEP)
		take_step(m, playback, &step, &round);
	add_position(m, playback, round);
	shift_counts(m);
	m->last--;
	if (status != PLAYBACK_DONE)
		why_set(why, "%s", playback_why(playback));
	if (!m->ending)
		m->ending = xasprintf("the file ends here: %s\n", why->text);
	playback_free(&playback);
	return status;
}

void screen_match_release(struct screen_match *m)
{
	for (int i = 0; m->position && i <= m->last; i++) {
		struct replay_move *move = &m->position[i].move;

		free(m->position[i].state);
		if (move->note.size)
			free((char *)(uintptr_t)move->note.bytes);
		if (move->offence.size)
			free((char *)(uintptr_t)move->offence.bytes);
	}
	for (size_t i = 0; i < m->troubles; i++)
		free(m->trouble[i].text);
	free(m->position);
	free(m->event);
	free(m->trouble);
	free(m->ending);
	memset(m, 0, sizeof(*m));
}

int screen_match_round(const struct screen_match *m, int position, int direction)
{
	int round = m->position[position].round;
	int at = position;

	if (direction > 0) {
		while (at < m->last && m->position[at].round == round)
			at++;
		return at;
	}
	if (at && m->position[at - 1].round < round)
		round = m->position[at - 1].round;
	while (at && m->position[at - 1].round >= round)
		at--;
	return at;
}

int screen_match_fault(const struct screen_match *m, int position, int viewer)
{
	for (int step = 1; step <= m->last + 1; step++) {
		int at = (position + step) % (m->last + 1);
		size_t end = at < m->last ? m->position[at + 1].trouble : m->troubles;

		for (size_t i = m->position[at].trouble; i < end; i++)
			if (m->trouble[i].fault &&
				(viewer == OMNISCIENT || viewer == m->trouble[i].seat))
				return at;
	}
	return position;
}

int screen_match_slowest(const struct screen_match *m, int position, int viewer)
{
	int64_t most = -1;

	for (int i = 0; i < m->last; i++) {
		const struct replay_move *move = &m->position[i].move;

		if (!move->turn || (viewer != OMNISCIENT && viewer != move->seat) ||
			replay_think_us(move) <= most)
			continue;
		most = replay_think_us(move);
		position = i;
	}
	return position;
}
