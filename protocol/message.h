/*
 * The messages of specs/protocol.md as plain structs.
 *
 * Texts and blobs point into the bytes that were decoded, or at what the sender
 * wants encoded; a message owns nothing. Views, lists of legal actions, events,
 * options, actions, notes and results are blobs: protocol/ checks that they are
 * well-formed and never looks inside. Integers are int64_t throughout and within
 * 0..INTEGER_MAX unless said otherwise; times are milliseconds.
 */
#ifndef PROTOCOL_MESSAGE_H
#define PROTOCOL_MESSAGE_H

#include "protocol/buffer.h"
#include "protocol/limits.h"

enum message_type {
	MESSAGE_HELLO,
	MESSAGE_WELCOME,
	MESSAGE_MATCH,
	MESSAGE_READY,
	MESSAGE_EVENT,
	MESSAGE_ACT,
	MESSAGE_ACTION,
	MESSAGE_REFUSE,
	MESSAGE_END,
	MESSAGE_RESUME,
	MESSAGE_BYE,
	MESSAGE_ERROR,
	MESSAGE_TYPES
};

/* Who may send a type. */
enum message_from { FROM_BOT = 1, FROM_ARBITER = 2 };

struct integers {
	int64_t count;
	int64_t at[SEATS_MAX];
};

struct texts {
	int64_t count;
	struct text at[SEATS_MAX];
};

/* secret.size 0: a first hello; else a reconnect. */
struct message_hello {
	struct integers v; /* versions that the bot speaks */
	struct text token;
	struct text name, version, lang; /* empty if not given */
	int64_t matches;                 /* at once, 1 if not given */
	bool events;                     /* wants `event` messages */
	bool batch;                      /* several messages in a frame, both ways */
	struct text secret;              /* raw bytes */
};

struct message_welcome {
	int64_t v;
	int64_t session;
	struct text secret; /* raw bytes */
	struct limits limits;
};

enum clock_kind { CLOCK_KIND_WALL, CLOCK_KIND_CPU };

/* The clock rule of a match. bank_ms and inc_ms both 0: there is no bank. move_ms 0:
 * no cap on one answer. */
struct message_rule {
	int64_t kind; /* enum clock_kind, a word on the wire */
	int64_t bank_ms;
	int64_t inc_ms;
	int64_t move_ms;
};

/* The clock of one question: move_ms is the time for this answer, with bank and cap
 * considered; bank_ms what is in the bank before it. */
struct message_clock {
	int64_t bank_ms;
	int64_t move_ms;
};

struct message_match {
	int64_t match;
	struct text game;
	int64_t rules;       /* version of the game's rules */
	struct blob options; /* map */
	int64_t seat, seats;
	struct integers teams; /* one for each seat, -1: none, or not settled */
	struct message_rule clock;
	struct text commit, rng; /* raw bytes, SECRET_BYTES each */
	struct texts names;      /* by seat; count 0: opponents are anonymous */
};

struct message_ready {
	int64_t match;
};

struct message_event {
	int64_t match;
	struct blob events; /* array */
};

struct message_act {
	int64_t match;
	int64_t turn;       /* this seat's questions in the match, from 1 */
	struct blob view;   /* map */
	struct blob events; /* array */
	struct blob legal;  /* array */
	struct message_clock clock;
};

/* Either choice >= 0 or an action. */
struct message_action {
	int64_t match;
	int64_t turn;
	int64_t choice;     /* index into legal, -1: not given */
	struct blob action; /* map */
	struct blob note;   /* str or bin, payload at most limits.note_bytes */
};

struct message_refuse {
	int64_t match;
	int64_t turn;
	struct text clause;
	struct text why;
};

struct message_end {
	int64_t match;
	struct blob events; /* array */
	struct blob result; /* map, or nil if the match was void */
};

struct message_pending {
	int64_t turn; /* 0: no question is open */
	struct blob legal;
	struct message_clock clock;
};

struct message_resume {
	struct message_match match;
	struct blob view; /* map */
	struct message_pending act;
};

struct message_bye {
	struct text code, why; /* may be empty */
};

struct message_error {
	struct text code;
	struct text why;
	int64_t match; /* -1: about the session, not about one match */
};

struct message {
	enum message_type type;
	union {
		struct message_hello hello;
		struct message_welcome welcome;
		struct message_match match;
		struct message_ready ready;
		struct message_event event;
		struct message_act act;
		struct message_action action;
		struct message_refuse refuse;
		struct message_end end;
		struct message_resume resume;
		struct message_bye bye;
		struct message_error error;
	};
};

/* The word under "t". */
const char *message_word(enum message_type type);
/* Bits of enum message_from. */
unsigned message_from(enum message_type type);

#endif
