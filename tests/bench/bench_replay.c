/*
 * How fast replays are proved, and how large they and their pages are.
 *
 * For each game one replay of about 20,000 decisions' worth of random matches is made in
 * this process, once for bots that ask for `event` messages and once for bots that do
 * not, and proved over and over on one core. Rates are by CPU time, so that other work
 * on the machine does not count. A decision is an applied action; "answers" counts only
 * those that a bot was asked for; "page" is what `replay html` makes of the first match,
 * in kB (random players take some 10,000 decisions to Pig It Hog It). Prints a table and
 * writes build/bench/replay.json.
 *
 *     bench_replay [RUNS]        5 runs by default; medians are printed
 *     bench_replay --play ID     20,000 decisions of that game with rules, messages,
 *                                digests and records, but no socket and no file; for
 *                                callgrind and perf
 */
#include "arbiter/cmd/replay.h"
#include "arbiter/match/match.h"
#include "arbiter/replay/playback.h"
#include "tests/bench/report.h"

#include <sodium.h>
#include <time.h>
#include <unistd.h>

enum { FILES_MAX = 400, DECISIONS_WANTED = 20000 };

struct table {
	struct match match;
	uint16_t left;
	struct chance_stream dice;
	mono_ns now;
};

/* The matches of one measurement. */
struct campaign {
	const struct game *game;
	int seats;
	bool events;
	int files;
	char path[FILES_MAX][600];
	uint64_t decisions, answers, bytes, packed_bytes, page_bytes;
	double per_s[RUNS_MAX];
};

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void on_send(void *context, int seat, struct blob message)
{
	(void)context, (void)seat, (void)message;
}

static void on_flush(void *context)
{
	struct table *t = context;

	replay_writer_flush(t->match.replay);
}

static void on_ask(void *context, int seat)
{
	((struct table *)context)->left |= (uint16_t)(1u << seat);
}

static void on_answered(void *context, int seat)
{
	(void)context, (void)seat;
}

static void on_faulted(void *context, int seat, const struct fault *fault)
{
	(void)context, (void)seat, (void)fault;
}

static void on_finished(void *context)
{
	(void)context;
}

static void start_clocks(struct table *t)
{
	for (int seat = 0; seat < GAME_SEATS_MAX; seat++)
		if (game_seat_in(t->left, seat))
			match_asked(&t->match, seat, t->now);
	t->left = 0;
}

static void answer(struct table *t)
{
	struct game_random random = {chance_stream_next, &t->dice};
	const struct game *game = t->match.config.setup.game;
	struct action legal[GAME_LEGAL_MAX];
	int seat = __builtin_ctz(t->match.waiting);
	int n = game->legal(t->match.composer.state, seat, legal);

	t->now += 40 * NS_PER_US + game_random_below(&random, 20000);
	match_answer(&t->match, seat,
		&(struct match_answer){
			.turn = t->match.seat[seat].turn,
			.choice = game_random_below(&random, (uint32_t)n),
			.received = t->now,
			.cpu_ns = 20 * NS_PER_US,
		});
	start_clocks(t);
}

static void play(struct campaign *c, struct table *t, struct replay_writer *writer,
	struct compose_scratch *scratch)
{
	struct match_effects effects = {.send = on_send,
		.flush = on_flush,
		.ask = on_ask,
		.answered = on_answered,
		.faulted = on_faulted,
		.finished = on_finished,
		.context = t};
	struct match_config config = {
		.setup = {.game = c->game,
			.seats = c->seats,
			.match_id = 1000 + c->files,
			.clock = clock_rules_default},
		.ready_ns_max = NS_PER_S,
	};
	char name[64];

	snprintf(name, sizeof(name), "bench %s %d", c->game->id, c->files);
	game_defaults(c->game, config.setup.option);
	chance_seed_from_text(name, config.seed);
	for (int seat = 0; seat < c->seats; seat++) {
		snprintf(config.player[seat].name, PLAYER_NAME_SIZE, "random");
		memset(config.player[seat].hash, 'a', 64);
		config.setup.wants_events[seat] = c->events;
	}
	chance_stream_init(&t->dice, config.seed, "dice");
	t->now = NS_PER_S;
	match_init(&t->match, &config, &effects, scratch, writer);
	match_start(&t->match, t->now);
	start_clocks(t);
	for (int seat = 0; seat < c->seats; seat++)
		match_ready(&t->match, seat, t->now);
	start_clocks(t);
	while (!match_over(&t->match))
		answer(t);
}

static void make_file(
	struct campaign *c, const char *folder, struct compose_scratch *scratch)
{
	struct table *t = calloc(1, sizeof(*t));
	char *path = c->path[c->files];
	struct replay_writer writer;
	struct stat plain, packed;
	char copy[620];

	snprintf(path, sizeof(c->path[0]), "%s/%s-%d-%d.replay", folder, c->game->id,
		c->events, c->files);
	if (!t || replay_open(&writer, path, false))
		abort();
	play(c, t, &writer, scratch);
	for (int seat = 0; seat < c->seats; seat++)
		c->answers += t->match.seat[seat].decisions;
	c->decisions += t->match.actions;
	match_release(&t->match);
	free(t);
	if (replay_close(&writer) || stat(path, &plain))
		abort();
	snprintf(copy, sizeof(copy), "%s.copy", path);
	if (link(path, copy) || replay_compress(copy, sizeof(copy)) ||
		stat(copy, &packed))
		abort();
	unlink(copy);
	c->bytes += (uint64_t)plain.st_size;
	c->packed_bytes += (uint64_t)packed.st_size;
	c->files++;
}

