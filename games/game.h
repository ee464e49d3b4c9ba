/*
 * The rules of one card game, as data and pure functions.
 *
 * A game is one `const struct game`. Its state is a flat struct without
 * pointers that begins with `struct game_head`: a copy is memcpy, equality is
 * memcmp, nothing is ever allocated. Nothing in games/ does I/O, reads a clock,
 * keeps a global or draws a random number; randomness comes in as card orders
 * that somebody else drew (`chance`, `apply_chance`).
 *
 * A view is a state with blanks. game_observe() starts from an empty struct of
 * the same type and copies what the field table allows the viewer to see; what
 * is not in the table, or not for that viewer, stays blank. There is no other way
 * out of a state. The view of OMNISCIENT holds every field, so it also serves
 * to write a state down and to read one back.
 *
 * What crosses the wire (views, actions, events) is written and read by the
 * tables of the game (fields, verbs, event kinds), so there is one writer and one
 * reader for all games. specs/games/ says what the tables mean.
 *
 * Misuse by our own code is a bug and asserted; what comes from a bot
 * (game_read_action, check) is data and refused with a clause.
 */
#ifndef GAMES_GAME_H
#define GAMES_GAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <msgpack.h>

#define GAME_SEATS_MAX   12
#define GAME_OPTIONS_MAX 12
#define GAME_LEGAL_MAX   160 /* legal actions of one decision */
#define GAME_ORDER_MAX   160 /* cards in one chance order */
#define GAME_EVENTS_MAX  96  /* events of one transition */
#define GAME_STATE_MAX   4096
#define GAME_ARGS_MAX    14 /* argument bytes of one action */

/* Texts that views are full of lie in slots filled up with zeros, so that a writer
 * copies whole slots. */
#define GAME_TOKEN_SIZE 8
#define GAME_NAME_SIZE  24
typedef char game_token[GAME_TOKEN_SIZE]; /* a card's face on the wire */

#define NO_CARD 0xff
#define NO_SEAT 0xff
#define ABSENT  0xff /* an optional argument that was not given */

/* Viewers that are not seats. */
enum { SPECTATOR = -1, OMNISCIENT = -2 };

/* ------------------------------------------------------------- state head -- */

/* What the match needs next. */
enum game_need { NEED_ANSWERS, NEED_CHANCE, NEED_NOTHING };

/*
 * The first member of every state. `acting` is the set of seats that were asked
 * at the start of the current phase and is public; `pending` is the set that still
 * owes an answer, and a view shows a seat no bit of it but its own, so that
 * nobody learns who has answered. In a phase of one seat the two are equal.
 */
struct game_head {
	int8_t viewer; /* OMNISCIENT in a true state */
	uint8_t seats;
	uint8_t phase; /* index into game.phases */
	uint8_t need;  /* enum game_need */
	uint16_t acting;
	uint16_t pending;
	int16_t option[GAME_OPTIONS_MAX];
};

static inline bool game_seat_in(unsigned set, int seat)
{
	return set >> seat & 1;
}

/* ---------------------------------------------------------------- options -- */

struct game_word {
	const char *name;
	int16_t value;
};

/*
 * An option's value is an integer from min..max, or one of the named words (which
 * stand for values of their own, outside min..max). min > max: words only. A
 * switch has the words game_switch and is a bool on the wire.
 */
struct game_option {
	char name[GAME_NAME_SIZE];
	const char *help;
	int16_t standard; /* the default */
	int16_t min, max;
	const struct game_word *words; /* ends with a NULL name; may be NULL */
};

extern const struct game_word game_switch[];      /* false 0, true 1 */
extern const struct game_word game_faults[];      /* reject 0, penalty 1 */
extern const struct game_word game_random_seat[]; /* random -1 */

/* The options that every game has, at these indices of its option table. */
enum { OPTION_ASK_FORCED, OPTION_FAULTS, OPTIONS_COMMON };
#define GAME_COMMON_OPTIONS                                                              \
	[OPTION_ASK_FORCED] = {"ask_forced",                                             \
		"ask a seat even if it has only one legal move", 0, 1, 0, game_switch},  \
	[OPTION_FAULTS] = {"faults",                                                     \
		"an illegal answer is refused (reject) or punished by the rule book's "  \
		"own "                                                                   \
		"penalty where it has one (penalty)",                                    \
		0, 1, 0, game_faults}

/* ---------------------------------------------------------------- actions -- */

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

/* Why an action was refused: the clause of specs/games/<id>.md and a sentence.
 * Both are string constants: a refusal can hold no secret. */
struct refusal {
	const char *clause;
	const char *why;
};

/* Fills *r unless it is NULL; returns false, so that `return refuse(…)` reads. */
bool refuse(struct refusal *r, const char *clause, const char *why);

/* ----------------------------------------------------------------- events -- */

