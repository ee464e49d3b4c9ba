/* `pigpen perft GAME`: counts action sequences, to check other engines against. */
#include "arbiter/cmd/cmd.h"
#include "arbiter/table/clock.h"
#include "arbiter/cmd/game_args.h"
#include "arbiter/tools/perft.h"
#include "arbiter/table/notation.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

struct perft_args {
	struct game_args table;
	const char *seed, *depth_text;
	long depth;
	bool json;
};

static const struct argp_option options[] = {
	{"seed", 'S', "TEXT", 0, "all card orders come from this text (pigpen)", 0},
	{"depth", 'd', "N", 0, "count sequences of up to N actions (4)", 0},
	{"json", KEY_JSON, NULL, 0, "print JSON", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct perft_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->table;
		return 0;
	case 'S':
		a->seed = arg;
		return 0;
	case 'd':
		a->depth_text = arg;
		return 0;
	case KEY_JSON:
		a->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

struct order_printer {
	const struct game *game;
	json_t *list; /* NULL: print as text */
};

static void print_order(const struct chance *request, const uint8_t *cards, void *context)
{
	struct order_printer *printer = context;
	char text[NOTATION_MAX];

	notation_order(
		printer->game, request->kind, cards, request->n, text, sizeof(text));
	if (printer->list)
		json_array_append_new(
			printer->list, json_pack("{s:s, s:i, s:s}", "kind",
					       game_chance_names[request->kind], "index",
					       request->index, "order", text));
	else
		printf("%s %d: %s\n", game_chance_names[request->kind], request->index,
			text);
}

static void count(const struct perft_args *a)
{
	const struct game *game = a->table.game;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t seed[CHANCE_SEED_SIZE];
	json_t *nodes = json_array();
	struct order_printer printer = {game, a->json ? json_array() : NULL};

	chance_seed_from_text(a->seed, seed);
	perft_orders(game, a->table.seats, a->table.option, seed, (int)a->depth,
		print_order, &printer);
	perft_start(game, a->table.seats, a->table.option, seed, state);
	if (!a->json)
		printf("%5s %16s %10s\n", "depth", "sequences", "seconds");
	for (int depth = 1; depth <= a->depth; depth++) {
		mono_ns start = time_now(&time_system);
		uint64_t n = perft_count(game, state, seed, depth);

		json_array_append_new(nodes, json_integer((json_int_t)n));
		if (!a->json)
			printf("%5d %16" PRIu64 " %10.2f\n", depth, n,
				(double)(time_now(&time_system) - start) / 1e9);
		fflush(stdout);
	}
	if (a->json) {
		json_t *all = json_pack("{s:s, s:i, s:s, s:o, s:o}", "game", game->id,
			"seats", a->table.seats, "seed", a->seed, "orders", printer.list,
			"nodes", json_incref(nodes));

		json_dumpf(all, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(all);
	}
	json_decref(nodes);
}

int cmd_perft(int argc, char **argv)
{
	const struct argp_child children[] = {{&game_args_argp, 0, NULL, 0}, {0}};
	const struct argp argp = {.options = options,
		.parser = parse,
		.children = children,
		.args_doc = "GAME",
		.doc = "Counts the sequences of 1, 2, … actions from the start of a "
		       "match whose card orders all come from one seed. specs/games/ has "
		       "tables to check other implementations of the rules against.\v"
		       "Every action counts, forced ones too; where several "
		       "seats choose at once the lowest one chooses first. A "
		       "line is printed as soon as its depth is counted.\n\n"
		       "Examples:\n"
		       "  pigpen perft dirty_pig --depth 6\n"
		       "  pigpen perft pig_pile --seats 4 --option rounds=1"};
	struct perft_args a = {.seed = "pigpen", .depth_text = "4"};

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	if (game_args_settle(&a.table) ||
		game_args_number("--depth", a.depth_text, 1, PERFT_DEPTH_MAX, &a.depth))
		return EXIT_USER;
	count(&a);
	return EXIT_OK;
}
