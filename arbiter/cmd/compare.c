/* `pigpen compare A B`: a sequential test on duplicate sets. */
#include "arbiter/cmd/cmd.h"
#include "arbiter/cmd/match_args.h"
#include "arbiter/ladder/directory/ladder.h"
#include "arbiter/ladder/run/plan.h"
#include "arbiter/ladder/workers/pool.h"
#include "arbiter/ladder/rating/sequential.h"
#include "arbiter/ladder/rating/standings.h"
#include "arbiter/base/files.h"
#include "arbiter/base/temporary.h"
#include "arbiter/base/terminal.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <argp.h>
#include <math.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SETS_DEFAULT  100000
#define SETS_LIMIT    1000000000
#define JOBS_LIMIT    1024
#define LINE_EVERY_NS (200 * NS_PER_MS)

enum {
	KEY_GAME = 256,
	KEY_ELO0,
	KEY_ELO1,
	KEY_ALPHA,
	KEY_BETA,
	KEY_SETS,
	KEY_SEED,
	KEY_AT_ONCE
};

static const struct argp_option options[] = {
	{"game", KEY_GAME, "GAME", 0, "the game (`pigpen games` lists them)", 0},
	{"elo0", KEY_ELO0, "ELO", 0, "H0: A is stronger by this much (0)", 0},
	{"elo1", KEY_ELO1, "ELO", 0, "H1: A is stronger by this much (20)", 0},
	{"alpha", KEY_ALPHA, "P", 0, "chance of accepting H1 although H0 holds (.05)", 0},
	{"beta", KEY_BETA, "P", 0, "chance of accepting H0 although H1 holds (.05)", 0},
	{"sets", KEY_SETS, "N", 0, "give up after this many duplicate sets (100000)", 0},
	{"seed", KEY_SEED, "TEXT", 0, "determines the deals; random if not given", 0},
	{"jobs", 'j', "K", 0, "worker processes (one for each core)", 0},
	{"at-once", KEY_AT_ONCE, "N", 0, "matches that a worker plays at a time (1)", 0},
	{"json", KEY_JSON, 0, 0, "print the verdict as JSON", 0},
	{"quiet", 'q', 0, 0, "no progress", 0},
	{0},
};

/* A set that is under way or finished; sets are counted in their order, whichever
 * finishes first. */
struct compared_set {
	int64_t number;
	int64_t entrant[GAME_SEATS_MAX]; /* 1: A, 2: B; by place */
	int rotations, handed_out, done;
	struct store_seat *seat; /* by rotation and seat */
};

struct compare {
	const char *what[2];
	int names;
	struct match_args args;
	struct match_rules rules; /* the rules that the options give */
	double elo0, elo1, alpha, beta;
	long sets_max, jobs, at_once;
	const char *seed_text;
	bool json, quiet;
	int status;

	struct bot_spec bot[2];
	uint8_t series[CHANCE_SEED_SIZE];
	struct pool *pool;
	struct sequential test;
	struct sequential_state state;
	struct compared_set *window; /* the sets that have not been counted yet */
	int window_count;
	int64_t started;
	int faults[2];
	char first_fault[2][FAULT_WHY_SIZE];
	mono_ns start, next_line;
	bool terminal;
};

static void parse_real(struct compare *c, const char *name, const char *text, double min,
	double max, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (!*text || *end || !(*value >= min && *value <= max))
		c->status = user_error(
			"%s is a number from %g to %g, not '%s'", name, min, max, text);
}

static void parse_count(
	struct compare *c, const char *name, const char *text, long max, long *value)
{
	int status = game_args_number(name, text, 1, max, value);

	c->status = status ? status : c->status;
}

static error_t parse_numbers(int key, char *text, struct compare *c)
{
	switch (key) {
	case KEY_ELO0:
		parse_real(c, "--elo0", text, -1000, 1000, &c->elo0);
		return 0;
	case KEY_ELO1:
		parse_real(c, "--elo1", text, -1000, 1000, &c->elo1);
		return 0;
	case KEY_ALPHA:
		parse_real(c, "--alpha", text, 1e-6, 0.4, &c->alpha);
		return 0;
	case KEY_BETA:
		parse_real(c, "--beta", text, 1e-6, 0.4, &c->beta);
		return 0;
	case KEY_SETS:
		parse_count(c, "--sets", text, SETS_LIMIT, &c->sets_max);
		return 0;
	case 'j':
		parse_count(c, "--jobs", text, JOBS_LIMIT, &c->jobs);
		return 0;
	case KEY_AT_ONCE:
		parse_count(c, "--at-once", text, 10000, &c->at_once);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct compare *c = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->args.game;
		state->child_inputs[1] = &c->args;
		state->child_inputs[2] = &c->args;
		break;
	case KEY_GAME:
		c->args.game.id = text;
		break;
	case KEY_SEED:
		c->seed_text = text;
		break;
	case KEY_JSON:
		c->json = true;
		break;
	case 'q':
		c->quiet = true;
		break;
	case ARGP_KEY_ARG:
		if (c->names == 2)
			argp_error(state, "name two bots, not more");
		c->what[c->names++] = text;
		break;
	default:
		return parse_numbers(key, text, c);
	}
	return 0;
}

