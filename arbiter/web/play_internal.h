/* Between the files of play; nobody else includes this. */
#ifndef ARBITER_WEB_PLAY_INTERNAL_H
#define ARBITER_WEB_PLAY_INTERNAL_H

#include "arbiter/web/follow.h"
#include "arbiter/web/play.h"
#include "games/game.h"
#include "protocol/why.h"

#include <limits.h>
#include <pthread.h>
#include <sys/types.h>

#define PLAY_ID_SIZE   33 /* 16 bytes in hex and the final NUL */
#define PLAY_WORDS_MAX (GAME_SEATS_MAX + 2 * GAME_OPTIONS_MAX + 16)
#define PLAY_LINE_MAX  (1 << 20) /* bytes of one question */
#define PLAY_TAIL_SIZE 1024      /* of what the match said on stderr */

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
	char *words[PLAY_WORDS_MAX + 1]; /* the command; ends with NULL */
	int seat;                        /* the person's */
	pid_t pid;
	int listener, link, errors; /* -1: closed */
	char *input;                /* what came over the link, not yet a whole line */
	size_t input_size;
	struct follow follow;
	int64_t turn; /* that the person is asked for; 0: none */
	int streams;
	int64_t seen_ms;  /* when a browser was there last */
	int64_t left_ms;  /* when the person left; 0: still there */
	int64_t ended_ms; /* when it was over */
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
	int wish;              /* an eventfd that wakes the worker */
	pthread_mutex_t mutex; /* of what follows */
	bool started, ending;
	struct play_match match[PLAY_KEPT_MAX];
};

int64_t play_now_ms(void);
/* A match that browsers may follow; NULL: there is none of that name. */
struct play_match *play_find(struct play *play, const char *id);
/* Is this the name of a match? */
bool play_is_id(const char *text);
/* Removes the oldest matches that are over until there is room for one more. The mutex is
 * held. */
void play_folder_tidy(struct play *play);

/* A free place. */
void play_match_init(struct play_match *match);
/* Takes the words, which are freed with it. False: no socket can be had. */
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
/* Where a bot lies, by its id; false: there is none of that name. */
bool play_bot_folder(struct play *play, const char *id, char path[PATH_MAX]);

/*
 * The command that plays what the body of a request asks for, but for the person's word
 * and the folder: a list of words ended by NULL, which the caller frees. NULL with a
 * sentence.
 */
char **play_command(struct play *play, const char *body, const char *socket_name,
	int *seat, struct why *why);
void play_words_free(char **words);

#endif