/* The size of the page of a replay. */
static uint64_t page_bytes(char *path)
{
	char page[620], *argv[] = {"html", path, "-o", page, NULL};
	struct stat info;

	snprintf(page, sizeof(page), "%s.html", path);
	if (cmd_replay_html(4, argv) || stat(page, &info))
		abort();
	unlink(page);
	return (uint64_t)info.st_size;
}

static void prove(const char *path, struct compose_scratch *scratch)
{
	struct playback_options options = {.prove = true, .scratch = scratch};
	struct playback_step step;
	enum playback_status status;
	struct why why;
	struct playback *p = playback_open(path, &options, &status, &why);

	while (p && (status = playback_next(p, &step)) == PLAYBACK_STEP)
		;
	if (status != PLAYBACK_DONE) {
		fprintf(stderr, "%s: %s\n", path, p ? playback_why(p) : why.text);
		exit(1);
	}
	playback_free(&p);
}

static double measure(const struct campaign *c, struct compose_scratch *scratch)
{
	double start = cpu_seconds();

	for (int i = 0; i < c->files; i++)
		prove(c->path[i], scratch);
	return (double)c->decisions / (cpu_seconds() - start);
}

static json_t *report(struct campaign *c, int runs, json_t *table)
{
	double rate = report_median(c->per_s, runs),
	       share = (double)c->answers / (double)c->decisions;
	double plain = (double)c->bytes / (double)c->decisions;
	double packed = (double)c->packed_bytes / (double)c->decisions;

	char what[96];

	if (!c->events) {
		snprintf(what, sizeof(what), "replay verify, %s", c->game->id);
		report_row(table, what, rate, "decisions/s", 0, 300000, BETTER_MORE);
	}
	printf("%-15s %5d  %-6s %12.0f %12.0f %10.1f %7.1f %6.0f\n", c->game->id,
		c->seats, c->events ? "yes" : "no", rate, rate * share, plain, packed,
		(double)c->page_bytes / 1e3);
	return json_pack("{s:s, s:i, s:b, s:f, s:f, s:f, s:f, s:I}", "game", c->game->id,
		"seats", c->seats, "events", c->events, "decisions_per_s", rate,
		"answers_per_s", rate * share, "bytes_per_decision", plain,
		"bytes_per_decision_compressed", packed, "page_bytes",
		(json_int_t)c->page_bytes);
}

static json_t *run(
	const struct game *game, bool events, int runs, const char *folder, json_t *table)
{
	struct compose_scratch *scratch = compose_scratch_new();
	struct campaign *c = calloc(1, sizeof(*c));
	json_t *json;

	if (!c)
		abort();
	c->game = game;
	c->seats = game->seats_min;
	c->events = events;
	while (c->decisions < DECISIONS_WANTED && c->files < FILES_MAX)
		make_file(c, folder, scratch);
	c->page_bytes = page_bytes(c->path[0]);
	for (int i = 0; i < runs; i++)
		c->per_s[i] = measure(c, scratch);
	json = report(c, runs, table);
	for (int i = 0; i < c->files; i++)
		unlink(c->path[i]);
	free(c);
	compose_scratch_free(&scratch);
	return json;
}

static int forget(void *context, const void *bytes, size_t size)
{
	(void)context, (void)bytes, (void)size;
	return 0;
}

static int play_only(const struct game *game)
{
	struct compose_scratch *scratch = compose_scratch_new();
	struct table *t = calloc(1, sizeof(*t));
	struct campaign *c = calloc(1, sizeof(*c));
	double start = cpu_seconds();

	if (!game || !t || !c)
		return 1;
	c->game = game;
	c->seats = game->seats_min;
	for (; c->decisions < DECISIONS_WANTED; c->files++) {
		struct replay_writer writer;

		replay_writer_init(&writer, (struct replay_sink){forget, NULL});
		play(c, t, &writer, scratch);
		for (int seat = 0; seat < c->seats; seat++)
			c->answers += t->match.seat[seat].decisions;
		c->decisions += t->match.actions;
		match_release(&t->match);
		replay_writer_release(&writer);
	}
	printf("%s: %.2f us per answer, %llu answers of %llu decisions in %d matches\n",
		game->id, (cpu_seconds() - start) * 1e6 / (double)c->answers,
		(unsigned long long)c->answers, (unsigned long long)c->decisions,
		c->files);
	compose_scratch_free(&scratch);
	free(c);
	free(t);
	return 0;
}

int main(int argc, char **argv)
{
	int runs = argc > 1 ? atoi(argv[1]) : 5;
	char folder[] = "/tmp/pigpen-bench-XXXXXX";
	json_t *list = json_array(), *table = json_array();

	if (sodium_init() < 0)
		abort();
	if (argc == 3 && strcmp(argv[1], "--play") == 0)
		return play_only(game_find(argv[2]));
	if (runs < 1 || runs > RUNS_MAX || !mkdtemp(folder)) {
		fprintf(stderr, "usage: bench_replay [RUNS, 1 to %d]\n", RUNS_MAX);
		return 2;
	}
	printf("%-15s %5s  %-6s %12s %12s %10s %7s %6s\n", "proving", "seats", "events",
		"decisions/s", "answers/s", "bytes/dec", "zstd", "page");
	for (int events = 0; events < 2; events++)
		for (int i = 0; game_list[i]; i++)
			json_array_append_new(
				list, run(game_list[i], events, runs, folder, table));
	rmdir(folder);
	return report_write(
		"replay", json_pack("{s:s, s:i, s:o, s:o}", "bench", "replay", "runs",
				  runs, "verify", list, "table", table));
}