/*
 * A and B in a balanced mix: half of the sides are A's. With an odd number of sides A and
 * B take turns at having one more. The order is drawn for the set; A always has the first
 * place, because a rotation of the table is not a new table.
 */
static void fill_table(const struct compare *c, struct compared_set *set)
{
	int8_t side[GAME_SEATS_MAX];
	int sides = match_rules_sides(&c->rules, side);
	uint8_t of_side[GAME_SEATS_MAX];
	struct chance_stream stream;
	struct game_random random = {chance_stream_next, &stream};
	uint8_t seed[CHANCE_SEED_SIZE];
	int a;

	if (!sides) {
		sides = c->rules.seats;
		for (int seat = 0; seat < sides; seat++)
			side[seat] = (int8_t)seat;
	}
	a = sides / 2 + (sides % 2 && set->number % 2);
	for (int i = 0; i < sides; i++)
		of_side[i] = i < a ? 1 : 2;
	chance_seed_for_match(c->series, (uint64_t)set->number, seed);
	chance_stream_init(&stream, seed, "table");
	game_random_shuffle(&random, of_side, sides);
	for (int seat = 0; seat < c->rules.seats; seat++)
		set->entrant[seat] = of_side[(int)side[seat]];
	set->rotations = table_rotations(set->entrant, c->rules.seats);
}

static struct compared_set *start_set(struct compare *c)
{
	struct compared_set *set;

	c->window =
		xrealloc(c->window, (size_t)(c->window_count + 1) * sizeof(*c->window));
	set = &c->window[c->window_count++];
	*set = (struct compared_set){.number = c->started++};
	fill_table(c, set);
	set->seat =
		xcalloc((size_t)(set->rotations * c->rules.seats), sizeof(*set->seat));
	return set;
}

static enum pool_next on_next(void *context, struct pool_job *job)
{
	struct compare *c = context;
	struct compared_set *set =
		c->window_count ? &c->window[c->window_count - 1] : NULL;

	if (c->state.verdict != SEQUENTIAL_OPEN)
		return POOL_NONE;
	if (!set || set->handed_out == set->rotations) {
		if (c->started == c->sets_max)
			return POOL_NONE;
		set = start_set(c);
	}
	job->rotation = set->handed_out++;
	/* The number, not a pointer, because sets move in memory. */
	job->user = (void *)(intptr_t)set->number;
	chance_seed_for_match(c->series, (uint64_t)set->number, job->seed);
	for (int place = 0; place < c->rules.seats; place++)
		job->bot[(place + job->rotation) % c->rules.seats] = set->entrant[place];
	return POOL_JOB;
}

static void note_fault(struct compare *c, const struct seat_record *seat)
{
	int64_t bot = seat->entrant - 1;

	if (!c->faults[bot]++)
		utf8_format(c->first_fault[bot], sizeof(c->first_fault[bot]), "%s",
			seat->fault_why);
}

static void on_done(
	void *context, const struct pool_job *job, const struct match_record *record)
{
	struct compare *c = context;
	struct compared_set *set = c->window;

	while (set->number != (int64_t)(intptr_t)job->user)
		set++;
	for (int i = 0; i < record->seats; i++) {
		const struct seat_record *seat = &record->seat[i];

		set->seat[job->rotation * c->rules.seats + i] =
			(struct store_seat){.entrant = seat->entrant,
				.rotation = job->rotation,
				.seat = i,
				.score = seat->score,
				.rank = seat->rank,
				.team = seat->team};
		if (seat->fault)
			note_fault(c, seat);
	}
	set->done++;
}

