/*
 * Faults: what can go wrong with a seat, what follows from it, and the evidence. Live
 * play detects them, replays record them, and verification recomputes the ranks.
 */
#ifndef ARBITER_TABLE_FAULT_H
#define ARBITER_TABLE_FAULT_H

#include "arbiter/base/time.h"
#include "games/game.h"

#define FAULT_EVIDENCE_MAX 512 /* bytes kept of what a bot sent */
#define FAULT_WHY_SIZE     320

enum fault_class {
	FAULT_NONE,
	FAULT_TIMEOUT,
	FAULT_CRASH,
	FAULT_DISCONNECT,
	FAULT_ILLEGAL,
	FAULT_MALFORMED,
	FAULT_OVERSIZE,
	FAULT_FLOOD,
	FAULT_MEMORY,
	FAULT_STARTUP,
	FAULT_ARBITER
};
extern const char *const fault_names[]; /* "none", "timeout" … "arbiter", NULL */

enum fault_policy { POLICY_AUTO, POLICY_FORFEIT, POLICY_SUBSTITUTE };
extern const char *const policy_names[]; /* "auto", "forfeit", "substitute", NULL */

/* Why a match is void: it does not count, and no seat is to blame. */
enum void_cause {
	VOID_NONE,    /* it is not void */
	VOID_STARVED, /* a bot was late, but no later than the host (FAULT_ARBITER) */
	VOID_REPLAY,  /* its replay cannot be written */
	VOID_ABSENT,  /* a remote bot was offline when the match should begin */
	VOID_STOPPED  /* the arbiter was told to stop */
};
extern const char *const void_cause_names[]; /* "none", "starved" … "stopped", NULL */

/* Where in a match a seat was when it faulted. */
enum match_phase { PHASE_START, PHASE_READY, PHASE_PLAY, PHASE_OVER };
extern const char *const match_phase_names[]; /* "start", "ready", "play", "over" */

/* A fault and its evidence; the loop reports faults in this form too. */
struct fault {
	enum fault_class class;
	enum match_phase phase;
	uint32_t turn; /* the open question, 0 if none */
	mono_ns at;
	/* What was expected and what came instead; match_fault() prefixes the phase. */
	char why[FAULT_WHY_SIZE];
	char clause[16]; /* of the rules or the protocol, or "" */
	int exit_status; /* of waitpid(); -1: the process is alive */
	int64_t budget_ns, overrun_ns, lag_ns; /* FAULT_TIMEOUT */
	size_t bytes_size;
	uint8_t bytes[FAULT_EVIDENCE_MAX]; /* what the bot sent */
	char stderr_tail[256];
};

/* Ranks when some sides have forfeited: they share the last rank, the others are
 * ranked among themselves. `finished` false: the game was not played to its end and the
 * others share the first rank. */
void fault_rank(const struct game *game, struct game_result *result, int seats,
	uint16_t faulted, bool finished);

#endif
