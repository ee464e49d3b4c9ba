/*
 * The match runner against its floor.
 *
 * Lockstep: one match at a time between two trivial C bots, everything pinned to one
 * core, beside a bare ZeroMQ echo of the same byte sizes (question out, answer back)
 * between two processes on that core. In flight: many matches at once over a few bot
 * processes, unpinned; arbiter CPU time per decision with and without replay, and the
 * same for an echo with as many messages under way. At 1,000 in flight also the memory
 * that a match takes, and the turnaround: how long after an answer had come its match
 * sent the next question, by the replays' own numbers.
 *
 * Runs are interleaved and medians taken. Replays go to build/bench, which should be on
 * a disk. Prints a table and writes build/bench/match.json.
 *
 *     bench_match [RUNS]  5 runs by default
 *     bench_match --play MATCHES FLIGHT FOLDER [GAME]
 *                         nothing but that, for perf and strace; replays stay in the
 *                         folder, "-": none
 *     bench_match --echo COUNT FLIGHT FOLDER [GAME]
 *                         the echo alone
 */
#include "arbiter/loop/loop.h"
#include "arbiter/replay/reader.h"
#include "arbiter/replay/records.h"
#include "protocol/codec.h"
#include "tests/bench/report.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#define FILES_READ_MAX 200
#define TURNS_MAX      40000

