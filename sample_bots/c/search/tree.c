/* The search tree: selecting, widening and updating nodes. */
#include "sample_bots/c/search/tree.h"

#include <assert.h>
#include <limits.h>
#include <math.h>

#define DEPTH_MAX 64

/* The moves of one decision, each with its node if it has one (0: none). */
struct choice {
	int seat, count, known;
	struct action legal[GAME_LEGAL_MAX];
	int32_t node[GAME_LEGAL_MAX];
};

void tree_clear(struct tree *tree)
{
	tree->count = 1;
	tree->reward_sum = tree->reward_square_sum = 0;
	memset(&tree->node[0], 0, sizeof(tree->node[0]));
}

const struct node *tree_move(const struct tree *tree, const struct action *move)
{
	for (int i = tree->node[0].child; i; i = tree->node[i].sibling)
		if (action_equal(&tree->node[i].move, move))
			return &tree->node[i];
	return NULL;
}

static void find_children(const struct tree *tree, int parent, struct choice *choice)
{
	choice->known = 0;
	memset(choice->node, 0, (size_t)choice->count * sizeof(choice->node[0]));
	for (int i = tree->node[parent].child; i; i = tree->node[i].sibling)
		for (int k = 0; k < choice->count; k++)
			if (action_equal(&tree->node[i].move, &choice->legal[k])) {
				choice->node[k] = i;
				choice->known++;
				break;
			}
}

static bool may_widen(const struct tree *tree, int parent, const struct choice *choice,
	const struct tuning *tuning)
{
	double factor = parent == 0 ? tuning->widen_root : tuning->widen_below;

	return choice->known < choice->count && tree->count < TREE_NODES_MAX &&
	       choice->known < 1 + factor * sqrt(tree->node[parent].visits);
}

/* A move with the same card that the simple rules value the same, such as mud for one of
 * two pigs that are alike, is not worth a node of its own. */
static bool has_twin(
	const struct tree *tree, const struct choice *choice, int move, int value)
{
	for (int k = 0; k < choice->count; k++)
		if (choice->node[k] && tree->node[choice->node[k]].value == value &&
			choice->legal[k].verb == choice->legal[move].verb &&
			choice->legal[k].arg[0] == choice->legal[move].arg[0])
			return true;
	return false;
}

/* Adds the move that the simple rules like best among those without a node; -1 if
 * none is left that differs from the others. */
static int widen(struct tree *tree, int parent, struct choice *choice,
	const struct player *player, const union table *now)
{
	int best = -1, best_value = INT_MIN;

	for (int k = 0; k < choice->count; k++) {
		int value;

		if (choice->node[k])
			continue;
		value = player->value(now, choice->seat, &choice->legal[k], NULL);
		if (value > best_value && !has_twin(tree, choice, k, value)) {
			best = k;
			best_value = value;
		}
	}
	if (best < 0)
		return -1;
	tree->node[tree->count] = (struct node){
		.move = choice->legal[best],
		.actor = (uint8_t)choice->seat,
		.value = best_value,
		.sibling = tree->node[parent].child,
	};
	tree->node[parent].child = tree->count;
	choice->node[best] = tree->count++;
	return best;
}

static double reward_deviation(const struct tree *tree)
{
	double n = tree->node[0].visits, mean = tree->reward_sum / n;

	return n < 2 ? 0.5 : sqrt(fmax(tree->reward_square_sum / n - mean * mean, 1e-6));
}

/* UCB1: the mean, and more for what was tried less often than it could have been. */
static int select_child(
	const struct tree *tree, const struct choice *choice, double explore)
{
	double spread = explore * reward_deviation(tree), best_score = -INFINITY;
	int best = -1;

	for (int k = 0; k < choice->count; k++) {
		const struct node *node = &tree->node[choice->node[k]];
		double score;

		if (!choice->node[k])
			continue;
		score = node_mean(node) +
			spread * sqrt(log(node->available) / node->visits);
		if (score > best_score) {
			best = k;
			best_score = score;
		}
	}
	return best;
}

/* The move to try next in a state or view: an index, -1 if the tree ends here. */
static int pick(struct tree *tree, int parent, const struct world *world,
	const union table *now, struct choice *choice)
{
	int k = -1;

	choice->count = world->game->legal(now, choice->seat, choice->legal);
	find_children(tree, parent, choice);
	if (may_widen(tree, parent, choice, world->tuning))
		k = widen(tree, parent, choice, world->player, now);
	if (k < 0 && choice->known > 0)
		k = select_child(tree, choice, world->tuning->explore);
	for (int i = 0; i < choice->count; i++)
		if (choice->node[i])
			tree->node[choice->node[i]].available++;
	return k;
}

static void remember(struct tree *tree, const int *path, int depth,
	const double reward[GAME_SEATS_MAX], int seat)
{
	tree->node[0].visits++;
	tree->reward_sum += reward[seat];
	tree->reward_square_sum += reward[seat] * reward[seat];
	for (int i = 0; i < depth; i++) {
		struct node *node = &tree->node[path[i]];

		node->visits++;
		node->sum += reward[node->actor];
	}
}

void tree_iterate(struct tree *tree, struct world *world)
{
	struct choice choice = {.seat = world->view->head.viewer};
	double reward[GAME_SEATS_MAX];
	int path[DEPTH_MAX], depth = 0;
	int k = pick(tree, 0, world, world->view, &choice);

	assert(k >= 0);
	world_imagine(world, tree->node[choice.node[k]].visits);
	while (k >= 0) {
		world->game->apply(&world->now, choice.seat, &choice.legal[k], NULL);
		path[depth++] = choice.node[k];
		if (tree->node[choice.node[k]].visits == 0 || depth == DEPTH_MAX ||
			!world_goes_on(world))
			break;
		choice.seat = world_actor(world);
		k = pick(tree, path[depth - 1], world, &world->now, &choice);
	}
	world_play_out(world);
	world_judge(world, reward);
	remember(tree, path, depth, reward, world->view->head.viewer);
}
