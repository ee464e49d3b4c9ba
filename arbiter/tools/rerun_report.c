/* What a rerun found, as text and as JSON. */
#include "arbiter/replay/json_parts.h"
#include "arbiter/tools/rerun.h"
#include "arbiter/table/notation.h"
#include "protocol/memory.h"

#include <stdlib.h>

/* Thinking times of the questions that were answered both times. */
struct rerun_times {
	int64_t p50_us, max_us;
};

static int compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool in_both(const struct rerun_question *question)
{
	return question->then && question->verdict >= RERUN_SAME;
}

static struct rerun_times times_of(const struct rerun *rerun, bool now)
{
	int64_t *list = xcalloc(rerun->count + 1, sizeof(*list));
	struct rerun_times times = {0, 0};
	size_t n = 0;

	for (size_t i = 0; i < rerun->count; i++) {
		const struct rerun_question *question = &rerun->question[i];

		if (in_both(question))
			list[n++] = now ? question->think_us : question->then->think_us;
	}
	qsort(list, n, sizeof(*list), compare);
	if (n) {
		times.p50_us = list[(n - 1) / 2];
		times.max_us = list[n - 1];
	}
	free(list);
	return times;
}

static void print_then(const struct rerun *rerun, const struct rerun_question *question,
	char *text, size_t size)
{
	if (question->then)
		notation_action(rerun->log->game, &question->then->action, text, size);
	else
		snprintf(text, size, "(no answer was accepted)");
}

static void print_now(const struct rerun *rerun, const struct rerun_question *question,
	char *text, size_t size)
{
	if (question->verdict == RERUN_SILENT)
		snprintf(text, size, "(no answer)");
	else if (question->problem[0])
		snprintf(text, size, "illegal: %s", question->problem);
	else
		notation_action(rerun->log->game, &question->now, text, size);
}

/* "decision 57 (turn 12)", or "turn 12" if the log does not know the decision. */
static void print_place(const struct rerun_question *question, char *text, size_t size)
{
	if (question->decision)
		snprintf(text, size, "decision %d (turn %u)", question->decision,
			question->asked->turn);
	else
		snprintf(text, size, "turn %u", question->asked->turn);
}

static void print_question(
	const struct rerun *rerun, const struct rerun_question *question, FILE *out)
{
	char then[NOTATION_MAX], now[NOTATION_MAX], place[64];

	print_place(question, place, sizeof(place));
	print_then(rerun, question, then, sizeof(then));
	print_now(rerun, question, now, sizeof(now));
	fprintf(out, "%-9s %-24s ", rerun_verdict_names[question->verdict], place);
	if (question->verdict == RERUN_SAME)
		fprintf(out, "%s", then);
	else
		fprintf(out, "then: %s; now: %s", then, now);
	if (in_both(question))
		fprintf(out, "  (%.1f ms then, %.1f ms now)",
			(double)question->then->think_us / 1000,
			(double)question->think_us / 1000);
	fputc('\n', out);
}

static void print_sum(const struct rerun *rerun, FILE *out)
{
	static const enum rerun_verdict listed[] = {
		RERUN_DIFFERENT, RERUN_ILLEGAL, RERUN_NEW, RERUN_UNASKED};
	struct rerun_times then = times_of(rerun, false), now = times_of(rerun, true);

	fprintf(out, "\n%zu questions: %d same", rerun->count,
		rerun_count(rerun, RERUN_SAME));
	for (size_t i = 0; i < sizeof(listed) / sizeof(listed[0]); i++)
		if (rerun_count(rerun, listed[i]))
			fprintf(out, ", %d %s", rerun_count(rerun, listed[i]),
				rerun_verdict_names[listed[i]]);
	fprintf(out,
		"\nthinking time, median and longest: %.1f "
		"and %.1f ms then, %.1f and %.1f ms now\n",
		(double)then.p50_us / 1000, (double)then.max_us / 1000,
		(double)now.p50_us / 1000, (double)now.max_us / 1000);
}