static const struct game *game;
static int seats = 2;
static int files; /* replays written so far */

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void pin(bool one_core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int i = 0; i < (one_core ? 1 : (int)sysconf(_SC_NPROCESSORS_ONLN)); i++)
		CPU_SET(i, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* What one measured run gives. */
struct measure {
	double us_per_decision;     /* wall time */
	double cpu_us_per_decision; /* of this process */
	double decisions_per_s;
	double decisions;
	double bytes_out, bytes_in; /* of one question and one answer, on average */
	double bytes_per_match;     /* memory at the first report, by matches in flight */
};

struct series {
	int matches, next;
	struct entrant *entrant[GAME_SEATS_MAX];
	const char *folder; /* NULL: no replay */
	uint64_t decisions;
	double start, start_cpu;
	double memory_before, memory_full;
};

static double resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long size, resident = 0;

	if (file && fscanf(file, "%ld %ld", &size, &resident) != 2)
		resident = 0;
	if (file)
		fclose(file);
	return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static enum loop_next next_match(void *context, struct loop *loop)
{
	struct series *s = context;
	char path[256];
	struct loop_match request = {
		.config = {.setup = {.game = game,
				   .seats = seats,
				   .match_id = (INT64_C(1) << 52) + s->next,
				   .clock = clock_rules_default},
			.ready_ns_max = 10 * NS_PER_S},
	};

	if (s->next == s->matches)
		return NEXT_NONE;
	if (!s->next) {
		s->start = seconds(CLOCK_MONOTONIC);
		s->start_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	}
	game_defaults(game, request.config.setup.option);
	memcpy(request.entrant, s->entrant, sizeof(request.entrant));
	memcpy(request.config.seed, &s->next, sizeof(s->next));
	if (s->folder) {
		snprintf(path, sizeof(path), "%s/%d-%d.replay", s->folder, getpid(),
			files++);
		request.replay_path = path;
	}
	s->next++;
	loop_add_match(loop, &request);
	return NEXT_ADDED;
}

static void match_done(void *context, const struct loop_report *report)
{
	struct series *s = context;

	if (report->match->is_void || report->match->faulted) {
		fprintf(stderr, "bench_match: a match was void or had a fault: %s\n",
			report->match->void_reason);
		exit(1);
	}
	if (!s->memory_full)
		s->memory_full = resident_bytes();
	for (int i = 0; i < seats; i++)
		s->decisions += report->match->seat[i].decisions;
}

static struct measure play(int matches, int jobs, int processes, const char *folder)
{
	struct why why;
	struct bot_spec spec;
	struct loop_options options = {.jobs_max = jobs};
	struct series s = {.matches = matches, .folder = folder};
	struct loop_client client = {
		.next = next_match, .done = match_done, .context = &s};
	struct loop *loop = loop_new(&options, &why);
	struct measure m = {0};
	double wall, cpu;

	if (!loop || !bot_spec_load(&spec, "sample_bots/c/first", &why)) {
		fprintf(stderr, "bench_match: %s\n", why.text);
		exit(1);
	}
	spec.matches = jobs;
	for (int i = 0; i < seats; i++)
		s.entrant[i] = loop_entrant(loop, &spec, processes);
	s.memory_before = resident_bytes();
	loop_run(loop, &client);
	wall = seconds(CLOCK_MONOTONIC) - s.start;
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - s.start_cpu;
	m.us_per_decision = wall * 1e6 / (double)s.decisions;
	m.cpu_us_per_decision = cpu * 1e6 / (double)s.decisions;
	m.decisions_per_s = (double)s.decisions / wall;
	m.decisions = (double)s.decisions;
	m.bytes_per_match = (s.memory_full - s.memory_before) / jobs;
	loop_free(&loop);
	bot_spec_release(&spec);
	return m;
}

/* The average size of a question, from composing one match's questions. */
static void question_sizes(double *out, double *in)
{
	struct compose_scratch *scratch = compose_scratch_new();
	struct composer c;
	struct compose_setup setup = {.game = game,
		.seats = seats,
		.match_id = INT64_C(1) << 52,
		.clock = clock_rules_default};
	struct compose_question question = {1, 30000000, 5000000};
	struct message answer = {.type = MESSAGE_ACTION,
		.action = {.match = INT64_C(1) << 52, .turn = 40, .choice = 0}};
	uint8_t bytes[256], seed[CHANCE_SEED_SIZE] = {1};
	struct buffer buffer = buffer_on(bytes, sizeof(bytes));
	double total = 0;
	int n = 0;

	game_defaults(game, setup.option);
	composer_init(&c, &setup, scratch);
	while (game_head(c.state)->need != NEED_NOTHING) {
		struct action legal[GAME_LEGAL_MAX];
		int seat;

		if (game_head(c.state)->need == NEED_CHANCE) {
			struct chance request;
			uint8_t order[GAME_ORDER_MAX];

			game->chance(c.state, &request);
			chance_order(seed, &request, order);
			composer_chance(&c, order, request.n);
			continue;
		}
		seat = __builtin_ctz(game_head(c.state)->pending);
		if (game->legal(c.state, seat, legal) > 1) {
			total += compose_act(&c, seat, &question).size;
			n++;
		}
		composer_apply(&c, seat, &legal[0]);
	}
	composer_release(&c);
	compose_scratch_free(&scratch);
	codec_encode(&answer, &buffer);
	*out = total / n;
	*in = (double)buffer.size;
}

/* The other end of the echo: `answer` bytes for every frame. */
static void echo_bot(const char *endpoint, size_t answer)
{
	void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_DEALER);
	char bytes[65536] = {0};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	zmq_connect(socket, endpoint);
	zmq_send(socket, bytes, answer, 0);
	while (zmq_recv(socket, bytes, sizeof(bytes), 0) >= 0)
		zmq_send(socket, bytes, answer, 0);
	_exit(0);
}

