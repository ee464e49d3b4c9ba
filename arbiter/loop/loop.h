/*
 * The arbiter's event loop: one thread and one transport play many matches at once, with
 * bot processes that live across matches.
 *
 * An entrant is a bot that takes part: how it is started and how many processes of it
 * there may be. A match names the entrant of each seat; the loop starts processes as
 * they are needed, gives each as many matches at once as its hello allows, queues
 * what cannot be played yet, restarts a process after a fault, and reports every
 * match when it is over. Two seats never share an entrant.
 *
 * A remote entrant is not started: it connects by itself at any time, and may leave and
 * come back. It has one session at a time, is not restarted after a fault, and is
 * disconnected only if it breaks the protocol.
 *
 * Time: a frame is stamped when it is received, before it is decoded, and charged to the
 * last moment at which the socket was known to be empty (the arbiter's own work is
 * nobody's thinking time); a deadline is called missed only when the socket was found
 * empty after it; and if the loop itself is woken too late, or stalls in between, all
 * open deadlines move by the same amount.
 *
 *     loop = loop_new(&options, &why);
 *     a = loop_entrant(loop, &spec_a, 1); b = …
 *     loop_run(loop, &client);        calls client.next, which calls loop_add_match()
 *     loop_free(&loop);
 */
#ifndef ARBITER_LOOP_LOOP_H
#define ARBITER_LOOP_LOOP_H

#include "arbiter/bots/bot_spec.h"
#include "arbiter/process/launch.h"
#include "arbiter/match/match_rules.h"
#include "protocol/transport.h"
#include "protocol/why.h"

struct loop;
struct entrant;

struct loop_options {
	const struct time_source *time; /* NULL: time_system */
	FILE *trace;                    /* NULL, or one JSON line for each frame */
	const char *log_folder; /* of the bots' output; NULL: only its end is kept */
	int64_t hello_ns_max;   /* from the start of a process to its hello; 0: 10 s */
	int jobs_max;           /* matches at once; 0: 1 */
	bool fresh;             /* a new process for each match */
	bool one_match_per_process; /* at a time, even if bots offer more (CPU clocks) */
	bool stop_on_signals;       /* SIGINT and SIGTERM end loop_run() */
	/* What sandbox_choose() chose. */
	const struct sandbox_limits *sandbox;
	/* Bots are stopped while it is not their turn; needs one_match_per_process. */
	bool ponder_off;
	/* NULL, or where remote bots connect; `bound` is set. Must outlive the loop. */
	struct transport_remote *remote;
	/* A match whose remote bot is offline when it should begin is void (VOID_ABSENT);
	 * if false, it waits for the bot. */
	bool absent_is_void;
};

struct loop_match {
	struct match_config config; /* setup.commit, setup.wants_events are filled in */
	struct entrant *entrant[GAME_SEATS_MAX];
	/* NULL, or the fault of a seat that is out before the match begins: its bot is
	 * not started. Copied, except `at`, which becomes the start of the match. */
	const struct fault *fault[GAME_SEATS_MAX];
	const char *replay_path; /* NULL: no replay is written */
	bool replay_compress;
	void *user;
};

/* A match that is over; all pointers are valid during the call only. */
struct loop_report {
	const struct match *match;
	const struct fault *fault[GAME_SEATS_MAX]; /* NULL: that seat had none */
	const char *replay_path;                   /* NULL: none was written */
	uint8_t chain[REPLAY_CHAIN_SIZE];          /* the replay's last chain hash */
	void *user;
};

enum loop_next {
	NEXT_ADDED, /* loop_add_match() was called */
	NEXT_LATER, /* nothing now; ask again after the next report or watched event */
	NEXT_NONE   /* no more matches: loop_run() returns when all are over */
};

struct loop_client {
	/* Called while fewer than jobs_max matches are under way. */
	enum loop_next (*next)(void *context, struct loop *loop);
	void (*done)(void *context, const struct loop_report *report);
	/* Called about ten times a second, for progress; may be NULL. */
	void (*tick)(void *context, struct loop *loop);
	/* A remote entrant has connected or left; may be NULL. */
	void (*online)(void *context, const struct entrant *entrant, bool online);
	void *context;
};

/* NULL: sockets or folders cannot be made; `why` says which. */
struct loop *loop_new(const struct loop_options *options, struct why *why);
/* Ends all processes and returns when they are gone. */
void loop_free(struct loop **loop);

/* The spec is not copied and must outlive the loop. A remote entrant may connect from now
 * on; processes_max is ignored for it. */
struct entrant *loop_entrant(
	struct loop *loop, const struct bot_spec *spec, int processes_max);
/* Ends the entrant's processes after their matches; later matches get new ones. */
void loop_entrant_retire(struct loop *loop, struct entrant *entrant);
/*
 * How many more matches of the entrant may be declared void because its bot was late on a
 * starved host. An entrant starts with LOOP_EXCUSES and gets one more for every
 * LOOP_EXCUSE_MATCHES matches.
 */
#define LOOP_EXCUSES        3
#define LOOP_EXCUSE_MATCHES 100
void loop_entrant_excuse(struct entrant *entrant, int times);
/* How often processes of the entrant were started, and how often in a row they failed
 * before hello. */
int loop_entrant_starts(const struct entrant *entrant);
int loop_entrant_failures(const struct entrant *entrant);
/* Is the remote bot connected? */
bool loop_entrant_online(const struct entrant *entrant);

/*
 * Fills in a match by these rules between these entrants, one for each seat, with a fresh
 * id and nonce, that begins now. The caller owns the path; NULL: no replay is written.
 * Everything else is zero and may be set before loop_add_match(), which copies what it
 * needs.
 */
void loop_match_init(struct loop_match *request, const struct match_rules *rules,
	struct entrant *const *entrants, const uint8_t seed[CHANCE_SEED_SIZE],
	const char *replay_path);
void loop_add_match(struct loop *loop, const struct loop_match *request);

/* Runs until the client has no more matches and all are over, or until stopped. False
 * if it was stopped: running matches were then closed as void. */
bool loop_run(struct loop *loop, const struct loop_client *client);
/* For callbacks: ends loop_run() soon; running matches become void. */
void loop_stop(struct loop *loop, const char *reason);

/* Makes loop_run() call `ready` whenever the descriptor is readable (a pipe to a
 * coordinator); -1 removes the watch. */
void loop_watch(struct loop *loop, int fd, void (*ready)(void *context), void *context);

/* Numbers since loop_new(). */
struct loop_numbers {
	uint64_t matches, decisions, frames_in, frames_out, messages_out, dropped;
	int64_t late_ns;   /* total time by which the loop was woken too late */
	int running;       /* matches under way */
	int64_t strangers; /* messages on connections that belong to no bot */
};
struct loop_numbers loop_numbers(const struct loop *loop);

#endif
