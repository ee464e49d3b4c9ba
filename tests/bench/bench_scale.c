/*
 * How a ladder's host keeps up: results handed in by tasks, the store, ratings, planning.
 *
 * Synthetic results of a hundred entrants go the way that those of a cluster's tasks go:
 * from result files through the records into the database, one transaction for each file.
 * At several sizes the standings are computed and an epoch is planned. Ratings are
 * measured alone too. Times are CPU time of this process, so that other work on the
 * machine does not count; "wall" is the clock on the wall and includes waiting for the
 * disk. Prints a table and writes build/bench/scale.json.
 *
 *     bench_scale [MATCHES]      1,000,000 for the table in specs/scale.md; 200,000
 */
#include "arbiter/ladder/run/plan.h"
#include "arbiter/ladder/slurm/task.h"
#include "arbiter/ladder/workers/messages.h"
#include "tests/bench/report.h"
#include "arbiter/base/files.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <sodium.h>

enum { ENTRANTS = 100, SEATS = 2, SETS_PER_FILE = 64, CHECKPOINTS = 4 };

static uint64_t dice = 88172645463325252u;

static uint64_t roll(void)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return dice;
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double cpu(void)
{
	return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

_Noreturn static void die(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(1);
}

/* Entrant 0 is the strongest; each next one a little weaker. */
static bool wins(int a, int b, int entrants)
{
	double p = rating_expected((b - a) * 400.0 / entrants);

	return (double)(roll() >> 11) * 0x1p-53 < p;
}

static size_t make_set(struct comparison *list, int32_t set, int entrants, int seats)
{
	int table[8];
	size_t n = 0;

	for (int i = 0; i < seats; i++) {
		bool taken;

		do {
			table[i] = (int)(roll() % (uint64_t)entrants);
			taken = false;
			for (int j = 0; j < i; j++)
				taken |= table[j] == table[i];
		} while (taken);
	}
	for (int i = 0; i < seats; i++)
		for (int j = 0; j < seats; j++) {
			int won = 0;

			if (table[i] >= table[j])
				continue;
			for (int game = 0; game < seats; game++)
				won += wins(table[i], table[j], entrants);
			list[n++] = (struct comparison){.set = set,
				.a = {(int16_t)table[i], RATING_NO_MEMBER},
				.b = {(int16_t)table[j], RATING_NO_MEMBER},
				.score = (float)won / (float)seats};
		}
	return n;
}

/* CPU seconds of rating so many matches. */
static json_t *rate(int entrants, int seats, int matches)
{
	int sets = matches / seats;
	struct comparison *list =
		calloc((size_t)sets * (size_t)(seats * (seats - 1) / 2), sizeof(*list));
	struct ratings ratings;
	size_t n = 0;
	double start, spent;

	for (int set = 0; set < sets; set++)
		n += make_set(list + n, set, entrants, seats);
	start = cpu();
	ratings_compute(list, n, entrants, 0, 1000, 7, &ratings);
	spent = cpu() - start;
	printf("  %9d results, %4d entrants, tables of %d: %6.2f s\n", matches, entrants,
		seats, spent);
	fflush(stdout);
	ratings_release(&ratings);
	free(list);
	return json_pack("{s:i,s:i,s:i,s:f}", "results", matches, "entrants", entrants,
		"seats", seats, "cpu_s", spent);
}

static void make_ladder(struct ladder *ladder, const char *path)
{
	struct ladder_settings config;
	struct why why;

	ladder_settings_init(&config, game_find("dirty_pig"));
	config.keep = KEEP_NONE;
	if (!ladder_create(path, &config, &why) ||
		!ladder_open(ladder, path, LADDER_WRITE, &why))
		die(path, why.text);
	for (int i = 0; i < ENTRANTS; i++) {
		struct store_entrant entrant = {.state = ENTRANT_ACTIVE};

		snprintf(entrant.name, sizeof(entrant.name), "bot%d", i);
		snprintf(entrant.hash, sizeof(entrant.hash), "%064d", i);
		if (!store_add_entrant(ladder->store, &entrant))
			die(path, store_why(ladder->store));
	}
}

/* Sets as a file of a task has them, planned. */
static void plan_sets(struct ladder *ladder, struct store_set *sets, int count)
{
	int64_t epoch = 0;

	memset(sets, 0, (size_t)count * sizeof(*sets));
	for (int i = 0; i < count; i++) {
		sets[i].seats = sets[i].rotations = SEATS;
		sets[i].entrant[0] = (int64_t)(roll() % ENTRANTS) + 1;
		sets[i].entrant[1] =
			(sets[i].entrant[0] + (int64_t)(roll() % (ENTRANTS - 1))) %
				ENTRANTS +
			1;
	}
	if (!store_next_epoch(ladder->store, &epoch) ||
		!store_add_epoch(ladder->store, epoch, sets, count, NULL, 0))
		die(ladder->path, store_why(ladder->store));
}

static json_t *make_line(const struct store_set *set, int rotation, int job)
{
	struct worker_message message = {.type = WORKER_DONE, .done.job = job};
	struct match_record *record = &message.done.record;
	bool first = wins((int)set->entrant[0], (int)set->entrant[1], ENTRANTS);

	*record = (struct match_record){.seats = SEATS,
		.match_id = (int64_t)(roll() >> 12),
		.start_unix_s = 1700000000,
		.seconds = 0.2,
		.reason = "last_card",
		.has_chain = true};
	for (int seat = 0; seat < SEATS; seat++) {
		bool won = ((seat + rotation) % SEATS == 0) == first;

		record->seat[seat] = (struct seat_record){.score = won ? 100 : 40,
			.rank = won ? 1 : 2,
			.team = -1,
			.decisions = 40,
			.think_us = 12345,
			.think_us_max = 1234};
	}
	return worker_message_write(&message);
}

static void hand_in(const char *folder, const struct store_set *sets, int count)
{
	json_t *lines = json_array();

	for (int i = 0; i < count * SEATS; i++) {
		json_array_append_new(lines, make_line(&sets[i / SEATS], i % SEATS, i));
	}
	if (!task_write(folder, "results.0", lines))
		die(folder, "cannot be written");
}

static void ingest(struct ladder *ladder, const char *folder,
	const struct store_set *sets, int count)
{
	json_t *lines = task_read(folder, "results.0");
	struct match_record *records = calloc(SEATS, sizeof(*records));
	struct worker_message *message = malloc(sizeof(*message));
	struct why why;
	bool ok = lines && store_begin(ladder->store);

	for (int i = 0; ok && i < count; i++) {
		for (int r = 0; ok && r < SEATS; r++) {
			ok = worker_message_read(message,
				json_array_get(lines, (size_t)(i * SEATS + r)), &why);
			records[r] = message->done.record;
			records[r].rotation = r;
			for (int seat = 0; seat < SEATS; seat++)
				records[r].seat[seat].entrant =
					sets[i].entrant[(seat + r) % SEATS];
		}
		ok = ok &&
		     store_complete_set(ladder->store, &sets[i], records, 1700000000);
	}
	if (!ok || !store_commit(ladder->store))
		die(folder, store_why(ladder->store));
	free(records);
	free(message);
	json_decref(lines);
}

struct spent {
	double plan, hand_in, ingest, ingest_wall;
};

/* Adds so many matches to the ladder. */
static struct spent fill(struct ladder *ladder, const char *folder, int matches)
{
	struct store_set sets[SETS_PER_FILE];
	struct spent spent = {0};

	for (int done = 0; done < matches; done += SETS_PER_FILE * SEATS) {
		double a = cpu(), b, c, wall;

		plan_sets(ladder, sets, SETS_PER_FILE);
		b = cpu();
		hand_in(folder, sets, SETS_PER_FILE);
		c = cpu();
		wall = seconds(CLOCK_MONOTONIC);
		ingest(ladder, folder, sets, SETS_PER_FILE);
		spent.plan += b - a;
		spent.hand_in += c - b;
		spent.ingest += cpu() - c;
		spent.ingest_wall += seconds(CLOCK_MONOTONIC) - wall;
	}
	return spent;
}

static int64_t bytes_of(const struct ladder *ladder, const char *name)
{
	char path[LADDER_PATH_MAX];
	struct stat info;

	ladder_file(ladder, name, path);
	return stat(path, &info) ? 0 : info.st_size;
}

static json_t *look(struct ladder *ladder, int matches, int added, struct spent spent)
{
	struct standings standings;
	struct rusage usage;
	double start = cpu(), load, plan;
	struct why why;
	int planned;
	double bytes = (double)(bytes_of(ladder, "ladder.db")) / matches;

	if (!standings_load(&standings, ladder, &why))
		die(ladder->path, why.text);
	load = cpu() - start;
	start = cpu();
	if (!plan_epoch(ladder, &standings, &planned))
		die(ladder->path, store_why(ladder->store));
	plan = cpu() - start;
	standings_release(&standings);
	getrusage(RUSAGE_SELF, &usage);
	printf("  %9d %11.0f %10.0f %9.0f %11.2f %10.3f %8d %9.0f\n", matches,
		added / spent.ingest, added / spent.ingest_wall, bytes, load, plan,
		planned, (double)usage.ru_maxrss / 1024);
	fflush(stdout);
	return json_pack("{s:i,s:f,s:f,s:f,s:f,s:f,s:f,s:i,s:f}", "matches", matches,
		"ingest_per_cpu_s", added / spent.ingest, "ingest_per_s",
		added / spent.ingest_wall, "set_rows_cpu_us", 1e6 * spent.plan / added,
		"bytes_per_match", bytes, "standings_cpu_s", load, "plan_cpu_s", plan,
		"planned_sets", planned, "memory_mb", (double)usage.ru_maxrss / 1024);
}

static json_t *run_store(int matches)
{
	char path[] = "/tmp/pigpen-scale-XXXXXX", folder[64];
	struct ladder ladder;
	json_t *rows = json_array();

	if (!mkdtemp(path))
		die(path, "cannot be made");
	make_ladder(&ladder, path);
	snprintf(folder, sizeof(folder), "%s/live", path);
	printf("  %9s %11s %10s %9s %11s %10s %8s %9s\n", "matches", "in per CPU s",
		"in per s", "B a match", "standings s", "planning s", "sets",
		"memory MB");
	for (int i = 0, have = 0; i < CHECKPOINTS; i++) {
		int goal = matches >> (CHECKPOINTS - 1 - i);
		struct spent spent = fill(&ladder, folder, goal - have);

		json_array_append_new(rows, look(&ladder, goal, goal - have, spent));
		have = goal;
	}
	ladder_close(&ladder);
	remove_tree(path);
	return rows;
}

static void report_rows(json_t *table, const json_t *ratings, const json_t *store)
{
	const json_t *last = json_array_get(store, CHECKPOINTS - 1);

	report_row(table, "rating 1,000,000 results, tables of two",
		json_real_value(json_object_get(json_array_get(ratings, 0), "cpu_s")),
		"s", 0, 2, BETTER_LESS);
	report_row(table, "rating 1,000,000 results, tables of four",
		json_real_value(json_object_get(json_array_get(ratings, 1), "cpu_s")),
		"s", 0, 2, BETTER_LESS);
	report_row(table, "results taken into the store",
		json_real_value(json_object_get(last, "ingest_per_s")), "matches/s", 0,
		1160, BETTER_MORE);
	report_row(table, "standings from the store, for each million matches",
		1e6 * json_real_value(json_object_get(last, "standings_cpu_s")) /
			(double)json_integer_value(json_object_get(last, "matches")),
		"s", 0, 0, BETTER_LESS);
}

int main(int argc, char **argv)
{
	int matches = argc > 1 ? atoi(argv[1]) : 200000;
	json_t *ratings = json_array(), *store, *table = json_array();

	if (sodium_init() < 0 || matches < 10000) {
		fprintf(stderr, "usage: bench_scale [MATCHES, at least 10000]\n");
		return 2;
	}
	/* First, as the memory of the process is its greatest so far. */
	store = run_store(matches);
	json_array_append_new(ratings, rate(50, 2, 1000000));
	json_array_append_new(ratings, rate(50, 4, 1000000));
	json_array_append_new(ratings, rate(50, 2, 125000));
	json_array_append_new(ratings, rate(50, 2, 250000));
	json_array_append_new(ratings, rate(50, 2, 500000));
	json_array_append_new(ratings, rate(100, 2, 250000));
	json_array_append_new(ratings, rate(200, 2, 250000));
	json_array_append_new(ratings, rate(400, 2, 250000));
	report_rows(table, ratings, store);
	return report_write(
		"scale", json_pack("{s:s,s:o,s:o,s:o}", "bench", "scale", "ratings",
				 ratings, "store", store, "table", table));
}
