#include "sample_bots/c/search/tree.h"

#include <limits.h>
#include <math.h>

#define EXPLORE     1.0 /* in standard deviations of the reward */
#define WIDEN_ROOT  2.0 /* moves tried are 1 + this times the square root of visits */
#define WIDEN_BELOW 0.5
#define DEPTH_MAX   64

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

static bool may_widen(const struct tree *tree, int parent, const struct choice *choice)
{
	double factor = parent == 0 ? WIDEN_ROOT : WIDEN_BELOW;

	return choice->known < choice->count && tree->count < TREE_NODES_MAX &&
	       choice->known < 1 + factor * sqrt(tree->node[parent].visits);
}

/* Adds the move that the simple rules like best among those without a node. */
static int widen(
	struct tree *tree, int parent, struct choice *choice, const struct world *world)
{
	int best = -1, best_value = INT_MIN, added = tree->count++;

	for (int k = 0; k < choice->count; k++) {
		int value;

		if (choice->node[k])
			continue;
		value = world->player->value(
			&world->now, choice->seat, &choice->legal[k], NULL);
		if (best < 0 || value > best_value) {
			best = k;
			best_value = value;
		}
	}
	tree->node[added] = (struct node){
		.move = choice->legal[best],
		.actor = (uint8_t)choice->seat,
		.sibling = tree->node[parent].child,
	};
	tree->node[parent].child = added;
	choice->node[best] = added;
	return best;
}

static double reward_deviation(const struct tree *tree)
{
	double n = tree->node[0].visits, mean = tree->reward_sum / n;

	return n < 2 ? 0.5 : sqrt(fmax(tree->reward_square_sum / n - mean * mean, 1e-6));
}

/* UCB1: the mean, and more for what was tried less often than it could have been. */
static int select_child(const struct tree *tree, const struct choice *choice)
{
	double spread = EXPLORE * reward_deviation(tree), best_score = -INFINITY;
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

/* One step down: applies a move and returns its node, 0 if the tree ends here. */
static int descend(struct tree *tree, int parent, struct world *world, bool *added)
{
	struct choice choice = {.seat = world_actor(world)};
	int k;

	choice.count = world->game->legal(&world->now, choice.seat, choice.legal);
	find_children(tree, parent, &choice);
	*added = may_widen(tree, parent, &choice);
	if (!*added && choice.known == 0)
		return 0;
	k = *added ? widen(tree, parent, &choice, world) : select_child(tree, &choice);
	for (int i = 0; i < choice.count; i++)
		if (choice.node[i])
			tree->node[choice.node[i]].available++;
	world->game->apply(&world->now, choice.seat, &choice.legal[k], NULL);
	return choice.node[k];
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
	double reward[GAME_SEATS_MAX];
	int path[DEPTH_MAX], depth = 0, at = 0;
	bool added = false;

	world_imagine(world);
	while (!added && depth < DEPTH_MAX && world_goes_on(world)) {
		at = descend(tree, at, world, &added);
		if (!at)
			break;
		path[depth++] = at;
	}
	world_play_out(world);
	world_judge(world, reward);
	remember(tree, path, depth, reward, world->view->head.viewer);
}
