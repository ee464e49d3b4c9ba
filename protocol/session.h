/*
 * The sessions of an arbiter's bots, without sockets.
 *
 * A session is one bot for its whole life: a token that was given to it, the peer
 * (connection) that presented the token, what it said in `hello`, its credit of messages
 * and the matches that it is in. Messages go in decoded; out comes what the arbiter has
 * to do. Which question is open in a match, and what an answer to it is worth, is known
 * to the match: every `ready` and `action` for a match that the bot is in is passed on.
 *
 *                  hello, token right
 *     NEW ───────────────────────────────► LIVE ◄────────────┐
 *      │                                    │ session_lost() │ hello with token
 *      │                                    ▼                │ and secret
 *      │                                   LOST ─────────────┘
 *      │ session_close()                    │
 *      └──────────► CLOSED ◄────────────────┘  bye, violation, session_close()
 *
 * A LIVE or LOST session is in a match from session_offer() to session_end(). What it
 * sends for any other match is counted (`foreign`) and does nothing; that is no fault by
 * itself, as the flood rule bounds it.
 *
 * The flood rule: a session has a credit of messages. A greeting sets it to
 * limits.messages, and as many again for each match that is being played; every
 * question (match, act) adds limits.messages, up to (matches at once + 1) times that.
 * Every message of the bot takes one; a message without credit is a violation
 * (ERR_FLOOD).
 */
#ifndef PROTOCOL_SESSION_H
#define PROTOCOL_SESSION_H

#include "protocol/codec.h"
#include "protocol/table.h"
#include "protocol/why.h"

/*
 * A connection, as the transport names it: a number, or a routing id with a NUL and the
 * name of the key that it has proved to hold. Nobody can choose which one he is.
 */
struct peer {
	uint16_t size;
	uint16_t id_size; /* of the routing id alone; 0: a local bot, without a key */
	uint8_t bytes[PEER_BYTES_MAX];
};

/* The name of the connection's key; empty for a local one. */
struct text peer_key(const struct peer *peer);

enum session_state { SESSION_NEW, SESSION_LIVE, SESSION_LOST, SESSION_CLOSED };

/* One match of a session. */
struct session_match {
	int64_t match;
	void *user; /* the arbiter's own */
};

struct session_counts {
	int64_t messages;
	int64_t foreign; /* of them, for a match that it is not in */
	int64_t resumes;
	int64_t hellos; /* that were refused */
	int64_t beside; /* messages of other connections than its own */
};

struct session {
	enum session_state state;
	int64_t id;
	char token[TOKEN_BYTES_MAX + 1];
	char key[NAME_BYTES_MAX + 1]; /* of a remote bot; "": it must come locally */
	uint8_t secret[SECRET_BYTES];
	struct limits limits;
	struct sessions *sessions;
	struct peer peer;              /* LIVE: the connection */
	int64_t hello_ns, received_ns; /* first hello, last message */
	int64_t first_ns; /* the first message of a connection that is not its own */

	/* From hello. */
	char name[NAME_BYTES_MAX + 1], version[NAME_BYTES_MAX + 1],
		lang[NAME_BYTES_MAX + 1];
	int64_t matches_max;
	bool events, batch;

	int64_t credit;
	struct table matches; /* of struct session_match */
	struct session_counts counts;
	void *user; /* the arbiter's own */
};

/* What the arbiter has to do. */
enum session_do {
	DO_NOTHING, /* the session is over (`code` is ERR_OVER) */
	DO_WELCOME, /* a bot has come: send session_welcome() */
	DO_RESUME, /* it has come back: send session_welcome() and a `resume` per match */
	DO_READY,  /* the bot is ready for `match`, or says so once more */
	DO_ANSWER, /* message->action answers a turn of `match`, whichever */
	DO_FOREIGN, /* for a match that the bot is not in, or no longer; counted */
	DO_BYE,     /* the bot leaves; the session is CLOSED */
	DO_ERROR,   /* the bot reports an error of its own (message->error); still LIVE */
	DO_VIOLATION, /* `code`, `why`: a fault of this bot; the session is CLOSED */
	DO_REFUSE /* `code`, `why`: send `error` to this peer; no session is touched */
};

struct verdict {
	enum session_do what;
	enum err code;
	struct why why; /* set for DO_VIOLATION and DO_REFUSE */
	struct session *session;
	struct session_match *match; /* DO_READY, DO_ANSWER; else NULL */
};

/* All sessions of an arbiter. */
struct sessions {
	struct session **list;
	size_t count, capacity;
	int64_t next_id;
	/* Is the session's connection still there? Asked before another one may take its
	 * place (transport_probe() answers it). NULL: LIVE means alive. */
	bool (*alive)(struct session *session);
};

void sessions_init(struct sessions *sessions);
/* Frees every session, their matches included. */
void sessions_release(struct sessions *sessions);

/* A bot that is expected. The caller draws the token (text, at most TOKEN_BYTES_MAX) and
 * the secret (random bytes). The session lives until session_free(). */
struct session *session_new(struct sessions *sessions, const char *token,
	const uint8_t secret[SECRET_BYTES], const struct limits *limits, void *user);
void session_free(struct sessions *sessions, struct session **session);
/* The bot is remote: its session is for connections with the key of that name alone. The
 * key proves who it is, so it may come back without the secret (a new process). */
void session_set_key(struct session *session, const char *key);

/* The session of a remote bot, the one that is not over if there are two; NULL: none. */
struct session *sessions_of_key(const struct sessions *sessions, struct text key);
/* Is this the connection of the session, now or when it ended? */
bool session_speaks(const struct session *session, const struct peer *peer);

/*
 * A frame's worth of work is: the session of the socket or key, session_speaks(),
 * decoder_init() with the session's limits and, if it speaks, its batch, then for each
 * message decoder_next() and session_receive(), or session_malformed() on an error; stop
 * at the first DO_VIOLATION or DO_REFUSE. `now_ns` is the frame's receive stamp.
 */
void session_receive(struct session *session, const struct peer *peer,
	const struct message *message, int64_t now_ns, struct verdict *verdict);

/* Bytes came that are not a message, on any connection of the bot's. */
void session_malformed(struct session *session, enum err code, const struct why *why,
	struct verdict *verdict);

/* The connection is dead; matches and clocks go on, a reconnect is possible. */
void session_lost(struct session *session);
/* Nothing more is accepted: what the peer still sends is DO_NOTHING with ERR_OVER.
 * session->peer stays, so that a last `error` or `bye` can be sent. */
void session_close(struct session *session);

/* Fills the `welcome` of a session that has just come (back). */
void session_welcome(const struct session *session, struct message *message);

/* The arbiter sends `match`: the bot is in this match from now on. NULL if the bot is
 * in as many matches as it wants. */
struct session_match *session_offer(struct session *session, int64_t match, void *user);
/* The arbiter sends `act`, in any match: adds limits.messages to the bot's credit. */
void session_asked(struct session *session);
/* The match is over for this bot; frees *match. */
void session_end(struct session *session, struct session_match **match);

#endif