/* The mean result of A over B in a set; false if they never met as opponents. */
static bool set_score(
	const struct compare *c, const struct compared_set *set, double *score)
{
	struct comparison list[SET_COMPARISONS_MAX];
	int n = set_comparisons(set->seat, set->rotations * c->rules.seats, 1, 0, list);

	for (int i = 0; i < n; i++)
		if (list[i].a[0] == 0 && list[i].a[1] == RATING_NO_MEMBER &&
			list[i].b[0] == 1 && list[i].b[1] == RATING_NO_MEMBER) {
			*score = (double)list[i].score;
			return true;
		}
	return false;
}

/* Counts sets in their order until the test decides; later ones are not counted, so that
 * the verdict does not depend on which match was faster. */
static bool on_settle(void *context)
{
	struct compare *c = context;
	double score;

	while (c->window_count && c->window[0].done == c->window[0].rotations &&
		c->state.verdict == SEQUENTIAL_OPEN) {
		if (set_score(c, &c->window[0], &score))
			sequential_add(&c->test, score);
		c->state = sequential_look(&c->test);
		free(c->window[0].seat);
		memmove(c->window, c->window + 1,
			(size_t)--c->window_count * sizeof(*c->window));
	}
	return c->state.verdict == SEQUENTIAL_OPEN;
}

static void print_elo(FILE *out, double elo)
{
	if (isfinite(elo))
		fprintf(out, "%+.1f", elo);
	else
		fputs(elo > 0 ? "+inf" : "-inf", out);
}

static void print_line(const struct compare *c, FILE *out)
{
	const struct sequential_state *s = &c->state;

	fprintf(out, "%d set%s  elo ", c->test.sets, c->test.sets == 1 ? "" : "s");
	print_elo(out, s->elo);
	fputs(" [", out);
	print_elo(out, s->elo_low);
	fputs(", ", out);
	print_elo(out, s->elo_high);
	fprintf(out, "]  LLR %+.2f (%.2f, %+.2f)", s->llr, s->lower, s->upper);
}

static void on_tick(void *context)
{
	struct compare *c = context;
	mono_ns now = time_now(&time_system);

	if (c->quiet || now < c->next_line || !c->test.sets)
		return;
	c->next_line = now + (c->terminal ? LINE_EVERY_NS : 5 * NS_PER_S);
	if (c->terminal)
		terminal_control(stderr, TERMINAL_CLEAR_LINE);
	print_line(c, stderr);
	if (!c->terminal)
		fputc('\n', stderr);
	fflush(stderr);
}

static const char *verdict_text(const struct compare *c)
{
	switch (c->state.verdict) {
	case SEQUENTIAL_H1:
		return "H1";
	case SEQUENTIAL_H0:
		return "H0";
	default:
		return "open";
	}
}

static json_t *number_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static void print_json(const struct compare *c, double seconds)
{
	const struct sequential_state *s = &c->state;
	json_t *root = json_pack(
		"{s:s,s:s,s:s,s:s,s:i,s:o,s:o,s:o,s:f,s:f,s:f,s:i,s:i,s:f}", "a",
		c->bot[0].name, "b", c->bot[1].name, "game", c->rules.game->id, "verdict",
		verdict_text(c), "sets", c->test.sets, "elo", number_or_null(s->elo),
		"low", number_or_null(s->elo_low), "high", number_or_null(s->elo_high),
		"llr", s->llr, "lower", s->lower, "upper", s->upper, "faults_a",
		c->faults[0], "faults_b", c->faults[1], "seconds", seconds);

	json_dumpf(root, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(10));
	fputc('\n', stdout);
	json_decref(root);
}

static void print_verdict(const struct compare *c, double seconds)
{
	print_line(c, stdout);
	printf("\n");
	for (int i = 0; i < 2; i++)
		if (c->faults[i])
			printf("%s faulted %d times, first: %s\n", c->bot[i].name,
				c->faults[i], c->first_fault[i]);
	if (c->state.verdict == SEQUENTIAL_H1)
		printf("%s is better: %g Elo (H1) fits, %g (H0) does not", c->bot[0].name,
			c->elo1, c->elo0);
	else if (c->state.verdict == SEQUENTIAL_H0)
		printf("%s is not better: %g Elo (H0) fits, %g (H1) does not",
			c->bot[0].name, c->elo0, c->elo1);
	else
		printf("not decided; try again with more --sets");
	printf(" (%.1f s)\n", seconds);
}

