/*
 * The rules of one card game, as data and pure functions.
 *
 * A game is one `const struct game`. Nothing in games/ allocates, does I/O, reads a
 * clock, keeps a global or draws a random number. The parts have headers of their own,
 * which this one includes:
 *
 *   state.h     what every state begins with
 *   option.h    options
 *   action.h    actions, verbs and refusals
 *   event.h     events and who sees their cards
 *   fields.h    the fields of a state, who sees them, views
 *   shuffle.h   where randomness comes in
 *   result.h    results
 *   wire.h      all of this as msgpack
 *
 * A game has a folder with the same files as every other game: <id>.h (its state),
 * internal.h (the course of a match, and what the files share), tables.c (the tables and
 * the `const struct game`), deal.c (start, chance, apply_chance), play.c (apply,
 * offence), score.c (result, teams_of), moves.c (legal, check, fallback), sample.c
 * (sample) and audit.c (complete, invariants).
 *
 * A match, with somebody to draw orders and to ask seats:
 *
 *   game_start(game, seats, option, state);
 *   while (game_head(state)->need != NEED_NOTHING)
 *           if (game_head(state)->need == NEED_CHANCE)
 *                   game->chance(state, &request), …, game->apply_chance(state, …);
 *           else
 *                   …, game->apply(state, seat, &action, &events);
 *   game->result(state, &result);
 *
 * Misuse by our own code is a bug and asserted; what comes from a bot (game_read_action,
 * check) is data and refused with a clause.
 */
#ifndef GAMES_GAME_H
#define GAMES_GAME_H

#include "games/action.h"
#include "games/event.h"
#include "games/fields.h"
#include "games/option.h"
#include "games/result.h"
#include "games/shuffle.h"
#include "games/state.h"
#include "games/wire.h"

/* Fills prefix and form of struct game. */
#define GAME_PREFIX(p) .prefix = p, .form = {p "-0.1", p "-0.2", p "-0.3"}

struct game {
	const char *id;      /* "pig_pile" */
	const char *title;   /* "Pig Pile" */
	const char *summary; /* one paragraph for a newcomer */
	const char *prefix;  /* of clause ids, "PP" */
	const char *form[3]; /* the clauses on the form of actions: PP-0.1 … PP-0.3 */
	int rules_version;   /* bumped on any change of behaviour */
	int seats_min, seats_max;
	int teams; /* 2 in partnership games, else 0 */
	const struct game_option *options;
	int option_count;
	const game_token *faces; /* in the order in which cards sort */
	int face_count;
	const char *const *phases; /* ends with NULL */
	const struct game_verb *verbs;
	int verb_count;
	const struct game_event_kind *events;
	int event_count;
	const struct game_field *fields;
	int field_count;
	size_t state_size;

	/* First state. The head (viewer, seats, options) is filled, the rest of the
	 * state is blank as described at struct game_field. Needs no randomness. */
	void (*start)(void *state);

	/* NEED_CHANCE: what to order. */
	void (*chance)(const void *state, struct chance *request);
	/* The order drawn, top first; a permutation of the request's tokens. */
	void (*apply_chance)(
		void *state, const uint8_t *order, int n, struct events *events);

	/* All legal actions of a pending seat: sorted by action_compare, unique, at most
	 * GAME_LEGAL_MAX. 0 for a seat that is not pending. Depends on nothing that the
	 * seat cannot see, and works on that seat's own view as well as on a state. */
	int (*legal)(const void *state, int seat, struct action *out);

	/* Is one action legal? Answered by code that shares nothing with `legal`, with
	 * the clause that refuses. The action is well-formed (game_read_action) but
	 * otherwise arbitrary; the state does not change. */
	bool (*check)(const void *state, int seat, const struct action *action,
		struct refusal *why);

	/* Only where a rule book punishes with points and faults=penalty: performs the
	 * penal transition for an action that `check` refuses and returns true, or
	 * returns false and changes nothing. NULL: the game has no such penalty. */
	bool (*offence)(void *state, int seat, const struct action *action,
		struct events *events);

	/* Transition for a legal action of a pending seat. `events` may be NULL. */
	void (*apply)(void *state, int seat, const struct action *action,
		struct events *events);

	/* A true state drawn uniformly from those that are consistent with the view:
	 * every hidden card arrangement that the view does not rule out is equally
	 * likely. It gets no state, so it cannot cheat. game_observe() of the drawn
	 * state for the view's seat gives the view back. Not for SPECTATOR views unless
	 * the game's spec says so. */
	void (*sample)(const void *view, const struct game_random *random, void *state);

	/* The declared neutral move of a seat that no longer answers, from its view. */
	void (*fallback)(const void *view, struct action *out);

	/* Only once NEED_NOTHING. */
	void (*result)(const void *state, struct game_result *result);

	/* Team of each seat as far as it is settled (-1: not, or no teams). */
	void (*teams_of)(const void *state, int8_t team[GAME_SEATS_MAX]);

	/* Completes a partly described table (scenario files, tests): recomputes every
	 * field that follows from others (counts, pending from acting …) and puts cards
	 * that lie nowhere into the game's place for cards out of play. */
	void (*complete)(void *state);

	/* Card conservation, counts, bounds. Returns NULL, or what is broken. */
	const char *(*invariants)(const void *state);
};

/* All games in a fixed order, NULL at the end. */
extern const struct game *const game_list[];
const struct game *game_find(const char *id);

/* Number of sides that can win: teams, or seats. */
int game_sides(const struct game *game, int seats);

/* First state. seats and options must be in range. */
void game_start(const struct game *game, int seats,
	const int16_t option[GAME_OPTIONS_MAX], void *state);

/*
 * Which seats the runner has to ask now (NEED_ANSWERS). Seats with one legal
 * action are not asked unless ask_forced: 0 means that all pending seats are
 * forced, and game_forced() gives their actions, to be applied in seat order
 * without asking. In a simultaneous phase nothing is forced while another
 * seat still has a choice.
 */
uint16_t game_to_ask(const struct game *game, const void *state);
/* The only legal action of a pending seat. */
void game_forced(
	const struct game *game, const void *state, int seat, struct action *out);

#endif
