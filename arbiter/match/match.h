/*
 * One match, as a state machine without I/O.
 *
 * Events come in by the match_… calls below, each with the moment at which it
 * happened; effects go out through `struct match_effects`. The match keeps the true
 * state (a composer), asks the seats, checks the answers, runs the seats' clocks and
 * applies the fault policy. It never blocks, never reads a clock, and logs to memory: a
 * replay_writer collects its records, and effects.flush writes them out. match.c draws
 * the course of a match.
 *
 * Only the match knows which question is open, and it judges every answer by that. The
 * states of a seat:
 *
 *     told ── match_ready() ──► ready ◄───────── applied ──────────────┐
 *                                 │                                    │
 *                                 └─ `act` ──► asked ── accepted ──► held
 *                                              │   ▲
 *                                              └───┘ refused: the next turn
 *
 * Seats that are told or asked are in `waiting`, those held in `collected`. A seat that
 * is out of the match is in `faulted` until the end: it is not asked any more, and the
 * game's fallback plays for it.
 *
 * A call may finish the match: effects.finished is called last, and after it the match
 * may only be released (not from within the callback).
 */
#ifndef ARBITER_MATCH_MATCH_H
#define ARBITER_MATCH_MATCH_H

#include "arbiter/replay/writer.h"
#include "arbiter/table/compose.h"
#include "arbiter/table/fault.h"

#define MATCH_NOTE_MAX (NOTE_BYTES_MAX + 8) /* with its msgpack head */

/* The start of a match that begins in the middle of a game: every seat gets `resume`
 * instead of `match`, and play starts at once. Such a match has no replay. */
struct match_position {
	const void *state;
	int64_t bank_ns[GAME_SEATS_MAX];
};

/* A decision that was fixed before the match began. */
struct match_scripted {
	int seat;
	struct action action;
	const char *offence; /* the clause of a penalty, or NULL */
	/* The numbers of its question, and the bank after it; budget 0: there was no
	 * question and the seat's clock does not change. */
	int64_t bank_ns, budget_ns, bank_after_ns;
};

/*
 * The first decisions of the match, forced ones included. The seats are asked as usual,
 * with the numbers of the script, but their answers are replaced, and they are given
 * plenty of time. A seat's fault ends the script.
 */
struct match_script {
	const struct match_scripted *decision;
	uint32_t count;
};

struct match_config {
	struct compose_setup setup; /* commit is filled in by match_init() */
	/* Both may be NULL, and outlive the match. */
	const struct match_position *position;
	const struct match_script *script;
	struct replay_player player[GAME_SEATS_MAX];
	/* POLICY_AUTO becomes forfeit with two sides, else substitute. */
	enum fault_policy policy;
	int retries; /* refused answers per question before it is a fault */
	int64_t ready_ns_max;
	bool ponder_off; /* bots are stopped while it is not their turn; header only */
	/* Somebody follows the replay: flush it before each question, not only before
	 * each decision. */
	bool followed;
	int64_t start_unix_s; /* for the replay's header only */
	uint8_t seed[CHANCE_SEED_SIZE];
	uint8_t nonce[CHANCE_NONCE_SIZE];
};

struct match;

struct match_effects {
	/* The message must be copied; it goes out with the next flush. */
	void (*send)(void *context, int seat, struct blob message);
	/* Write out what was logged so far before anything else is sent; the writer
	 * remembers a write error. Only called with a replay; may be NULL. */
	void (*flush)(void *context);
	/* The seat's time for an answer (or for `ready`) starts when the last message has
	 * been sent: call match_asked() then. */
	void (*ask)(void *context, int seat);
	/* The seat has no deadline any more. */
	void (*answered)(void *context, int seat);
	/* Adds what only the caller knows (stderr, exit status) before a fault is logged;
	 * may be NULL. */
	void (*evidence)(void *context, int seat, struct fault *fault);
	/* The seat's bot has faulted and is out of this match. */
	void (*faulted)(void *context, int seat, const struct fault *fault);
	void (*finished)(void *context);
	/* NULL: chance_order() with the match's seed. */
	void (*order)(void *context, const struct chance *request, uint8_t *order);
	void *context;
};