/* `flight` messages under way over `bots` processes, `count` in all. */
static struct measure echo(int count, int bots, int flight, size_t question,
	size_t answer, const char *folder)
{
	void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_ROUTER);
	char endpoint[300], bytes[65536] = {0}, id[8][256];
	pid_t pid[8];
	int id_size[8];
	double start, cpu;
	struct measure m = {.bytes_out = (double)question, .bytes_in = (double)answer};

	snprintf(endpoint, sizeof(endpoint), "ipc://%s/echo-%d", folder, getpid());
	zmq_bind(socket, endpoint);
	for (int i = 0; i < bots; i++) {
		pid[i] = fork();
		if (!pid[i])
			echo_bot(endpoint, answer);
	}
	for (int i = 0; i < bots; i++) {
		id_size[i] = zmq_recv(socket, id[i], sizeof(id[i]), 0);
		zmq_recv(socket, bytes, sizeof(bytes), 0);
	}
	start = seconds(CLOCK_MONOTONIC);
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 0; i < flight; i++) {
		zmq_send(socket, id[i % bots], (size_t)id_size[i % bots], ZMQ_SNDMORE);
		zmq_send(socket, bytes, question, 0);
	}
	for (int i = 0; i < count; i++) {
		char from[256];
		int size = zmq_recv(socket, from, sizeof(from), 0);

		zmq_recv(socket, bytes, sizeof(bytes), 0);
		if (i >= count - flight)
			continue;
		zmq_send(socket, from, (size_t)size, ZMQ_SNDMORE);
		zmq_send(socket, bytes, question, 0);
	}
	m.us_per_decision = (seconds(CLOCK_MONOTONIC) - start) * 1e6 / count;
	m.cpu_us_per_decision = (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) * 1e6 / count;
	m.decisions_per_s = 1e6 / m.us_per_decision;
	for (int i = 0; i < bots; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	zmq_close(socket);
	zmq_ctx_term(context);
	return m;
}

/* How long the arbiter took from an answer to the next question of the match. */
static int read_turnarounds(const char *path, double *turns, int n)
{
	struct why why;
	struct replay_reader *reader = replay_reader_open(path, &why);
	struct replay_record record;
	struct replay_info info;
	struct replay_move move;
	msgpack_zone zone;
	int64_t before_us = -1;

	msgpack_zone_init(&zone, 4096);
	while (reader && replay_reader_next(reader, &record) == REPLAY_RECORD) {
		if (record.type == REPLAY_HEADER)
			replay_parse_header(record.payload, &info);
		if (record.type != REPLAY_ACTION ||
			replay_parse_action(record.payload, &info, &zone, &move) ||
			!move.turn)
			continue;
		if (before_us >= 0 && n < TURNS_MAX)
			turns[n++] = (double)(move.sent_us - before_us);
		before_us = move.received_us;
	}
	msgpack_zone_destroy(&zone);
	replay_reader_free(&reader);
	return n;
}

/* Of the newest replays in the folder. */
static double turnaround_us_p99(const char *folder)
{
	double *turns = calloc(TURNS_MAX, sizeof(*turns)), result;
	char path[256];
	int n = 0;

	for (int i = 0; turns && i < FILES_READ_MAX && i < files; i++) {
		snprintf(path, sizeof(path), "%s/%d-%d.replay", folder, getpid(),
			files - 1 - i);
		n = read_turnarounds(path, turns, n);
	}
	if (!n)
		abort();
	qsort(turns, (size_t)n, sizeof(*turns), report_compare);
	result = turns[n * 99 / 100];
	free(turns);
	return result;
}