#define AUDIENCE_NONE      0
#define AUDIENCE_SPECTATOR 0x8000
#define AUDIENCE_ALL       0xffff
#define AUDIENCE_SEAT(s)   ((uint16_t)(1u << (s)))

/*
 * Something that happened. The arguments are public; the cards are seen by the
 * audience, and everybody else gets their number. card[] beyond count is not set.
 */
struct event {
	uint8_t kind; /* index into game.events */
	uint8_t count;
	uint16_t audience;
	int16_t arg[4];
	uint8_t card[GAME_ORDER_MAX];
};

enum event_arg_type { EVENT_END, EVENT_SEAT, EVENT_INT, EVENT_WORD };

struct game_event_kind {
	char name[GAME_NAME_SIZE];
	struct {
		char key[GAME_NAME_SIZE];
		uint8_t type;             /* EVENT_SEAT: NO_SEAT is nil */
		const char *const *words; /* EVENT_WORD: arg is an index into it */
	} args[4];
	const char *cards; /* key of the cards, NULL if the kind has none */
};

struct events {
	int count;
	struct event list[GAME_EVENTS_MAX];
};

/* Appends an event without cards, seen by all, and returns it so that cards can be
 * added; NULL if `events` is NULL (playouts do not want any). */
struct event *event_add(struct events *events, int kind, int a0, int a1, int a2, int a3);
/* These accept a NULL event. */
void event_card(struct event *event, uint8_t card);
void event_audience(struct event *event, uint16_t audience);

/* ----------------------------------------------------------------- fields -- */

enum field_type {
	FIELD_INT,    /* int8_t, int16_t, int32_t by size */
	FIELD_UINT,   /* uint8_t, uint16_t, uint32_t */
	FIELD_BOOL,   /* bool */
	FIELD_WORD,   /* uint8_t index into words */
	FIELD_FLAGS,  /* uint8_t or uint16_t, a bit for each of words: a list of words */
	FIELD_SEAT,   /* uint8_t, NO_SEAT is nil */
	FIELD_SEATS,  /* uint16_t, a bit for each seat: a list of seats */
	FIELD_CARD,   /* uint8_t face, NO_CARD is nil */
	FIELD_COUNTS, /* uint8_t[faces], how many of each: a sorted list of tokens */
	FIELD_SET     /* uint32_t or uint64_t, a bit for each face: a sorted list */
};

enum field_see {
	SEE_ALL,   /* under "pub" for everybody */
	SEE_OWNER, /* the outer dimension is seats; the viewer's own entry under "me" */
	SEE_NONE   /* hidden from everybody, the owner included */
};

/* How long a dimension is. */
enum field_length {
	LENGTH_NONE,  /* there is no such dimension */
	LENGTH_FIXED, /* max */
	LENGTH_SEATS, /* the number of seats */
	LENGTH_COUNT  /* the uint8_t at `counter`; for an inner dimension the outer
		       * index is added to the counter's address */
};

struct field_dimension {
	uint8_t kind; /* enum field_length */
	uint8_t max;  /* capacity: the array's declared size */
	uint16_t counter;
};

/*
 * One member of the state. An element that is hidden, and every element of an
 * array beyond its length, is blank: 0xff for FIELD_CARD and FIELD_SEAT, zero for
 * all other types. States keep this themselves (it makes equal states equal bytes).
 *
 * A list of cards is FIELD_CARD with a LENGTH_COUNT dimension. Stacks lie with
 * their top last.
 *
 * `visible`, if not NULL, narrows SEE_ALL: entry `outer` is shown to a seat or to
 * the spectator only if it returns true. OMNISCIENT sees everything always.
 */
struct game_field {
	char name[GAME_NAME_SIZE];
	uint8_t type;
	uint8_t see;
	uint8_t size; /* of one element in bytes */
	uint16_t offset;
	struct field_dimension dim[2]; /* outer, inner */
	const char *const *words;      /* FIELD_WORD, FIELD_FLAGS; ends with NULL */
	bool (*visible)(const void *state, int viewer, int outer);
};

/* `GAME_FIELD(struct x, member)` gives name and offset; size and dimensions follow. */
#define GAME_FIELD(type_, member_) .name = #member_, .offset = offsetof(type_, member_)
#define DIM_SEATS                                                                        \
	{                                                                                \
		LENGTH_SEATS, GAME_SEATS_MAX, 0                                          \
	}
#define DIM_SEATS_OF(max)                                                                \
	{                                                                                \
		LENGTH_SEATS, (max), 0                                                   \
	}
#define DIM_FIXED(max)                                                                   \
	{                                                                                \
		LENGTH_FIXED, (max), 0                                                   \
	}
#define DIM_COUNT(max, type_, member_)                                                   \
	{                                                                                \
		LENGTH_COUNT, (max), offsetof(type_, member_)                            \
	}

