/*
 * The parts of the loop: timers (loop_timer.c), bots and their processes
 * (loop_players.c), what they are sent (loop_send.c), remote bots (loop_remote.c),
 * matches under way (loop_matches.c), finished replays (loop_closer.c), and the loop that
 * drives them (loop.c). Only these files include this.
 */
#ifndef ARBITER_LOOP_LOOP_INTERNAL_H
#define ARBITER_LOOP_LOOP_INTERNAL_H

#include "arbiter/base/temporary.h"
#include "arbiter/loop/loop.h"
#include "arbiter/loop/sentinel.h"
#include "protocol/session.h"

/* Something that epoll watches: `ready` is called in every turn in which there is news. */
struct source {
	void (*ready)(struct loop *loop, void *owner);
	void *owner;
};

/* A moment at which something must be checked; a zeroed timer is not set. */
struct timer {
	mono_ns at;
	size_t index; /* place in the heap plus one, 0: not set */
	void (*fire)(struct loop *loop, struct timer *timer);
	void *owner;
};

struct timers {
	struct timer **heap;
	size_t count, capacity;
};

void timer_set(struct timers *timers, struct timer *timer, mono_ns at);
void timer_clear(struct timers *timers, struct timer *timer);
/* TIME_NEVER if none is set. */
mono_ns timers_next(const struct timers *timers);
void timers_release(struct timers *timers);

/*
 * A process of an entrant.
 *
 *     STARTING ── hello ──► LIVE ── retired, fault ──► ENDING ── gone ──► freed
 *         └───────── no hello, exit ─────────────────────┘
 */
/* A remote bot is EXPECTED instead of STARTING. */
enum player_state { PLAYER_STARTING, PLAYER_EXPECTED, PLAYER_LIVE, PLAYER_ENDING };

struct player {
	struct loop *loop;
	struct entrant *entrant;
	struct player *next; /* of the entrant's list */
	enum player_state state;
	int number;    /* unique in the loop */
	bool retiring; /* no new matches; ends when the last is over */
	bool exit_due; /* it has exited; its last frames may still arrive */
	bool leaving;  /* a remote bot, sent its last message and still connected */
	mono_ns leave_by;
	struct process process;
	struct sandbox_limits box; /* all 0 without a sandbox */
	struct output output;
	struct session *session;
	struct transport *transport; /* its own socket; the loop's if it is remote */
	struct source frames, pipes;
	bool unread; /* its share of the turn was used up; more may be there */
	char endpoint[ENDPOINT_BYTES_MAX], tcp_endpoint[ENDPOINT_BYTES_MAX];
	struct timer timer; /* hello, the grace after an exit, or bye */
	int64_t late_ns;    /* the loop's lateness when the timer was set */
	int64_t cpu_ns;     /* at the last flush or frame */
	/* Messages for the next flush, one after another, and their sizes. */
	struct buffer out;
	uint32_t *sizes;
	size_t size_count, size_capacity;
	/* Seats whose time starts with the next flush. */
	struct seat **asked;
	size_t asked_count, asked_capacity;
	bool dirty;
	struct player *next_dirty;
};

struct entrant {
	struct entrant *next;
	const struct bot_spec *spec;
	int processes_max;
	int processes; /* starting or live and not retiring */
	int starts, failures;
	int excuses; /* how often it may still be late on a starved host */
	int matches;
	struct player *players;
	bool failed;          /* the last start failed and no match was told yet */
	struct fault failure; /* why */
};

/* One seat of a match under way. */
struct seat {
	struct running_match *running;
	int number;
	struct player *player;       /* NULL: never came, or out of this match */
	struct session_match *entry; /* the player's session entry for this match */
	struct timer timer;          /* the answer's deadline */
	mono_ns deadline;
	int64_t starved_ns;      /* the sentinel's lateness so far, when it was asked */
	int64_t late_ns, cpu_ns; /* the loop's lateness and the bot's CPU time so far,
				  * when it was asked */
	struct fault *fault;
};

enum running_state { MATCH_QUEUED, MATCH_PLAYING, MATCH_OVER };

struct running_match {
	struct loop *loop;
	struct running_match *next, **self; /* of the list it is on */
	enum running_state state;
	struct match_config config;
	struct entrant *entrant[GAME_SEATS_MAX];
	void *user;
	char *replay_path;
	bool replay_compress;
	struct replay_writer replay;
	int replay_error;
	uint8_t chain[REPLAY_CHAIN_SIZE];
	struct match match;
	struct seat seat[GAME_SEATS_MAX];
	struct fault *out[GAME_SEATS_MAX]; /* of seats that are out from the start */
};

struct watch {
	struct source source;
	int fd;
	void (*ready)(void *context);
	void *context;
};

