/* Printing one random match, all of it or as one seat sees it. */
#include "arbiter/tools/sim.h"
#include "arbiter/table/notation.h"

struct trace {
	const struct game *game;
	const uint8_t *seed;
	int viewer;
	FILE *out;
	struct chance_stream stream;
	struct events events;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
};

static void print_events(struct trace *t)
{
	char text[NOTATION_MAX];

	for (int i = 0; i < t->events.count; i++) {
		notation_event(
			t->game, &t->events.list[i], t->viewer, text, sizeof(text));
		fprintf(t->out, "    %s\n", text);
	}
	t->events.count = 0;
}

static void trace_chance(struct trace *t)
{
	struct chance request;
	uint8_t order[GAME_ORDER_MAX];
	char text[NOTATION_MAX];

	t->game->chance(t->state, &request);
	chance_order(t->seed, &request, order);
	notation_order(t->game, request.kind, order, request.n, text, sizeof(text));
	if (t->viewer == OMNISCIENT)
		fprintf(t->out, "chance %s: %s\n", game_chance_names[request.kind], text);
	else
		fprintf(t->out, "chance %s\n", game_chance_names[request.kind]);
	t->game->apply_chance(t->state, order, request.n, &t->events);
	print_events(t);
}

/* A seat's own decision: what it sees, what it may do. */
static void print_question(struct trace *t, int seat, const struct action *legal, int n)
{
	_Alignas(16) uint8_t view[GAME_STATE_MAX];
	char text[NOTATION_MAX];

	game_observe(t->game, t->state, seat, view);
	fprintf(t->out, "seat %d sees\n", seat);
	notation_print_state(t->game, view, t->out);
	fputs("  legal:", t->out);
	for (int i = 0; i < n; i++) {
		notation_action(t->game, &legal[i], text, sizeof(text));
		fprintf(t->out, "%s %s", i ? " |" : "", text);
	}
	fputc('\n', t->out);
}

static void trace_action(struct trace *t)
{
	struct game_random random = {chance_stream_next, &t->stream};
	struct action legal[GAME_LEGAL_MAX];
	int seat = __builtin_ctz(game_head(t->state)->pending);
	int n = t->game->legal(t->state, seat, legal);
	int pick = n > 1 ? (int)game_random_below(&random, (uint32_t)n) : 0;
	char text[NOTATION_MAX];

	if (t->viewer == seat)
		print_question(t, seat, legal, n);
	if (t->viewer == seat || t->viewer == OMNISCIENT) {
		notation_action(t->game, &legal[pick], text, sizeof(text));
		fprintf(t->out, "seat %d: %s%s\n", seat, text, n == 1 ? " (forced)" : "");
	}
	t->game->apply(t->state, seat, &legal[pick], &t->events);
	print_events(t);
}

void sim_trace(const struct sim_setup *setup, const uint8_t seed[CHANCE_SEED_SIZE],
	int viewer, FILE *out)
{
	struct trace t = {
		.game = setup->game, .seed = seed, .viewer = viewer, .out = out};
	struct game_result result;

	chance_stream_init(&t.stream, seed, "sim");
	game_start(t.game, setup->seats, setup->option, t.state);
	while (game_head(t.state)->need != NEED_NOTHING)
		if (game_head(t.state)->need == NEED_CHANCE)
			trace_chance(&t);
		else
			trace_action(&t);
	t.game->result(t.state, &result);
	fprintf(out, "result (%s):", result.reason);
	for (int s = 0; s < setup->seats; s++)
		fprintf(out, " seat %d score %d rank %d%s", s, result.score[s],
			result.rank[s], s + 1 < setup->seats ? "," : "\n");
}
