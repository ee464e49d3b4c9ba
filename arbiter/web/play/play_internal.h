/* Shared by the files of play; nobody else includes this. */
#ifndef ARBITER_WEB_PLAY_PLAY_INTERNAL_H
#define ARBITER_WEB_PLAY_PLAY_INTERNAL_H

#include "arbiter/base/child.h"
#include "arbiter/base/lines.h"
#include "arbiter/base/time.h"
#include "arbiter/bots/bot_spec.h"
#include "arbiter/web/play/play.h"
#include "arbiter/web/site/follow.h"

#include <limits.h>
#include <pthread.h>

#define PLAY_ID_SIZE   33        /* 16 bytes in hex and the final NUL */
#define PLAY_LINE_MAX  (1 << 20) /* bytes of what the person is asked */
#define PLAY_TAIL_SIZE 1024      /* of what the match wrote on stderr */

/*
 *   FREE ──play_match_prepare()──► WAITING ──play_match_work()──► RUNNING
 *    ▲                                                              │ its process ended
 *    └────── play_match_release() ◄── OVER ◄────────────────────────┘
 */
enum play_state { PLAY_FREE, PLAY_WAITING, PLAY_RUNNING, PLAY_OVER };

struct play_match {
	enum play_state state;
	char id[PLAY_ID_SIZE];
	char folder[PATH_MAX];
	char **words;       /* the command; ends with NULL */
	int seat;           /* the person's */
	struct child child; /* the `pigpen match` */
	int listener, link; /* the socket of the person's bot; -1: closed */
	struct lines lines; /* from the link */
	struct follow follow;
	int64_t turn;  /* of the open question; 0: none */
	int64_t asked; /* the turn of the last question, which may be asked again */
	int streams;
	mono_ns seen;  /* when a browser was there last */
	mono_ns left;  /* when the person left; 0: still there */
	mono_ns ended; /* when it was over */
	char tail[PLAY_TAIL_SIZE];
	size_t tail_size;
};

/* A bot to play against. */
struct play_bot {
	char id[96]; /* "sample/c/random" */
	char name[65], language[65];
	char folder[PATH_MAX];
	char games[16][32];
	int game_count; /* 0: all */
};

struct play {
	struct play_options options;
	char folder[PATH_MAX - 64];
	struct play_bot *samples;
	int sample_count;
	struct server *server;
	pthread_t worker;
	int alarm;             /* an eventfd that wakes the thread */
	pthread_mutex_t mutex; /* of what follows */
	bool started, ending;
	struct play_match match[PLAY_PLACES_MAX];
};

/* Tells the thread that there is something to do. */
void play_wake(struct play *play);
/* A match that browsers may follow; NULL: there is none of that name. The time that it
 * takes tells nothing of the names that there are. */
struct play_match *play_find(struct play *play, const char *id);
/* Is this the name of a match? */
bool play_is_id(const char *text);
/* Removes the oldest matches that are over until there is room for one more. The mutex is
 * held. */
void play_folder_tidy(struct play *play);

/* Makes the place free. */
void play_match_init(struct play_match *match);
/* Takes the words. False: no socket can be created, and the words stay the caller's. */
bool play_match_prepare(struct play_match *match, const char *id, const char *folder,
	const char *socket_name, int seat, char **words);
/* Does whatever there is to do; true if somebody should be told. */
bool play_match_work(struct play_match *match, int idle_s);
/* The person answers; takes the reference. */
void play_match_answer(struct play_match *match, json_t *line);
/* The person leaves the table. */
void play_match_leave(struct play_match *match);
/* Kills and reaps its process at once. */
void play_match_kill(struct play_match *match);
void play_match_release(struct play_match *match);
/* The replay in a match's folder; false: there is none. */
bool play_replay_find(const char *folder, char path[PATH_MAX]);

/* The bots beside the program that can be started. */
struct play_bot *play_samples(int *count);
/* Games with their options, and all opponents. */
json_t *play_games_json(struct play *play);
/* How the bots of a match are sandboxed: as the strictest of the ladders that they are
 * from says; samples are as strict as `pigpen match` is by itself. */
struct play_sandbox {
	bool of_ladder; /* a ladder has said something */
	enum sandbox_mode mode;
	struct sandbox_limits limits;
};
/* Where a bot lies, by its id, and what its ladder says of sandboxes is added to
 * `sandbox`; false: there is none of that name. */
bool play_bot_folder(struct play *play, const char *id, char path[PATH_MAX],
	struct play_sandbox *sandbox);

/*
 * The command that plays what the body of a request asks for: a list of words that ends
 * with NULL, for play_words_free(). NULL: `why` says what is wrong with the request.
 */
char **play_command(struct play *play, const char *body, size_t size,
	const char *socket_name, int *seat, struct why *why);
void play_words_free(char **words);

#endif
