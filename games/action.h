/*
 * Actions: what a seat does, the table of verbs that gives them their form, and why one
 * is refused.
 *
 *   struct action play = {VERB_PLAY, 1, {card}};
 *   if (!game->check(state, seat, &play, &why))
 *           printf("%s: %s", why.clause, why.why);
 */
#ifndef GAMES_ACTION_H
#define GAMES_ACTION_H

#include "games/state.h"

#define GAME_LEGAL_MAX 160 /* legal actions of one decision */
#define GAME_ARGS_MAX  14  /* argument bytes of one action */

#define ABSENT 0xff /* an optional argument that was not given */

/*
 * verb: index into game.verbs. arg[]: one byte for each argument of the verb in
 * table order; a list (ARG_CARDS, ARG_ORDER), always the last argument, takes one
 * byte for each card. count: bytes used; the rest of arg[] is zero, so that equal
 * actions are equal bytes. The cards of ARG_CARDS are a multiset and sorted.
 */
struct action {
	uint8_t verb;
	uint8_t count;
	uint8_t arg[GAME_ARGS_MAX];
};

enum arg_type {
	ARG_END,
	ARG_CARD,  /* a token of game.faces */
	ARG_CARDS, /* list of tokens, a multiset */
	ARG_ORDER, /* list of tokens whose order matters */
	ARG_INT,   /* 0..max */
	ARG_SEAT,  /* 0..seats-1 */
	ARG_WORD,  /* one of words[] */
	ARG_TRUE   /* true or not there */
};

struct game_arg {
	char key[GAME_NAME_SIZE];
	uint8_t type;
	bool optional;            /* may be missing: the byte is ABSENT */
	uint8_t max;              /* ARG_INT: greatest value; lists: greatest length */
	const char *const *words; /* ARG_WORD, ends with NULL */
};

struct game_verb {
	char name[GAME_NAME_SIZE];
	struct game_arg args[4]; /* up to the first ARG_END */
};

/* memcmp order, which is the order of every legal list. */
int action_compare(const struct action *a, const struct action *b);
static inline bool action_equal(const struct action *a, const struct action *b)
{
	return __builtin_memcmp(a, b, sizeof(*a)) == 0;
}

/* Why an action was refused: the clause of specs/games/<id>.md and an explanation. Both
 * are string constants: a refusal can hold no secret. */
struct refusal {
	const char *clause;
	const char *why;
};

/* Fills *r unless it is NULL; returns false, so that `return refuse(…)` reads. */
bool refuse(struct refusal *r, const char *clause, const char *why);

#endif