static int load(struct compare *c)
{
	struct why why;

	if (c->names != 2)
		return user_error("name two bots: pigpen compare A B --game GAME");
	if (!c->args.game.id)
		return user_error(
			"name the game with --game GAME; `pigpen games` lists them");
	if (match_args_settle(&c->args))
		return EXIT_USER;
	if (c->elo0 >= c->elo1)
		return user_error("--elo0 must be less than --elo1");
	c->rules = c->args.rules;
	for (int i = 0; i < 2; i++) {
		if (!bot_spec_load(&c->bot[i], c->what[i], &why))
			return user_error("%s", why.text);
		if (!bot_spec_plays(&c->bot[i], c->rules.game->id))
			return user_error(
				"%s does not play %s", c->bot[i].name, c->rules.game->id);
	}
	if (c->seed_text)
		chance_seed_from_text(c->seed_text, c->series);
	else
		chance_fresh(c->series, sizeof(c->series));
	return EXIT_OK;
}

/* Where a worker finds the bot: its folder, or the executable itself. */
static const char *bot_path(const struct bot_spec *spec, const char *what, char *path)
{
	char manifest[PATH_MAX + 16];

	snprintf(manifest, sizeof(manifest), "%s/bot.json", spec->folder);
	if (access(manifest, F_OK) == 0)
		return spec->folder;
	return realpath(what, path) ? path : what;
}

static int play(struct compare *c)
{
	const struct pool_client client = {.next = on_next,
		.done = on_done,
		.settle = on_settle,
		.tick = on_tick,
		.context = c};
	char runtime[TEMPORARY_PATH_SIZE], path[PATH_MAX];
	struct why why;
	enum pool_end end;
	const struct sandbox_limits *sandbox;
	int status = sandbox_choose(c->rules.sandbox, &c->rules.limits, &sandbox);

	if (status)
		return status;
	/* So that the workers neither test the sandbox nor warn again. */
	c->rules.sandbox = sandbox ? SANDBOX_REQUIRE : SANDBOX_OFF;
	if (!temporary_folder(runtime, 0700, &why))
		return user_error("%s", why.text);
	c->pool = pool_new(&(struct pool_options){.backend = &pool_local,
		.rules = c->rules,
		.workers = (int)c->jobs,
		.at_once = (int)c->at_once,
		.runtime = runtime});
	for (int i = 0; i < 2; i++)
		pool_add_bot(c->pool, i + 1, bot_path(&c->bot[i], c->what[i], path),
			c->bot[i].name, c->bot[i].hash);
	end = pool_run(c->pool, &client);
	if (c->terminal && !c->quiet)
		terminal_control(stderr, TERMINAL_CLEAR_LINE);
	if (end == POOL_FAILED)
		status = user_error("%s", pool_why(c->pool));
	pool_free(&c->pool);
	remove_tree(runtime);
	return status;
}

int cmd_compare(int argc, char **argv)
{
	static const struct argp_child children[] = {{&game_args_table_argp, 0, NULL, 0},
		{&match_args_clock_argp, 0, NULL, 0},
		{&match_args_sandbox_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {options, parse, "A B",
		"Finds out whether bot A is better than bot "
		"B, and stops as soon as that is decided.\v"
		"The exit status is 0 if H1 was accepted, 1 if not, 2 for a user error.\n\n"
		"Examples:\n"
		"  pigpen compare mybot2 mybot --game dirty_pig\n"
		"  pigpen compare mybot2 mybot --game pig_pile --seats 4 --elo1 50",
		children, NULL, NULL};
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	struct compare *c = xcalloc(1, sizeof(*c));
	int status;

	*c = (struct compare){.elo1 = 20,
		.alpha = 0.05,
		.beta = 0.05,
		.sets_max = SETS_DEFAULT,
		.jobs = cores > 0 ? cores : 1,
		.at_once = 1,
		.terminal = isatty(STDERR_FILENO),
		.start = time_now(&time_system)};
	match_args_init(&c->args);
	argp_parse(&argp, argc, argv, 0, NULL, c);
	status = c->status ? c->status : c->args.status;
	if (!status)
		status = load(c);
	if (!status) {
		sequential_init(&c->test, c->elo0, c->elo1, c->alpha, c->beta);
		c->state = sequential_look(&c->test);
		status = play(c);
	}
	if (!status) {
		double seconds = (double)(time_now(&time_system) - c->start) / 1e9;

		(c->json ? print_json : print_verdict)(c, seconds);
		status = c->state.verdict == SEQUENTIAL_H1 ? EXIT_OK : EXIT_FAILED;
	}
	for (int i = 0; i < c->window_count; i++)
		free(c->window[i].seat);
	free(c->window);
	for (int i = 0; i < 2; i++)
		bot_spec_release(&c->bot[i]);
	free(c);
	return status;
}
