/*
 * The match runner against its floor.
 *
 * Lockstep: one match at a time between two trivial C bots, everything pinned to one
 * core, beside a bare ZeroMQ echo of the same byte sizes (question out, answer back)
 * between two processes on that core. In flight: many matches at once over a few bot
 * processes, unpinned; arbiter CPU time per decision with and without replay, and the
 * same for an echo with as many messages under way.
 *
 * Runs are interleaved and medians taken. Prints a table and writes
 * build/bench/match.json.
 *
 *     bench_match [RUNS]                       5 runs by default
 *     bench_match --play MATCHES FLIGHT FOLDER  nothing but that, for perf and strace;
 *                                               replays stay in the folder, "-": none
 */
#include "arbiter/loop/loop.h"
#include "protocol/codec.h"

#include <dirent.h>
#include <jansson.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#define RUNS_MAX 15

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
	double bytes_out, bytes_in; /* of one question and one answer, on average */
};

struct series {
	int matches, next;
	struct entrant *entrant[GAME_SEATS_MAX];
	const char *folder; /* NULL: no replay */
	uint64_t decisions;
	double start, start_cpu;
};

static enum loop_next next_match(void *context, struct loop *loop)
{
	struct series *s = context;
	char path[256];
	struct loop_match request = {
		.config = {.setup = {.game = game,
				   .seats = seats,
				   .match_id = (INT64_C(1) << 52) + s->next,
				   .clock = clock_rules_standard},
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
	for (int i = 0; i < seats; i++)
		s->decisions += report->match->seat[i].decisions;
}

static struct measure play(int matches, int jobs, int processes, const char *folder)
{
	char why[256];
	struct bot_spec spec;
	struct loop_options options = {.jobs_max = jobs};
	struct series s = {.matches = matches, .folder = folder};
	struct loop_client client = {next_match, match_done, NULL, &s};
	struct loop *loop = loop_new(&options, why, sizeof(why));
	struct measure m = {0};
	double wall, cpu;

	if (!loop || !bot_spec_load(&spec, "sample_bots/c/first", why, sizeof(why))) {
		fprintf(stderr, "bench_match: %s\n", why);
		exit(1);
	}
	spec.matches = jobs;
	for (int i = 0; i < seats; i++)
		s.entrant[i] = loop_entrant(loop, &spec, processes);
	loop_run(loop, &client);
	wall = seconds(CLOCK_MONOTONIC) - s.start;
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - s.start_cpu;
	m.us_per_decision = wall * 1e6 / (double)s.decisions;
	m.cpu_us_per_decision = cpu * 1e6 / (double)s.decisions;
	m.decisions_per_s = (double)s.decisions / wall;
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
		.clock = clock_rules_standard};
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

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *values, int n)
{
	double sorted[RUNS_MAX];

	memcpy(sorted, values, (size_t)n * sizeof(*sorted));
	qsort(sorted, (size_t)n, sizeof(*sorted), compare_double);
	return sorted[n / 2];
}

static json_t *lockstep(int runs, const char *folder, size_t out, size_t in)
{
	double match[RUNS_MAX], floor[RUNS_MAX], ratio[RUNS_MAX];

	pin(true);
	for (int r = 0; r < runs; r++) {
		floor[r] = echo(20000, 1, 1, out, in, folder).us_per_decision;
		match[r] = play(300, 1, 1, folder).us_per_decision;
		ratio[r] = match[r] / floor[r];
	}
	pin(false);
	printf("lockstep, one core      %8.1f us per decision   echo %6.1f us   ratio "
	       "%.2f\n",
		median(match, runs), median(floor, runs), median(ratio, runs));
	fflush(stdout);
	return json_pack("{s:f,s:f,s:f}", "us_per_decision", median(match, runs),
		"echo_us", median(floor, runs), "ratio", median(ratio, runs));
}

static json_t *in_flight(
	int runs, int flight, int processes, const char *folder, size_t out, size_t in)
{
	double cpu[RUNS_MAX], bare[RUNS_MAX], floor[RUNS_MAX], rate[RUNS_MAX],
		top[RUNS_MAX];
	int matches = flight * 15 < 3000 ? 3000 : flight * 15;

	for (int r = 0; r < runs; r++) {
		struct measure e =
			echo(100000, processes * seats, flight, out, in, folder);
		struct measure with = play(matches, flight, processes, folder);
		struct measure without = play(matches, flight, processes, NULL);

		floor[r] = e.cpu_us_per_decision;
		top[r] = e.decisions_per_s;
		cpu[r] = with.cpu_us_per_decision;
		rate[r] = with.decisions_per_s;
		bare[r] = without.cpu_us_per_decision;
	}
	printf("%4d in flight          %8.1f us of arbiter CPU   echo %6.1f us   without "
	       "replay %.1f us   %.0f decisions/s   echo %.0f/s\n",
		flight, median(cpu, runs), median(floor, runs), median(bare, runs),
		median(rate, runs), median(top, runs));
	fflush(stdout);
	return json_pack("{s:i,s:f,s:f,s:f,s:f,s:f}", "flight", flight, "cpu_us",
		median(cpu, runs), "echo_cpu_us", median(floor, runs),
		"without_replay_cpu_us", median(bare, runs), "decisions_per_s",
		median(rate, runs), "echo_per_s", median(top, runs));
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

	printf("%.2f us of arbiter CPU, %.2f us, %.0f decisions/s\n",
		m.cpu_us_per_decision, m.us_per_decision, m.decisions_per_s);
	return 0;
}

int main(int argc, char **argv)
{
	int runs = argc > 1 ? atoi(argv[1]) : 5;
	char folder[] = "build/bench/replays-XXXXXX";
	double out, in;
	json_t *report = json_object();

	if (argc == 5 && strcmp(argv[1], "--play") == 0) {
		game = game_find("dirty_pig");
		return play_only(argv + 2);
	}
	if (runs < 1 || runs > RUNS_MAX || !mkdtemp(folder))
		return 1;
	game = game_find("dirty_pig");
	question_sizes(&out, &in);
	printf("Dirty Pig, 2 seats, bot `first`: questions of %.0f bytes, answers of "
	       "%.0f; "
	       "medians of %d runs\n",
		out, in, runs);
	json_object_set_new(report, "question_bytes", json_real(out));
	json_object_set_new(report, "answer_bytes", json_real(in));
	json_object_set_new(
		report, "lockstep", lockstep(runs, folder, (size_t)out, (size_t)in));
	json_object_set_new(report, "flight_64",
		in_flight(runs, 64, 1, folder, (size_t)out, (size_t)in));
	json_object_set_new(report, "flight_1000",
		in_flight(runs, 1000, 1, folder, (size_t)out, (size_t)in));
	json_dump_file(report, "build/bench/match.json", JSON_INDENT(1));
	json_decref(report);
	remove_folder(folder);
	return 0;
}