static void print_first(const struct rerun *rerun, FILE *out)
{
	const struct rerun_question *first = rerun_first_difference(rerun);
	char then[NOTATION_MAX], now[NOTATION_MAX], place[64];

	if (!first) {
		fputs(rerun->finished ? "no difference\n" : "no difference so far\n",
			out);
		return;
	}
	print_place(first, place, sizeof(place));
	print_then(rerun, first, then, sizeof(then));
	print_now(rerun, first, now, sizeof(now));
	fprintf(out, "first difference: %s\n    then: %s\n    now:  %s\n", place, then,
		now);
}

void rerun_print_text(const struct rerun *rerun, FILE *out)
{
	const struct seat_log *log = rerun->log;

	fprintf(out, "%s, seat %d of %d, played by %s; now asked: %s\n\n",
		log->game->title, log->seat, log->seats, log->player.name,
		rerun->bot->name);
	for (size_t i = 0; i < rerun->count; i++)
		if (rerun->question[i].verdict != RERUN_UNASKED)
			print_question(rerun, &rerun->question[i], out);
	print_sum(rerun, out);
	print_first(rerun, out);
	if (rerun->unheard)
		fputs("note: this bot asks for `event` messages, the "
		      "recorded one did not; it was sent what was recorded\n",
			out);
	if (!rerun->finished)
		fprintf(out, "the bot did not get to the end: %s\n%s%s", rerun->ended,
			*rerun->output ? "the end of its output:\n" : "", rerun->output);
}

static json_t *question_json(
	const struct rerun *rerun, const struct rerun_question *question)
{
	const struct game *game = rerun->log->game;
	json_t *json = json_object();

	if (question->decision)
		replay_json_set(json, "decision", json_integer(question->decision));
	replay_json_set(json, "turn", json_integer(question->asked->turn));
	replay_json_set(
		json, "verdict", json_string(rerun_verdict_names[question->verdict]));
	if (question->then) {
		replay_json_set(
			json, "then", replay_json_action(game, &question->then->action));
		replay_json_set(
			json, "then_ms", replay_json_ms(question->then->think_us));
	}
	if (question->problem[0])
		replay_json_set(json, "problem", json_string(question->problem));
	else if (question->verdict >= RERUN_SAME)
		replay_json_set(json, "now", replay_json_action(game, &question->now));
	if (question->verdict >= RERUN_SAME)
		replay_json_set(json, "now_ms", replay_json_ms(question->think_us));
	return json;
}

static json_t *times_json(struct rerun_times times)
{
	json_t *json = json_object();

	replay_json_set(json, "p50_ms", replay_json_ms(times.p50_us));
	replay_json_set(json, "max_ms", replay_json_ms(times.max_us));
	return json;
}

static json_t *bot_json(const char *name, const char *version, const char *hash)
{
	return json_pack(
		"{s:s, s:s, s:s}", "name", name, "version", version, "hash", hash);
}

void rerun_print_json(const struct rerun *rerun, FILE *out)
{
	const struct seat_log *log = rerun->log;
	const struct rerun_question *first = rerun_first_difference(rerun);
	json_t *json = json_object(), *list = json_array();

	replay_json_set(json, "format", json_string("pigpen-rerun/1"));
	replay_json_set(json, "game", json_string(log->game->id));
	replay_json_set(json, "seat", json_integer(log->seat));
	replay_json_set(json, "then", replay_json_player(&log->player));
	replay_json_set(json, "now",
		bot_json(rerun->bot->name, rerun->bot->version, rerun->bot->hash));
	for (size_t i = 0; i < rerun->count; i++)
		json_array_append_new(list, question_json(rerun, &rerun->question[i]));
	replay_json_set(json, "questions", list);
	for (int v = RERUN_SAME; v <= RERUN_NEW; v++)
		replay_json_set(json, rerun_verdict_names[v],
			json_integer(rerun_count(rerun, (enum rerun_verdict)v)));
	replay_json_set(json, "first_difference",
		first ? question_json(rerun, first) : json_null());
	replay_json_set(json, "think_then", times_json(times_of(rerun, false)));
	replay_json_set(json, "think_now", times_json(times_of(rerun, true)));
	replay_json_set(json, "finished", json_boolean(rerun->finished));
	if (!rerun->finished) {
		replay_json_set(json, "ended", json_string(rerun->ended));
		replay_json_set(json, "output", json_string(rerun->output));
	}
	json_dumpf(json, out, REPLAY_JSON_FLAGS);
	fputc('\n', out);
	json_decref(json);
}
