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
 * The match alone knows which question is open, and judges every answer by that. What it
 * knows of a seat:
 *
 *     told ── match_ready() ──► ready ◄───────── applied ──────────────┐
 *                                 │                                    │
 *                                 └─ `act` ──► asked ── accepted ──► held
 *                                              │   ▲
 *                                              └───┘ refused: the next turn
 *
 * Told and asked are in `waiting`, held is in `collected`. A seat that is put out is in
 * `faulted` for the rest of the match: it is not asked any more, and the game's fallback
 * stands in for it.
 *
 * A call may finish the match: effects.finished is called last, and after it the match
 * only wants to be released (not from within the callback).
 */
#ifndef ARBITER_MATCH_MATCH_H
#define ARBITER_MATCH_MATCH_H

#include "arbiter/replay/writer.h"
#include "arbiter/table/compose.h"
#include "arbiter/table/fault.h"

#define MATCH_NOTE_MAX (NOTE_BYTES_MAX + 8) /* with its msgpack head */

/* Where a match begins that does not begin at the beginning: every seat gets `resume`
 * instead of `match`, and play goes on at once. Such a match has no replay. */
struct match_position {
	const void *state;
	int64_t bank_ns[GAME_SEATS_MAX];
};

/* A decision that was settled before the match began. */
struct match_scripted {
	int seat;
	struct action action;
	const char *offence; /* the clause of a penalty, or NULL */
	/* The numbers of its question, and the bank after it; budget 0: there was no
	 * question and the seat's own clock stands. */
	int64_t bank_ns, budget_ns, bank_after_ns;
};

/*
 * The first decisions of the match, forced ones included. The seats are asked as ever,
 * with the numbers of the script, but whatever they answer is replaced, and they are not
 * hurried. A seat's fault ends the script.
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
	enum fault_policy
		policy; /* POLICY_AUTO: forfeit with two sides, else substitute */
	int retries;    /* refused answers per question before it is a fault */
	int64_t ready_ns_max;
	bool ponder_off; /* bots stand still while they are not to act; header only */
	/* The replay is handed to its sink before each question, not only before each
	 * decision: somebody follows it. */
	bool followed;
	int64_t start_unix_s; /* for the replay's header only */
	uint8_t seed[CHANCE_SEED_SIZE];
	uint8_t nonce[CHANCE_NONCE_SIZE];
};

struct match;

struct match_effects {
	/* The message must be copied; it goes out with the next flush. */
	void (*send)(void *context, int seat, struct blob message);
	/* What was logged so far is to be written out before anything else leaves: a
	 * write error is found in the writer. Only with a replay; may be NULL. */
	void (*flush)(void *context);
	/* The seat's time for an answer (or for `ready`) starts when the message just
	 * sent has left: the callee then calls match_asked(). */
	void (*ask)(void *context, int seat);
	/* The seat's deadline does not matter any more. */
	void (*answered)(void *context, int seat);
	/* Adds what only the caller knows (stderr, exit status) before a fault is logged;
	 * may be NULL. */
	void (*evidence)(void *context, int seat, struct fault *fault);
	/* Faulted: the seat's bot is out of this match. */
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
	FATE_FAULT,   /* it breaks the rules once too often or took too long: it is out */
	/* Those that follow change nothing, and are counted. */
	FATE_LATE,      /* to a turn that is over */
	FATE_EARLY,     /* to a turn that was not asked yet */
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
	mono_ns received;   /* charged moment */
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
	enum fault_class fault; /* FAULT_NONE while it plays by itself */
	uint8_t rng[CHANCE_RNG_SIZE];
	bool opened; /* it has decided something by itself: `opening` is the first */
	struct action opening;
	/* The answer that is held until the phase is complete; decision.action and
	 * decision.note point at the two below it. */
	struct replay_decision decision;
	struct action action;
	uint8_t note[MATCH_NOTE_MAX];
};

struct match {
	struct match_config config;
	struct match_effects effects;
	struct composer composer;
	struct replay_writer *replay; /* NULL: none is kept */
	enum match_phase phase;
	mono_ns started;
	uint16_t waiting;   /* seats whose answer or `ready` is awaited */
	uint16_t collected; /* seats whose answer is held */
	uint16_t faulted;   /* seats that do not play by themselves any more */
	uint16_t told;      /* seats that were sent `match` */
	bool is_void;
	enum void_cause void_cause;
	char void_reason[FAULT_WHY_SIZE];
	struct game_result result; /* once over and not void; ranks hold the forfeits */
	uint32_t actions;          /* applied, asked for or not */
	struct match_seat seat[GAME_SEATS_MAX];
};

/* `replay` must be ready to be written and outlive the match; the match appends all
 * records up to the seal, but neither flushes nor closes it. NULL: none is kept. */
void match_init(struct match *match, const struct match_config *config,
	const struct match_effects *effects, struct compose_scratch *scratch,
	struct replay_writer *replay);
void match_release(struct match *match);

/* Sends `match` to all seats but those put out by match_fault() before. */
void match_start(struct match *match, mono_ns now);
/* The message that asked the seat has left; returns the deadline. */
mono_ns match_asked(struct match *match, int seat, mono_ns now);
enum match_fate match_ready(struct match *match, int seat, mono_ns now);
enum match_fate match_answer(
	struct match *match, int seat, const struct match_answer *answer);
/* The seat's bot sent something for a match that it is not in: counted here. */
enum match_fate match_foreign(struct match *match, int seat);
/* The deadline has passed and no answer was there. `lag_ns` was already credited. */
void match_timeout(struct match *match, int seat, mono_ns now, int64_t lag_ns);
/* Anything else that puts the seat's bot out: an exit, a malformed message, … */
void match_fault(struct match *match, int seat, const struct fault *fault);
/* The connection was lost or is back; when back, the seat gets `resume`. */
void match_link(struct match *match, int seat, mono_ns now, bool back);
/* The seat has got `resume`, so there is nothing more to get ready for. */
void match_resumed(struct match *match, int seat, mono_ns now);
/* Not the bots' doing: the match is void. */
void match_abort(
	struct match *match, mono_ns now, enum void_cause cause, const char *reason);

bool match_over(const struct match *match);
/* Is an answer or a `ready` of the seat awaited? */
bool match_awaits(const struct match *match, int seat);
/* How many messages of the seat changed nothing. */
uint32_t match_dropped(const struct match *match, int seat);

#endif
