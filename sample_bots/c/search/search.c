/*
 * Plays every game by information-set Monte-Carlo tree search (tree.h). It thinks until
 * it has made SEARCH_ITERATIONS iterations (an environment variable) or has used its
 * share of the clock. With time enough for all iterations, its answers follow from the
 * question and the seat's seed alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "protocol/bot.h"
#include "protocol/json.h"
#include "sample_bots/c/common/random.h"
#include "sample_bots/c/search/tree.h"

#define ITERATIONS     2000  /* unless SEARCH_ITERATIONS says otherwise */
#define BANK_SHARE     40    /* one answer may use this part of the bank */
#define MOVE_SHARE     4     /* and this part of the time for one answer */
#define UNLIMITED_MS   10000 /* where nothing limits an answer */
#define NOTE_MOVES     4     /* moves listed in a note */
#define MOVE_TEXT_SIZE 128

static struct tree tree;
static int iterations_max = ITERATIONS;

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t budget_ms(
	const struct message_rule *rule, const struct message_clock *clock)
{
	int64_t budget = clock->move_ms ? clock->move_ms / MOVE_SHARE : UNLIMITED_MS;
	int64_t bank = clock->bank_ms / BANK_SHARE + rule->inc_ms / 2;

	if ((rule->bank_ms > 0 || rule->inc_ms > 0) && bank < budget)
		budget = bank;
	return budget;
}

static void think(const struct question *question, const struct message_match *match,
	const struct message_act *act)
{
	int64_t end_ms = now_ms() + budget_ms(&match->clock, &act->clock);
	struct random_stream stream;
	struct world world;

	random_stream_init(&stream, match->rng, act->turn);
	world_init(&world, question->game, &question->view, &stream);
	tree_clear(&tree);
	for (int i = 0; i < iterations_max; i++) {
		if (i % 16 == 15 && now_ms() >= end_ms)
			break;
		tree_iterate(&tree, &world);
	}
}

/* By visits, then by mean; a move that was never tried comes last. */
static bool better(const struct node *a, const struct node *b)
{
	if (!a || !b)
		return a && !b;
	if (a->visits != b->visits)
		return a->visits > b->visits;
	return node_mean(a) > node_mean(b);
}

/* The indices of the best moves, best first. Returns how many. */
static int rank_moves(const struct question *question, int best[NOTE_MOVES])
{
	int count = 0;

	for (int i = 0; i < question->legal_count; i++) {
		const struct node *node = tree_move(&tree, &question->legal[i]);
		int place = count;

		while (place > 0 &&
			better(node, tree_move(&tree, &question->legal[best[place - 1]])))
			place--;
		if (place == NOTE_MOVES)
			continue;
		count += count < NOTE_MOVES;
		memmove(&best[place + 1], &best[place],
			(size_t)(count - 1 - place) * sizeof(best[0]));
		best[place] = i;
	}
	return count;
}

static void move_text(
	const struct game *game, const struct action *move, char text[MOVE_TEXT_SIZE])
{
	uint8_t bytes[MOVE_TEXT_SIZE];
	struct buffer buffer = buffer_on(bytes, sizeof(bytes));
	msgpack_packer packer = buffer_packer(&buffer);
	char *line;

	game_write_action(game, move, &packer);
	line = json_line(blob_since(&buffer, 0), NULL);
	snprintf(text, MOVE_TEXT_SIZE, "%s", line ? line : "?");
	free(line);
}

/* "2000 playouts; {"a":"pass"} 1310 x 0.56; …": visits and mean of the best moves. */
static void write_note(const struct question *question, const int *best, int count,
	struct bot_answer *answer)
{
	char note[NOTE_BYTES_MAX], text[MOVE_TEXT_SIZE];
	size_t size =
		(size_t)snprintf(note, sizeof(note), "%d playouts", tree.node[0].visits);

	for (int i = 0; i < count; i++) {
		const struct action *move = &question->legal[best[i]];
		const struct node *node = tree_move(&tree, move);

		if (!node)
			break;
		move_text(question->game, move, text);
		size += (size_t)snprintf(note + size, sizeof(note) - size,
			"; %s %d x %.3f", text, node->visits, node_mean(node));
	}
	bot_note(answer, "%s", note);
}

static void act(struct bot_match *match, const struct message_act *act_message,
	struct bot_answer *answer)
{
	struct question question;
	const char *wrong = question_read(&question, &match->info, act_message);
	int best[NOTE_MOVES] = {0}, count;

	if (wrong) {
		bot_note(answer, "%s", wrong);
		return;
	}
	think(&question, &match->info, act_message);
	count = rank_moves(&question, best);
	answer->choice = best[0];
	write_note(&question, best, count, answer);
}

static bool read_iterations(const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (*end || end == text || number < 1 || number > TREE_NODES_MAX)
		return false;
	iterations_max = (int)number;
	return true;
}

int main(void)
{
	const char *text = getenv("SEARCH_ITERATIONS");

	if (text && !read_iterations(text)) {
		fprintf(stderr,
			"search: SEARCH_ITERATIONS is '%s'; give a number from 1 to %d\n",
			text, TREE_NODES_MAX);
		return 2;
	}
	return bot_run(&(struct bot){
		.name = "search", .version = "1", .matches = 4, .act = act});
}