/* ----------------------------------------------------------------- chance -- */

enum chance_kind {
	CHANCE_FIRST,
	CHANCE_PARTNERS,
	CHANCE_DRAW,
	CHANCE_DEAL,
	CHANCE_SHUFFLE
};
extern const char *const game_chance_names[]; /* "first" … "shuffle" */

/*
 * "Put these n tokens in order." The tokens are faces, or for CHANCE_FIRST seats;
 * they come sorted. `index` numbers the requests of one kind within the match
 * (the deal of round r has index r), so that a generator can give round r the same
 * deck whatever was played before.
 */
struct chance {
	uint8_t kind;
	uint8_t n;
	uint16_t index;
	uint8_t token[GAME_ORDER_MAX];
};

/* Randomness for `sample`: 64 uniform bits at each call. */
struct game_random {
	uint64_t (*next)(void *context);
	void *context;
};
/* Uniform in 0..n-1, without bias. */
uint32_t game_random_below(const struct game_random *random, uint32_t n);
/* Fisher-Yates. */
void game_random_shuffle(const struct game_random *random, uint8_t *list, int n);

/* ----------------------------------------------------------------- result -- */

struct game_result {
	int16_t score[GAME_SEATS_MAX];
	uint8_t rank[GAME_SEATS_MAX]; /* 1 is best; ties share (1,1,3) */
	int8_t team[GAME_SEATS_MAX];  /* -1 where there are no teams */
	const char *reason;           /* why it ended: "rounds", "target", "guard" … */
};

/* Standard competition ranking by score, highest first. */
void game_rank_by_score(struct game_result *result, int seats);

/* ------------------------------------------------------------------- game -- */

/* Fills prefix and form. */
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

	/* The same question answered for one action by code of its own, with the clause
	 * that refuses. The action is well-formed (game_read_action) but otherwise
	 * arbitrary; the state does not change. */
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

/* The five games in a fixed order, NULL at the end. */
extern const struct game *const game_list[];
const struct game *game_find(const char *id);

/* -------------------------------------------------------- for the caller -- */

/* Number of sides that can win: teams, or seats. */
int game_sides(const struct game *game, int seats);

/* Index of an option by name, or -1. */
int game_option_find(const struct game *game, const char *name);
/* Parses an option's value ("5", "players", "true"). False: not allowed. */
bool game_option_parse(
	const struct game_option *option, const char *text, int16_t *value);
/* The word that stands for the value, or NULL if it is a plain integer. */
const char *game_option_word(const struct game_option *option, int16_t value);
/* Fills all options with their defaults. */
void game_defaults(const struct game *game, int16_t option[GAME_OPTIONS_MAX]);
/* A table with nothing on it: the head filled, every field blank. */
void game_blank(const struct game *game, int seats,
	const int16_t option[GAME_OPTIONS_MAX], void *state);
/* First state. seats and options must be in range. */
void game_start(const struct game *game, int seats,
	const int16_t option[GAME_OPTIONS_MAX], void *state);

static inline const struct game_head *game_head(const void *state)
{
	return (const struct game_head *)state;
}

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

/* The view of a seat, SPECTATOR or OMNISCIENT; `view` has game.state_size bytes. */
void game_observe(const struct game *game, const void *state, int viewer, void *view);

/* Is this event's list of cards for that viewer? */
bool event_seen_by(const struct event *event, int viewer);

/* -------------------------------------------------------------- msgpack -- */

/* {game, opts, seat, phase, act, pub, me} (OMNISCIENT: also "all"). `view` comes
 * from game_observe(). */
void game_write_view(const struct game *game, const void *view, msgpack_packer *pk);
/* The other direction, for bots, files and tests; `view` has state_size bytes.
 * Returns NULL or what is wrong with the object; never trusts it. */
const char *game_read_view(
	const struct game *game, const msgpack_object *object, void *view);
/* {name: value} of all options, as in a view. */
void game_write_options(
	const struct game *game, const int16_t *option, msgpack_packer *pk);
const char *game_read_options(
	const struct game *game, const msgpack_object *object, int16_t *option);

void game_write_action(
	const struct game *game, const struct action *action, msgpack_packer *pk);
/* Clauses: <prefix>-0.1 not a map with a known verb under "a"; 0.2 a key unknown,
 * missing or given twice; 0.3 a value of the wrong type or out of range. */
bool game_read_action(const struct game *game, int seats, const msgpack_object *object,
	struct action *action, struct refusal *why);

/* As the viewer may see it: cards, or their number. */
void game_write_event(const struct game *game, const struct event *event, int viewer,
	msgpack_packer *pk);

/* {scores, ranks, teams, reason} */
void game_write_result(const struct game *game, const struct game_result *result,
	int seats, msgpack_packer *pk);

#endif
