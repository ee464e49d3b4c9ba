/* Numbers about one replay, as text and as JSON. */
#include "arbiter/tools/stats.h"
#include "arbiter/replay/json_parts.h"
#include "arbiter/tools/show.h"
#include "protocol/memory.h"

#include <stdlib.h>

#define PHASES_MAX 16

struct seat_stats {
	int64_t *think_us;
	size_t asked, capacity;
	int forced, fallback, offences, refusals, losses; /* losses: of the connection */
	int64_t total_us, cpu_us, bank_us;
	int phase[PHASES_MAX];
	char fault[32]; /* class, or "" */
};

struct stats {
	const struct game *game;
	const struct replay_info *info;
	struct seat_stats seat[GAME_SEATS_MAX];
	int decisions;
	struct replay_ended ended;
	bool has_ended;
};

static void add_think(struct seat_stats *s, int64_t us)
{
	if (s->asked == s->capacity) {
		s->capacity = 2 * s->capacity + 256;
		s->think_us = xrealloc(s->think_us, s->capacity * sizeof(int64_t));
	}
	s->think_us[s->asked++] = us;
	s->total_us += us;
}

static void take_move(
	struct stats *stats, const struct replay_move *move, const void *state)
{
	struct seat_stats *s = &stats->seat[move->seat];

	stats->decisions++;
	s->phase[game_head(state)->phase % PHASES_MAX]++;
	s->forced += move->by == BY_FORCED;
	s->fallback += move->by == BY_FALLBACK;
	s->offences += move->by == BY_PENALTY;
	if (!move->turn)
		return;
	add_think(s, replay_think_us(move));
	s->cpu_us += move->cpu_us;
	s->bank_us = move->bank_us;
}

static void take_step(
	struct stats *stats, const struct playback_step *step, const void *state)
{
	switch (step->type) {
	case REPLAY_ACTION:
		take_move(stats, &step->move, state);
		break;
	case REPLAY_REFUSAL:
		stats->seat[step->refused.seat].refusals++;
		break;
	case REPLAY_LINK:
		stats->seat[step->linked.seat].losses += !step->linked.back;
		break;
	case REPLAY_FAULT:
		text_copy(step->faulted.class_name, stats->seat[step->faulted.seat].fault,
			sizeof(stats->seat->fault));
		break;
	case REPLAY_RESULT:
		stats->ended = step->ended;
		stats->has_ended = true;
		break;
	default:
		break;
	}
}

static int compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The smallest time that at least `percent` of the answers did not exceed. The times
 * are sorted. */
static int64_t percentile(const struct seat_stats *s, size_t percent)
{
	size_t rank = (s->asked * percent + 99) / 100;

	return s->asked ? s->think_us[rank ? rank - 1 : 0] : 0;
}

static void print_seats(const struct stats *stats, FILE *out)
{
	fprintf(out, "think time in ms\nseat  %8s %9s %9s %9s %10s %10s  player\n",
		"asked", "p50", "p99", "max", "total", "cpu");
	for (int i = 0; i < stats->info->setup.seats; i++) {
		const struct seat_stats *s = &stats->seat[i];

		fprintf(out, "%4d  %8zu %9.3f %9.3f %9.3f %10.3f %10.3f  ", i, s->asked,
			(double)percentile(s, 50) / 1000,
			(double)percentile(s, 99) / 1000,
			(double)percentile(s, 100) / 1000, (double)s->total_us / 1000,
			(double)s->cpu_us / 1000);
		replay_print_text(text_of(stats->info->player[i].name), out);
		fputc('\n', out);
	}
}

static bool phase_used(const struct stats *stats, int phase)
{
	for (int i = 0; i < stats->info->setup.seats; i++)
		if (stats->seat[i].phase[phase])
			return true;
	return false;
}

static void print_phases(const struct stats *stats, FILE *out)
{
	fputs("\ndecisions by phase\nseat  ", out);
	for (int p = 0; stats->game->phases[p]; p++)
		if (phase_used(stats, p))
			fprintf(out, "%8s ", stats->game->phases[p]);
	fprintf(out, "%8s %8s\n", "forced", "fallback");
	for (int i = 0; i < stats->info->setup.seats; i++) {
		fprintf(out, "%4d  ", i);
		for (int p = 0; stats->game->phases[p]; p++)
			if (phase_used(stats, p))
				fprintf(out, "%8d ", stats->seat[i].phase[p]);
		fprintf(out, "%8d %8d\n", stats->seat[i].forced, stats->seat[i].fallback);
	}
}