struct loop {
	struct loop_options options;
	struct time_source time;
	struct transport
		*remote;   /* the socket of all remote bots; NULL: there are none */
	bool unread;       /* a bot has used up its share of the turn */
	int64_t strangers; /* messages of connections that are no bot's own */
	struct sessions sessions;
	struct limits limits;
	struct compose_scratch *scratch;
	struct timers timers;
	struct entrant *entrants;
	struct player *dirty;
	struct running_match *queued, **queued_end;
	struct running_match *playing;
	struct running_match *over;
	int under_way; /* queued or playing */
	int closing;   /* over, and their replays on the way to the disk */
	struct closer *closer;
	struct sentinel sentinel;
	struct timer sentinel_timer; /* its next ping */
	const struct loop_client *client;
	bool asked_later; /* the client had no match; ask again after a report */
	bool no_more;
	bool stopping;
	bool hurry;       /* told to stop a second time: wait for no bot */
	bool seating_due; /* a bot connected or has room again */
	bool sweep_due;   /* a process may be gone for good */
	char stop_reason[FAULT_WHY_SIZE];
	char folder[TEMPORARY_PATH_SIZE]; /* of the sockets */
	int epoll, signals;
	struct source on_signal, on_sentinel, on_closer, on_remote;
	struct epoll_event *events; /* room for as many as there are sources */
	int sources, events_capacity;
	int players_started;
	int starting; /* players that have not said hello yet */
	struct watch watch;
	mono_ns charge;  /* the moment to which a frame received now is charged */
	int64_t late_ns; /* total time by which the loop was woken too late or stalled */
	mono_ns looked;  /* when the loop last looked at the clock; 0: not yet */
	struct loop_numbers numbers;
};

static inline mono_ns loop_now(const struct loop *loop)
{
	return time_now(&loop->time);
}

/* loop.c */
/* The source must live until the descriptor is unwatched or closed. */
void loop_add_source(struct loop *loop, int fd, struct source *source);
void loop_remove_source(struct loop *loop, int fd);
/* Takes the bot's share of frames that are there. */
void player_receive(struct player *player);

/* loop_closer.c */
struct closer *closer_new(void);
/* Returns when everything that was added is done; NULL is allowed. */
void closer_free(struct closer **closer);
/* Closes the match's replay; closer_take() returns the match afterwards. */
void closer_add(struct closer *closer, struct running_match *running);
/* Readable when closer_take() has something: a list linked by `next`. */
int closer_fd(const struct closer *closer);
struct running_match *closer_take(struct closer *closer);

/* loop_remote.c */
/* Lets a remote bot connect: makes a session for it. */
void remote_expect(struct loop *loop, struct entrant *entrant);
/* The bot has connected, or come back. */
void remote_arrived(struct player *player);
/* The bot leaves for good: its session is about to be closed. */
void remote_gone(struct player *player);
/* The bot was sent its last message: keeps the connection until the bot has closed it. */
void remote_leaves(struct player *player);
/* Is the bot connected, as far as the socket knows now? */
bool remote_is_there(struct player *player);

/* loop_players.c */
/* Adds a player without a process to the entrant's list. */
struct player *player_new(struct loop *loop, struct entrant *entrant);
struct player *player_start(struct loop *loop, struct entrant *entrant);
/* A bot with room for another match, or NULL. */
struct player *entrant_player(const struct entrant *entrant);
/* The entrant failed to start too often, and has no process left. */
bool entrant_given_up(const struct entrant *entrant);
/* Starts processes of the entrant until `wanted` more matches have room. */
void entrant_provide(struct loop *loop, struct entrant *entrant, int wanted);
/* Ends the process: says bye if it is live, and kills it if it does not exit. */
void player_end(struct player *player);
/* The bot named a match that it is not in: counted in one of its own matches. */
void player_foreign(struct player *player);
/* The connection was lost, or is back: tells the bot's matches. */
void player_link(struct player *player, bool back);
/* Puts the bot out of all its matches. */
void player_fault(struct player *player, enum fault_class class, const char *why,
	const char *clause, struct blob bytes);
/* A match of the bot is over: retires it if that is due. */
void player_left_match(struct player *player);
void player_hello(struct player *player);
/* Probes the socket: libzmq reports a lost connection only when one tries to send. */
bool player_connected(struct player *player);
void player_evidence(struct player *player, struct fault *fault);
int64_t player_cpu_ns(struct player *player, enum clock_kind kind);
/* Reads what is in the process's pipes and acts on it. */
void player_poll(struct player *player);
/* Frees the players whose processes are gone. */
void players_sweep(struct loop *loop);

/* loop_send.c */
/* For the next flush; the message is copied. */
void player_send(struct player *player, struct blob message);
void player_send_message(struct player *player, const struct message *message);
/* The bot may have nothing to do any more; if so, it is stopped after the next flush. */
void player_rest(struct player *player);
/* Starts the seat's time with the next flush, if the match still waits for the seat then;
 * player_unask() cancels that. */
void player_ask(struct player *player, struct seat *seat);
void player_unask(struct player *player, const struct seat *seat);
void players_flush(struct loop *loop);

/* loop_matches.c */
void seat_expired(struct loop *loop, struct timer *timer);
/* Starts the queued matches whose bots are ready to play. */
void matches_seat(struct loop *loop);
/* Passes finished matches to the closer; reports and frees those without a replay. */
void matches_report(struct loop *loop);
/* Reports and frees the matches whose replays are closed. */
void matches_closed(struct loop *loop);
void matches_abort(struct loop *loop, const char *reason);
void seat_answer(
	struct seat *seat, const struct message_action *action, struct blob bytes);

#endif