static json_t *lockstep(
	int runs, const char *folder, size_t out, size_t in, json_t *table)
{
	double match[RUNS_MAX], floor[RUNS_MAX], ratio[RUNS_MAX];
	double cpu[RUNS_MAX], bare[RUNS_MAX], floor_cpu[RUNS_MAX];

	pin(true);
	for (int r = 0; r < runs; r++) {
		struct measure e = echo(20000, 1, 1, out, in, folder);
		struct measure with = play(300, 1, 1, folder);

		floor[r] = e.us_per_decision;
		floor_cpu[r] = e.cpu_us_per_decision;
		match[r] = with.us_per_decision;
		ratio[r] = match[r] / floor[r];
		cpu[r] = with.cpu_us_per_decision;
		bare[r] = play(300, 1, 1, NULL).cpu_us_per_decision;
	}
	pin(false);
	printf("lockstep, one core      %8.1f us per decision   echo %6.1f us   ratio %.2f\n"
	       "                        %8.1f us of arbiter "
	       "CPU   echo %5.1f us   without replay %.1f us\n",
		report_median(match, runs), report_median(floor, runs),
		report_median(ratio, runs), report_median(cpu, runs),
		report_median(floor_cpu, runs), report_median(bare, runs));
	fflush(stdout);
	report_row(table, "one match in lockstep, one core", report_median(match, runs),
		"us per decision", report_median(floor, runs), 0, BETTER_LESS);
	report_row(table, "one match in lockstep, times the echo",
		report_median(ratio, runs), "x", 0, 1.15, BETTER_LESS);
	report_row(table, "one match in lockstep: arbiter CPU", report_median(cpu, runs),
		"us per decision", report_median(floor_cpu, runs), 0, BETTER_LESS);
	report_row(table, "one match in lockstep without replay: arbiter CPU",
		report_median(bare, runs), "us per decision",
		report_median(floor_cpu, runs), 0, BETTER_LESS);
	return json_pack("{s:f,s:f,s:f,s:f,s:f,s:f}", "us_per_decision",
		report_median(match, runs), "echo_us", report_median(floor, runs),
		"ratio", report_median(ratio, runs), "cpu_us", report_median(cpu, runs),
		"without_replay_cpu_us", report_median(bare, runs), "echo_cpu_us",
		report_median(floor_cpu, runs));
}

/* Medians of a row of measures. */
struct flight {
	double cpu, bare, floor, rate, top, bytes;
};

static struct flight fly(
	int runs, int flight, int matches, const char *folder, size_t out, size_t in)
{
	double cpu[RUNS_MAX], bare[RUNS_MAX], floor[RUNS_MAX], rate[RUNS_MAX],
		top[RUNS_MAX], bytes[RUNS_MAX];

	for (int r = 0; r < runs; r++) {
		struct measure e = echo(100000, seats, flight, out, in, folder);
		struct measure with = play(matches, flight, 1, folder);
		struct measure without = play(matches, flight, 1, NULL);

		floor[r] = e.cpu_us_per_decision;
		top[r] = e.decisions_per_s;
		cpu[r] = with.cpu_us_per_decision;
		rate[r] = with.decisions_per_s;
		bytes[r] = with.bytes_per_match;
		bare[r] = without.cpu_us_per_decision;
	}
	/* Later runs find the memory of the first one free. */
	return (struct flight){report_median(cpu, runs), report_median(bare, runs),
		report_median(floor, runs), report_median(rate, runs),
		report_median(top, runs), bytes[0]};
}

static json_t *in_flight(int runs, int flight, const char *folder, json_t *table)
{
	double out, in, target = flight == 1000 ? 300000 : 180000;
	/* The other games take longer matches: fewer of them, and no targets. */
	bool main_game = strcmp(game->id, "dirty_pig") == 0;
	int matches = main_game ? flight * 15 : flight * 3;
	struct flight f;
	char what[96];

	question_sizes(&out, &in);
	f = fly(runs, flight, matches < 2000 && main_game ? 2000 : matches, folder,
		(size_t)out, (size_t)in);
	printf("%-14s %4d in flight  %8.1f us of arbiter CPU   echo %5.1f us   without "
	       "replay %.1f us   %.0f decisions/s   echo %.0f/s\n",
		game->id, flight, f.cpu, f.floor, f.bare, f.rate, f.top);
	fflush(stdout);
	snprintf(what, sizeof(what), "%s, %d in flight: arbiter CPU", game->id, flight);
	report_row(table, what, f.cpu, "us per decision", f.floor, main_game ? 4 : 0,
		BETTER_LESS);
	snprintf(what, sizeof(what), "%s, %d in flight without replay: arbiter CPU",
		game->id, flight);
	report_row(table, what, f.bare, "us per decision", f.floor, 0, BETTER_LESS);
	snprintf(what, sizeof(what), "%s, %d in flight: rate", game->id, flight);
	report_row(table, what, f.rate, "decisions/s", f.top, main_game ? target : 0,
		BETTER_MORE);
	return json_pack("{s:s,s:i,s:i,s:f,s:f,s:f,s:f,s:f,s:f}", "game", game->id,
		"seats", seats, "flight", flight, "cpu_us", f.cpu, "echo_cpu_us", f.floor,
		"without_replay_cpu_us", f.bare, "decisions_per_s", f.rate, "echo_per_s",
		f.top, "bytes_per_match", f.bytes);
}