static void print_faults(const struct stats *stats, FILE *out)
{
	bool any = false;

	fputs("\nfaults\n", out);
	for (int i = 0; i < stats->info->setup.seats; i++) {
		const struct seat_stats *s = &stats->seat[i];
		long long dropped =
			stats->has_ended ? (long long)stats->ended.dropped[i] : 0;

		if (!*s->fault && !s->refusals && !s->offences && !s->losses && !dropped)
			continue;
		any = true;
		fprintf(out,
			"%4d  %s; %d refused, %d offences, %lld "
			"dropped, connection lost %d times\n",
			i, *s->fault ? s->fault : "no fault", s->refusals, s->offences,
			dropped, s->losses);
	}
	if (!any)
		fputs("      none\n", out);
}

static void print(const struct stats *stats, FILE *out)
{
	fprintf(out, "%s, %d seats, %d decisions", stats->game->title,
		stats->info->setup.seats, stats->decisions);
	if (stats->has_ended)
		fprintf(out, " in %.3f s", (double)stats->ended.time_us / 1000000);
	fputs("\n\n", out);
	print_seats(stats, out);
	print_phases(stats, out);
	print_faults(stats, out);
}

static json_t *seat_json(const struct stats *stats, int seat)
{
	const struct seat_stats *s = &stats->seat[seat];
	json_t *json = json_object(), *phases = json_object();

	replay_json_set(json, "player",
		replay_json_text(text_of(stats->info->player[seat].name)));
	replay_json_set(json, "asked", json_integer((json_int_t)s->asked));
	replay_json_set(json, "p50_ms", replay_json_ms(percentile(s, 50)));
	replay_json_set(json, "p99_ms", replay_json_ms(percentile(s, 99)));
	replay_json_set(json, "max_ms", replay_json_ms(percentile(s, 100)));
	replay_json_set(json, "total_ms", replay_json_ms(s->total_us));
	replay_json_set(json, "cpu_ms", replay_json_ms(s->cpu_us));
	replay_json_set(json, "bank_ms", replay_json_ms(s->bank_us));
	for (int p = 0; stats->game->phases[p]; p++)
		if (phase_used(stats, p))
			replay_json_set(phases, stats->game->phases[p],
				json_integer(s->phase[p]));
	replay_json_set(json, "phases", phases);
	replay_json_set(json, "forced", json_integer(s->forced));
	replay_json_set(json, "fallback", json_integer(s->fallback));
	replay_json_set(json, "offences", json_integer(s->offences));
	replay_json_set(json, "refused", json_integer(s->refusals));
	replay_json_set(json, "dropped", json_integer(stats->ended.dropped[seat]));
	replay_json_set(json, "lost", json_integer(s->losses));
	replay_json_set(json, "fault",
		*s->fault ? replay_json_text(text_of(s->fault)) : json_null());
	return json;
}

static void print_json(const struct stats *stats, FILE *out)
{
	json_t *json = json_object(), *seats = json_array();

	replay_json_set(json, "game", json_string(stats->game->id));
	replay_json_set(json, "decisions", json_integer(stats->decisions));
	if (stats->has_ended)
		replay_json_set(json, "time_ms", replay_json_ms(stats->ended.time_us));
	for (int i = 0; i < stats->info->setup.seats; i++)
		json_array_append_new(seats, seat_json(stats, i));
	replay_json_set(json, "seats", seats);
	json_dumpf(json, out, REPLAY_JSON_FLAGS);
	fputc('\n', out);
	json_decref(json);
}

enum playback_status replay_stats(const char *path, bool json, FILE *out, struct why *why)
{
	enum playback_status status;
	struct playback *p = playback_open(path, NULL, &status, why);
	struct playback_step step;
	struct stats stats = {0};

	if (!p)
		return status;
	stats.info = playback_info(p);
	stats.game = stats.info->setup.game;
	while ((status = playback_next(p, &step)) == PLAYBACK_STEP)
		take_step(&stats, &step, playback_state(p));
	for (int i = 0; i < stats.info->setup.seats; i++)
		if (stats.seat[i].asked)
			qsort(stats.seat[i].think_us, stats.seat[i].asked,
				sizeof(int64_t), compare);
	if (json)
		print_json(&stats, out);
	else
		print(&stats, out);
	for (int i = 0; i < stats.info->setup.seats; i++)
		free(stats.seat[i].think_us);
	if (status != PLAYBACK_DONE)
		why_set(why, "%s", playback_why(p));
	playback_free(&p);
	return status;
}
