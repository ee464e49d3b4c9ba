/* `pigpen sim GAME`: random matches, their lengths and scores, and the rules' speed. */
#include "arbiter/cmd/cmd.h"
#include "arbiter/cmd/game_args.h"
#include "arbiter/base/progress.h"
#include "arbiter/tools/sim.h"

#include <inttypes.h>
#include <jansson.h>
#include <time.h>

#define SIM_MATCHES_MAX 10000000

struct sim_args {
	struct game_args table;
	const char *seed, *matches_text, *seat_text;
	long matches, seat;
	bool trace, json;
};

static const struct argp_option options[] = {
	{"matches", 'n', "N", 0, "how many matches to play (1000)", 0},
	{"seed", 'S', "TEXT", 0, "all randomness comes from this text (1)", 0},
	{"trace", 't', NULL, 0, "print the first match move by move instead", 0},
	{"seat", 'p', "N", 0, "with --trace: only what this seat sees", 0},
	{"json", KEY_JSON, NULL, 0, "print JSON", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct sim_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->table;
		return 0;
	case 'n':
		a->matches_text = arg;
		return 0;
	case 'S':
		a->seed = arg;
		return 0;
	case 't':
		a->trace = true;
		return 0;
	case 'p':
		a->seat_text = arg;
		return 0;
	case KEY_JSON:
		a->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double mean(double sum, double n)
{
	return n > 0 ? sum / n : 0;
}

static void print_text(
	const struct sim_args *a, const struct sim_stats *s, double seconds)
{
	printf("%s, %d seats: %" PRIu32 " random matches, seed %s\n",
		a->table.game->title, a->table.seats, s->matches, a->seed);
	printf("  %" PRIu64 " decisions and %" PRIu64
	       " forced moves in %.2f s of CPU time: "
	       "%.2f million actions/s\n",
		s->decisions, s->actions - s->decisions, seconds,
		mean((double)s->actions, seconds) / 1e6);
	printf("  decisions in a match: mean %.1f, least %u, median %u, 99 %% within %u, most %u\n",
		mean((double)s->decisions, s->matches), sim_stats_length(s, 0),
		sim_stats_length(s, 50), sim_stats_length(s, 99),
		sim_stats_length(s, 100));
	printf("  %-6s %10s %8s %8s %12s\n", "seat", "mean score", "least", "most",
		"first or tied");
	for (int i = 0; i < s->seats; i++)
		printf("  %-6d %10.2f %8d %8d %11.1f %%\n", i,
			mean((double)s->score_sum[i], s->matches), s->score_min[i],
			s->score_max[i], 100.0 * mean(s->firsts[i], s->matches));
	printf("  ended by:");
	for (int i = 0; i < SIM_REASONS_MAX && s->reason[i]; i++)
		printf(" %s %.1f %%", s->reason[i],
			100.0 * mean(s->reason_count[i], s->matches));
	putchar('\n');
}

static json_t *options_json(const struct game_args *table)
{
	json_t *all = json_object();

	for (int i = 0; i < table->game->option_count; i++) {
		const struct game_option *option = &table->game->options[i];
		const char *word = game_option_word(option, table->option[i]);
		json_t *value = word ? json_string(word) : json_integer(table->option[i]);

		if (option->words == game_switch) {
			json_decref(value);
			value = json_boolean(table->option[i]);
		}
		json_object_set_new(all, option->name, value);
	}
	return all;
}

static void print_json(
	const struct sim_args *a, const struct sim_stats *s, double seconds)
{
	json_t *seats = json_array(), *reasons = json_object(), *all;

	for (int i = 0; i < s->seats; i++)
		json_array_append_new(
			seats, json_pack("{s:f, s:i, s:i, s:I}", "mean",
				       mean((double)s->score_sum[i], s->matches), "min",
				       s->score_min[i], "max", s->score_max[i], "first",
				       (json_int_t)s->firsts[i]));
	for (int i = 0; i < SIM_REASONS_MAX && s->reason[i]; i++)
		json_object_set_new(
			reasons, s->reason[i], json_integer(s->reason_count[i]));
	all = json_pack("{s:s, s:i, s:o, s:I, s:s, s:I, s:I, s:f, s:f, "
			"s:{s:f, s:I, s:I, s:I, s:I}, s:o, s:o}",
		"game", a->table.game->id, "seats", a->table.seats, "options",
		options_json(&a->table), "matches", (json_int_t)s->matches, "seed",
		a->seed, "actions", (json_int_t)s->actions, "decisions",
		(json_int_t)s->decisions, "cpu_s", seconds, "actions_per_s",
		mean((double)s->actions, seconds), "length", "mean",
		mean((double)s->decisions, s->matches), "min",
		(json_int_t)sim_stats_length(s, 0), "median",
		(json_int_t)sim_stats_length(s, 50), "p99",
		(json_int_t)sim_stats_length(s, 99), "max",
		(json_int_t)sim_stats_length(s, 100), "scores", seats, "reasons",
		reasons);
	json_dumpf(all, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(all);
}

static void simulate(const struct sim_args *a, const struct sim_setup *setup,
	const uint8_t series[CHANCE_SEED_SIZE])
{
	uint8_t seed[CHANCE_SEED_SIZE];
	struct progress progress;
	struct sim_stats stats;
	struct sim_match match;
	double start = cpu_seconds(), seconds;

	sim_stats_init(&stats, setup->seats, (uint32_t)a->matches);
	progress_init(&progress, "matches", (uint64_t)a->matches, false);
	for (long i = 0; i < a->matches; i++) {
		chance_seed_for_match(series, (uint64_t)i, seed);
		sim_play(setup, seed, &match);
		sim_stats_add(&stats, &match);
		if (i % 64 == 63)
			progress_update(&progress, (uint64_t)i + 1, "");
	}
	seconds = cpu_seconds() - start;
	progress_clear(&progress);
	sim_stats_sort(&stats);
	(a->json ? print_json : print_text)(a, &stats, seconds);
	sim_stats_release(&stats);
}

static int settle(struct sim_args *a)
{
	a->seat = OMNISCIENT;
	if (game_args_settle(&a->table) || game_args_number("--matches", a->matches_text,
						   1, SIM_MATCHES_MAX, &a->matches))
		return EXIT_USER;
	if (a->trace && a->json)
		return user_error("--trace prints text; leave out --json");
	if (!a->seat_text)
		return EXIT_OK;
	if (!a->trace)
		return user_error("--seat chooses what --trace shows; give both");
	return game_args_number("--seat", a->seat_text, 0, a->table.seats - 1, &a->seat);
}

int cmd_sim(int argc, char **argv)
{
	const struct argp_child children[] = {{&game_args_argp, 0, NULL, 0}, {0}};
	const struct argp argp = {.options = options,
		.parser = parse,
		.children = children,
		.args_doc = "GAME",
		.doc = "Plays random matches inside this process and prints how "
		       "long they are, how they end and how fast the rules are.\v"
		       "Examples:\n"
		       "  pigpen sim pig_pile --seats 5 --matches 10000\n"
		       "  pigpen sim dirty_pig --trace --seat 1    # one match as seat 1 sees it"};
	struct sim_args a = {.seed = "1", .matches_text = "1000"};
	uint8_t series[CHANCE_SEED_SIZE], seed[CHANCE_SEED_SIZE];
	struct sim_setup setup;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	if (settle(&a))
		return EXIT_USER;
	setup = (struct sim_setup){a.table.game, a.table.seats, a.table.option};
	chance_seed_from_text(a.seed, series);
	chance_seed_for_match(series, 0, seed);
	if (a.trace)
		sim_trace(&setup, seed, (int)a.seat, stdout);
	else
		simulate(&a, &setup, series);
	return EXIT_OK;
}
