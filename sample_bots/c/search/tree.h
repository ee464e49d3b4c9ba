/*
 * Information-set Monte-Carlo tree search.
 *
 * Every iteration imagines a state that fits the view, walks down the tree by the
 * moves that are legal in that state, adds one node, plays the round out and remembers
 * the outcome in all nodes of the path. A node stands for a sequence of moves, whatever
 * the hidden cards were, so its mean is taken over all that the seat cannot tell apart
 * (Cowling, Powley, Whitehouse 2012: single-observer ISMCTS, with availability counts).
 *
 * Moves enter a node one by one, the best by the simple rules first, and the more
 * visits a node has, the more moves it tries (progressive widening): lists of a hundred
 * moves do not drown the search, and other seats are taken to play sensibly.
 *
 * The n-th visit of a root move happens in the n-th imagined world, so that the moves are
 * compared on the same cards.
 */
#ifndef SAMPLE_BOTS_SEARCH_TREE_H
#define SAMPLE_BOTS_SEARCH_TREE_H

#include "sample_bots/c/search/world.h"

#define TREE_NODES_MAX (1 << 17)

struct node {
	struct action move;
	uint8_t actor;   /* who made the move */
	int32_t value;   /* by the simple rules, when it was first tried */
	int32_t child;   /* first child, 0: none */
	int32_t sibling; /* next child of the same parent, 0: none */
	int32_t visits;
	int32_t available; /* visits of the parent in which the move was legal */
	double sum;        /* of the actor's rewards */
};

struct tree {
	int count;                            /* nodes in use; node 0 is the root */
	double reward_sum, reward_square_sum; /* of the thinking seat, over all visits */
	struct node node[TREE_NODES_MAX];
};

void tree_clear(struct tree *tree);
void tree_iterate(struct tree *tree, struct world *world);

/* The root's child for this move, or NULL if it was never tried. */
const struct node *tree_move(const struct tree *tree, const struct action *move);

static inline double node_mean(const struct node *node)
{
	return node->sum / node->visits;
}

#endif
