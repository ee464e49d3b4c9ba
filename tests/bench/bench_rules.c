/*
 * How fast the rules are, in CPU time on one core: random playouts (legal list, choice,
 * apply), views (observe and msgpack) and samples.
 *
 *   bench_rules [SECONDS]          each measurement takes so long (default 0.4); prints
 *                                  a table and writes build/bench/rules.json
 *   bench_rules --count ID SEATS   plays a fixed number of decisions and nothing else,
 *                                  for tests/bench/rules_instructions.py
 */
#include "games/game.h"
#include "tests/bench/report.h"

#include <time.h>

enum { COUNTED_ACTIONS = 200000, TABLES = 256 };

struct table {
	_Alignas(16) uint8_t bytes[GAME_STATE_MAX];
};

struct dice {
	uint64_t state;
};

static uint64_t dice_next(void *dice)
{
	struct dice *d = dice;

	d->state ^= d->state << 13;
	d->state ^= d->state >> 7;
	d->state ^= d->state << 17;
	return d->state;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Plays until `actions` have been taken, match after match. Up to TABLES positions in
 * which somebody must act are kept. */
static void play(const struct game *game, int seats, uint64_t actions, struct dice *dice,
	struct table *kept, int *kept_count)
{
	struct game_random random = {dice_next, dice};
	struct action legal[GAME_LEGAL_MAX];
	int16_t option[GAME_OPTIONS_MAX];
	struct chance request;
	struct table table;
	const struct game_head *head = game_head(table.bytes);
	uint64_t done = 0;

	game_defaults(game, option);
	game_start(game, seats, option, table.bytes);
	while (done < actions) {
		if (head->need == NEED_NOTHING) {
			game_start(game, seats, option, table.bytes);
		} else if (head->need == NEED_CHANCE) {
			game->chance(table.bytes, &request);
			game_random_shuffle(&random, request.token, request.n);
			game->apply_chance(table.bytes, request.token, request.n, NULL);
		} else {
			int seat = __builtin_ctz(head->pending);
			int n = game->legal(table.bytes, seat, legal);
			uint32_t pick =
				n > 1 ? game_random_below(&random, (uint32_t)n) : 0;

			if (kept && *kept_count < TABLES && done % 7 == 0)
				kept[(*kept_count)++] = table;
			game->apply(table.bytes, seat, &legal[pick], NULL);
			done++;
		}
	}
}

static double actions_per_second(const struct game *game, int seats, double seconds)
{
	struct dice dice = {88172645463325252u};
	double start = cpu_seconds(), used = 0;
	uint64_t done = 0;

	for (; used < seconds; used = cpu_seconds() - start, done += 100000)
		play(game, seats, 100000, &dice, NULL, NULL);
	return (double)done / used;
}

/* Writes into a fixed buffer, as the arbiter does. */
struct sink {
	size_t used;
	char bytes[1 << 16];
};

static int sink_write(void *data, const char *bytes, size_t n)
{
	struct sink *sink = data;

	memcpy(sink->bytes + sink->used, bytes, n);
	sink->used += n;
	return 0;
}

static double views_per_second(
	const struct game *game, const struct table *tables, int n, double seconds)
{
	static struct sink sink;
	msgpack_packer packer;
	struct table view;
	double start = cpu_seconds(), used = 0;
	uint64_t done = 0;

	msgpack_packer_init(&packer, &sink, sink_write);
	for (; used < seconds; used = cpu_seconds() - start)
		for (int i = 0; i < n; i++, done++) {
			int seat = __builtin_ctz(game_head(tables[i].bytes)->pending);

			sink.used = 0;
			game_observe(game, tables[i].bytes, seat, view.bytes);
			game_write_view(game, view.bytes, &packer);
		}
	return (double)done / used;
}

static double samples_per_second(
	const struct game *game, const struct table *tables, int n, double seconds)
{
	struct dice dice = {88172645463325252u};
	struct game_random random = {dice_next, &dice};
	static struct table view[TABLES];
	struct table sample;
	double start, used = 0;
	uint64_t done = 0;

	for (int i = 0; i < n; i++)
		game_observe(game, tables[i].bytes,
			__builtin_ctz(game_head(tables[i].bytes)->pending),
			view[i].bytes);
	start = cpu_seconds();
	for (; used < seconds; used = cpu_seconds() - start)
		for (int i = 0; i < n; i++, done++)
			game->sample(view[i].bytes, &random, sample.bytes);
	return (double)done / used;
}

static void measure(
	const struct game *game, int seats, double seconds, json_t *rows, json_t *table)
{
	static struct table tables[TABLES];
	struct dice dice = {2463534242u};
	double actions, views, samples;
	char what[96];
	int n = 0;

	play(game, seats, 7 * TABLES, &dice, tables, &n);
	actions = actions_per_second(game, seats, seconds);
	views = views_per_second(game, tables, n, seconds);
	samples = samples_per_second(game, tables, n, seconds);
	printf("%-16s %5d %14.2f %14.2f %14.2f\n", game->id, seats, actions / 1e6,
		views / 1e6, samples / 1e6);
	fflush(stdout);
	json_array_append_new(
		rows, json_pack("{s:s, s:i, s:f, s:f, s:f}", "game", game->id, "seats",
			      seats, "decisions_per_s", actions, "views_per_s", views,
			      "samples_per_s", samples));
	if (seats != game->seats_min)
		return;
	snprintf(what, sizeof(what), "rules, %s: playouts", game->id);
	report_row(table, what, actions, "decisions/s", 0, 10e6, BETTER_MORE);
	snprintf(what, sizeof(what), "rules, %s: views", game->id);
	report_row(table, what, views, "views/s", 0, 0, BETTER_MORE);
	snprintf(what, sizeof(what), "rules, %s: samples", game->id);
	report_row(table, what, samples, "samples/s", 0, 0, BETTER_MORE);
}

static int count_only(const char *id, const char *seats)
{
	const struct game *game = game_find(id);
	struct dice dice = {88172645463325252u};

	if (!game || atoi(seats) < game->seats_min || atoi(seats) > game->seats_max) {
		fprintf(stderr, "no game %s with %s seats\n", id, seats);
		return 2;
	}
	play(game, atoi(seats), COUNTED_ACTIONS, &dice, NULL, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	static const int seats[] = {2, 3, 4, 6, 12};
	double seconds = argc == 2 ? atof(argv[1]) : 0.4;
	json_t *rows = json_array(), *table = json_array();

	if (argc == 4 && !strcmp(argv[1], "--count")) {
		json_decref(rows);
		json_decref(table);
		return count_only(argv[2], argv[3]);
	}
	printf("%-16s %5s %14s %14s %14s\n", "millions/s", "seats", "decisions", "views",
		"samples");
	for (int g = 0; game_list[g]; g++)
		for (size_t i = 0; i < sizeof(seats) / sizeof(seats[0]); i++)
			if (seats[i] >= game_list[g]->seats_min &&
				seats[i] <= game_list[g]->seats_max)
				measure(game_list[g], seats[i], seconds, rows, table);
	return report_write("rules", json_pack("{s:s, s:o, s:o}", "bench", "rules",
					     "rows", rows, "table", table));
}