static void choose_game(const struct game *chosen)
{
	game = chosen;
	seats = chosen->seats_min;
}

/* Dirty Pig first: a thousand matches in fresh memory, then 64 of every game. */
static json_t *all_in_flight(int runs, const char *folder, json_t *table)
{
	json_t *list = json_array(), *thousand = in_flight(runs, 1000, folder, table);
	double bytes = json_real_value(json_object_get(thousand, "bytes_per_match"));
	double p99 = turnaround_us_p99(folder);

	report_row(table, "1000 in flight: memory", bytes / 1000, "kB per match", 0, 64,
		BETTER_LESS);
	report_row(table, "1000 in flight: answer to next question, p99", p99 / 1000,
		"ms", 0, 0, BETTER_LESS);
	printf("at 1000 in flight %.1f kB per match, p99 of answer to next question %.1f ms\n",
		bytes / 1000, p99 / 1000);
	json_object_set_new(thousand, "turnaround_us_p99", json_real(p99));
	json_array_append_new(list, thousand);
	for (int i = 0; game_list[i]; i++) {
		choose_game(game_list[i]);
		json_array_append_new(list, in_flight(runs, 64, folder, table));
	}
	return list;
}

/* Only at the end: ext4 does not give the inode of a file that was just deleted to a new
 * one, and looking for another would be counted as the arbiter's time. */
static void remove_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(folder);
}

static int play_only(char **words)
{
	const char *folder = strcmp(words[2], "-") ? words[2] : NULL;
	struct measure m = play(atoi(words[0]), atoi(words[1]), 1, folder);

	printf("%.2f us of arbiter CPU, %.2f us, %.0f decisions/s, %.0f decisions\n",
		m.cpu_us_per_decision, m.us_per_decision, m.decisions_per_s, m.decisions);
	return 0;
}

static int echo_only(char **words)
{
	double out, in;
	struct measure m;

	question_sizes(&out, &in);
	m = echo(
		atoi(words[0]), seats, atoi(words[1]), (size_t)out, (size_t)in, words[2]);
	printf("%.2f us of the server's CPU, %.2f us, %.0f echoes/s\n",
		m.cpu_us_per_decision, m.us_per_decision, m.decisions_per_s);
	return 0;
}

int main(int argc, char **argv)
{
	int runs = argc > 1 ? atoi(argv[1]) : 5;
	char folder[] = "build/bench/replays-XXXXXX";
	json_t *piece = json_object(), *table = json_array();
	double out, in;

	if (sodium_init() < 0)
		abort();
	choose_game(game_find("dirty_pig"));
	if (argc == 6 && game_find(argv[5]))
		choose_game(game_find(argv[5]));
	if (argc >= 5 && strcmp(argv[1], "--play") == 0)
		return play_only(argv + 2);
	if (argc >= 5 && strcmp(argv[1], "--echo") == 0)
		return echo_only(argv + 2);
	if (runs < 1 || runs > RUNS_MAX || !mkdtemp(folder))
		return 1;
	question_sizes(&out, &in);
	printf("Bot `first`; questions of Dirty Pig have %.0f bytes, answers %.0f; "
	       "medians of %d runs\n",
		out, in, runs);
	json_object_set_new(piece, "flights", all_in_flight(runs, folder, table));
	choose_game(game_find("dirty_pig"));
	json_object_set_new(piece, "lockstep",
		lockstep(runs, folder, (size_t)out, (size_t)in, table));
	json_object_set_new(piece, "table", table);
	remove_folder(folder);
	return report_write("match", piece);
}