/* What became of an answer, or of a `ready`. */
enum match_fate {
	FATE_ACCEPTED,
	FATE_REFUSED, /* it breaks the rules: the seat is asked again */
	FATE_FAULT,   /* it broke the rules too often or was late: the seat is out */
	/* The following change nothing and are only counted. */
	FATE_LATE,      /* to a turn that is over */
	FATE_EARLY,     /* to a turn that has not been asked yet */
	FATE_DUPLICATE, /* to the turn that it answered last; a second `ready` */
	FATE_FOREIGN    /* for a match that the bot is not in */
};
#define MATCH_FATES (FATE_FOREIGN + 1)

struct match_answer {
	int64_t turn;
	int64_t choice;     /* -1: `action` holds the answer */
	struct blob action; /* as decoded by protocol/codec.h; size 0 with a choice */
	struct blob note;   /* str or bin; size 0: none */
	struct blob bytes;  /* the whole message, as evidence */
	mono_ns received;   /* the moment it is charged to */
	int64_t lag_ns;     /* the arbiter's lateness: an overrun within it is credited */
	int64_t cpu_ns;     /* the bot's CPU time since the question */
};

struct match_seat {
	uint32_t turn;                 /* questions so far */
	uint32_t answered;             /* the last turn that was answered, 0: none */
	uint32_t decisions;            /* answers accepted */
	uint32_t dropped[MATCH_FATES]; /* answers that changed nothing, by fate */
	int refusals;                  /* since the last accepted answer */
	int64_t bank_ns;
	int64_t budget_ns; /* of the open question */
	mono_ns asked;     /* when the open question left */
	int64_t think_ns, think_ns_max;
	enum fault_class fault; /* FAULT_NONE while its bot plays */
	uint8_t rng[CHANCE_RNG_SIZE];
	bool opened; /* its bot has decided something: `opening` is the first */
	struct action opening;
	/* The answer that is held until the phase is complete; decision.action and
	 * decision.note point to the two members below. */
	struct replay_decision decision;
	struct action action;
	uint8_t note[MATCH_NOTE_MAX];
};

struct match {
	struct match_config config;
	struct match_effects effects;
	struct composer composer;
	struct replay_writer *replay; /* NULL: no replay is written */
	enum match_phase phase;
	mono_ns started;
	uint16_t waiting;   /* seats whose answer or `ready` is awaited */
	uint16_t collected; /* seats whose answer is held */
	uint16_t faulted;   /* seats whose bots are out */
	uint16_t told;      /* seats that were sent `match` */
	bool is_void;
	enum void_cause void_cause;
	char void_reason[FAULT_WHY_SIZE];
	/* Set once the match is over and not void; the ranks account for forfeits. */
	struct game_result result;
	uint32_t actions; /* applied, whether asked for or forced */
	struct match_seat seat[GAME_SEATS_MAX];
};

/* `replay` must be open and outlive the match; the match appends all records up to the
 * seal, but neither flushes nor closes it. NULL: no replay is written. */
void match_init(struct match *match, const struct match_config *config,
	const struct match_effects *effects, struct compose_scratch *scratch,
	struct replay_writer *replay);
void match_release(struct match *match);

/* Sends `match` to all seats except those that match_fault() has already put out. */
void match_start(struct match *match, mono_ns now);
/* The message that asked the seat has been sent; returns the deadline. */
mono_ns match_asked(struct match *match, int seat, mono_ns now);
enum match_fate match_ready(struct match *match, int seat, mono_ns now);
enum match_fate match_answer(
	struct match *match, int seat, const struct match_answer *answer);
/* The seat's bot sent something for a match that it is not in: counted here. */
enum match_fate match_foreign(struct match *match, int seat);
/* The deadline has passed without an answer. `lag_ns` was already credited. */
void match_timeout(struct match *match, int seat, mono_ns now, int64_t lag_ns);
/* Anything else that puts the seat's bot out: an exit, a malformed message, … */
void match_fault(struct match *match, int seat, const struct fault *fault);
/* The connection was lost or is back; if back, the seat gets `resume`. */
void match_link(struct match *match, int seat, mono_ns now, bool back);
/* The seat was sent `resume`, so no `ready` is expected from it any more. */
void match_resumed(struct match *match, int seat, mono_ns now);
/* Ends the match as void, for a reason that is no bot's fault. */
void match_abort(
	struct match *match, mono_ns now, enum void_cause cause, const char *reason);

bool match_over(const struct match *match);
/* Is an answer or a `ready` of the seat awaited? */
bool match_awaits(const struct match *match, int seat);
/* How many messages of the seat changed nothing. */
uint32_t match_dropped(const struct match *match, int seat);

#endif
